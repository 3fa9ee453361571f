//! Printing: `str`, and `pr` which reads back.

use std::fmt::{self, Write};

use crate::list::{Cells, List};
use crate::{Value, deep, event_value, seq};

impl Value {
    /// What `pr-str` gives: strings in quotes.
    pub fn to_readable(&self) -> String {
        let mut out = String::new();
        print(self, &mut out, true);
        out
    }

    /// What `str` gives: nil is nothing, a string is itself, collections print readably.
    pub fn to_text(&self) -> String {
        match self {
            Value::Nil => String::new(),
            Value::Str(text) => text.to_string(),
            Value::Char(char) => char.to_string(),
            Value::Object(object) if object.kind() == crate::object::Kind::Opaque => {
                object.text().unwrap_or_else(|| {
                    let mut out = String::new();
                    object.print(&mut out, false);
                    out
                })
            }
            _ => match self.as_number() {
                Some(number) => number.to_text(),
                None => self.to_readable(),
            },
        }
    }

    /// The Java class name, as errors and `(class x)` show it.
    pub fn class_name(&self) -> String {
        match self {
            Value::Nil => "nil",
            Value::Bool(_) => "java.lang.Boolean",
            Value::Int(_) => "java.lang.Long",
            Value::Double(_) => "java.lang.Double",
            Value::Float(_) => "java.lang.Float",
            Value::Big(_) => "clojure.lang.BigInt",
            Value::Ratio(_) => "clojure.lang.Ratio",
            Value::Decimal(_) => "java.math.BigDecimal",
            Value::Char(_) => "java.lang.Character",
            Value::Str(_) => "java.lang.String",
            Value::Keyword(_) => "clojure.lang.Keyword",
            Value::Symbol(_) => "clojure.lang.Symbol",
            Value::List(list) => list_class(list),
            Value::Lazy(_) => "clojure.lang.LazySeq",
            Value::Vector(_) => "clojure.lang.PersistentVector",
            Value::Map(map) if map.len() > ARRAY_MAP_MAX => "clojure.lang.PersistentHashMap",
            Value::Map(_) => "clojure.lang.PersistentArrayMap",
            Value::Set(_) => "clojure.lang.PersistentHashSet",
            Value::Event(event) if event.is_record() => "riemann.codec.Event",
            Value::Event(_) => "clojure.lang.PersistentArrayMap",
            Value::Fn(_) => "clojure.lang.AFunction",
            Value::Var(_) => "clojure.lang.Var",
            Value::Object(object) => object.class_name(),
        }
        .to_owned()
    }
}

/// Entries of the largest map that Clojure keeps as an array.
const ARRAY_MAP_MAX: usize = 8;

fn list_class(list: &List) -> &'static str {
    match &list.cells {
        _ if list.is_empty() => "clojure.lang.PersistentList$EmptyList",
        Cells::Cons {
            rest: Value::Nil, ..
        }
        | Cells::Array { .. } => "clojure.lang.PersistentList",
        Cells::Cons { .. } => "clojure.lang.Cons",
        Cells::Chunk { .. } => "clojure.lang.ChunkedCons",
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_readable())
    }
}

/// Appends the printed form: readable (`pr`) or plain (`print`).
pub fn print(value: &Value, out: &mut String, readably: bool) {
    match value {
        Value::Nil => out.push_str("nil"),
        Value::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        Value::Str(text) if readably => print_string(text, out),
        Value::Str(text) => out.push_str(text),
        Value::Char(char) if readably => print_char(*char, out),
        Value::Char(char) => out.push(*char),
        Value::Keyword(keyword) => {
            out.push(':');
            print_name(keyword.namespace(), keyword.name(), out);
        }
        Value::Symbol(symbol) => print_name(symbol.namespace(), symbol.name(), out),
        Value::List(_) | Value::Lazy(_) => {
            let items = seq::iter(value).map_while(Result::ok);
            print_items(items, ("(", ")"), out, readably);
        }
        Value::Vector(vector) => print_items(vector.iter().cloned(), ("[", "]"), out, readably),
        Value::Set(set) => print_items(set.iter().cloned(), ("#{", "}"), out, readably),
        Value::Map(map) => print_entries(map.iter(), out, readably),
        Value::Event(event) => {
            if event.is_record() {
                out.push_str("#riemann.codec.Event");
            }
            print_entries(event_value::to_map(event).iter(), out, readably);
        }
        Value::Fn(callable) => {
            let _ = write!(out, "#object[{}]", callable.name().unwrap_or("fn"));
        }
        Value::Var(var) => {
            let _ = write!(out, "#'{}/{}", var.namespace, var.name);
        }
        Value::Object(object) => object.print(out, readably),
        _ => {
            if let Some(number) = value.as_number() {
                let _ = write!(out, "{number}");
            }
        }
    }
}

fn print_name(namespace: Option<&str>, name: &str, out: &mut String) {
    if let Some(namespace) = namespace {
        out.push_str(namespace);
        out.push('/');
    }
    out.push_str(name);
}

/// Appends items between an opening and a closing text.
pub(crate) fn print_items(
    items: impl Iterator<Item = Value>,
    (open, close): (&str, &str),
    out: &mut String,
    readably: bool,
) {
    out.push_str(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(' ');
        }
        print_nested(&item, out, readably);
    }
    out.push_str(close);
}

/// Appends the entries of a map, with its braces.
pub(crate) fn print_entries<'a>(
    entries: impl Iterator<Item = (&'a Value, &'a Value)>,
    out: &mut String,
    readably: bool,
) {
    out.push('{');
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        print_nested(key, out, readably);
        out.push(' ');
        print_nested(value, out, readably);
    }
    out.push('}');
}

fn print_nested(value: &Value, out: &mut String, readably: bool) {
    deep::with_stack(|| print(value, out, readably));
}

fn print_string(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ => out.push(char),
        }
    }
    out.push('"');
}

fn print_char(char: char, out: &mut String) {
    out.push('\\');
    match char {
        '\n' => out.push_str("newline"),
        ' ' => out.push_str("space"),
        '\t' => out.push_str("tab"),
        '\r' => out.push_str("return"),
        '\u{8}' => out.push_str("backspace"),
        '\u{c}' => out.push_str("formfeed"),
        _ => out.push(char),
    }
}
