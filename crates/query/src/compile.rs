//! A tree to a predicate.

use std::borrow::Cow;
use std::cmp::Ordering;

use event::{Attr, Field, FieldRef, Fields, HistogramRef, Number, Tags};
use fancy_regex::Regex;

use crate::ast::{Ast, Comparison, Term};
use crate::error::QueryError;
use crate::java_regex;
use crate::like::Like;
use crate::parser::parse;

/// A predicate over events.
///
/// ```
/// use event::View;
/// let query = query::Query::parse(r#"host =~ "web%" and state != "ok""#).unwrap();
/// assert!(query.matches(&View { host: Some("web1"), state: Some("bad"), ..View::default() }));
/// assert!(!query.matches(&View { host: Some("db1"), ..View::default() }));
/// ```
#[derive(Debug)]
pub struct Query(Node);

#[derive(Debug)]
enum Node {
    Truth(Operand),
    /// `host`, `service`, `state` or `description` is a text.
    IsText(Field, Box<str>),
    Equal(Operand, Operand),
    Compare(Comparison, Operand, Operand),
    /// `metric` compares so with a number.
    CompareMetric(Comparison, Number),
    Like(Like, Operand),
    Regex(Regex, Operand),
    Tagged(Box<str>),
    Not(Box<Node>),
    All(Box<[Node]>),
    Any(Box<[Node]>),
}

#[derive(Debug)]
enum Operand {
    Nil,
    Bool(bool),
    Number(Number),
    Text(Box<str>),
    Field(Field),
    Attr(Box<str>),
}

/// What an operand is in an event.
enum Seen<'a> {
    Nil,
    Bool(bool),
    Number(Cow<'a, Number>),
    Text(&'a str),
    Tags(Tags<'a>),
    Histogram(HistogramRef<'a>),
    Other(&'a Attr),
}

impl Query {
    /// Reads and compiles a query.
    ///
    /// # Errors
    /// When the text is not a query.
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        Query::compile(&parse(text)?)
    }

    /// Compiles a tree.
    ///
    /// # Errors
    /// When a regular expression cannot be compiled.
    pub fn compile(ast: &Ast) -> Result<Query, QueryError> {
        node(ast)
            .map(Query)
            .map_err(|message| QueryError::at("", 0, message))
    }

    /// The only host and service that can match, as [`host_and_service`](crate::host_and_service)
    /// tells of the tree.
    pub fn host_and_service(&self) -> Option<(Option<&str>, Option<&str>)> {
        let Node::All(members) = &self.0 else {
            return None;
        };
        let [left, right] = &**members else {
            return None;
        };
        match (left.key()?, right.key()?) {
            ((Field::Host, host), (Field::Service, service)) => Some((host, service)),
            ((Field::Service, service), (Field::Host, host)) => Some((host, service)),
            _ => None,
        }
    }

    /// True if the event is one that the query asks for.
    pub fn matches<E: Fields + ?Sized>(&self, event: &E) -> bool {
        self.0.matches(event)
    }
}

fn node(ast: &Ast) -> Result<Node, String> {
    Ok(match ast {
        Ast::Term(term) => Node::Truth(operand(term)),
        Ast::Equal(a, b) => equal(a, b),
        Ast::NotEqual(a, b) => Node::Not(Box::new(equal(a, b))),
        Ast::Compare(comparison, a, b) => compare(*comparison, a, b),
        Ast::Like(pattern, term) => Node::Like(Like::new(pattern)?, operand(term)),
        Ast::Regex(pattern, term) => Node::Regex(java_regex::compile(pattern)?, operand(term)),
        Ast::Tagged(tag) => Node::Tagged((&**tag).into()),
        Ast::Not(inner) => Node::Not(Box::new(node(inner)?)),
        Ast::And(..) => Node::All(chain(ast, |ast| match ast {
            Ast::And(a, b) => Some((a, b)),
            _ => None,
        })?),
        Ast::Or(..) => Node::Any(chain(ast, |ast| match ast {
            Ast::Or(a, b) => Some((a, b)),
            _ => None,
        })?),
    })
}

/// The members of a chain of one operator, which leans to the left.
fn chain(ast: &Ast, split: fn(&Ast) -> Option<(&Ast, &Ast)>) -> Result<Box<[Node]>, String> {
    let (mut members, mut rest) = (Vec::new(), ast);
    while let Some((left, right)) = split(rest) {
        members.push(node(right)?);
        rest = left;
    }
    members.push(node(rest)?);
    members.reverse();
    Ok(members.into())
}

fn equal(a: &Term, b: &Term) -> Node {
    let (a, b) = (operand(a), operand(b));
    match (a, b) {
        (Operand::Field(field), Operand::Text(text)) if is_text(field) => Node::IsText(field, text),
        (a, b) => Node::Equal(a, b),
    }
}

fn compare(comparison: Comparison, a: &Term, b: &Term) -> Node {
    match (operand(a), operand(b)) {
        (Operand::Field(Field::Metric), Operand::Number(number)) => {
            Node::CompareMetric(comparison, number)
        }
        (a, b) => Node::Compare(comparison, a, b),
    }
}

fn is_text(field: Field) -> bool {
    matches!(
        field,
        Field::Host | Field::Service | Field::State | Field::Description
    )
}

fn operand(term: &Term) -> Operand {
    match term {
        Term::Nil => Operand::Nil,
        Term::Bool(bool) => Operand::Bool(*bool),
        Term::Number(number) => Operand::Number(number.clone()),
        Term::Text(text) => Operand::Text((&**text).into()),
        Term::Field(name) => match Field::named(name) {
            Some(field) => Operand::Field(field),
            None => Operand::Attr((&**name).into()),
        },
    }
}

impl Node {
    /// The field that this node wants to be a text or nil.
    fn key(&self) -> Option<(Field, Option<&str>)> {
        match self {
            Node::IsText(field, text) => Some((*field, Some(text))),
            Node::Equal(Operand::Field(field), Operand::Nil) => Some((*field, None)),
            _ => None,
        }
    }

    fn matches<E: Fields + ?Sized>(&self, event: &E) -> bool {
        match self {
            Node::Truth(operand) => !matches!(operand.see(event), Seen::Nil | Seen::Bool(false)),
            Node::IsText(field, text) => text_of(*field, event) == Some(text),
            Node::Equal(a, b) => a.see(event).same(&b.see(event)),
            Node::Compare(comparison, a, b) => match (a.see(event), b.see(event)) {
                (Seen::Number(a), Seen::Number(b)) => holds(*comparison, a.compare(&b)),
                _ => false,
            },
            Node::CompareMetric(comparison, number) => match event.metric() {
                Some(metric) => holds(*comparison, metric.compare(number)),
                None => false,
            },
            Node::Like(like, operand) => match operand.see(event) {
                Seen::Text(text) => like.matches(text),
                _ => false,
            },
            Node::Regex(regex, operand) => match operand.see(event) {
                // A search that exceeds its limit has found nothing.
                Seen::Text(text) => regex.is_match(text).unwrap_or(false),
                _ => false,
            },
            Node::Tagged(tag) => tagged(event, tag),
            Node::Not(inner) => !inner.matches(event),
            Node::All(members) => members.iter().all(|member| member.matches(event)),
            Node::Any(members) => members.iter().any(|member| member.matches(event)),
        }
    }
}

fn holds(comparison: Comparison, order: Option<Ordering>) -> bool {
    order.is_some_and(|order| match comparison {
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    })
}

fn text_of<E: Fields + ?Sized>(field: Field, event: &E) -> Option<&str> {
    match field {
        Field::Host => event.host(),
        Field::Service => event.service(),
        Field::State => event.state(),
        Field::Description => event.description(),
        Field::Metric | Field::Tags | Field::Time | Field::Ttl => None,
    }
}

fn tagged<E: Fields + ?Sized>(event: &E, tag: &str) -> bool {
    if let Some(mut tags) = event.tags() {
        return tags.any(|own| own == tag);
    }
    match event.get("tags") {
        FieldRef::Odd(Attr::Foreign(tags)) => tags.holds(tag),
        FieldRef::Odd(Attr::List(tags)) => tags
            .iter()
            .any(|own| matches!(own, Attr::Str(own) if **own == *tag)),
        _ => false,
    }
}

impl Operand {
    fn see<'a, E: Fields + ?Sized>(&'a self, event: &'a E) -> Seen<'a> {
        match self {
            Operand::Nil => Seen::Nil,
            Operand::Bool(bool) => Seen::Bool(*bool),
            Operand::Number(number) => Seen::Number(Cow::Borrowed(number)),
            Operand::Text(text) => Seen::Text(text),
            Operand::Attr(name) => see(event.get(name)),
            Operand::Field(field) => {
                let usual = match field {
                    Field::Metric => event.metric().map(owned),
                    Field::Ttl => event.ttl().map(owned),
                    Field::Time => event.time().map(|time| owned(time.to_number())),
                    Field::Tags => event.tags().map(Seen::Tags),
                    text => text_of(*text, event).map(Seen::Text),
                };
                usual.unwrap_or_else(|| see(event.get(field.name())))
            }
        }
    }
}

fn owned<'a>(number: Number) -> Seen<'a> {
    Seen::Number(Cow::Owned(number))
}

fn see(value: FieldRef<'_>) -> Seen<'_> {
    match value {
        FieldRef::Absent | FieldRef::Nil | FieldRef::Odd(Attr::Nil) => Seen::Nil,
        FieldRef::Str(text) => Seen::Text(text),
        FieldRef::Num(number) => owned(number),
        FieldRef::Time(time) => owned(time.to_number()),
        FieldRef::Tags(tags) => Seen::Tags(tags),
        FieldRef::Odd(Attr::Bool(bool)) => Seen::Bool(*bool),
        FieldRef::Odd(Attr::Num(number)) => Seen::Number(Cow::Borrowed(number)),
        FieldRef::Odd(Attr::Str(text)) => Seen::Text(text),
        FieldRef::Histogram(histogram) => Seen::Histogram(histogram),
        FieldRef::Odd(other) => Seen::Other(other),
    }
}

impl Seen<'_> {
    /// Clojure's `=`.
    fn same(&self, other: &Seen<'_>) -> bool {
        match (self, other) {
            (Seen::Nil, Seen::Nil) => true,
            (Seen::Bool(a), Seen::Bool(b)) => a == b,
            (Seen::Number(a), Seen::Number(b)) => a == b,
            (Seen::Text(a), Seen::Text(b)) => a == b,
            (Seen::Tags(a), Seen::Tags(b)) => a.clone().eq(b.clone()),
            (Seen::Histogram(a), Seen::Histogram(b)) => a == b,
            (Seen::Other(a), Seen::Other(b)) => a == b,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use event::{Draft, Event, Scalar, Time, View};

    use super::*;

    fn check(query: &str, event: &dyn Fields, expected: bool) {
        assert_eq!(
            Query::parse(query).unwrap().matches(event),
            expected,
            "{query}"
        );
    }

    fn metric(metric: Scalar) -> View<'static> {
        View {
            metric: Some(metric),
            ..View::default()
        }
    }

    #[test]
    fn literals_are_true_or_not() {
        check("true", &View::default(), true);
        check("false", &View::default(), false);
        check("null", &View::default(), false);
        check("0", &View::default(), true);
        check("host", &View::default(), false);
        check(
            "host",
            &View {
                host: Some(""),
                ..View::default()
            },
            true,
        );
        check("nope", &View::default(), false);
    }

    #[test]
    fn equality_is_by_category() {
        check("metric = 1", &metric(Scalar::Int(1)), true);
        check("metric = 1N", &metric(Scalar::Int(1)), true);
        check("metric = 1", &metric(Scalar::F64(1.0)), false);
        check("metric = 1.0", &metric(Scalar::F64(1.0)), true);
        check("metric = 0.5", &metric(Scalar::F32(0.5)), true);
        check("metric != 1", &View::default(), true);
        check("metric != 1", &metric(Scalar::F64(0.5)), true);
        check("metric = \"1\"", &metric(Scalar::Int(1)), false);
        check("metric = NaN", &metric(Scalar::F64(f64::NAN)), false);
    }

    #[test]
    fn comparison_is_by_value_and_of_numbers_only() {
        check("metric >= 1", &metric(Scalar::F64(1.0)), true);
        check("metric > 1e10", &metric(Scalar::F64(1e10)), false);
        check("metric < 1.5", &metric(Scalar::Int(1)), true);
        check("metric <= 1", &View::default(), false);
        check(
            "host > 1",
            &View {
                host: Some("2"),
                ..View::default()
            },
            false,
        );
        check("metric > 0", &metric(Scalar::F64(f64::NAN)), false);
        let timed = View {
            time: Some(Time::from_us(1_500_000)),
            ttl: Some(Scalar::F32(5.0)),
            ..View::default()
        };
        check("time > 1 and time < 2", &timed, true);
        check("ttl = 5.0", &timed, true);
        check("ttl = 5", &timed, false);
    }

    #[test]
    fn a_histogram_is_a_metric_but_no_number() {
        let view = View {
            histogram: HistogramRef::new(&[0, 1, 15, 0, 0, 3]).ok(),
            ..View::default()
        };
        let owned = Event::from_view(&view);
        for event in [&view as &dyn Fields, &owned] {
            check("metric > 1", event, false);
            check("metric <= 1", event, false);
            check("not metric > 1", event, true);
            check("metric = 1", event, false);
            check("metric = nil", event, false);
            check("metric", event, true);
            check("metric = metric", event, true);
            check("metric =~ \"%\"", event, false);
        }
    }

    #[test]
    fn strings_and_nil() {
        let view = View {
            state: Some("ok"),
            attrs: &[("paws", "4")],
            ..View::default()
        };
        check("state = \"ok\"", &view, true);
        check("\"ok\" = state", &view, true);
        check("state != \"ok\"", &view, false);
        check("host = nil and state != null", &view, true);
        check("host = \"\"", &view, false);
        check("paws = \"4\"", &view, true);
        check("paws = 4", &view, false);
        check("state ~= \"^o\"", &view, true);
        check("metric ~= \"o\"", &view, false);
        check("host = claws", &view, true);
    }

    #[test]
    fn tags() {
        let tags = View {
            tags: &["cat", "dog"],
            ..View::default()
        };
        check("tagged \"cat\"", &tags, true);
        check("tagged \"ca\"", &tags, false);
        check("tagged \"cat\"", &View::default(), false);
        check("tags = nil", &View::default(), true);
        check("tags = nil", &tags, false);
        check("tags = tags", &tags, true);
    }

    #[test]
    fn unusual_values() {
        let list = Attr::List([Attr::Str("cat".into())].into());
        let event: Event = Draft {
            odd_fields: vec![
                (Field::Host, Attr::Num(Number::Int(1))),
                (Field::Tags, list.clone()),
            ],
            odd_attrs: vec![
                ("paws".into(), Attr::Num(Number::Int(4))),
                ("flag".into(), Attr::Bool(false)),
                ("none".into(), Attr::Nil),
                ("list".into(), list),
            ],
            ..Draft::record()
        }
        .build();
        check("host = 1 and host < 2", &event, true);
        check("host = nil", &event, false);
        check("paws = 4 and tagged \"cat\"", &event, true);
        check("flag", &event, false);
        check("flag = false", &event, true);
        check("none = nil", &event, true);
        check("list and list = list", &event, true);
        check("list = \"cat\"", &event, false);
    }

    #[test]
    fn connectives() {
        let query = "not ((host = \"1\" or host = \"2\") and service = \"3\")";
        let view = |host, service| View {
            host,
            service,
            ..View::default()
        };
        check(query, &view(Some("1"), None), true);
        check(query, &view(None, Some("3")), true);
        check(query, &view(Some("2"), Some("3")), false);
        check("false or false or true", &View::default(), true);
        check("true and true and false", &View::default(), false);
    }

    #[test]
    fn a_look_up_is_known_by_tree_and_predicate_alike() {
        let check = |text: &str, expected| {
            let ast = parse(text).unwrap();
            assert_eq!(crate::host_and_service(&ast), expected, "{text}");
            assert_eq!(
                Query::compile(&ast).unwrap().host_and_service(),
                expected,
                "{text}"
            );
        };
        check(
            "host = \"a\" and service = \"b\"",
            Some((Some("a"), Some("b"))),
        );
        check(
            "(service = nil) and (host = \"a\")",
            Some((Some("a"), None)),
        );
        check("host = \"a\" and host = \"b\"", None);
        check("host = \"a\" and state = \"b\"", None);
        check("host = 1 and service = \"b\"", None);
        check("host = \"a\" or service = \"b\"", None);
        check("host = \"a\" and service = \"b\" and true", None);
    }

    #[test]
    fn a_hand_made_tree_with_a_bad_regex_is_refused() {
        assert!(Query::compile(&Ast::Regex("(".into(), Term::Nil)).is_err());
    }
}
