//! No function of `cauchy.histogram` panics, whatever it is given, and what it refuses it names.

mod pretend;

use clj::{Cx, Runtime, Value};

/// Of every kind that an argument may be, right and wrong.
const ARGUMENTS: &str = r#"
[nil true 0 -1 1 3 9223372036854775807 -9223372036854775808 123456789012345678901234567890N 1/3 1.5M
 0.5 0.99 -0.0 1e300 ##NaN ##Inf ##-Inf "" "AAEPAAAB" "not base64" \a :key 'symbol [] [0.5 1]
 [1 "2" nil] '(3) {} {:a 1} #{1.5} (map inc [1 2]) inc (atom 1) (h/histogram)
 (h/histogram [1 2 -3 0 1e-300 1e127]) (h/histogram [##NaN])
 (h/record (h/record (h/histogram) 1 9223372036854775807) 2 9223372036854775807)]"#;

/// What comes third, after a full histogram and any of the others.
const THIRD: &str = "[nil 0 -1 1 9223372036854775807 0.5 \"x\" (h/histogram)]";

fn items(cx: &Cx<'_>, text: &str) -> Vec<Value> {
    let source = format!("(require '[cauchy.histogram :as h]) {text}");
    let list = clj::load::eval_forms(cx, "arguments", &source).expect("it reads");
    clj::seq::to_vec(&list).expect("a vector")
}

#[test]
fn every_argument_is_answered_or_refused() {
    let rt = Runtime::new(pretend::host());
    let cx = Cx::new(&rt);
    let (arguments, third) = (items(&cx, ARGUMENTS), items(&cx, THIRD));
    let namespace = rt.namespace("cauchy.histogram").expect("it is there");
    let functions: Vec<Value> = namespace
        .mappings
        .read()
        .values()
        .filter(|var| *var.namespace == *namespace.name)
        .filter_map(|var| var.root())
        .collect();
    assert!(functions.len() > 20, "{}", functions.len());
    let (mut answered, mut refused) = (0, 0);
    let mut call = |function: &Value, args: &[Value]| match cx.call(function, args) {
        Ok(_) => answered += 1,
        Err(thrown) => {
            refused += 1;
            assert!(thrown.message().is_some(), "{function:?} {args:?}");
        }
    };
    for function in &functions {
        call(function, &[]);
        for first in &arguments {
            call(function, std::slice::from_ref(first));
            for second in &arguments {
                call(function, &[first.clone(), second.clone()]);
            }
        }
        for other in &third {
            for x in &arguments {
                let histogram = arguments.last().expect("some").clone();
                call(function, &[histogram, x.clone(), other.clone()]);
            }
        }
    }
    assert!(answered > 500 && refused > 500, "{answered} {refused}");
}
