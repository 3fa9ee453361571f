//! `StringBuilder` and `StringBuffer`.

use std::any::Any;
use std::sync::Arc;

use parking_lot::Mutex;

use super::character::char;
use super::string::substring;
use super::{JavaClass, Static, constructor};
use crate::core::arguments::int;
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.lang.StringBuilder",
        construct: NEW,
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.lang.StringBuffer",
        construct: NEW,
        statics: &[],
        fields: &[],
    },
];

const NEW: Option<Static> = constructor(0, 1, |_, a| {
    let text = match a {
        [Value::Str(text)] => text.to_string(),
        _ => String::new(),
    };
    Ok(Value::object(StringBuilder(Arc::new(Mutex::new(text)))))
});

/// Its methods give it again, so that calls can be chained: another handle of the same text.
#[derive(Clone)]
struct StringBuilder(Arc<Mutex<String>>);

/// The text of a value as Java's `String.valueOf` gives it.
pub(super) fn java_text(value: &Value) -> String {
    if value.is_nil() {
        "null".into()
    } else {
        value.to_text()
    }
}

impl StringBuilder {
    /// The byte of a position in characters.
    fn byte(text: &str, index: &Value) -> Result<usize> {
        let position = int(index)?;
        let ends = text
            .char_indices()
            .map(|(byte, _)| byte)
            .chain([text.len()]);
        let found = usize::try_from(position)
            .ok()
            .and_then(|index| ends.into_iter().nth(index));
        found.ok_or_else(|| {
            let len = text.chars().count();
            let message = format!("index {position}, length {len}");
            Thrown::new("java.lang.StringIndexOutOfBoundsException", message)
        })
    }

    /// Methods that give the builder itself; `None` for others.
    fn change(&self, name: &str, args: &[Value]) -> Option<Result<()>> {
        let mut text = self.0.lock();
        Some(match (name, args) {
            ("append", [value]) => {
                text.push_str(&java_text(value));
                Ok(())
            }
            ("reverse", []) => {
                *text = text.chars().rev().collect();
                Ok(())
            }
            ("insert", [index, value]) => {
                StringBuilder::byte(&text, index).map(|at| text.insert_str(at, &java_text(value)))
            }
            ("deleteCharAt", [index]) => StringBuilder::byte(&text, index).map(|at| {
                if at < text.len() {
                    text.remove(at);
                }
            }),
            ("delete" | "replace", [from, to, with @ ..]) => {
                let from = StringBuilder::byte(&text, from);
                let to = StringBuilder::byte(&text, to).unwrap_or(text.len());
                let with = with.first().map(java_text).unwrap_or_default();
                from.map(|from| text.replace_range(from..to.max(from), &with))
            }
            _ => return None,
        })
    }
}

impl Object for StringBuilder {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.lang.StringBuilder"
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<StringBuilder>();
        other.is_some_and(|other| Arc::ptr_eq(&self.0, &other.0))
    }

    fn hash_code(&self) -> Option<u64> {
        Some(Arc::as_ptr(&self.0).addr() as u64)
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "java.lang.CharSequence" | "java.lang.Appendable")
    }

    fn text(&self) -> Option<String> {
        Some(self.0.lock().clone())
    }

    fn count(&self) -> Option<usize> {
        Some(self.0.lock().chars().count())
    }

    fn seq(&self) -> Option<Result> {
        Some(Ok(Value::list(
            self.0.lock().chars().map(Value::Char).collect(),
        )))
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        if matches!(
            name,
            "append" | "reverse" | "insert" | "deleteCharAt" | "delete" | "replace"
        ) {
            let changed = self.change(name, args)?;
            return Some(changed.map(|()| Value::object(self.clone())));
        }
        let text = self.0.lock().clone();
        Some(match (name, args) {
            ("length", []) => Ok(Value::Int(text.chars().count() as i64)),
            ("toString", []) => Ok(Value::from(text)),
            ("substring", [begin]) => substring(&text, begin, None),
            ("substring", [begin, end]) => substring(&text, begin, Some(end)),
            ("setLength", [len]) => StringBuilder::byte(&text, len).map(|at| {
                self.0.lock().truncate(at);
                Value::Nil
            }),
            ("setCharAt", [index, new]) => StringBuilder::byte(&text, index).and_then(|at| {
                let old = text[at..].chars().next().map_or(0, char::len_utf8);
                let new = char(new)?;
                self.0
                    .lock()
                    .replace_range(at..at + old, new.encode_utf8(&mut [0; 4]));
                Ok(Value::Nil)
            }),
            ("charAt" | "indexOf", _) => super::method(cx, &Value::from(text), name, args),
            _ => return None,
        })
    }
}
