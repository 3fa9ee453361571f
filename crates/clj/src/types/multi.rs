//! Multimethods: functions that go by a value worked out from their arguments.

use std::any::Any;
use std::sync::Arc;

use parking_lot::RwLock;

use super::hierarchy;
use crate::{Callable, Cx, Map, Native, Object, Result, Thrown, Value};

/// A multimethod.
pub struct Multi {
    name: Arc<str>,
    dispatch: Value,
    /// The dispatch value of the method that is taken when no other fits.
    default: Value,
    /// A var that holds a hierarchy; `None` is the common one.
    hierarchy: Option<Value>,
    methods: RwLock<Map>,
    /// Pairs of dispatch values: the first is preferred to the second.
    preferences: RwLock<Vec<(Value, Value)>>,
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "multi*",
        arglists: "([name dispatch default hierarchy])",
        doc: "A multimethod without methods.",
        arity: (4, Some(4)),
        code: |_, args| {
            Ok(Value::object(Multi {
                name: args[0].to_text().into(),
                dispatch: args[1].clone(),
                default: args[2].clone(),
                hierarchy: Some(args[3].clone()).filter(|hierarchy| !hierarchy.is_nil()),
                methods: RwLock::default(),
                preferences: RwLock::default(),
            }))
        },
    },
    Native {
        name: "multi?*",
        arglists: "([x])",
        doc: "True for a multimethod.",
        arity: (1, Some(1)),
        code: |_, args| Ok(Value::Bool(args[0].downcast::<Multi>().is_some())),
    },
    Native {
        name: "add-method*",
        arglists: "([multifn dispatch-val f])",
        doc: "Gives a multimethod a method for a dispatch value.",
        arity: (3, Some(3)),
        code: |_, args| {
            multi(&args[0])?
                .methods
                .write()
                .insert(args[1].clone(), args[2].clone());
            Ok(args[0].clone())
        },
    },
    Native {
        name: "remove-method",
        arglists: "([multifn dispatch-val])",
        doc: "Takes the method for a dispatch value away.",
        arity: (2, Some(2)),
        code: |_, args| {
            multi(&args[0])?.methods.write().remove(&args[1]);
            Ok(args[0].clone())
        },
    },
    Native {
        name: "remove-all-methods",
        arglists: "([multifn])",
        doc: "Takes all methods away.",
        arity: (1, Some(1)),
        code: |_, args| {
            *multi(&args[0])?.methods.write() = Map::default();
            Ok(args[0].clone())
        },
    },
    Native {
        name: "prefer-method",
        arglists: "([multifn dispatch-val-x dispatch-val-y])",
        doc: "Where both fit, the method for the first value is taken.",
        arity: (3, Some(3)),
        code: prefer,
    },
    Native {
        name: "methods",
        arglists: "([multifn])",
        doc: "The methods by their dispatch values.",
        arity: (1, Some(1)),
        code: |_, args| Ok(Value::Map(multi(&args[0])?.methods.read().clone())),
    },
    Native {
        name: "prefers",
        arglists: "([multifn])",
        doc: "The dispatch values preferred to others.",
        arity: (1, Some(1)),
        code: |_, args| {
            let preferences = multi(&args[0])?.preferences.read();
            let mut map = Map::default();
            for (preferred, other) in preferences.iter() {
                let others = match map.get(preferred) {
                    Some(Value::Set(others)) => others.conj(other.clone()),
                    _ => [other.clone()].into_iter().collect(),
                };
                map.insert(preferred.clone(), Value::Set(others));
            }
            Ok(Value::Map(map))
        },
    },
    Native {
        name: "get-method",
        arglists: "([multifn dispatch-val])",
        doc: "The method that would be taken for a dispatch value; nil if none.",
        arity: (2, Some(2)),
        code: |cx, args| Ok(multi(&args[0])?.method(cx, &args[1])?.unwrap_or_default()),
    },
];

fn multi(value: &Value) -> Result<&Multi> {
    value.downcast::<Multi>().ok_or_else(|| {
        Thrown::class_cast(format!(
            "class {} cannot be cast to class clojure.lang.MultiFn",
            value.class_name()
        ))
    })
}

fn prefer(cx: &Cx<'_>, args: &[Value]) -> Result {
    let multi = multi(&args[0])?;
    let hierarchy = hierarchy::current(cx, multi.hierarchy.as_ref());
    if multi.prefers(&hierarchy, &args[2], &args[1]) {
        return Err(Thrown::illegal_state(format!(
            "Preference conflict in multimethod '{}': {} is already preferred to {}",
            multi.name,
            args[2].to_readable(),
            args[1].to_readable()
        )));
    }
    multi
        .preferences
        .write()
        .push((args[1].clone(), args[2].clone()));
    Ok(args[0].clone())
}

impl Multi {
    /// A multimethod of the library, with the method that is taken when no other fits.
    pub fn new(name: &str, dispatch: Value, default: Value) -> Multi {
        let key = Value::keyword("default");
        Multi {
            name: name.into(),
            dispatch,
            methods: RwLock::new([(key.clone(), default)].into_iter().collect()),
            default: key,
            hierarchy: None,
            preferences: RwLock::default(),
        }
    }

    /// The number of methods.
    pub fn len(&self) -> usize {
        self.methods.read().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True for the method that is taken when no other fits.
    pub fn is_default(&self, method: &Value) -> bool {
        self.methods.read().get(&self.default) == Some(method)
    }

    /// The method for a dispatch value: of the value itself, of what it descends from, of the
    /// default.
    ///
    /// # Errors
    /// `IllegalArgumentException` if several fit alike.
    pub fn method(&self, cx: &Cx<'_>, value: &Value) -> Result<Option<Value>> {
        let methods = self.methods.read().clone();
        if let Some(method) = methods.get(value) {
            return Ok(Some(method.clone()));
        }
        let hierarchy = hierarchy::current(cx, self.hierarchy.as_ref());
        let mut best: Option<(&Value, &Value)> = None;
        for (candidate, method) in methods.iter() {
            if !hierarchy::is_a(&hierarchy, value, candidate) {
                continue;
            }
            best = match best {
                None => Some((candidate, method)),
                Some((known, _)) if self.dominates(&hierarchy, candidate, known) => {
                    Some((candidate, method))
                }
                Some((known, _)) if !self.dominates(&hierarchy, known, candidate) => {
                    return Err(self.ambiguous(value, known, candidate));
                }
                best => best,
            };
        }
        Ok(best
            .map(|(_, method)| method.clone())
            .or_else(|| methods.get(&self.default).cloned()))
    }

    fn dominates(&self, hierarchy: &Value, a: &Value, b: &Value) -> bool {
        self.prefers(hierarchy, a, b) || hierarchy::is_a(hierarchy, a, b)
    }

    /// True if `a`, or something it descends from, is preferred to `b` or what `b` descends from.
    fn prefers(&self, hierarchy: &Value, a: &Value, b: &Value) -> bool {
        self.preferences.read().iter().any(|(preferred, other)| {
            hierarchy::is_a(hierarchy, a, preferred) && hierarchy::is_a(hierarchy, b, other)
        })
    }

    fn ambiguous(&self, value: &Value, a: &Value, b: &Value) -> Thrown {
        Thrown::illegal_argument(format!(
            "Multiple methods in multimethod '{}' match dispatch value: {} -> {} and {}, and neither is preferred",
            self.name,
            value.to_readable(),
            b.to_readable(),
            a.to_readable()
        ))
        .with_hint("say which with prefer-method")
    }
}

impl Object for Multi {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.MultiFn"
    }

    fn as_callable(&self) -> Option<&dyn Callable> {
        Some(self)
    }
}

impl Callable for Multi {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        let value = cx.call(&self.dispatch, args)?;
        match self.method(cx, &value)? {
            Some(method) => cx.call(&method, args),
            None => Err(Thrown::illegal_argument(format!(
                "No method in multimethod '{}' for dispatch value: {}",
                self.name,
                value.to_readable()
            ))),
        }
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn is_fn(&self) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
