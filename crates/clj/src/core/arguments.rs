//! Arguments as the kinds that native functions want, with Clojure's errors for others.

use event::Number;

use crate::java::Class;
use crate::{Result, Thrown, Value};

/// A number, or `NullPointerException` or `ClassCastException`.
pub fn number(value: &Value) -> Result<Number> {
    value
        .as_number()
        .ok_or_else(|| not_a(value, "java.lang.Number"))
}

/// What a cast to `class` of something else throws.
pub fn not_a(value: &Value, class: &str) -> Thrown {
    if value.is_nil() {
        return Thrown::without_message("java.lang.NullPointerException");
    }
    let given = value.class_name();
    Thrown::class_cast(format!("class {given} cannot be cast to class {class}"))
}

/// An integer of 64 bits; floats are cut, as `(int 1.5)` does.
pub fn int(value: &Value) -> Result<i64> {
    match value {
        Value::Int(int) => Ok(*int),
        Value::Char(char) => Ok(i64::from(u32::from(*char))),
        _ => Ok(number(value)?.to_i64_lossy()),
    }
}

/// A length or count; negative ones are zero.
pub fn count(value: &Value) -> Result<usize> {
    Ok(usize::try_from(int(value)?).unwrap_or(0))
}

pub fn string(value: &Value) -> Result<&str> {
    value
        .as_str()
        .ok_or_else(|| not_a(value, "java.lang.String"))
}

/// The text of a string, or of another value as `toString` gives it; nil throws.
pub fn text(value: &Value) -> Result<String> {
    match value {
        Value::Nil => Err(not_a(value, "java.lang.CharSequence")),
        _ => Ok(value.to_text()),
    }
}

/// A class's name, of a class or of a symbol or string that names it.
pub fn class_name(value: &Value) -> Result<String> {
    match value {
        Value::Symbol(_) | Value::Str(_) => Ok(value.to_text()),
        _ => match value.downcast::<Class>() {
            Some(class) => Ok(class.name().to_owned()),
            None => Err(not_a(value, "java.lang.Class")),
        },
    }
}

/// The argument at `index`, or nil where fewer were given.
pub fn optional(args: &[Value], index: usize) -> &Value {
    static NIL: Value = Value::Nil;
    args.get(index).unwrap_or(&NIL)
}
