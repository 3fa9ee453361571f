//! `riemann.pubsub`: channels.

use std::any::Any;
use std::sync::Arc;

use clj::{Cx, Native, Object, Result, Runtime, Thrown, Value};
use index::{Options, Payload, SubscriptionId};

use crate::state::State;

/// The registry of a core. The channels themselves are the program's.
struct Registry;

impl Object for Registry {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "riemann.pubsub.PubSubService"
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other.as_any().is::<Registry>()
    }

    fn hash_code(&self) -> Option<u64> {
        Some(0)
    }
}

/// What `subscribe!` gives.
struct Subscription {
    id: SubscriptionId,
    channel: Value,
}

impl Object for Subscription {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "riemann.pubsub.Subscription"
    }

    fn get(&self, key: &Value) -> Option<Value> {
        (*key == Value::keyword("channel")).then(|| self.channel.clone())
    }
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
        name: "pubsub-registry",
        arglists: "([])",
        doc: "A registry of subscriptions.",
        arity: (0, Some(0)),
        code: |_, _| Ok(Value::object(Registry)),
    },
    Native {
        name: "subscribe!",
        arglists: "([registry channel f] [registry channel f persistent?])",
        doc: "Calls f with everything published on a channel. Returns the subscription.",
        arity: (3, Some(4)),
        code: subscribe,
    },
    Native {
        name: "unsubscribe!",
        arglists: "([registry subscription])",
        doc: "Ends a subscription.",
        arity: (2, Some(2)),
        code: |cx, args| {
            let state = cx.get::<State>()?;
            let Some(subscription) = args[1].downcast::<Subscription>() else {
                return Err(Thrown::illegal_argument(
                    "unsubscribe! takes what subscribe! gave",
                ));
            };
            Ok(Value::Bool(state.pubsub.unsubscribe(subscription.id)))
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
        code: |cx, args| {
            cx.get::<State>()?.pubsub.sweep();
            Ok(args[0].clone())
        },
    },
];

fn subscribe(cx: &Cx<'_>, args: &[Value]) -> Result {
    let state = cx.get::<State>()?;
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
    let persistent = args.get(3).is_some_and(Value::truthy);
    let options = Options {
        persistent,
        ..Options::default()
    };
    let id = state
        .pubsub
        .subscribe(&channel_name(&args[1]), options, Arc::new(callback));
    Ok(Value::object(Subscription {
        id,
        channel: args[1].clone(),
    }))
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
    for pubsub in [&state.kept.pubsub, &state.pubsub] {
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
