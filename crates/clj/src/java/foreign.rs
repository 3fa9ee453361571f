//! Errors for names that are not in the table, with the nearest that are.

use super::{Field, Static};
use crate::{Thrown, Value, suggest};

/// What to use instead of the classes of a package, or of one class.
const INSTEAD: &[(&str, &str)] = &[
    (
        "java.net.Socket",
        "send with graphite, logstash or another target, or with clj-http.client",
    ),
    (
        "java.net.DatagramSocket",
        "send with graphite or another target that takes :protocol :udp",
    ),
    (
        "java.net.ServerSocket",
        "start a server with tcp-server, graphite-server or another of ours",
    ),
    (
        "java.net.",
        "use java.net.InetAddress, java.net.URLEncoder or clj-http.client",
    ),
    (
        "java.io.Data",
        "send with graphite, logstash or another target",
    ),
    (
        "java.io.",
        "use java.io.File, slurp, spit or clojure.java.io",
    ),
    (
        "java.nio.",
        "use java.io.File, slurp, spit or clojure.java.io",
    ),
    (
        "java.time.",
        "use java.time.Instant, java.util.Date or clj-time.core",
    ),
    (
        "java.util.concurrent.",
        "use java.util.concurrent.Executors, future, promise or an agent",
    ),
    (
        "java.util.",
        "use Clojure's own collections, java.util.ArrayList or java.util.HashMap",
    ),
    ("java.text.", "use format, or java.text.SimpleDateFormat"),
    ("java.security.", "use java.security.MessageDigest"),
    ("javax.mail", "use mailer"),
    ("javax.", "there is no Java here to load its libraries"),
    ("java.sql.", "there is no Java here to load its drivers"),
    ("org.joda.time", "use clj-time.core"),
    ("org.apache.http", "use clj-http.client"),
    ("com.fasterxml", "use cheshire.core"),
];

/// True for a full name as Java's classes have: `com.example.Name`.
pub(super) fn is_class(name: &str) -> bool {
    let Some((package, short)) = name.rsplit_once('.') else {
        return false;
    };
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|char| char.is_alphanumeric() || "_$".contains(char))
    };
    short.starts_with(|first: char| first.is_ascii_uppercase())
        && is_word(short)
        && package.split('.').all(is_word)
        && package.starts_with(|first: char| first.is_ascii_lowercase())
        && misspelt(name).is_none()
}

/// The class that a name is one letter away from, in the same package.
fn misspelt(name: &str) -> Option<&'static str> {
    let (package, _) = name.rsplit_once('.')?;
    let same_package = super::class_names().filter(|class| {
        class
            .rsplit_once('.')
            .is_some_and(|(its, _)| its == package)
    });
    let near = suggest::nearest(name, same_package);
    near.into_iter().find(|class| one_letter_apart(name, class))
}

/// True if dropping, adding or replacing a letter, or swapping two, makes one the other.
fn one_letter_apart(a: &str, b: &str) -> bool {
    let start = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a.as_bytes()[start..], &b.as_bytes()[start..]);
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    match (a, b) {
        ([first, second], [other_first, other_second]) => {
            first == other_second && second == other_first
        }
        _ => a.len() <= 1 && b.len() <= 1,
    }
}

pub(super) fn no_class(name: &str) -> Thrown {
    let thrown = Thrown::new("java.lang.ClassNotFoundException", name);
    let instead = INSTEAD.iter().find(|(start, _)| name.starts_with(start));
    let advice = match (misspelt(name), instead) {
        (Some(class), _) => format!("did you mean {class}?"),
        (None, Some((_, advice))) => format!("{name} is not available; {advice}"),
        (None, None) => format!("{name} is not available: there is no Java here"),
    };
    thrown.with_hint(advice)
}

pub(super) fn no_constructor(class: &str) -> Thrown {
    Thrown::illegal_argument(format!("No matching ctor found for class {class}"))
}

pub(super) fn no_static(
    class: &str,
    (statics, fields): (&[Static], &[Field]),
    name: &str,
    args: usize,
) -> Thrown {
    let message = format!("No matching method {name} found taking {args} args for class {class}");
    let statics = statics.iter().map(|it| it.name);
    let known = statics.chain(fields.iter().map(|(name, _)| *name));
    with_nearest(Thrown::illegal_argument(message), name, known)
}

pub(super) fn no_field(class: &str, known: &[Field], name: &str) -> Thrown {
    let message = format!("Unable to find static field: {name} in class {class}");
    with_nearest(
        Thrown::runtime(message),
        name,
        known.iter().map(|(name, _)| *name),
    )
}

pub(super) fn no_method(
    target: &Value,
    known: impl Iterator<Item = &'static str>,
    name: &str,
    args: &[Value],
) -> Thrown {
    let class = target.class_name();
    let message = match args.len() {
        0 => format!("No matching field found: {name} for class {class}"),
        count => format!("No matching method {name} found taking {count} args for class {class}"),
    };
    with_nearest(Thrown::illegal_argument(message), name, known)
}

fn with_nearest<'a>(thrown: Thrown, name: &str, known: impl Iterator<Item = &'a str>) -> Thrown {
    match suggest::sentence(name, known) {
        Some(hint) => thrown.with_hint(hint),
        None => thrown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_java_form_can_be_mentioned() {
        assert!(is_class("java.net.Socket"));
        assert!(is_class("com.example.Thing$Inner"));
        assert!(!is_class("java.util.Dat"));
        assert!(!is_class("mycorp.email"));
        assert!(!is_class("Socket"));
    }

    #[test]
    fn unknown_classes_name_a_neighbour() {
        let hint = |name: &str| no_class(name).hint().map(str::to_owned).unwrap_or_default();
        assert_eq!(hint("java.util.Dat"), "did you mean java.util.Date?");
        assert!(hint("java.net.Socket").contains("graphite"));
        assert!(hint("org.example.Foo").contains("not available"));
    }
}
