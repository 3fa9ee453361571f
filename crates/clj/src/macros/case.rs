//! case, in terms of case*.

use crate::{Cx, Result, Thrown, Value, form};

pub fn case(cx: &Cx<'_>, args: &[Value]) -> Result {
    let Some((subject, clauses)) = args[2..].split_first() else {
        return Err(Thrown::illegal_argument("case needs an expression"));
    };
    let name = Value::Symbol(cx.rt.gensym("case__"));
    let (clauses, default) = match clauses.len() % 2 {
        1 => (
            &clauses[..clauses.len() - 1],
            clauses[clauses.len() - 1].clone(),
        ),
        _ => {
            let text = form::call("str", [Value::str("No matching clause: "), name.clone()]);
            let class = Value::symbol("java.lang.IllegalArgumentException");
            (
                clauses,
                form::special("throw", [form::special("new", [class, text])]),
            )
        }
    };
    let choices = [name.clone(), default]
        .into_iter()
        .chain(clauses.iter().cloned());
    let body = form::special("case*", choices);
    Ok(form::special(
        "let*",
        [Value::vector(vec![name, subject.clone()]), body],
    ))
}
