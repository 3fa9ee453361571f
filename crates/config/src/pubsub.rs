//! `riemann.pubsub`: channels.

use std::any::Any;
use std::sync::Arc;

use clj::{Cx, Native, Object, Result, Runtime, Thrown, Value, seq};
use index::{Channel, Options, Payload, PubSub, SubscriptionId};

use crate::state::State;

/// The channels of one registry; what is published on them reaches the connections' too.
struct Channels(PubSub);

impl Object for Channels {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "riemann.pubsub.Channels"
    }
}

/// What a subscription is known by.
struct Handle(SubscriptionId);

impl Object for Handle {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "riemann.pubsub.Handle"
    }
}

/// A registry's channel of that name, and that of the connections.
pub fn channels(cx: &Cx<'_>, registry: &Value, name: &str) -> Result<Vec<Channel>> {
    let kept = &cx.get::<State>()?.kept.pubsub;
    let own = own(registry)?;
    Ok(vec![kept.channel(name), own.channel(name)])
}

/// The subscriptions of a registry: the record of `riemann.pubsub`, or what lies in it.
fn own(registry: &Value) -> Result<PubSub> {
    let inside = seq::get(registry, &Value::keyword("channels"));
    [inside.as_ref(), Some(registry)]
        .into_iter()
        .flatten()
        .find_map(Value::downcast::<Channels>)
        .map(|channels| channels.0.clone())
        .ok_or_else(|| {
            Thrown::illegal_argument(format!(
                "{} is not a registry of subscriptions",
                registry.class_name()
            ))
        })
}

/// A subscriber's exception, as it was thrown.
pub fn unbox(thrown: index::Thrown) -> Thrown {
    match thrown.downcast::<Thrown>() {
        Ok(thrown) => *thrown,
        Err(_) => Thrown::runtime("a subscriber failed"),
    }
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "-channels",
        arglists: "([])",
        doc: "Channels without subscribers.",
        arity: (0, Some(0)),
        code: |_, _| Ok(Value::object(Channels(PubSub::new()))),
    },
    Native {
        name: "-subscribe",
        arglists: "([registry channel f persistent?])",
        doc: "Calls f with everything published on a channel. Returns a handle.",
        arity: (4, Some(4)),
        code: subscribe,
    },
    Native {
        name: "-unsubscribe",
        arglists: "([registry handle])",
        doc: "Ends a subscription.",
        arity: (2, Some(2)),
        code: |_, args| {
            let Some(handle) = args[1].downcast::<Handle>() else {
                return Err(Thrown::illegal_argument(
                    "unsubscribe! takes what subscribe! gave",
                ));
            };
            Ok(Value::Bool(own(&args[0])?.unsubscribe(handle.0)))
        },
    },
    Native {
        name: "publish!",
        arglists: "([registry channel event])",
        doc: "Gives an event to everything subscribed to a channel.",
        arity: (3, Some(3)),
        code: publish,
    },
    Native {
        name: "sweep!",
        arglists: "([registry])",
        doc: "Ends all subscriptions that are not persistent.",
        arity: (1, Some(1)),
        code: |_, args| {
            own(&args[0])?.sweep();
            Ok(args[0].clone())
        },
    },
];

fn subscribe(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (rt, function): (std::sync::Weak<Runtime>, Value) =
        (Arc::downgrade(cx.rt), args[2].clone());
    let callback = move |payload: &Payload| {
        let Some(rt) = rt.upgrade() else {
            return Ok(());
        };
        let value = match payload {
            Payload::Event(event) => Value::Event(event.clone()),
            Payload::Other(other) => other.downcast_ref::<Value>().cloned().unwrap_or_default(),
        };
        match Cx::new(&rt).call(&function, &[value]) {
            Ok(_) => Ok(()),
            Err(thrown) => Err(Box::new(thrown) as index::Thrown),
        }
    };
    let options = Options {
        persistent: args[3].truthy(),
        ..Options::default()
    };
    let registry = own(&args[0])?;
    let id = registry.subscribe(&channel_name(&args[1]), options, Arc::new(callback));
    Ok(Value::object(Handle(id)))
}

fn publish(cx: &Cx<'_>, args: &[Value]) -> Result {
    let state = cx.get::<State>()?;
    let payload = match &args[2] {
        Value::Event(event) => Payload::Event(event.clone()),
        map @ Value::Map(_) => match crate::index_object::to_event(map) {
            Ok(event) => Payload::Event(event),
            Err(_) => Payload::Other(Arc::new(map.clone())),
        },
        other => Payload::Other(Arc::new(other.clone())),
    };
    let name = channel_name(&args[1]);
    for pubsub in [&state.kept.pubsub, &own(&args[0])?] {
        pubsub.publish_payload(&name, &payload).map_err(unbox)?;
    }
    Ok(Value::Nil)
}

/// Channels are named by strings; a keyword is its name.
fn channel_name(channel: &Value) -> String {
    match channel {
        Value::Keyword(keyword) => keyword.name().to_owned(),
        other => other.to_text(),
    }
}
