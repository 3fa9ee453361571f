//! Regular expressions in filters.

use clj::{Cx, Result, Value};

/// True for a compiled regular expression of the language.
pub(super) fn is_regex(value: &Value) -> bool {
    matches!(value, Value::Object(object) if object.class_name() == "java.util.regex.Pattern")
}

/// True if the expression is found anywhere in the text.
pub(super) fn finds(cx: &Cx<'_>, regex: &Value, text: &str) -> Result<bool> {
    let find = cx
        .rt
        .var("clojure.core", "re-find")
        .and_then(|var| var.root())
        .unwrap_or_default();
    Ok(!cx.call(&find, &[regex.clone(), Value::str(text)])?.is_nil())
}
