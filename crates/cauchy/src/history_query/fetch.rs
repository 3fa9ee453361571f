//! Where the command's answers come from: a server, or a folder.

use std::io::Read;
use std::path::Path;

use ask::{Error, Json, Listing, Pieces, Question};
use serde_json::Value;
use store::Store;

use super::flags::HistoryCommand;

/// The most of an answer that is read, in bytes: all rows that a server answers, of a few numbers.
const ANSWER_BYTES_MAX: u64 = 1 << 30;

/// Asks and gives the answer, as JSON.
///
/// # Errors
/// One line: what is wrong, and what to do.
pub fn answer(command: &HistoryCommand) -> Result<Vec<u8>, String> {
    match &command.dir {
        Some(dir) => from_folder(dir, command),
        None => from_server(command),
    }
}

fn from_folder(dir: &Path, command: &HistoryCommand) -> Result<Vec<u8>, String> {
    let has = |name: &str| dir.join(name).exists();
    if !has("series") && !has("journal") {
        let dir = dir.display();
        return Err(format!(
            "{dir}: there is no history here; name the folder of a store"
        ));
    }
    let store = Store::view(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut text = Vec::new();
    ask_folder(&store, command, &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn ask_folder(store: &Store, command: &HistoryCommand, out: &mut dyn Pieces) -> Result<(), Error> {
    if command.names {
        Listing::read(command.parts())?.write(store, out);
        return Ok(());
    }
    let question = Question::read(command.parts(), crate::send::now().us)?;
    ask::answer(store, &question, &mut Json::new(out))
}

fn from_server(command: &HistoryCommand) -> Result<Vec<u8>, String> {
    let server = command.url.trim_end_matches('/');
    let path = if command.names { "series" } else { "history" };
    // An answer may take its time; who has waited enough interrupts.
    let request = sinks::http::agent()
        .get(format!("{server}/api/{path}"))
        .query_pairs(command.parts())
        .config()
        .timeout_recv_response(None)
        .timeout_recv_body(None)
        .build();
    let answer = request.call().map_err(|error| {
        format!(
            "cannot ask {server}: {error}; is the server up? --url names another, --dir a folder"
        )
    })?;
    let status = answer.status().as_u16();
    let mut body = Vec::new();
    let read = answer
        .into_body()
        .into_reader()
        .take(ANSWER_BYTES_MAX)
        .read_to_end(&mut body);
    read.map_err(|error| format!("{server} broke off its answer: {error}"))?;
    match status {
        200 => Ok(body),
        _ => Err(refusal(server, status, &body)),
    }
}

fn refusal(server: &str, status: u16, body: &[u8]) -> String {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    match (json["error"].as_str(), json["remedy"].as_str()) {
        (Some(error), Some(remedy)) => format!("{error}; {remedy}"),
        _ => format!("{server} answered with status {status}; is it a Cauchy with history?"),
    }
}
