//! Hierarchies of names: derive, isa? and their like.
//!
//! A hierarchy is a map of three maps from a tag to a set of tags: `:parents`, `:ancestors`,
//! `:descendants`. The one that is meant when none is named is the root of a var.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::java::{self, Class};
use crate::{Cx, Map, Native, Result, Runtime, Set, Thrown, Value, seq};

/// The var that holds the common hierarchy.
const GLOBAL: &str = "global-hierarchy";

pub fn install(rt: &Runtime) {
    rt.define_natives("clojure.core", NATIVES);
    rt.ensure_namespace("clojure.core").define(GLOBAL, empty());
}

const NATIVES: &[Native] = &[
    Native {
        name: "make-hierarchy",
        arglists: "([])",
        doc: "An empty hierarchy.",
        arity: (0, Some(0)),
        code: |_, _| Ok(empty()),
    },
    Native {
        name: "derive",
        arglists: "([tag parent] [h tag parent])",
        doc: "Makes a tag a child of another.",
        arity: (2, Some(3)),
        code: |cx, args| change(cx, args, derived),
    },
    Native {
        name: "underive",
        arglists: "([tag parent] [h tag parent])",
        doc: "Takes a tag from its parent.",
        arity: (2, Some(3)),
        code: |cx, args| change(cx, args, underived),
    },
    Native {
        name: "isa?",
        arglists: "([child parent] [h child parent])",
        doc: "True if both are equal, or the first descends from the second.",
        arity: (2, Some(3)),
        code: |cx, args| {
            let (hierarchy, args) = hierarchy_of(cx, args, 2)?;
            Ok(Value::Bool(is_a(&hierarchy, &args[0], &args[1])))
        },
    },
    Native {
        name: "parents",
        arglists: "([tag] [h tag])",
        doc: "The parents of a tag, a set; nil if none.",
        arity: (1, Some(2)),
        code: |cx, args| related(cx, args, "parents"),
    },
    Native {
        name: "ancestors",
        arglists: "([tag] [h tag])",
        doc: "The parents of a tag and theirs, a set; nil if none.",
        arity: (1, Some(2)),
        code: |cx, args| related(cx, args, "ancestors"),
    },
    Native {
        name: "descendants",
        arglists: "([tag] [h tag])",
        doc: "The children of a tag and theirs, a set; nil if none.",
        arity: (1, Some(2)),
        code: |cx, args| related(cx, args, "descendants"),
    },
];

fn empty() -> Value {
    let none = || Value::Map(Map::default());
    Value::map([
        (Value::keyword("parents"), none()),
        (Value::keyword("descendants"), none()),
        (Value::keyword("ancestors"), none()),
    ])
}

/// The common hierarchy.
pub fn global(cx: &Cx<'_>) -> Value {
    cx.rt
        .var("clojure.core", GLOBAL)
        .and_then(|var| var.root())
        .unwrap_or_else(empty)
}

/// The hierarchy given before the other arguments, else the common one.
fn hierarchy_of<'v>(cx: &Cx<'_>, args: &'v [Value], others: usize) -> Result<(Value, &'v [Value])> {
    match args.split_first() {
        Some((hierarchy, rest)) if rest.len() == others => Ok((hierarchy.clone(), rest)),
        _ => Ok((global(cx), args)),
    }
}

fn related(cx: &Cx<'_>, args: &[Value], relation: &str) -> Result {
    let (hierarchy, args) = hierarchy_of(cx, args, 1)?;
    let found = tags(&hierarchy, relation, &args[0]);
    Ok(if found.is_empty() {
        Value::Nil
    } else {
        Value::Set(found)
    })
}

fn tags(hierarchy: &Value, relation: &str, tag: &Value) -> Set {
    let map = seq::get(hierarchy, &Value::keyword(relation)).unwrap_or_default();
    match seq::get(&map, tag) {
        Some(Value::Set(set)) => set,
        _ => Set::default(),
    }
}

/// `(isa? hierarchy child parent)`
pub fn is_a(hierarchy: &Value, child: &Value, parent: &Value) -> bool {
    if child == parent || tags(hierarchy, "ancestors", child).contains(parent) {
        return true;
    }
    if let (Value::Vector(children), Value::Vector(parents)) = (child, parent) {
        let pairs = children.iter().zip(parents.iter());
        return children.len() == parents.len()
            && pairs.into_iter().all(|(c, p)| is_a(hierarchy, c, p));
    }
    match (child.downcast::<Class>(), parent.downcast::<Class>()) {
        (Some(child), Some(parent)) => is_subclass(child.name(), parent.name()),
        _ => false,
    }
}

fn is_subclass(child: &str, parent: &str) -> bool {
    let known = crate::exception::classes().any(|class| class == child);
    known && crate::exception::is_subclass(child, parent)
        || parent == "java.lang.Object"
        || example(child).is_some_and(|value| java::instance_of(&value, parent))
}

/// A value of a class of the language, to ask what else it is.
fn example(class: &str) -> Option<Value> {
    let examples = [
        Value::Bool(true),
        Value::Int(0),
        Value::Double(0.0),
        Value::Float(0.0),
        Value::Char('a'),
        Value::str(""),
        Value::keyword("a"),
        Value::symbol("a"),
        Value::list(vec![Value::Nil]),
        Value::vector(Vec::new()),
        Value::Map(Map::default()),
        Value::Set(Set::default()),
    ];
    match class {
        "clojure.lang.BigInt" | "clojure.lang.Ratio" => Some(Value::Int(0)),
        _ => examples
            .into_iter()
            .find(|value| value.class_name() == class),
    }
}

/// Applies a change to the hierarchy given, or to the common one in place.
fn change(
    cx: &Cx<'_>,
    args: &[Value],
    change: fn(&Value, &Value, &Value) -> Result<Map>,
) -> Result {
    static CHANGING: Mutex<()> = Mutex::new(());
    if let [hierarchy, tag, parent] = args {
        return Ok(rebuilt(change(hierarchy, tag, parent)?));
    }
    let _one = CHANGING.lock();
    let parents = change(&global(cx), &args[0], &args[1])?;
    let var = cx.rt.ensure_namespace("clojure.core").intern(GLOBAL);
    var.set_root(Some(rebuilt(parents)));
    Ok(Value::Nil)
}

fn parents_map(hierarchy: &Value) -> Map {
    match seq::get(hierarchy, &Value::keyword("parents")) {
        Some(Value::Map(parents)) => parents,
        _ => Map::default(),
    }
}

fn derived(hierarchy: &Value, tag: &Value, parent: &Value) -> Result<Map> {
    if tag == parent {
        return Err(Thrown::new(
            "java.lang.AssertionError",
            "Assert failed: (not= tag parent)",
        ));
    }
    if tags(hierarchy, "ancestors", parent).contains(tag) {
        return Err(Thrown::new(
            "java.lang.Exception",
            format!(
                "Cyclic derivation: {} has {} as ancestor",
                parent.to_readable(),
                tag.to_readable()
            ),
        ));
    }
    let own = tags(hierarchy, "parents", tag).conj(parent.clone());
    Ok(parents_map(hierarchy).assoc(tag.clone(), Value::Set(own)))
}

fn underived(hierarchy: &Value, tag: &Value, parent: &Value) -> Result<Map> {
    let own = tags(hierarchy, "parents", tag).disj(parent);
    let parents = parents_map(hierarchy);
    Ok(if own.is_empty() {
        parents.dissoc(tag)
    } else {
        parents.assoc(tag.clone(), Value::Set(own))
    })
}

/// A hierarchy from the parents of each tag.
fn rebuilt(parents: Map) -> Value {
    let (mut ancestors, mut descendants) = (Map::default(), Map::default());
    for (tag, _) in parents.iter() {
        let all = all_above(&parents, tag);
        for ancestor in all.iter() {
            let below = match descendants.get(ancestor) {
                Some(Value::Set(below)) => below.clone(),
                _ => Set::default(),
            };
            descendants.insert(ancestor.clone(), Value::Set(below.conj(tag.clone())));
        }
        ancestors.insert(tag.clone(), Value::Set(all));
    }
    Value::map([
        (Value::keyword("parents"), Value::Map(parents)),
        (Value::keyword("descendants"), Value::Map(descendants)),
        (Value::keyword("ancestors"), Value::Map(ancestors)),
    ])
}

fn all_above(parents: &Map, tag: &Value) -> Set {
    let mut all = Set::default();
    let mut waiting = vec![tag.clone()];
    while let Some(tag) = waiting.pop() {
        let Some(Value::Set(above)) = parents.get(&tag) else {
            continue;
        };
        for parent in above.iter() {
            if !all.contains(parent) {
                all = all.conj(parent.clone());
                waiting.push(parent.clone());
            }
        }
    }
    all
}

/// The hierarchy that a multimethod goes by: that of its var, or the common one.
pub fn current(cx: &Cx<'_>, chosen: Option<&Value>) -> Value {
    match chosen {
        Some(Value::Var(var)) => Arc::clone(var).get().unwrap_or_else(empty),
        Some(hierarchy @ Value::Map(_)) => hierarchy.clone(),
        _ => global(cx),
    }
}
