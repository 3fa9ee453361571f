//! What happens to an exception that a child throws.

use clj::{Cx, Thrown, Value, event_value};
use event::{Attr, Draft, Event, Time};

use crate::{World, bindings, stream::StreamFn};

/// Sends an exception on as an event to the bound `*exception-stream*`, or reports it. As the
/// catch of Riemann's `call-rescue`; errors that it would let pass end here too, since nothing a
/// stream throws may stop a thread.
#[cold]
pub fn rescue(cx: &Cx<'_>, who: &str, thrown: Thrown, value: &Value) {
    let handler = bindings::exception_stream(cx);
    if handler.is_nil() {
        return report(cx, who, &thrown);
    }
    let event = Value::Event(exception_event(cx, &thrown, Some(value)));
    // Without this, a handler that throws would be handed its own exceptions for ever.
    let outcome =
        bindings::with_exception_stream(cx, &Value::Nil, || match StreamFn::of(&handler) {
            Some(function) => function.stream().call(cx, &event),
            None => cx.call(&handler, &[event]),
        });
    if let Err(second) = outcome {
        report(cx, "exception stream", &second);
    }
}

/// Tells the program of an exception.
pub fn report(cx: &Cx<'_>, who: &str, thrown: &Thrown) {
    if let Ok(world) = cx.get::<World>() {
        world.report(who, thrown);
    }
}

/// The event that tells of an exception, and of the event that it was thrown on. As Riemann's
/// `exception->event`.
pub fn exception_event(cx: &Cx<'_>, thrown: &Thrown, original: Option<&Value>) -> Event {
    let now = cx.get::<World>().map_or(Time::from_s(0), World::now);
    let mut description = format!("{thrown}\n\n");
    for frame in thrown.trace() {
        let function = frame.function.as_deref().unwrap_or("fn");
        let span = &frame.span;
        description.push_str(&format!("{function} ({}:{})\n", span.file, span.line));
    }
    let mut draft = Draft {
        service: Some("riemann exception".into()),
        state: Some("error".into()),
        tags: Some(vec!["exception".into(), thrown.class().to_owned().into()]),
        description: Some(description.into()),
        time: Some(now),
        ..Draft::record()
    };
    draft.set_attr("event", original.map_or(Attr::Nil, event_value::to_attr));
    draft.set_attr("exception", event_value::to_attr(thrown.value()));
    draft.build()
}
