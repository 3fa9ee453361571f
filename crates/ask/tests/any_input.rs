//! No question and no answer, however odd, makes a panic.

use ask::plot::{svg, terminal};
use ask::{Listing, Moment, PARTS, Question, Reply, Show, csv, length, table};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Texts that are nearly right.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "(now)?[-+]?[0-9.]{0,20}(us|ms|s|m|h|d|w|y)?",
        "[0-9]{1,6}-[0-9]{2}-[0-9]{2}T[0-9:.]{0,15}(Z|[+-][0-9:]{1,5})?",
        "(quantile|share-above|people-minutes-above|count)(:[-0-9.eE]{0,8}(@[0-9a-z]{0,5})?)?",
        "(host|service|metric|true|not|tagged|=|=~|~=|\"[a-z%]*\"|\\(|\\)| ){0,8}",
        "-?[0-9]{15,22}",
    ]
}

/// Values as rows may hold them, and as they may not.
fn value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![any::<f64>(), Just(f64::MAX), Just(f64::MIN), Just(5e-324)];
    let leaf = prop_oneof![
        Just(Value::Null),
        number.prop_map(|number| json!(number)),
        any::<u64>().prop_map(|count| json!(count)),
        any::<String>().prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            inner.prop_map(|inner| json!({"at": inner, "share": inner, "histogram": inner})),
        ]
    })
}

proptest! {
    #[test]
    fn parts_of_questions(
        parts in prop::collection::vec((0..PARTS.len(), part()), 0..7),
        now_us in any::<i64>(),
        text in part(),
    ) {
        let named = parts.iter().map(|(at, part)| (PARTS[*at], &**part));
        let parts: Vec<(&str, &str)> = named.collect();
        let times = [("query", "true"), ("from", "-1h"), ("to", &*text), ("step", "1m")];
        for parts in [&parts[..], &times] {
            if let Ok(question) = Question::read(parts.iter().copied(), now_us) {
                prop_assert!(question.from_us <= question.to_us);
                prop_assert!(question.steps() <= ask::limits::STEPS_MAX + 1);
            }
        }
        let _ = Moment::parse(&text).map(|moment| moment.us(now_us));
        let _ = (length(&text).map(ask::length_text), Show::parse_list(&text));
        let _ = Listing::read([("query", &*text), ("limit", &*text)]);
        let _ = (ask::iso_text(now_us), ask::seconds_text(now_us));
    }

    #[test]
    fn answers_are_drawn(
        rows in prop::collection::vec((any::<i32>(), value(), value()), 0..6),
        from in any::<i32>(),
        range in 0..i32::MAX,
        step in prop_oneof![Just(Value::Null), (1..100_000_u32).prop_map(|step| json!(step))],
        show in prop::sample::select(vec!["heatmap", "text", "count", "histogram", "modes"]),
        width in 0..200_usize,
    ) {
        let rows: Vec<Value> = rows.into_iter().map(|(at, a, b)| json!([at, a, b])).collect();
        let answer = json!({"from": from, "to": i64::from(from) + i64::from(range), "step": step,
            "show": [show, "last"], "series": [{"rows": rows}, {"rows": rows, "total": [1]}]});
        let reply = Reply::read(answer.to_string().as_bytes()).unwrap();
        let _ = terminal::draw(&reply, terminal::Canvas { width, is_coloured: true });
        let picture = svg::draw(&reply, show);
        prop_assert!(!picture.contains("NaN") && !picture.contains("inf"), "{}", picture);
        let _ = (table(&reply, 3), csv(&reply));
    }

    #[test]
    fn answers_are_read(bytes in prop::collection::vec(any::<u8>(), 0..64), json in value()) {
        let _ = Reply::read(&bytes);
        let odd = json!({"from": json, "to": 1, "series": json, "show": json, "damages": json});
        let _ = Reply::read(odd.to_string().as_bytes()).map(|reply| table(&reply, 1));
    }
}
