//! An answer as it was read: what is printed and drawn.

use serde_json::Value;

/// An answer in JSON, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// From when on, in microseconds since 1970.
    pub from_us: i64,
    /// Until when, excluded.
    pub to_us: i64,
    /// How long a step is; `None` for samples as they came.
    pub step_us: Option<i64>,
    /// What is shown, in the order of a row's values.
    pub shows: Vec<String>,
    /// How many series matched.
    pub matched: u64,
    /// The series, or all of them merged.
    pub series: Vec<Line>,
    /// What is missing, and why.
    pub troubles: Vec<String>,
}

/// The rows of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Host, service and the rest.
    pub name: String,
    /// Times in microseconds since 1970, and values.
    pub rows: Vec<(i64, Vec<Value>)>,
    /// What is shown of the whole time.
    pub total: Vec<Value>,
}

impl Reply {
    /// Reads what [`Json`](crate::Json) has written.
    ///
    /// # Errors
    /// If it is something else.
    pub fn read(text: &[u8]) -> Result<Reply, String> {
        let json: Value = serde_json::from_slice(text)
            .map_err(|error| format!("the answer cannot be read: {error}"))?;
        let series = list(&json["series"]).iter().map(Line::read);
        let damages = list(&json["damages"]).iter().map(text_of);
        let error = (!json["error"].is_null()).then(|| text_of(&json["error"]));
        Ok(Reply {
            from_us: us(&json["from"]).ok_or("the answer has no times")?,
            to_us: us(&json["to"]).ok_or("the answer has no times")?,
            step_us: us(&json["step"]),
            shows: list(&json["show"]).iter().map(text_of).collect(),
            matched: json["matched"].as_u64().unwrap_or(0),
            series: series.collect(),
            troubles: damages.chain(error).collect(),
        })
    }
}

impl Line {
    fn read(json: &Value) -> Line {
        let row = |row: &Value| {
            let (time, values) = list(row).split_first()?;
            Some((us(time)?, values.to_vec()))
        };
        Line {
            name: name_of(json),
            rows: list(&json["rows"]).iter().filter_map(row).collect(),
            total: list(&json["total"]).to_vec(),
        }
    }
}

/// The name of a series, as people read it: `web1  api rtt  zone=a`.
#[must_use]
pub fn name_of(json: &Value) -> String {
    let named = ["host", "service"].into_iter().map(|key| &json[key]);
    let mut words: Vec<String> = named.filter(|name| !name.is_null()).map(text_of).collect();
    for (key, value) in json["by"].as_object().into_iter().flatten() {
        let values = value.as_array().map(|values| {
            let values: Vec<String> = values.iter().map(text_of).collect();
            values.join(",")
        });
        words.push(format!(
            "{key}={}",
            values.unwrap_or_else(|| text_of(value))
        ));
    }
    let merged = json["merged"].as_u64().unwrap_or(1);
    if merged > 1 {
        words.push(format!("({merged} series)"));
    }
    words.join("  ")
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn text_of(json: &Value) -> String {
    json.as_str()
        .map_or_else(|| json.to_string(), str::to_owned)
}

fn us(json: &Value) -> Option<i64> {
    Some((json.as_f64()? * 1e6).round() as i64)
}
