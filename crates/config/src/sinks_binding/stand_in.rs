//! What sinks do, for functions that code has put in the place of those that would do it: a test with
//! `(with-redefs [clj-http.client/post …] …)` sees what would be posted, one with
//! `postal.core/send-message` what would be mailed.

use std::sync::{Arc, OnceLock, Weak};

use clj::{Cx, Map, Runtime, Value};
use sinks::http::{Api, Request, login_of};
use sinks::outlet::Detour;

/// Functions that are looked after, by namespace and name.
const WATCHED: [(&str, &str); 3] = [POST, PUT, SEND_MESSAGE];
const POST: (&str, &str) = ("clj-http.client", "post");
const PUT: (&str, &str) = ("clj-http.client", "put");
/// How letters leave.
pub const SEND_MESSAGE: (&str, &str) = ("postal.core", "send-message");

/// What the functions are told of time-outs, in milliseconds.
const TIMEOUT_MS: i64 = 5000;

/// The functions as they were at first.
#[derive(Default)]
pub struct StandIns(OnceLock<Originals>);

struct Originals {
    rt: Weak<Runtime>,
    functions: [Value; WATCHED.len()],
}

impl StandIns {
    /// Notes the functions as they are now; from then on another one in their place is called.
    pub fn watch(&self, rt: &Arc<Runtime>) {
        let root = |(namespace, name)| rt.var(namespace, name).and_then(|var| var.root());
        let _ = self.0.set(Originals {
            rt: Arc::downgrade(rt),
            functions: WATCHED.map(|function| root(function).unwrap_or_default()),
        });
    }

    /// Gives the requests of an item to the function that stands in, if there is one.
    pub fn detour<A: Api + Sync + 'static>(self: &Arc<StandIns>, api: Arc<A>) -> Detour<A::Item> {
        let stand_ins = self.clone();
        Box::new(move |item| {
            if stand_ins.find(POST).is_none() && stand_ins.find(PUT).is_none() {
                return Some(item);
            }
            for request in api.requests(std::slice::from_ref(&item)) {
                stand_ins.call(&request);
            }
            None
        })
    }

    /// The function in the place of a watched one, on this thread.
    pub fn find(&self, function: (&str, &str)) -> Option<(Arc<Runtime>, Value)> {
        let originals = self.0.get()?;
        let at = WATCHED.iter().position(|watched| *watched == function)?;
        let rt = originals.rt.upgrade()?;
        let now = rt.var(function.0, function.1).and_then(|var| var.get())?;
        (originals.functions[at] != now).then_some((rt, now))
    }

    fn call(&self, request: &Request) {
        let function = if request.method == "PUT" { PUT } else { POST };
        let Some((rt, stand_in)) = self.find(function) else {
            return;
        };
        let arguments = [Value::str(&request.url), Value::Map(options(request))];
        if let Err(thrown) = Cx::new(&rt).call(&stand_in, &arguments) {
            tracing::warn!(
                "what stands in for {}/{} threw {thrown}",
                function.0,
                function.1
            );
        }
    }
}

/// A request's options, as `clj-http.client/post` takes them.
fn options(request: &Request) -> Map {
    let mut options = Map::default();
    let mut set = |name: &str, value: Value| options.insert(Value::keyword(name), value);
    let mut others = Map::default();
    let mut content = "";
    for (name, value) in &request.headers {
        match (*name, login_of(value)) {
            ("Content-Type", _) => content = value,
            ("Authorization", Some((user, password))) => {
                let login = vec![Value::from(user), Value::from(password)];
                set("basic-auth", Value::vector(login));
            }
            _ => {
                others.insert(Value::str(name), Value::str(value));
            }
        }
    }
    if others.iter().next().is_some() {
        set("headers", Value::Map(others));
    }
    let body = String::from_utf8_lossy(&request.body);
    match content {
        "application/x-www-form-urlencoded" => {
            let fields = sinks::url::pairs(&body).into_iter();
            let fields = fields.map(|(name, value)| (Value::keyword(&name), Value::str(value)));
            set("form-params", Value::Map(fields.collect()));
        }
        "application/json" => {
            set("body", Value::str(&body));
            set("content-type", Value::keyword("json"));
            set("accept", Value::keyword("json"));
            set("socket-timeout", Value::Int(TIMEOUT_MS));
            set("conn-timeout", Value::Int(TIMEOUT_MS));
            set("throw-entire-message?", Value::Bool(true));
        }
        other => {
            set("body", Value::str(&body));
            set("content-type", Value::str(other));
        }
    }
    options
}
