//! `java.lang.System` and `java.lang.Runtime`: the world as the host shows it.

use std::any::Any;

use super::{JavaClass, Static, constructor, member};
use crate::core::arguments::{int, string};
use crate::core::io::{Sink, Writer};
use crate::{Cx, Map, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.lang.System",
        construct: None,
        statics: STATICS,
        fields: &[
            ("out", || Value::object(Writer::new(Sink::Out))),
            ("err", || Value::object(Writer::new(Sink::Err))),
        ],
    },
    JavaClass {
        name: "java.lang.Runtime",
        construct: None,
        statics: &[member("getRuntime", 0, 0, |_, _| {
            Ok(Value::object(Machine))
        })],
        fields: &[],
    },
    JavaClass {
        name: "java.lang.Object",
        construct: constructor(0, 0, |_, _| Ok(Value::object(Plain))),
        statics: &[],
        fields: &[],
    },
];

const STATICS: &[Static] = &[
    member("getenv", 0, 1, |cx, a| match a {
        [name] => Ok(cx.rt.host.env(string(name)?).into()),
        _ => {
            let all = cx.rt.host.envs().into_iter();
            Ok(Value::map(all.map(|(name, value)| {
                (Value::from(name), Value::from(value))
            })))
        }
    }),
    member("getProperty", 1, 2, |cx, a| {
        match property(cx, string(&a[0])?) {
            Value::Nil => Ok(a.get(1).cloned().into()),
            value => Ok(value),
        }
    }),
    member("setProperty", 2, 2, |cx, a| {
        let (name, value) = (string(&a[0])?, string(&a[1])?);
        let before = property(cx, name);
        let set = own_properties(cx).assoc(Value::str(name), Value::str(value));
        cx.rt
            .ensure_namespace(OWN_PROPERTIES.0)
            .define(OWN_PROPERTIES.1, Value::Map(set));
        Ok(before)
    }),
    member("getProperties", 0, 0, |cx, _| {
        let known = PROPERTIES
            .iter()
            .map(|name| (Value::str(name), property(cx, name)));
        let mut all: Map = known.filter(|(_, value)| !value.is_nil()).collect();
        for (name, value) in own_properties(cx).iter() {
            all.insert(name.clone(), value.clone());
        }
        Ok(Value::Map(all))
    }),
    member("currentTimeMillis", 0, 0, |cx, _| {
        Ok(Value::Int(cx.rt.host.now_ms()))
    }),
    member("nanoTime", 0, 0, |cx, _| {
        Ok(Value::Int(cx.rt.host.nano_time()))
    }),
    member("lineSeparator", 0, 0, |_, _| Ok(Value::str("\n"))),
    member("identityHashCode", 1, 1, |_, a| {
        Ok(Value::Int(super::object::identity(&a[0])))
    }),
    member("gc", 0, 0, |_, _| Ok(Value::Nil)),
    member("exit", 1, 1, |_, a| {
        let message = format!(
            "System/exit {} is not allowed to a configuration",
            int(&a[0])?
        );
        Err(Thrown::new("java.lang.SecurityException", message)
            .with_hint("stop the program with SIGTERM"))
    }),
];

/// Where properties that code sets are kept: a namespace and a name in it.
const OWN_PROPERTIES: (&str, &str) = ("java.lang.System", "properties");

const PROPERTIES: &[&str] = &[
    "file.encoding",
    "file.separator",
    "java.io.tmpdir",
    "line.separator",
    "os.arch",
    "os.name",
    "path.separator",
    "user.dir",
    "user.home",
    "user.name",
    "user.timezone",
];

fn own_properties(cx: &Cx<'_>) -> Map {
    let var = cx.rt.var(OWN_PROPERTIES.0, OWN_PROPERTIES.1);
    match var.and_then(|var| var.get()) {
        Some(Value::Map(properties)) => properties,
        _ => Map::default(),
    }
}

fn property(cx: &Cx<'_>, name: &str) -> Value {
    if let Some(value) = own_properties(cx).get(&Value::str(name)) {
        return value.clone();
    }
    let env = |name: &str| cx.rt.host.env(name).into();
    match name {
        "file.encoding" => Value::str("UTF-8"),
        "file.separator" => Value::str("/"),
        "java.io.tmpdir" => cx
            .rt
            .host
            .env("TMPDIR")
            .unwrap_or_else(|| "/tmp".into())
            .into(),
        "line.separator" => Value::str("\n"),
        "os.arch" if cfg!(target_arch = "x86_64") => Value::str("amd64"),
        "os.arch" => Value::str(std::env::consts::ARCH),
        "os.name" => Value::str(if cfg!(target_os = "macos") {
            "Mac OS X"
        } else {
            "Linux"
        }),
        "path.separator" => Value::str(":"),
        "user.dir" => env("PWD"),
        "user.home" => env("HOME"),
        "user.name" => env("USER"),
        "user.timezone" => env("TZ"),
        _ => Value::Nil,
    }
}

/// `java.lang.Runtime`
struct Machine;

impl Object for Machine {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.lang.Runtime"
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(Ok(Value::Int(match (name, args) {
            ("availableProcessors", []) => {
                std::thread::available_parallelism().map_or(1, |cores| cores.get() as i64)
            }
            ("maxMemory", []) => proc_bytes(cx, "/proc/meminfo", "MemTotal:"),
            ("totalMemory", []) => proc_bytes(cx, "/proc/self/status", "VmSize:"),
            ("freeMemory", []) => {
                let bytes = |field| proc_bytes(cx, "/proc/self/status", field);
                bytes("VmSize:") - bytes("VmRSS:")
            }
            ("gc", []) => return Some(Ok(Value::Nil)),
            ("addShutdownHook", [_]) => {
                let class = "java.lang.UnsupportedOperationException";
                return Some(Err(Thrown::new(class, "shutdown hooks are not available")));
            }
            _ => return None,
        })))
    }
}

/// A field in kB of a file that the system makes; 0 where there is none.
fn proc_bytes(cx: &Cx<'_>, file: &str, field: &str) -> i64 {
    let text = cx.rt.host.read_file(file).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    kilobytes.unwrap_or(0i64).saturating_mul(1024)
}

/// `(Object.)`: equal to nothing but itself.
struct Plain;

impl Object for Plain {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.lang.Object"
    }
}
