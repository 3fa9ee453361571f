//! What to do about errors that come from anywhere and say little themselves.

/// A remedy for an exception of a class, by its message.
pub fn remedy(class: &str, message: &str) -> Option<String> {
    if let Some(said) = said_in_full(class, message) {
        return Some(said.to_owned());
    }
    if let Some((given, wanted)) = cast(message) {
        return Some(format!(
            "{} was given where {} is needed",
            kind(given),
            kind(wanted)
        ));
    }
    if let Some(class) = message.strip_prefix("Don't know how to create ISeq from: ") {
        let given = kind(class);
        return Some(format!(
            "{given} has no items; lists, vectors, maps, sets and strings have"
        ));
    }
    let begins = |(start, _): &&(&str, &str)| message.starts_with(start);
    let (_, advice) = BY_START.iter().find(begins)?;
    Some((*advice).to_owned())
}

fn said_in_full(class: &str, message: &str) -> Option<&'static str> {
    match (class, message) {
        ("NullPointerException", "") => {
            Some("nil was given where a value is needed: is a field of the event missing?")
        }
        ("IndexOutOfBoundsException", "") => {
            Some("there are not so many items; (nth items index default) gives a default instead")
        }
        ("ArithmeticException", "Divide by zero") => {
            Some("test the divisor before, as in (if (zero? d) 0 (/ n d))")
        }
        _ => None,
    }
}

const BY_START: &[(&str, &str)] = &[
    (
        "Duplicate key: ",
        "each key stands in a map or set once: take one out",
    ),
    (
        "Duplicate case test constant: ",
        "each constant stands in a case once: take one out",
    ),
    (
        "Can't take value of a macro: ",
        "a macro can only be called; wrap the call in (fn [x] …)",
    ),
    (
        "Can only recur from tail position",
        "recur must be the last thing that its function or loop does",
    ),
    (
        "Mismatched argument count to recur",
        "recur takes a value for each name that its function or loop binds",
    ),
    (
        "Can't have 2 overloads with same arity",
        "give each list of parameters another length",
    ),
    (
        "finally clause must be last",
        "write (try … (catch …) (finally …))",
    ),
    (
        "Invalid number: ",
        "what begins with a digit is a number; a name must begin with a letter",
    ),
    (
        "Unsupported character: ",
        "characters are written \\a, \\newline, \\space, \\tab or \\u0041; text stands in \"quotes\"",
    ),
    (
        "Invalid token: ::",
        "the alias must be required first, as in (require '[some.namespace :as alias])",
    ),
    (
        "Invalid token: ",
        "a keyword is a colon and a name, as in :state",
    ),
    (
        "Can't call nil",
        "the first thing in parentheses is called, and here it is nil",
    ),
    (
        "Attempting to call unbound fn: ",
        "it is declared here but never defined",
    ),
    ("For input string: ", "the text is no number"),
    (
        "No value supplied for key: ",
        "options go in pairs of a :name and a value, or in one map",
    ),
    (
        "Too few or too many arguments to throw",
        "write (throw (ex-info \"message\" {}))",
    ),
    (
        "cond requires an even number of forms",
        "each test needs an expression; the last test may be :else",
    ),
    (
        "Assert failed: (< 0 interval)",
        "the interval must be above 0 seconds",
    ),
];

/// The classes of `class A cannot be cast to class B`.
fn cast(message: &str) -> Option<(&str, &str)> {
    message
        .strip_prefix("class ")?
        .split_once(" cannot be cast to class ")
}

/// What a class is to a person.
pub(crate) fn kind(class: &str) -> String {
    let known = match class {
        "java.lang.String" => "a string",
        "java.lang.Long" | "java.lang.Integer" | "clojure.lang.BigInt" => "a whole number",
        "java.lang.Number" => "a number",
        "java.lang.Double" | "java.lang.Float" => "a number",
        "java.lang.Boolean" => "true or false",
        "java.lang.Character" => "a character",
        "clojure.lang.Keyword" => "a keyword",
        "clojure.lang.Symbol" => "a symbol",
        "clojure.lang.IFn" => "a function",
        "clojure.lang.AFunction" => "a function",
        "clojure.lang.PersistentVector" => "a vector",
        "clojure.lang.PersistentArrayMap" | "clojure.lang.PersistentHashMap" => "a map",
        "clojure.lang.PersistentHashSet" => "a set",
        "clojure.lang.PersistentList" | "clojure.lang.LazySeq" => "a list",
        "java.lang.Throwable" => "an exception",
        "riemann.codec.Event" => "an event",
        "cauchy.Histogram" => "a histogram",
        _ => return format!("a {class}"),
    };
    known.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_are_told_in_plain_words() {
        let message = "class java.lang.String cannot be cast to class java.lang.Number";
        let told = remedy("ClassCastException", message);
        assert_eq!(
            told.as_deref(),
            Some("a string was given where a number is needed")
        );
        assert_eq!(remedy("RuntimeException", "disk is full"), None);
    }
}
