//! ClickHouse: rows in a table of its own, which is made when it is first written to.

use event::{Event, Fields};
use ureq::Agent;

use crate::http::{Request, by_status, send};
use crate::target::{DeliveryError, Item, Target};
use crate::url::component;
use crate::words;

pub const PORT: u16 = 8123;
/// Rows in one insert. ClickHouse likes few and large ones.
const BATCH_ROWS: usize = 10_000;
/// The columns, in the order of [`Row`].
const COLUMNS: &str = "time DateTime, host String, service String, state String, \
    description String, metric Float64, tags Array(String)";

#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// Scheme, host and port.
    pub url: String,
    pub database: String,
    pub table: String,
    pub user: Option<String>,
    pub password: Option<String>,
}

impl Settings {
    /// The table `riemann` of the database `default`.
    pub fn new(url: impl Into<String>) -> Settings {
        Settings {
            url: url.into(),
            database: "default".into(),
            table: "riemann".into(),
            user: None,
            password: None,
        }
    }

    fn table(&self) -> String {
        format!("{}.{}", identifier(&self.database), identifier(&self.table))
    }

    fn create(&self) -> Request {
        let table = self.table();
        let query = format!(
            "CREATE TABLE IF NOT EXISTS {table} ({COLUMNS}) ENGINE = MergeTree \
             PARTITION BY toYYYYMM(time) ORDER BY (service, host, time)"
        );
        self.request("", query)
    }

    fn insert(&self, batch: &[Row]) -> Request {
        let query = format!("INSERT INTO {} FORMAT CSV", self.table());
        let rows = batch.iter().map(|row| row.0.as_str()).collect();
        self.request(&format!("/?query={}", component(&query)), rows)
    }

    fn request(&self, path: &str, body: String) -> Request {
        let mut request = Request::post(format!("{}{path}", self.url));
        if let Some(user) = &self.user {
            request = request.header("X-ClickHouse-User", user);
        }
        if let Some(password) = &self.password {
            request = request.header("X-ClickHouse-Key", password);
        }
        request.body("text/plain; charset=utf-8", body)
    }
}

fn identifier(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// A row of CSV with its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(String);

impl Item for Row {
    fn size_bytes(&self) -> usize {
        self.0.len()
    }

    fn told(&self) -> String {
        self.0.clone()
    }
}

impl Row {
    /// `None` if the event has no metric, or no time that the table can hold (1970 to 2106).
    pub fn new(event: &Event) -> Option<Row> {
        let time = u32::try_from(event.time()?.floor_s()).ok()?;
        let metric = event.metric()?.to_f64();
        let [host, service, state, description] = ["host", "service", "state", "description"]
            .map(|name| quote(&words::field(event, name)));
        let tags: Vec<String> = event
            .tags()
            .into_iter()
            .flatten()
            .map(|tag| format!("'{}'", tag.replace('\\', "\\\\").replace('\'', "\\'")))
            .collect();
        let tags = quote(&format!("[{}]", tags.join(",")));
        let metric = metric.to_string().to_lowercase();
        Some(Row(format!(
            "{time},{host},{service},{state},{description},{metric},{tags}\n"
        )))
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Inserts rows. An insert whose answer is lost is made again: its rows may be there twice.
pub struct ClickHouse {
    settings: Settings,
    agent: Agent,
    table_exists: bool,
}

impl ClickHouse {
    pub fn new(settings: Settings, agent: Agent) -> ClickHouse {
        ClickHouse {
            settings,
            agent,
            table_exists: false,
        }
    }
}

impl Target for ClickHouse {
    type Item = Row;

    fn batch_max(&self) -> usize {
        BATCH_ROWS
    }

    fn deliver(&mut self, batch: &[Row]) -> Result<(), DeliveryError> {
        if !self.table_exists {
            by_status(&send(&self.agent, self.settings.create())?)?;
            self.table_exists = true;
        }
        by_status(&send(&self.agent, self.settings.insert(batch))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{event, text};

    #[test]
    fn requests() {
        let settings = Settings {
            user: Some("u".into()),
            password: Some("p".into()),
            table: "a`b".into(),
            ..Settings::new("http://h:8123")
        };
        let head = "X-ClickHouse-User: u\nX-ClickHouse-Key: p\n\
                    Content-Type: text/plain; charset=utf-8\n\n";
        assert_eq!(
            text(&settings.create()),
            format!(
                "POST http://h:8123\n{head}CREATE TABLE IF NOT EXISTS `default`.`a\\`b` \
                 (time DateTime, host String, service String, state String, description String, \
                 metric Float64, tags Array(String)) ENGINE = MergeTree \
                 PARTITION BY toYYYYMM(time) ORDER BY (service, host, time)"
            )
        );
        let event = event().edit(|draft| draft.description = Some("say \"hi\", now".into()));
        assert_eq!(
            text(&settings.insert(&[Row::new(&event).unwrap()])),
            format!(
                "POST http://h:8123/?query=INSERT%20INTO%20%60default%60.%60a%5C%60b%60\
                 %20FORMAT%20CSV\n{head}1500000000,\"www1\",\"api rate\",\"critical\",\
                 \"say \"\"hi\"\", now\",2.5,\"['a','b c']\"\n"
            )
        );
    }
}
