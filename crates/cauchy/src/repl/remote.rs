//! A running server, over nREPL.

use std::io::{BufReader, Write};
use std::net::TcpStream;

use super::{World, local};
use crate::nrepl::bencode::{self, Datum, Dict};

/// A session of a server.
pub struct Remote {
    stream: BufReader<TcpStream>,
    address: String,
    session: String,
    namespace: String,
    last_id: i64,
}

impl Remote {
    /// # Errors
    /// One line: nobody listens there, or no nREPL server.
    pub fn connect(address: &str) -> Result<Remote, String> {
        let stream = TcpStream::connect(address).map_err(|error| format!("{address}: {error}"))?;
        let mut remote = Remote {
            stream: BufReader::new(stream),
            address: address.to_owned(),
            session: String::new(),
            namespace: "user".to_owned(),
            last_id: 0,
        };
        let mut session = None;
        remote.ask("clone", &[], &mut |answer| {
            session = text(answer, "new-session").map(str::to_owned);
            Ok(None)
        })?;
        remote.session = session.ok_or_else(|| format!("{address}: no session was given"))?;
        Ok(remote)
    }

    fn send(&mut self, op: &str, fields: &[(&str, &str)]) -> Result<(), String> {
        self.last_id += 1;
        let mut message: Dict = fields
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Datum::from(*value)))
            .collect();
        message.insert("op".to_owned(), op.into());
        message.insert("id".to_owned(), self.last_id.to_string().into());
        if !self.session.is_empty() {
            message.insert("session".to_owned(), self.session.as_str().into());
        }
        let mut bytes = Vec::new();
        bencode::encode_dict(&message, &mut bytes);
        let sent = self.stream.get_mut().write_all(&bytes);
        sent.map_err(|error| format!("{}: {error}", self.address))
    }

    /// Sends a message and hands on its answers up to the last; what `each` gives for one is sent
    /// as input for code that reads.
    fn ask(
        &mut self,
        op: &str,
        fields: &[(&str, &str)],
        each: &mut dyn FnMut(&Dict) -> Result<Option<String>, String>,
    ) -> Result<(), String> {
        self.send(op, fields)?;
        let id = self.last_id.to_string();
        loop {
            let answer = bencode::read_message(&mut self.stream)
                .map_err(|error| format!("{}: {error}", self.address))?
                .ok_or_else(|| format!("{}: the connection was closed", self.address))?;
            if text(&answer, "id") != Some(&id) {
                continue;
            }
            if let Some(input) = each(&answer)? {
                self.send("stdin", &[("stdin", &input)])?;
            }
            if has_status(&answer, "done") {
                return Ok(());
            }
        }
    }
}

impl World for Remote {
    fn evaluate(&mut self, code: &str) -> Result<(), String> {
        let mut namespace = None;
        self.ask("eval", &[("code", code)], &mut |answer| {
            if let Some(value) = text(answer, "value") {
                println!("{value}");
                namespace = text(answer, "ns").map(str::to_owned);
            }
            print!("{}", text(answer, "out").unwrap_or_default());
            eprint!("{}", text(answer, "err").unwrap_or_default());
            let _ = std::io::stdout().flush();
            if has_status(answer, "unknown-session") {
                return Err("the session has ended: the server has too many".to_owned());
            }
            let wants = has_status(answer, "need-input");
            Ok(wants.then(|| local::read_line().unwrap_or_default()))
        })?;
        self.namespace = namespace.unwrap_or_else(|| std::mem::take(&mut self.namespace));
        Ok(())
    }

    fn namespace(&self) -> &str {
        &self.namespace
    }

    fn completions(&mut self, prefix: &str) -> Vec<String> {
        let mut names = Vec::new();
        let namespace = self.namespace.clone();
        let fields = [("prefix", prefix), ("ns", namespace.as_str())];
        let asked = self.ask("completions", &fields, &mut |answer| {
            if let Some(Datum::List(found)) = answer.get("completions") {
                names.extend(found.iter().filter_map(|found| match found {
                    Datum::Dict(found) => text(found, "candidate").map(str::to_owned),
                    _ => None,
                }));
            }
            Ok(None)
        });
        // A lost connection is told when something is evaluated.
        asked.map_or_else(|_| Vec::new(), |()| names)
    }
}

fn text<'a>(answer: &'a Dict, key: &str) -> Option<&'a str> {
    answer.get(key).and_then(Datum::as_text)
}

fn has_status(answer: &Dict, word: &str) -> bool {
    match answer.get("status") {
        Some(Datum::List(words)) => words.iter().any(|found| found.as_text() == Some(word)),
        _ => false,
    }
}
