//! The index against a map, over few keys and all operations.

use std::collections::HashMap;

use event::{Attr, Draft, Event, Field, Fields, Number, Scalar, Time, View, Views};
use index::{Index, Key};
use proptest::prelude::*;

/// Host or service: nil, a text, or a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    Nil,
    Text(&'static str),
    Number(i64),
}

#[derive(Clone, Debug)]
struct Row {
    host: Name,
    service: Name,
    state: Option<&'static str>,
    description: String,
    ttl: Option<i16>,
    time: i64,
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Row),
    InsertView(Row),
    InsertViews(Vec<Row>),
    Hold(Name, Name),
    Delete(Name, Name),
    DeleteExactly(Row),
    DeleteHeld,
    Expire(i64),
    Clear,
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![
        1 => Just(Name::Nil),
        4 => prop::sample::select(vec!["", "1", "a", "b"]).prop_map(Name::Text),
        1 => (0..2i64).prop_map(Name::Number),
    ]
}

fn row() -> impl Strategy<Value = Row> {
    let state = prop::sample::select(vec![None, Some("ok"), Some("bad"), Some("expired")]);
    let ttl = prop::option::of(-5..100i16);
    (name(), name(), state, "[a-z]{0,40}", ttl, 0..200i64).prop_map(
        |(host, service, state, description, ttl, time)| Row {
            host,
            service,
            state,
            description,
            ttl,
            time,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => row().prop_map(Step::Insert),
        6 => row().prop_map(Step::InsertView),
        2 => prop::collection::vec(row(), 0..300).prop_map(Step::InsertViews),
        2 => (name(), name()).prop_map(|(host, service)| Step::Hold(host, service)),
        2 => (name(), name()).prop_map(|(host, service)| Step::Delete(host, service)),
        1 => row().prop_map(Step::DeleteExactly),
        2 => Just(Step::DeleteHeld),
        2 => (0..300i64).prop_map(Step::Expire),
        1 => Just(Step::Clear),
    ]
}

impl Row {
    fn event(&self) -> Event {
        let mut draft = Draft {
            state: self.state.map(Into::into),
            description: Some(self.description.as_str().into()),
            ttl: self.ttl.map(|ttl| Number::F32(ttl.into())),
            time: Some(Time::from_s(self.time)),
            metric: Some(Number::Int(self.time)),
            ..Draft::record()
        };
        for (field, name) in [(Field::Host, &self.host), (Field::Service, &self.service)] {
            match (name, field) {
                (Name::Nil, _) => {}
                (Name::Text(text), Field::Host) => draft.host = Some((*text).into()),
                (Name::Text(text), _) => draft.service = Some((*text).into()),
                (Name::Number(number), _) => {
                    draft
                        .odd_fields
                        .push((field, Attr::Num(Number::Int(*number))));
                }
            }
        }
        draft.build()
    }

    /// Numbers do not come over the wire as host or service; they become text here.
    fn received(mut self) -> Row {
        for name in [&mut self.host, &mut self.service] {
            if let Name::Number(_) = name {
                *name = Name::Text("1");
            }
        }
        self
    }

    fn view(&self) -> View<'_> {
        let text = |name: &Name| match name {
            Name::Text(text) => Some(*text),
            _ => None,
        };
        View {
            host: text(&self.host),
            service: text(&self.service),
            state: self.state,
            description: Some(&self.description),
            metric: Some(Scalar::Int(self.time)),
            ttl: self.ttl.map(|ttl| Scalar::F32(ttl.into())),
            time: Some(Time::from_s(self.time)),
            ..View::default()
        }
    }
}

#[derive(Default)]
struct Model(HashMap<(Name, Name), (Row, Event)>);

impl Model {
    fn insert(&mut self, row: &Row) {
        let key = (row.host.clone(), row.service.clone());
        if row.state == Some("expired") {
            self.0.remove(&key);
        } else {
            self.0.insert(key, (row.clone(), row.event()));
        }
    }

    fn expire(&mut self, now: i64) -> Vec<Event> {
        let late = |row: &Row| now - row.time > row.ttl.map_or(60, i64::from);
        self.0
            .extract_if(|_, (row, _)| late(row))
            .map(|(_, (_, event))| event)
            .collect()
    }
}

/// Calls `act` with the key of `host` and `service`.
fn with_key<T>(host: &Name, service: &Name, act: impl FnOnce(Key<'_>) -> T) -> T {
    let attr = |name: &Name| match name {
        Name::Nil => Attr::Nil,
        Name::Text(text) => Attr::Str((*text).into()),
        Name::Number(number) => Attr::Num(Number::Int(*number)),
    };
    let (host, service) = (attr(host), attr(service));
    act(Key {
        host: (&host).into(),
        service: (&service).into(),
    })
}

fn sorted(events: impl IntoIterator<Item = Event>) -> Vec<String> {
    let mut texts: Vec<String> = events
        .into_iter()
        .map(|event| format!("{event:?}"))
        .collect();
    texts.sort();
    texts
}

fn run(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let (index, mut model) = (Index::new(), Model::default());
    let mut held: Option<(Event, String)> = None;
    for step in steps {
        match step {
            Step::Insert(row) => {
                index.insert(&row.event());
                model.insert(&row);
            }
            Step::InsertView(row) => {
                let row = row.received();
                index.insert_view(&row.view());
                model.insert(&row);
            }
            Step::InsertViews(rows) => {
                let rows: Vec<Row> = rows.into_iter().map(Row::received).collect();
                let mut views = Views::new();
                rows.iter().for_each(|row| views.push(row.view()));
                let chosen = (0..rows.len()).filter(|number| number % 3 != 0);
                index.insert_views(&views, chosen.clone());
                chosen.for_each(|number| model.insert(&rows[number]));
            }
            Step::Hold(host, service) => {
                let found = with_key(&host, &service, |key| index.lookup(key));
                let expected = model
                    .0
                    .get(&(host, service))
                    .map(|(_, event)| event.clone());
                prop_assert_eq!(&found, &expected);
                held = found.map(|event| (event.clone(), format!("{event:?}")));
            }
            Step::Delete(host, service) => {
                let removed = with_key(&host, &service, |key| index.delete(key));
                let expected = model.0.remove(&(host, service)).map(|(_, event)| event);
                prop_assert_eq!(removed, expected);
            }
            Step::DeleteExactly(row) => delete_exactly(&index, &mut model, &row.event())?,
            Step::DeleteHeld => {
                if let Some((event, _)) = &held {
                    delete_exactly(&index, &mut model, event)?;
                }
            }
            Step::Expire(now) => {
                let expired = index.expire(Time::from_s(now));
                prop_assert_eq!(sorted(expired.events), sorted(model.expire(now)));
                prop_assert!(expired.broken.is_empty());
            }
            Step::Clear => {
                index.clear();
                model.0.clear();
            }
        }
        let expected = || model.0.values().map(|(_, event)| event.clone());
        prop_assert_eq!(sorted(index.iter()), sorted(expected()));
        prop_assert_eq!(index.len(), model.0.len());
        let bad = |event: &dyn Fields| event.state() == Some("bad");
        prop_assert_eq!(
            sorted(index.search(&bad)),
            sorted(expected().filter(|e| bad(e)))
        );
        if let Some((event, text)) = &held {
            prop_assert_eq!(
                &format!("{event:?}"),
                text,
                "an event that is held must not change"
            );
        }
    }
    Ok(())
}

fn delete_exactly(index: &Index, model: &mut Model, event: &Event) -> Result<(), TestCaseError> {
    let key = model
        .0
        .iter()
        .find(|(_, (_, own))| own == event)
        .map(|(key, _)| key.clone());
    let expected = key
        .and_then(|key| model.0.remove(&key))
        .map(|(_, event)| event);
    prop_assert_eq!(index.delete_exactly(event), expected);
    Ok(())
}

proptest! {
    #[test]
    fn holds_what_a_map_holds(steps in prop::collection::vec(step(), 1..60)) {
        run(steps)?;
    }
}
