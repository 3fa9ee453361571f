//! What a client can ask for.

use std::sync::Arc;

use clj::interrupt::Interrupt;
use config::{Configuration, Meaning};

use super::bencode::{Datum, Dict};
use super::reply::{Reply, Writer};
use super::session::{Interrupted, Job, Session, Sessions};
use crate::handler::Live;

/// Line and column that a client may say a text begins at; the text is read as if it stood there.
const PLACE_MAX: i64 = 100_000;

/// What every operation is called, and what it does.
const OPERATIONS: [(&str, &str); 11] = [
    ("clone", "Makes a session, like another or fresh."),
    ("close", "Ends a session."),
    ("complete", "As completions."),
    ("completions", "The names that a prefix can become."),
    ("describe", "What this server can do."),
    ("eval", "Evaluates code."),
    ("interrupt", "Gives up an evaluation."),
    ("load-file", "Evaluates the contents of a file."),
    ("lookup", "What a name means."),
    ("ls-sessions", "The ids of the sessions."),
    ("stdin", "Gives code something to read."),
];

/// One client.
pub struct Client {
    pub live: Arc<Live>,
    pub sessions: Arc<Sessions>,
    pub writer: Arc<Writer>,
    /// What messages without a session are evaluated in.
    pub nameless: Arc<Session>,
}

impl Client {
    /// Does what a message asks for. Evaluations go on in the background.
    pub fn handle(&self, message: &Dict) {
        let text = |key: &str| message.get(key).and_then(Datum::as_text);
        let named = text("session").filter(|id| !id.is_empty());
        let session = match named {
            Some(id) => self.sessions.find(id),
            None => Some(self.nameless.clone()),
        };
        let id = message.get("id").cloned();
        let writer = self.writer.clone();
        let answers = named.map(str::to_owned);
        let reply = Reply::new(writer, id, answers);
        let Some(session) = session else {
            reply.end(&["error", "unknown-session", "done"], []);
            return;
        };
        match text("op").unwrap_or_default() {
            "clone" => {
                let session = self.sessions.clone_of(named.map(|_| &*session));
                reply.end(&["done"], [("new-session", session.id.as_str().into())]);
            }
            "close" => {
                self.sessions.close(&session);
                reply.end(&["done", "session-closed"], []);
            }
            "describe" => describe(&reply, &session),
            "ls-sessions" => {
                let ids = self.sessions.ids().into_iter().map(Datum::Text).collect();
                reply.end(&["done"], [("sessions", Datum::List(ids))]);
            }
            "eval" | "load-file" => self.evaluate(message, &session, reply, named.is_none()),
            "interrupt" => {
                let wanted = message.get("interrupt-id");
                match session.interrupt(wanted, &self.sessions, &self.live) {
                    Interrupted::Done => reply.end(&["done"], []),
                    Interrupted::Idle => reply.end(&["done", "session-idle"], []),
                    Interrupted::OtherRuns => {
                        reply.end(&["error", "interrupt-id-mismatch", "done"], []);
                    }
                }
            }
            "stdin" => {
                let fits = session.input.add(text("stdin").unwrap_or_default());
                reply.end(if fits { &["done"] } else { &["error", "done"] }, []);
            }
            "completions" | "complete" => self.completions(message, &session, &reply),
            "lookup" => self.lookup(message, &session, &reply),
            other => reply.end(&["error", "unknown-op", "done"], [("op", other.into())]),
        }
    }

    fn evaluate(&self, message: &Dict, session: &Arc<Session>, reply: Reply, alone: bool) {
        let text = |key: &str| message.get(key).and_then(Datum::as_text);
        let is_file = text("op") == Some("load-file");
        let Some(code) = text(if is_file { "file" } else { "code" }) else {
            let missing = if is_file { "no-file" } else { "no-code" };
            reply.end(&["error", missing, "done"], []);
            return;
        };
        let file = match is_file {
            true => text("file-path").or(text("file-name")),
            false => text("file"),
        };
        let place = |key: &str| {
            let place = message.get(key).and_then(Datum::as_int).unwrap_or(1);
            usize::try_from(place.clamp(1, PLACE_MAX) - 1).unwrap_or(0)
        };
        let job = Job {
            file: file.unwrap_or("REPL").to_owned(),
            text: "\n".repeat(place("line")) + &" ".repeat(place("column")) + code,
            namespace: text("ns").map(str::to_owned),
            is_file,
            alone,
            reply,
            interrupt: Interrupt::default(),
        };
        session.submit(job, &self.sessions, &self.live);
    }

    /// Answers from the running configuration, if there is one.
    fn with_configuration<R>(&self, ask: impl FnOnce(&Configuration) -> R) -> Option<R> {
        let configuration = self.live.configuration.load_full()?;
        Some(ask(&configuration))
    }

    fn completions(&self, message: &Dict, session: &Session, reply: &Reply) {
        let text = |key: &str| message.get(key).and_then(Datum::as_text);
        let prefix = text("prefix").or(text("symbol")).unwrap_or_default();
        let namespace = text("ns").map_or_else(|| session.namespace(), str::to_owned);
        let found = self.with_configuration(|configuration| {
            let found = configuration.completions(&namespace, prefix);
            found
                .into_iter()
                .map(|completion| {
                    dict([
                        ("candidate", completion.name.into()),
                        ("type", completion.kind.into()),
                    ])
                })
                .collect()
        });
        let found = Datum::List(found.unwrap_or_default());
        reply.end(&["done"], [("completions", found)]);
    }

    fn lookup(&self, message: &Dict, session: &Session, reply: &Reply) {
        let text = |key: &str| message.get(key).and_then(Datum::as_text);
        let name = text("sym").or(text("symbol")).unwrap_or_default();
        let namespace = text("ns").map_or_else(|| session.namespace(), str::to_owned);
        let meaning =
            self.with_configuration(|configuration| configuration.meaning(&namespace, name));
        match meaning.flatten() {
            Some(meaning) => reply.end(&["done"], [("info", info(meaning))]),
            None => reply.end(&["done", "lookup-error"], []),
        }
    }
}

fn dict<const N: usize>(fields: [(&str, Datum); N]) -> Datum {
    let fields = fields.into_iter();
    Datum::Dict(fields.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn info(meaning: Meaning) -> Datum {
    let number = |number: Option<i64>| number.map(Datum::Int);
    let text = |text: Option<String>| text.filter(|text| !text.is_empty()).map(Datum::Text);
    let fields = [
        ("ns", Some(meaning.namespace.into())),
        ("name", Some(meaning.name.into())),
        ("macro", meaning.is_macro.then(|| "true".into())),
        ("arglists-str", text(meaning.arglists)),
        ("doc", text(meaning.doc)),
        ("file", text(meaning.file)),
        ("line", number(meaning.line)),
        ("column", number(meaning.column)),
    ];
    let known = fields
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Datum::Dict(known.collect())
}

fn describe(reply: &Reply, session: &Session) {
    let operations = OPERATIONS.map(|(name, doc)| (name, dict([("doc", doc.into())])));
    let version = env!("CARGO_PKG_VERSION");
    let versions = dict([
        ("cauchy", dict([("version-string", version.into())])),
        (
            "clojure",
            dict([
                ("major", Datum::Int(1)),
                ("minor", Datum::Int(10)),
                ("incremental", Datum::Int(0)),
                ("version-string", "1.10.0".into()),
            ]),
        ),
        (
            "nrepl",
            dict([
                ("major", Datum::Int(1)),
                ("minor", Datum::Int(0)),
                ("incremental", Datum::Int(0)),
                ("version-string", "1.0.0".into()),
            ]),
        ),
    ]);
    let fields = [
        ("ops", dict(operations)),
        ("versions", versions),
        ("aux", dict([("current-ns", session.namespace().into())])),
    ];
    reply.end(&["done"], fields);
}
