//! Options that nothing reads, because their names are misspelt.

use clj::check::Remark;
use clj::{Value, Var, suggest};

/// A remark on each option that the function's description does not name, but one like it.
pub fn options(var: &Var, args: &[Value]) -> impl Iterator<Item = Remark> {
    let meta = var.meta();
    let doc = match meta.get_keyword("doc") {
        Some(Value::Str(doc)) if takes_options(var) && given(args).next().is_some() => {
            doc.to_string()
        }
        _ => String::new(),
    };
    let known: Vec<&str> = named_in(&doc).collect();
    let mut remarks = Vec::new();
    for name in given(args) {
        // Both :console and :console? are written.
        let is_known = |known: &&str| known.trim_end_matches('?') == name.trim_end_matches('?');
        if known.iter().any(is_known) {
            continue;
        }
        if let [near, ..] = suggest::nearest(&name, known.iter().copied())[..] {
            remarks.push(Remark {
                span: None,
                message: format!("{} knows no option :{name}", var.name),
                hint: Some(format!("it knows :{near}")),
            });
        }
    }
    remarks.into_iter()
}

/// True unless a map among the arguments is something else: the fields of `with`, say.
fn takes_options(var: &Var) -> bool {
    let arglists = var.meta().get_keyword("arglists").map(Value::to_text);
    arglists.is_some_and(|text| text.contains("opt"))
}

/// The keywords of maps among the arguments, and of keys and values in their place.
fn given(args: &[Value]) -> impl Iterator<Item = String> {
    let in_maps = args.iter().filter_map(|arg| match arg {
        Value::Map(map) => Some(map.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>()),
        _ => None,
    });
    let by_itself = match args.first() {
        Some(Value::Keyword(_)) if args.len().is_multiple_of(2) => {
            args.iter().step_by(2).cloned().collect()
        }
        _ => Vec::new(),
    };
    let all: Vec<Value> = in_maps.flatten().chain(by_itself).collect();
    all.into_iter().filter_map(|key| match key {
        Value::Keyword(key) if key.namespace().is_none() => Some(key.name().to_owned()),
        _ => None,
    })
}

/// The words of a description that begin with a colon.
fn named_in(doc: &str) -> impl Iterator<Item = &str> {
    doc.split(|char: char| char.is_whitespace() || "(){}[],;.`".contains(char))
        .filter_map(|word| word.strip_prefix(':'))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::review::remarks;

    #[test]
    fn an_option_that_is_nearly_one_is_told_of() {
        assert_eq!(
            remarks("(changed :state {:inti \"ok\"} index)"),
            ["changed knows no option :inti"]
        );
        assert!(remarks("(changed :state {:init \"ok\", :colour 1} index)").is_empty());
        assert!(remarks("(with {:sate \"ok\"} index)").is_empty());
    }
}
