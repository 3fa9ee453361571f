//! Answers as a table for people, and as CSV for programs.

use histogram::Histogram;
use serde_json::Value;

use crate::reply::{Line, Reply};
use crate::time::{iso_text, seconds_text};

/// Characters of a histogram's shape.
const SHAPE_WIDTH: usize = 16;

/// The columns line up; at most so many rows of each series, the newest, and then its total.
#[must_use]
pub fn table(reply: &Reply, rows_max: usize) -> String {
    let mut text = String::new();
    for line in &reply.series {
        if !line.name.is_empty() {
            text += &format!("{}\n", line.name);
        }
        let hidden = line.rows.len().saturating_sub(rows_max);
        let rows = line.rows[hidden..].iter();
        let mut cells: Vec<Vec<String>> = vec![header(reply)];
        cells.extend(rows.map(|(time_us, values)| row(iso_text(*time_us), values)));
        if !line.total.is_empty() {
            cells.push(row("all of it".to_owned(), &line.total));
        }
        if hidden > 0 {
            text += &format!("… {hidden} rows before these\n");
        }
        text += &aligned(&cells);
    }
    text
}

fn header(reply: &Reply) -> Vec<String> {
    let time = std::iter::once("time (UTC)".to_owned());
    time.chain(reply.shows.iter().cloned()).collect()
}

fn row(first: String, values: &[Value]) -> Vec<String> {
    std::iter::once(first)
        .chain(values.iter().map(cell))
        .collect()
}

fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        let line = cells.collect::<Vec<String>>().join("  ");
        text += &format!("{}\n", line.trim_end());
    }
    text
}

/// A value in a cell of the table.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Number(number) => match number.as_u64() {
            Some(count) => count.to_string(),
            None => number_text(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => match Histogram::from_base64(text) {
            Ok(histogram) if text.len() > 8 => histogram.sparkline(SHAPE_WIDTH),
            _ => text.replace(['\n', '\r', '\t'], " "),
        },
        Value::Array(items) => items.iter().map(part).collect::<Vec<String>>().join(" "),
        Value::Object(members) => match members.get("histogram").and_then(Value::as_str) {
            Some(text) => Histogram::from_base64(text)
                .map(|histogram| histogram.sparkline(SHAPE_WIDTH))
                .unwrap_or_default(),
            None => value.to_string(),
        },
        Value::Bool(_) => value.to_string(),
    }
}

/// A mode as where it is and its share, a bin as where it begins and its count.
fn part(item: &Value) -> String {
    let number = |value: &Value| number_text(value.as_f64().unwrap_or(f64::NAN));
    match (&item["at"], &item["share"]) {
        (Value::Null, _) => format!("{}:{}", number(&item[0]), item[2]),
        (at, share) => {
            let percent = share.as_f64().unwrap_or(0.0) * 100.0;
            format!("{}({percent:.0}%)", number(at))
        }
    }
}

/// A number to five digits.
#[must_use]
pub fn number_text(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return if number == 0.0 { "0" } else { "" }.to_owned();
    }
    let magnitude = number.abs().log10().floor();
    if (-4.0..7.0).contains(&magnitude) {
        let decimals = (4.0 - magnitude).clamp(0.0, 9.0) as usize;
        let text = format!("{number:.decimals$}");
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    let text = format!("{number:.4e}");
    match text.split_once('e') {
        Some((digits, power)) if digits.contains('.') => {
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            format!("{digits}e{power}")
        }
        _ => text,
    }
}

/// Comma-separated values, as RFC 4180 has them: seconds since 1970, the series' name, and what is
/// shown, in full.
#[must_use]
pub fn csv(reply: &Reply) -> String {
    let mut text = String::from("time,series");
    for show in &reply.shows {
        text += ",";
        text += &quoted(show);
    }
    text += "\r\n";
    for line in &reply.series {
        csv_rows(line, &mut text);
    }
    text
}

fn csv_rows(line: &Line, text: &mut String) {
    let name = quoted(&line.name);
    for (time_us, values) in &line.rows {
        *text += &seconds_text(*time_us);
        *text += ",";
        *text += &name;
        for value in values {
            *text += ",";
            match value {
                Value::Null => {}
                Value::String(value) => *text += &quoted(value),
                value => *text += &quoted(&value.to_string()),
            }
        }
        *text += "\r\n";
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply() -> Reply {
        let answer = json!({
            "from": 0, "to": 180, "step": 60, "matched": 2, "damages": [], "error": null,
            "show": ["count", "quantile:0.99", "modes", "text"],
            "series": [{"host": "web1", "service": "rtt", "by": {"zone": "a"}, "merged": 2,
                "rows": [
                    [0, 12, 0.25, [{"at": 1.5, "low": 1, "high": 2, "share": 0.4}], "ok"],
                    [60, 1_234_567, 12.345_678, [], "so, \"so\""],
                    [120, 0, null, [], null],
                ],
                "total": [1_234_579, 0.3, [], "ok"]}],
        });
        Reply::read(answer.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn columns_line_up() {
        let expected = "\
web1  rtt  zone=a  (2 series)
time (UTC)              count  quantile:0.99     modes      text
1970-01-01T00:00:00Z       12           0.25  1.5(40%)        ok
1970-01-01T00:01:00Z  1234567         12.346            so, \"so\"
1970-01-01T00:02:00Z        0
all of it             1234579            0.3                  ok
";
        assert_eq!(table(&reply(), 100), expected);
        assert!(table(&reply(), 1).contains("… 2 rows before these\n"));
    }

    #[test]
    fn csv_keeps_every_digit() {
        let expected = "time,series,count,quantile:0.99,modes,text\r\n\
            0,web1  rtt  zone=a  (2 series),12,0.25,\
            \"[{\"\"at\"\":1.5,\"\"low\"\":1,\"\"high\"\":2,\"\"share\"\":0.4}]\",ok\r\n\
            60,web1  rtt  zone=a  (2 series),1234567,12.345678,[],\"so, \"\"so\"\"\"\r\n\
            120,web1  rtt  zone=a  (2 series),0,,[],\r\n";
        assert_eq!(csv(&reply()), expected);
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (-0.001_234_56, "-0.0012346"),
            (123_456.0, "123456"),
            (1.5e9, "1.5e9"),
            (2e-7, "2e-7"),
            (f64::NAN, ""),
        ] {
            assert_eq!(number_text(number), text);
        }
    }
}
