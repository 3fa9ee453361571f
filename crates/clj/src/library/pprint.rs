//! `clojure.pprint`: values on several lines, and tables.

use crate::core::collections::{is_map, is_set};
use crate::core::io::write_out;
use crate::core::native;
use crate::{Cx, Native, Result, Value, deep, java, seq};

pub const NATIVES: &[Native] = &[
    native(
        "pprint",
        "([object] [object writer])",
        "Prints a value: what does not fit on a line is put below each other.",
        (1, Some(2)),
        |cx, a| {
            let text = format!("{}\n", pretty(&a[0])?);
            match a.get(1) {
                Some(writer) => java::method(cx, writer, "write", &[Value::from(text)])?,
                None => {
                    write_out(cx, &text)?;
                    Value::Nil
                }
            };
            Ok(Value::Nil)
        },
    ),
    native(
        "print-table",
        "([rows] [ks rows])",
        "Prints maps as the rows of a table, with a column for each key.",
        (1, Some(2)),
        print_table,
    ),
];

/// Columns of a line.
const WIDTH: usize = 72;

/// A value as pprint prints it, without the newline at the end.
///
/// # Errors
/// What a lazy sequence throws.
pub fn pretty(value: &Value) -> Result<String> {
    let mut out = String::new();
    write(value, 0, 0, &mut out)?;
    Ok(out)
}

/// Writes a value that begins at a column, with `closers` brackets to come right after it.
fn write(value: &Value, column: usize, closers: usize, out: &mut String) -> Result<()> {
    let line = plain(value);
    let fits = column + line.chars().count() + closers <= WIDTH;
    let (open, close) = match value {
        _ if fits => {
            out.push_str(&line);
            return Ok(());
        }
        _ if is_map(value) => return write_map(value, column, closers, out),
        _ if is_set(value) => ("#{", "}"),
        Value::Vector(_) => ("[", "]"),
        _ if value.is_sequential() => ("(", ")"),
        _ => {
            out.push_str(&line);
            return Ok(());
        }
    };
    let items = seq::to_vec(value)?;
    let inner = column + open.len();
    out.push_str(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            new_line(inner, out);
        }
        let closers = if index + 1 == items.len() {
            closers + 1
        } else {
            0
        };
        deep::with_stack(|| write(item, inner, closers, out))?;
    }
    out.push_str(close);
    Ok(())
}

fn write_map(map: &Value, column: usize, closers: usize, out: &mut String) -> Result<()> {
    let entries = seq::to_vec(map)?;
    out.push('{');
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            out.push(',');
            new_line(column + 1, out);
        }
        let closers = if index + 1 == entries.len() {
            closers + 1
        } else {
            1
        };
        let (key, value) = (seq::first(entry)?, seq::first(&seq::rest(entry)?)?);
        let (key_line, value_line) = (plain(&key), plain(&value));
        let key_width = key_line.chars().count();
        let len = key_width + 1 + value_line.chars().count();
        deep::with_stack(|| write(&key, column + 1, 0, out))?;
        if column + 1 + len + closers <= WIDTH {
            out.push(' ');
            out.push_str(&value_line);
        } else {
            new_line(column + 1, out);
            deep::with_stack(|| write(&value, column + 1, closers, out))?;
        }
    }
    out.push('}');
    Ok(())
}

/// The value on one line; a record without its name.
fn plain(value: &Value) -> String {
    match value {
        Value::Event(event) => Value::Map(crate::event_value::to_map(event)).to_readable(),
        _ => value.to_readable(),
    }
}

fn new_line(column: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', column));
}

fn print_table(cx: &Cx<'_>, args: &[Value]) -> Result {
    let rows = seq::to_vec(&args[args.len() - 1])?;
    let Some(first) = rows.first() else {
        return Ok(Value::Nil);
    };
    let keys = match args {
        [keys, _] => seq::to_vec(keys)?,
        _ => seq::iter(first)
            .map(|entry| seq::first(&entry?))
            .collect::<Result<_>>()?,
    };
    write_out(cx, &table(&keys, &rows))?;
    Ok(Value::Nil)
}

fn table(keys: &[Value], rows: &[Value]) -> String {
    let cell = |row: &Value, key: &Value| seq::get(row, key).unwrap_or_default().to_text();
    let width = |text: &str| text.chars().count();
    let widths: Vec<usize> = keys
        .iter()
        .map(|key| {
            let cells = rows.iter().map(|row| width(&cell(row, key)));
            cells.chain([width(&key.to_text())]).max().unwrap_or(0)
        })
        .collect();
    let line = |edges: [&str; 3], cells: Vec<String>| {
        let padded = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:>width$}"));
        let cells = padded.collect::<Vec<_>>().join(edges[1]);
        format!("{}{cells}{}\n", edges[0], edges[2])
    };
    let edges = ["| ", " | ", " |"];
    let mut text = String::from("\n");
    text.push_str(&line(edges, keys.iter().map(Value::to_text).collect()));
    text.push_str(&line(
        ["|-", "-+-", "-|"],
        widths.iter().map(|width| "-".repeat(*width)).collect(),
    ));
    for row in rows {
        text.push_str(&line(
            edges,
            keys.iter().map(|key| cell(row, key)).collect(),
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Map;

    #[test]
    fn breaks_what_is_too_wide() {
        let words: Vec<Value> = (0..12).map(|n| Value::from(format!("word {n}"))).collect();
        let long: Map = [
            (Value::keyword("a"), Value::Int(1)),
            (Value::keyword("words"), Value::vector(words[..2].to_vec())),
        ]
        .into_iter()
        .collect();
        assert_eq!(
            pretty(&Value::Map(long)).expect("plain"),
            "{:a 1, :words [\"word 0\" \"word 1\"]}"
        );
        let text = pretty(&Value::vector(words)).expect("plain");
        assert!(text.starts_with("[\"word 0\"\n \"word 1\"\n"), "{text}");
    }

    #[test]
    fn tables_have_aligned_columns() {
        let row = |a: i64, b: &str| {
            Value::map([
                (Value::keyword("a"), a.into()),
                (Value::keyword("b"), b.into()),
            ])
        };
        let keys = [Value::keyword("a"), Value::keyword("b")];
        let text = table(&keys, &[row(1, "one"), row(100, "x")]);
        assert_eq!(
            text,
            "\n|  :a |  :b |\n|-----+-----|\n|   1 | one |\n| 100 |   x |\n"
        );
    }
}
