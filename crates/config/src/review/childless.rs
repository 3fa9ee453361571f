//! Streams without children, which do nothing.

use clj::check::Remark;
use clj::{Value, Var};

/// Streams whose own function may do something, or that are meant to do nothing.
const DO_SOMETHING: &[&str] = &[
    "adjust",
    "execute-on",
    "fold-interval",
    "fold-interval-metric",
    "sdo",
    "smap",
    "smap*",
    "smapcat",
    "sreduce",
    "stream",
    "where*",
];

pub fn childless(var: &Var, args: &[Value]) -> Option<Remark> {
    let fixed = fewest_before_children(var)?;
    let may_be_child = |value: &Value| {
        matches!(
            value,
            Value::Symbol(_) | Value::List(_) | Value::Lazy(_) | Value::Set(_) | Value::Vector(_)
        )
    };
    if DO_SOMETHING.contains(&&*var.name) || args.len() < fixed {
        return None;
    }
    if args[fixed..].iter().any(may_be_child) {
        return None;
    }
    Some(Remark {
        span: None,
        message: format!("{} has no children: it does nothing", var.name),
        hint: Some("give it a stream to pass events on to, such as index or prn".to_owned()),
    })
}

/// Arguments before `& children`, in the shortest of the forms that the stream takes; `None` if it
/// takes no children.
fn fewest_before_children(var: &Var) -> Option<usize> {
    let meta = var.meta();
    let Some(Value::Str(forms)) = meta.get_keyword("arglists") else {
        return None;
    };
    let before = forms.split("& children]").collect::<Vec<_>>();
    let (_, heads) = before.split_last()?;
    let count = |head: &&str| {
        let arguments = head.rsplit_once("] [").map_or_else(
            || head.trim_start_matches(['(', '[', ']', ' ']),
            |(_, last)| last,
        );
        match arguments.rsplit_once(']') {
            // A vector of arguments counts as one.
            Some((_, rest)) => rest.split_whitespace().count() + 1,
            None => arguments.split_whitespace().count(),
        }
    };
    heads.iter().map(count).min()
}

#[cfg(test)]
mod tests {
    use crate::review::remarks;

    #[test]
    fn a_stream_without_children_is_told_of() {
        let childless =
            "(rate 5) (where (state \"a\")) (changed :state {:init \"ok\"}) (coalesce 5)
            (with {:a 1}) (by :host) (changed-state) (by-builder [h :host])";
        assert_eq!(remarks(childless).len(), 8, "{:?}", remarks(childless));
        let full = "(rate 5 index) (where (state \"a\") (else index)) (coalesce index) (sdo)
            (with :state \"ok\" index) (with {:a 1} index) (smap println) (bit-bucket event)
            (by [:host :service] {:ttl 5} index) (by-builder [h :host] index)";
        assert!(remarks(full).is_empty(), "{:?}", remarks(full));
    }
}
