//! `riemann.logging`: how a configuration wants the log.

use clj::{Cx, Native, Result, Thrown, Value, seq};
use parking_lot::Mutex;

/// What `(logging/init …)` and its like have asked for. The program applies it once the
/// configuration has loaded whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogRequest {
    /// `:console? false` is `Some(false)`.
    pub console: Option<bool>,
    /// Files to log to as well.
    pub files: Vec<LogFile>,
    /// Root level: `trace`, `debug`, `info`, `warn`, `error` or `off`.
    pub level: Option<String>,
    /// Levels of single loggers, by the beginning of their names.
    pub levels: Vec<(String, String)>,
    /// Any `:json…` layout.
    pub json: bool,
}

/// A file to log to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    pub path: String,
    pub json: bool,
}

/// The extension that collects requests while a configuration loads.
#[derive(Default)]
pub struct LogRequests(pub Mutex<LogRequest>);

pub const NATIVES: &[Native] = &[
    Native {
        name: "init",
        arglists: "([] [options] [& options])",
        doc: "Sets up the log. Options: :console? true, :console-layout :riemann (or a :json layout), \
              :file PATH, :file-layout, :files [{:path PATH :file-layout …}], :level, :logsize-rotate.",
        arity: (0, None),
        code: init,
    },
    Native {
        name: "set-level",
        arglists: "([level] [logger level])",
        doc: "Sets the level of the log, or of the loggers whose names begin so.",
        arity: (1, Some(2)),
        code: set_level,
    },
    Native {
        name: "suppress*",
        arglists: "([loggers f])",
        doc: "Calls f.",
        arity: (2, Some(2)),
        code: |cx, args| cx.call(&args[1], &[]),
    },
    Native {
        name: "nice-syntax-error",
        arglists: "([e file])",
        doc: "The exception: errors name their place by themselves.",
        arity: (1, Some(2)),
        code: |_, args| Ok(args[0].clone()),
    },
];

fn init(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = options(args)?;
    let option = |name: &str| options.get_keyword(name).cloned().unwrap_or_default();
    let json = |layout: &Value| is_json(layout);
    let mut request = cx.get::<LogRequests>()?.0.lock();
    if let Value::Bool(console) = option("console?").clone() {
        request.console = Some(console);
    } else if let Value::Bool(console) = option("console") {
        request.console = Some(console);
    }
    request.json |= json(&option("console-layout"));
    if let Some(path) = option("file").as_str() {
        let file = LogFile {
            path: path.to_owned(),
            json: json(&option("file-layout")),
        };
        request.files.push(file);
    }
    for file in seq::to_vec(&option("files"))? {
        let get = |name: &str| seq::get(&file, &Value::keyword(name)).unwrap_or_default();
        if let Some(path) = get("path").as_str() {
            let file = LogFile {
                path: path.to_owned(),
                json: json(&get("file-layout")),
            };
            request.files.push(file);
        }
    }
    if let Some(level) = level_name(&option("level")) {
        request.level = Some(level);
    }
    Ok(Value::Nil)
}

/// One map, or keys and values as older configurations give them.
fn options(args: &[Value]) -> Result<clj::Map> {
    match args {
        [] | [Value::Nil] => Ok(clj::Map::default()),
        [Value::Map(map)] => Ok(map.clone()),
        _ if args.len().is_multiple_of(2) => Ok(args
            .chunks(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect()),
        _ => Err(Thrown::illegal_argument(
            "logging/init takes a map of options, or keys and values: (logging/init {:file \"…\"})",
        )),
    }
}

fn is_json(layout: &Value) -> bool {
    matches!(layout, Value::Keyword(keyword) if keyword.name().starts_with("json"))
}

fn set_level(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (logger, level) = match args {
        [logger, level] => (Some(logger.to_text()), level),
        _ => (None, &args[0]),
    };
    let level = level_name(level).ok_or_else(|| {
        Thrown::illegal_argument(format!(
            "{} is no level: use one of :trace :debug :info :warn :error :off",
            level.to_readable()
        ))
    })?;
    let mut request = cx.get::<LogRequests>()?.0.lock();
    match logger {
        Some(logger) => request.levels.push((logger, level)),
        None => request.level = Some(level),
    }
    Ok(Value::Nil)
}

/// A level given as a keyword, a string, or a constant of a Java logging library.
fn level_name(level: &Value) -> Option<String> {
    let text = match level {
        Value::Keyword(keyword) => keyword.name().to_owned(),
        Value::Nil => return None,
        _ => level.to_text(),
    };
    let name = text
        .rsplit(['/', '.'])
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let name = match name.as_str() {
        "all" => "trace",
        "fatal" => "error",
        "warning" => "warn",
        "trace" | "debug" | "info" | "warn" | "error" | "off" => name.as_str(),
        _ => return None,
    };
    Some(name.to_owned())
}
