//! `riemann.elasticsearch`: documents to Elasticsearch.

use clj::{Cx, Native, Result, Thrown, Value, closure, seq};
use event::{Event, Fields};
use sinks::document::document;
use sinks::elasticsearch::{
    Action, Bulk, Cluster, Document, Elasticsearch, INDEX, INDEX_SUFFIX, TYPE, URL, date_suffix,
};

use super::options::{Options, text};
use super::outlets::Outlets;
use super::{json, sink};
use crate::index_object::to_event;

const NAME: &str = "elasticsearch";
const BULK: &str = "elasticsearch-bulk";
const FORMATTER: &str = "default-bulk-formatter";
/// What an event may say to the formatter of bulks, which is no part of the document.
const SAID_KEYS: [&str; 5] = ["es-index", "type", "es-action", "es-id", "index-suffix"];

pub const NATIVES: &[Native] = &[
    Native {
        name: NAME,
        arglists: "([options] [options formatter])",
        doc: "A stream that puts each event into Elasticsearch as a document. Options: \
              :es-endpoint \"http://127.0.0.1:9200\", :es-index \"riemann\", :index-suffix \
              \"-yyyy.MM.dd\" (of the event's time), :type \"event\", :username, :password. The \
              formatter, a function of an event, gives the document as a map.",
        arity: (1, None),
        code: elasticsearch,
    },
    Native {
        name: BULK,
        arglists: "([options])",
        doc: "A stream that sends one event or several to Elasticsearch as one bulk. Options: \
              :es-endpoint \"http://127.0.0.1:9200\", :username, :password, :formatter, a function \
              of an event that gives a map of :es-action, :es-metadata and :es-source; without it \
              the events are such maps. :http-options are not used.",
        arity: (1, Some(1)),
        code: bulk,
    },
    Native {
        name: FORMATTER,
        arglists: "([options])",
        doc: "A formatter for elasticsearch-bulk. Options: :es-index, :type, :es-action, \
              :index-suffix; an event's own of the same name come first, and its :es-id.",
        arity: (1, Some(1)),
        code: |_, args| {
            let options = Options::read(FORMATTER, &args[0])?;
            Ok(closure::function(FORMATTER, move |_, args| match args {
                [event] => bulk_entry(&options, event),
                _ => Err(Thrown::arity(args.len(), FORMATTER)),
            }))
        },
    },
];

fn cluster(options: &Options) -> Cluster {
    let endpoint = options.text_or("es-endpoint", URL);
    let login = options.text("username").zip(options.text("password"));
    Cluster {
        login,
        ..Cluster::new(endpoint.trim_end_matches('/'))
    }
}

fn elasticsearch(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let index = options.text_or("es-index", INDEX);
    let suffix = options.text_or("index-suffix", INDEX_SUFFIX);
    let kind = options.text_or("type", TYPE);
    let formatter = args.get(1).filter(|formatter| formatter.truthy()).cloned();
    let target = Elasticsearch(cluster(&options));
    let outlet = cx.get::<Outlets>()?.http(NAME, &args[..1], target)?;
    Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
        sink::each_event(value, |value, event| {
            let source = match &formatter {
                Some(formatter) => {
                    let said = cx.call(formatter, std::slice::from_ref(value))?;
                    json::object("elasticsearch: the formatter", &said)?
                }
                None => document(event),
            };
            let index = format!("{index}{}", dated(event, &suffix)?);
            outlet.offer(Document {
                index,
                kind: kind.clone(),
                source,
            });
            Ok(())
        })
    }))
}

/// The date of an event, as the suffix of an index writes it.
fn dated(event: &Event, suffix: &str) -> Result<String> {
    if suffix.is_empty() {
        return Ok(String::new());
    }
    let time = event.time().ok_or_else(|| {
        Thrown::illegal_argument("elasticsearch: an event with no time has no index")
    })?;
    date_suffix(suffix, time).ok_or_else(|| {
        Thrown::illegal_argument(format!(
            "elasticsearch: :index-suffix {suffix:?} is no date"
        ))
    })
}

fn bulk(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(BULK, &args[0])?;
    let cluster = cluster(&options);
    let login = cluster.login.clone().unwrap_or_default();
    let arguments = [cluster.url.as_str().into(), login.0.into(), login.1.into()];
    let outlet = cx.get::<Outlets>()?.http(BULK, &arguments, Bulk(cluster))?;
    let formatter = options.get("formatter");
    Ok(sink::stream(BULK, &outlet, move |cx, value, outlet| {
        for value in sink::flatten(value)? {
            let entry = match &formatter {
                Some(formatter) => cx.call(formatter, &[value])?,
                None => value,
            };
            outlet.offer(action(&entry)?);
        }
        Ok(())
    }))
}

/// The action that a map of `:es-action`, `:es-metadata` and `:es-source` describes.
fn action(entry: &Value) -> Result<Action> {
    let part = |key: &str| seq::get(entry, &Value::keyword(key)).filter(|part| !part.is_nil());
    let missing =
        |key: &str| Thrown::illegal_argument(format!("{BULK}: no :{key} in what is sent"));
    let action = part("es-action").ok_or_else(|| missing("es-action"))?;
    let metadata = part("es-metadata").ok_or_else(|| missing("es-metadata"))?;
    Ok(Action {
        action: text(&action),
        metadata: json::object("elasticsearch-bulk: :es-metadata", &metadata)?,
        source: match part("es-source") {
            Some(source) => Some(json::object("elasticsearch-bulk: :es-source", &source)?),
            None => None,
        },
    })
}

fn bulk_entry(options: &Options, value: &Value) -> Result {
    let event = to_event(value)?;
    let said = |key: &str| {
        let own = seq::get(value, &Value::keyword(key));
        own.filter(|own| !own.is_nil()).or_else(|| options.get(key))
    };
    let suffix = said("index-suffix")
        .map(|suffix| text(&suffix))
        .unwrap_or_default();
    let index = said("es-index")
        .map(|index| text(&index))
        .unwrap_or_default();
    let mut metadata = vec![
        (
            Value::keyword("_index"),
            Value::from(format!("{index}{}", dated(&event, &suffix)?)),
        ),
        (Value::keyword("_type"), said("type").unwrap_or_default()),
    ];
    if let Some(id) = said("es-id") {
        metadata.push((Value::keyword("_id"), id));
    }
    let mut source = document(&event);
    for key in SAID_KEYS {
        source.shift_remove(key);
    }
    Ok(Value::map([
        (
            Value::keyword("es-action"),
            said("es-action").unwrap_or_default(),
        ),
        (Value::keyword("es-metadata"), Value::map(metadata)),
        (
            Value::keyword("es-source"),
            json::to_value(&serde_json::Value::Object(source)),
        ),
    ]))
}
