//! Which natives are in which namespace.

use std::sync::Arc;

use clj::{Cx, Namespace, Native, Result, Runtime, Thrown, Value, seq};
use event::Event;
use streams::{TopLevel, World};

use crate::state::{Installed, Mode, State};
use crate::{
    client, common, executor, history, http, http_words, index_object, journal, lines, logging,
    pubsub, query, queue, repl, server, sinks_binding, time, words,
};

/// Defines everything that is not written in the language.
pub fn install(rt: &Runtime) {
    streams::install(rt);
    rt.define_natives("riemann.client", client::NATIVES);
    rt.define_natives("riemann.common", common::NATIVES);
    if let Some(matches) = rt
        .var("riemann.streams", "match-value")
        .and_then(|var| var.root())
    {
        rt.ensure_namespace("riemann.common")
            .define("match", matches);
    }
    rt.define_natives("riemann.codec", common::CODEC_NATIVES);
    rt.define_natives("riemann.index", index_object::NATIVES);
    rt.define_natives("riemann.core", index_object::CORE_NATIVES);
    rt.define_natives("riemann.core", CORE);
    rt.define_natives("riemann.config", CONFIG);
    rt.define_natives("riemann.config", history::NATIVES);
    rt.define_natives("riemann.config", journal::NATIVES);
    rt.define_natives("riemann.config", queue::NATIVES);
    rt.define_natives("riemann.logging", logging::NATIVES);
    rt.define_natives("riemann.pipeline", crate::pipeline::NATIVES);
    rt.define_natives("riemann.pubsub", pubsub::NATIVES);
    rt.define_natives("riemann.query", query::NATIVES);
    rt.define_natives("riemann.repl", repl::NATIVES);
    rt.define_natives("riemann.test", TEST);
    rt.define_natives("riemann.time", time::NATIVES);
    rt.define_natives("riemann.time.controlled", time::CONTROLLED_NATIVES);
    rt.define_natives("riemann.transport", server::NATIVES);
    rt.define_natives("riemann.transport.graphite", lines::GRAPHITE);
    rt.define_natives("riemann.transport.opentsdb", lines::OPENTSDB);
    rt.define_natives("riemann.service", executor::NATIVES);
    sinks_binding::install(rt);
    rt.define_natives("clj-http.client", http::NATIVES);
    rt.define_natives("clj-http.client", http_words::NATIVES);
    rt.define_native_macros("clj-http.client", http_words::MACROS);
}

const CORE: &[Native] = &[
    Native {
        name: "-installed",
        arglists: "([core])",
        doc: "Makes the streams of a core those that events enter.",
        arity: (1, Some(1)),
        code: |cx, args| {
            let streams = seq::get(&args[0], &Value::keyword("streams")).unwrap_or_default();
            let index = seq::get(&args[0], &Value::keyword("index")).unwrap_or_default();
            let installed = Installed {
                streams: TopLevel::of(&seq::to_vec(&streams)?),
                index: index_object::index_in(&index),
            };
            cx.get::<State>()?
                .installed
                .store(Some(Arc::new(installed)));
            Ok(Value::Nil)
        },
    },
    Native {
        name: "-catch-up",
        arglists: "([])",
        doc: "Gives the streams what they have not seen since the last start.",
        arity: (0, Some(0)),
        code: |cx, _| {
            let state = cx.get::<State>()?;
            match &state.wire {
                Some(wire) if state.mode == Mode::Run => {
                    wire.catch_up()
                        .map_err(|line| Thrown::new("java.io.IOException", line))?;
                }
                _ => {}
            }
            Ok(Value::Nil)
        },
    },
    Native {
        name: "-instrument",
        arglists: "([core interval])",
        doc: "Sends events that tell of the server through the streams.",
        arity: (2, Some(2)),
        code: instrument,
    },
];

fn instrument(cx: &Cx<'_>, args: &[Value]) -> Result {
    let state = cx.get::<State>()?;
    let interval_s = args[1].as_number().map_or(10.0, |number| number.to_f64());
    let Some(telemetry) = &state.telemetry else {
        return Ok(Value::Nil);
    };
    let events: Vec<Event> = telemetry.events(interval_s);
    let Some(installed) = state.installed.load_full() else {
        return Ok(Value::Nil);
    };
    for event in events {
        if let Err(thrown) = installed.streams.call(cx, &Value::Event(event)) {
            cx.get::<World>()?.report("instrumentation", &thrown);
        }
    }
    Ok(Value::Nil)
}

const CONFIG: &[Native] = &[
    Native {
        name: "-relative-path",
        arglists: "([file path])",
        doc: "A path relative to the folder of a file.",
        arity: (2, Some(2)),
        code: |_, args| {
            let path = args[1].as_str().ok_or_else(|| {
                Thrown::illegal_argument(format!(
                    "a path is a string, not {}",
                    args[1].to_readable()
                ))
            })?;
            let folder = args[0].as_str().and_then(|file| file.rsplit_once('/'));
            Ok(Value::str(match folder {
                Some((folder, _)) if !path.starts_with('/') => format!("{folder}/{path}"),
                _ => path.to_owned(),
            }))
        },
    },
    Native {
        name: "-included-files",
        arglists: "([path])",
        doc: "The file, or the .clj and .config files below the folder, in lexical order.",
        arity: (1, Some(1)),
        code: |cx, args| {
            let mut files = Vec::new();
            collect_files(cx, args[0].as_str().unwrap_or_default(), &mut files)?;
            Ok(Value::list(files.into_iter().map(Value::from).collect()))
        },
    },
    Native {
        name: "-read-all",
        arglists: "([text])",
        doc: "All forms of a text.",
        arity: (1, Some(1)),
        code: |cx, args| {
            let text = format!("[{}\n]", args[0].as_str().unwrap_or_default());
            words::call(cx, "read-string", &[Value::from(text)])
        },
    },
];

fn collect_files(cx: &Cx<'_>, path: &str, files: &mut Vec<String>) -> Result<()> {
    let host = &cx.rt.host;
    if !host.is_directory(path) {
        if !host.file_exists(path) {
            let message = format!("{path} (No such file or directory)");
            return Err(Thrown::new("java.io.FileNotFoundException", message));
        }
        files.push(path.to_owned());
        return Ok(());
    }
    let names = host
        .list_directory(path)
        .map_err(|error| Thrown::new("java.io.IOException", format!("{path}: {error}")))?;
    for name in names {
        let below = format!("{}/{name}", path.trim_end_matches('/'));
        if host.is_directory(&below) || name.ends_with(".clj") || name.ends_with(".config") {
            collect_files(cx, &below, files)?;
        }
    }
    Ok(())
}

const TEST: &[Native] = &[
    Native {
        name: "-enter-test-ns",
        arglists: "([there here])",
        doc: "Makes a namespace current that sees all of another, and the words of tests.",
        arity: (2, Some(2)),
        code: enter_test_namespace,
    },
    Native {
        name: "-mode",
        arglists: "([])",
        doc: "What the configuration is loaded for: :run, :check, :test or :evaluate.",
        arity: (0, Some(0)),
        code: |cx, _| {
            Ok(Value::keyword(match cx.get::<State>()?.mode {
                Mode::Run => "run",
                Mode::Check => "check",
                Mode::Test => "test",
                Mode::Evaluate => "evaluate",
            }))
        },
    },
];

/// Words of tests that `tests` may use without asking.
const TEST_WORDS: [(&str, &[&str]); 2] = [
    ("clojure.test", &["is", "are", "testing", "use-fixtures"]),
    (
        "riemann.test",
        &[
            "deftest",
            "inject!",
            "inject-intervals!",
            "lookup",
            "run-stream",
            "run-stream-intervals",
            "test-stream",
            "test-stream-intervals",
            "with-test-stream",
        ],
    ),
];

fn enter_test_namespace(cx: &Cx<'_>, args: &[Value]) -> Result {
    let there = cx.rt.ensure_namespace(&args[0].to_text());
    let here = cx.rt.ensure_namespace(&args[1].to_text());
    see_all(&there, &here);
    for (namespace, words) in TEST_WORDS {
        for word in words {
            if let Some(var) = cx.rt.var(namespace, word) {
                there.refer(word, var);
            }
        }
    }
    words::call(cx, "in-ns", &args[..1])
}

fn see_all(there: &Namespace, here: &Namespace) {
    for (name, var) in here.mappings.read().iter() {
        there.refer(name, var.clone());
    }
    let aliases = here.aliases.read().clone();
    there.aliases.write().extend(aliases);
    let imports = here.imports.read().clone();
    there.imports.write().extend(imports);
}
