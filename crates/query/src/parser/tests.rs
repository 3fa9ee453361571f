use proptest::prelude::*;

use super::*;

fn check(text: &str, expected: &str) {
    let ast = parse(text).map_err(|error| error.render(text)).unwrap();
    assert_eq!(ast.to_string(), expected, "{text}");
}

fn check_error(text: &str, message: &str) {
    let error = parse(text).map(|ast| ast.to_string()).unwrap_err();
    assert_eq!(error.message, message, "{text}");
}

#[test]
fn values() {
    check("true", "true");
    check("false", "false");
    check("nil", "nil");
    check("null", "nil");
    check("host", ":host");
    check("foo.bar", ":foo.bar");
    check("foo:bar = 1", "(= :foo:bar 1)");
    check("state = true", "(= :state true)");
    check("state = 0", "(= :state 0)");
    check("state = -1", "(= :state -1)");
    check("state = 1L", "(= :state 1)");
    check("state = 1N", "(= :state 1N)");
    check("state = 1.5", "(= :state 1.5)");
    check("state = 1e5", "(= :state 100000.0)");
    check("state = -1.2E-5", "(= :state -1.2E-5)");
    check("state = -Infinity", "(= :state ##-Inf)");
    check("state = NaN", "(= :state ##NaN)");
    check("1 = state", "(= 1 :state)");
}

#[test]
fn strings() {
    check(r#"state = """#, r#"(= :state "")"#);
    check(r#"state = "foo""#, r#"(= :state "foo")"#);
    check(r#"state = "\b\t\n\f\r""#, r#"(= :state "\b\t\n\f\r")"#);
    check(r#"state = " \" \\ ""#, r#"(= :state " \" \\ ")"#);
    check(r#"state = "\u8fbb斬\101""#, r#"(= :state "辻斬A")"#);
    check(r#"a = "\\" and b = "x""#, r#"(and (= :a "\\") (= :b "x"))"#);
    check("a = \"x\ny\"", r#"(= :a "x\ny")"#);
}

#[test]
fn comparisons() {
    check("state > 2", "(> :state 2)");
    check("state < 2", "(< :state 2)");
    check("state >= 2", "(>= :state 2)");
    check("state <= 2", "(<= :state 2)");
    check("state != 2", "(not= :state 2)");
    check(r#"state =~ "%foo%""#, r#"(:like "%foo%" :state)"#);
    check(r#"state ~= "[a-z]+""#, r##"(:regex #"[a-z]+" :state)"##);
    check(r#"state~="a""#, r##"(:regex #"a" :state)"##);
    check(r#"tagged "cat""#, r#"(:tagged "cat")"#);
}

#[test]
fn precedence() {
    check("not host = 1", "(not (= :host 1))");
    check("a and b and c", "(and (and :a :b) :c)");
    check("a or b and c or d", "(or (or :a (and :b :c)) :d)");
    check("not a and b", "(and (not :a) :b)");
    check("not not a or b", "(or (not (not :a)) :b)");
    check("not (a or b) and c", "(and (not (or :a :b)) :c)");
    check("((a))", ":a");
    check("a,and,b", "(and :a :b)");
}

#[test]
fn signs_belong_to_names_without_blanks() {
    check("metric>1", ":metric>1");
    check("a=b = 1", "(= :a=b 1)");
    check_error(
        r#"a="x""#,
        r#"extraneous input '"x"' expecting {<EOF>, 'or', 'and'}"#,
    );
}

#[test]
fn what_ends_too_soon() {
    check_error("", "no viable alternative at input '<EOF>'");
    check_error("  ", "no viable alternative at input '<EOF>'");
    check_error("a and", "no viable alternative at input '<EOF>'");
    check_error("a =", "no viable alternative at input '<EOF>'");
    check_error("a >", "no viable alternative at input '<EOF>'");
    check_error("not", "no viable alternative at input '<EOF>'");
    check_error("(", "no viable alternative at input '<EOF>'");
    check_error("a =~", "missing STRING at '<EOF>'");
    check_error("tagged", "missing STRING at '<EOF>'");
    check_error("(service = \"a\"", "missing ')' at '<EOF>'");
    check_error("((a)", "missing ')' at '<EOF>'");
}

#[test]
fn what_does_not_fit() {
    check_error("service =~ foo", "mismatched input 'foo' expecting STRING");
    check_error("tagged cat", "mismatched input 'cat' expecting STRING");
    check_error(
        "1 < metric",
        "mismatched input 'metric' expecting {FLOAT, LONG, BIGN}",
    );
    check_error(
        "oh no not again",
        "mismatched input 'no' expecting {<EOF>, 'or', 'and'}",
    );
    check_error("a b", "extraneous input 'b' expecting {<EOF>, 'or', 'and'}");
    check_error("a)", "extraneous input ')' expecting {<EOF>, 'or', 'and'}");
    check_error("(a b)", "extraneous input 'b' expecting {')', 'or', 'and'}");
    check_error(
        "(a b c)",
        "mismatched input 'b' expecting {')', 'or', 'and'}",
    );
    check_error("a =~ b \"c\"", "extraneous input 'b' expecting STRING");
    check_error(
        "metric = 0x1F",
        "mismatched input '0x1F' expecting {STRING, FLOAT, LONG, BIGN, NIL, TRUE, FALSE, NAME}",
    );
    let start = "{'tagged', '(', 'not', STRING, FLOAT, LONG, BIGN, NIL, TRUE, FALSE, NAME}";
    check_error("and", &format!("mismatched input 'and' expecting {start}"));
    check_error(
        "and a",
        &format!("extraneous input 'and' expecting {start}"),
    );
    check_error("()", &format!("mismatched input ')' expecting {start}"));
}

#[test]
fn several_mistakes_are_told_line_by_line() {
    check_error(
        "(a = ) and b =~ c",
        "mismatched input ')' expecting {STRING, FLOAT, LONG, BIGN, NIL, TRUE, FALSE, NAME}\n\
         mismatched input 'c' expecting STRING",
    );
    check_error(
        "a = 'b'",
        "token recognition error at: '''\ntoken recognition error at: '''",
    );
    check_error(
        "service = \"abc",
        "token recognition error at: '\"abc'\nno viable alternative at input '<EOF>'",
    );
    check_error(
        "a =\n~\t",
        "token recognition error at: '~\\t'\nno viable alternative at input '<EOF>'",
    );
}

#[test]
fn literals_without_a_value() {
    check_error(
        "a = 9223372036854775808",
        "For input string: \"9223372036854775808\"",
    );
    check_error(r#"a = "\d""#, r"Unsupported escape character: \d");
    check_error(r#"a = "\u12g4""#, r"Invalid unicode escape: \u12g4");
    check_error(r#"a = "\""#, "EOF while reading string");
    assert!(
        parse(r#"a ~= "(""#)
            .unwrap_err()
            .message
            .starts_with("invalid regular expression")
    );
}

#[test]
fn mistakes_have_a_place() {
    let error = parse("a = \"é\" and\n  b =~ c").unwrap_err();
    assert_eq!((error.offset, error.line, error.column), (20, 2, 8));
}

#[test]
fn large_queries_are_refused_not_fatal() {
    check_error(&"(".repeat(100_000), "the query is nested too deeply");
    check_error(&"not ".repeat(100_000), "the query is nested too deeply");
    check_error(&"a or ".repeat(100_000), "the query has too many operators");
    let nested = |depth| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    check(&nested(128), ":a");
    check_error(&nested(129), "the query is nested too deeply");
    let long = format!("{}a", "a and ".repeat(1024));
    assert!(parse(&long).unwrap().to_string().ends_with(":a) :a)"));
}

fn term() -> impl Strategy<Value = Term> {
    let number = prop_oneof![
        any::<i64>().prop_map(event::Number::Int),
        (-1e20..1e20f64).prop_map(event::Number::F64),
    ];
    prop_oneof![
        Just(Term::Nil),
        any::<bool>().prop_map(Term::Bool),
        number.prop_map(Term::Number),
        ".{0,6}".prop_map(Term::Text),
        "[a-z_]{1,3}[0-9.]{0,2}(:[0-9a-z]{1,2})?"
            .prop_filter("a word", |name| Kind::of_word(name).is_none())
            .prop_map(Term::Field),
    ]
}

fn ast() -> impl Strategy<Value = Ast> {
    let number = any::<i32>().prop_map(|int| Term::Number(i64::from(int).into()));
    let comparison = prop_oneof![
        Just(Comparison::Less),
        Just(Comparison::LessOrEqual),
        Just(Comparison::Greater),
        Just(Comparison::GreaterOrEqual),
    ];
    let leaf = prop_oneof![
        term().prop_map(Ast::Term),
        (term(), term()).prop_map(|(a, b)| Ast::Equal(a, b)),
        (term(), term()).prop_map(|(a, b)| Ast::NotEqual(a, b)),
        (comparison, term(), number).prop_map(|(comparison, a, b)| Ast::Compare(comparison, a, b)),
        (".{0,6}", term()).prop_map(|(pattern, term)| Ast::Like(pattern, term)),
        ("[a-z.*]{0,2}[a-z]", term())
            .prop_filter("a regex", |(pattern, _)| java_regex::compile(pattern)
                .is_ok())
            .prop_map(|(pattern, term)| Ast::Regex(pattern, term)),
        ".{0,6}".prop_map(Ast::Tagged),
    ];
    leaf.prop_recursive(5, 24, 2, |inner| {
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|inner| Ast::Not(Box::new(inner))),
            two().prop_map(|(a, b)| Ast::And(Box::new(a), Box::new(b))),
            two().prop_map(|(a, b)| Ast::Or(Box::new(a), Box::new(b))),
        ]
    })
}

/// The query that asks for this.
fn text(ast: &Ast) -> String {
    let term = |term: &Term| match term {
        Term::Field(name) => name.clone(),
        other => other.to_string(),
    };
    let quoted = |text: &str| Term::Text(text.into()).to_string();
    match ast {
        Ast::Term(value) => term(value),
        Ast::Equal(a, b) => format!("{} = {}", term(a), term(b)),
        Ast::NotEqual(a, b) => format!("{} != {}", term(a), term(b)),
        Ast::Compare(comparison, a, b) => format!("{} {} {}", term(a), comparison.sign(), term(b)),
        Ast::Like(pattern, value) => format!("{} =~ {}", term(value), quoted(pattern)),
        Ast::Regex(pattern, value) => format!("{} ~= {}", term(value), quoted(pattern)),
        Ast::Tagged(tag) => format!("tagged {}", quoted(tag)),
        Ast::Not(inner) => format!("not ({})", text(inner)),
        Ast::And(a, b) => format!("({}) and ({})", text(a), text(b)),
        Ast::Or(a, b) => format!("({}) or ({})", text(a), text(b)),
    }
}

proptest! {
    #[test]
    fn a_tree_printed_reads_back(ast in ast()) {
        prop_assert_eq!(parse(&text(&ast)), Ok(ast));
    }

    #[test]
    fn any_text_has_an_answer(
        text: String,
        words in "((and|or|not|tagged|\\(|\\)|a|<|=~|~=|=|1|\"x\"|nil|'|~|\\\\) ?){0,12}",
    ) {
        for text in [text, words] {
            if let Err(error) = parse(&text) {
                prop_assert!(error.offset <= text.len());
                prop_assert!(error.render(&text).ends_with('^'));
            }
        }
    }
}
