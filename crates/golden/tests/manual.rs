//! The manual's page of the streams is made of the same texts that `(doc where)` shows.
//!
//! `UPDATE=1 cargo test -p cauchy-golden --test manual` writes it anew.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

use clj::Native;

const PAGE: &str = "docs/manual/streams.md";

const OPENING: &str = "\
# The streams

A stream is a function of one argument, usually an event; it returns something that its parent seldom looks at.
Most take *children*: streams that get what they let through or make.
What one child throws is caught, told to the `exception-stream` around it or logged, and the other children go on.
An event is *expired* when its state is `expired`, or when it is older than its `ttl` (60 seconds if it has none).

This page is made of the texts that `(doc NAME)` shows.
";

#[test]
fn the_page_of_the_streams_is_true() {
    let mut page = OPENING.to_owned();
    let mut streams: Vec<&Native> = streams::OPERATORS.iter().chain(streams::MACROS).collect();
    streams.retain(|native| !streams::INTERNAL.contains(&native.name));
    section(&mut page, "riemann.streams", streams);
    section(&mut page, "riemann.folds", streams::FOLDS.iter().collect());
    compare(&page);
}

fn section(page: &mut String, namespace: &str, mut natives: Vec<&Native>) {
    natives.sort_by_key(|native| native.name);
    let _ = write!(page, "\n## {namespace}\n");
    for native in natives {
        assert!(!native.doc.is_empty(), "{} has no text", native.name);
        let _ = write!(page, "\n### {}\n\n", native.name);
        for arguments in arities(native.arglists) {
            let _ = writeln!(
                page,
                "    ({})",
                [native.name, arguments].join(" ").trim_end()
            );
        }
        page.push_str(&markdown(native.doc));
    }
}

/// Paragraphs, a sentence a line; those that are indented are code.
fn markdown(doc: &str) -> String {
    let mut text = String::new();
    for paragraph in doc.split("\n\n") {
        if paragraph.starts_with("    ") {
            let _ = write!(text, "\n```clojure\n");
            for line in paragraph.lines() {
                let _ = writeln!(text, "{}", line.strip_prefix("    ").unwrap_or(line));
            }
            text.push_str("```\n");
        } else {
            let words: Vec<&str> = paragraph.split_whitespace().collect();
            let _ = write!(text, "\n{}\n", words.join(" ").replace(". ", ".\n"));
        }
    }
    text
}

/// `([a] [a b])` as `a` and `a b`.
fn arities(arglists: &str) -> Vec<&str> {
    let inner = arglists.trim_start_matches('(').trim_end_matches(')');
    let mut arities = Vec::new();
    let (mut depth, mut from) = (0, 0);
    for (at, char) in inner.char_indices() {
        match char {
            '[' => {
                if depth == 0 {
                    from = at + 1;
                }
                depth += 1;
            }
            ']' => {
                depth -= 1;
                if depth == 0 {
                    arities.push(&inner[from..at]);
                }
            }
            _ => {}
        }
    }
    arities
}

fn compare(page: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(PAGE);
    if env::var_os("UPDATE").is_some() {
        fs::write(&file, page).expect("the manual can be written");
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "{PAGE} is out of date: run with UPDATE=1 and read the diff"
    );
}
