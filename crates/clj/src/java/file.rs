//! `java.io.File`: a path, and what the host says of it.

use std::any::Any;
use std::cmp::Ordering;

use super::{Array, JavaClass, constructor, member};
use crate::core::arguments::{not_a, string};
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.io.File",
    construct: constructor(1, 2, |_, a| match a {
        [path] => Ok(Value::object(File(normal(&path_of(path)?)))),
        [Value::Nil, child] => Ok(Value::object(File(normal(&path_of(child)?)))),
        _ => Ok(Value::object(File(child_path(
            &path_of(&a[0])?,
            &path_of(&a[1])?,
        )))),
    }),
    statics: &[member("createTempFile", 2, 3, |cx, a| {
        let folder = match a.get(2) {
            Some(folder @ Value::Object(_)) => path_of(folder)?,
            _ => cx.rt.host.env("TMPDIR").unwrap_or_else(|| "/tmp".into()),
        };
        let ending = a[1].as_str().unwrap_or(".tmp");
        let number = (cx.rt.host.random() * 1e15) as u64;
        let path = child_path(&folder, &format!("{}{number}{ending}", string(&a[0])?));
        let made = cx.rt.host.write_file(&path, "", false);
        made.map_err(|error| Thrown::new("java.io.IOException", error.to_string()))?;
        Ok(Value::object(File(path)))
    })],
    fields: &[
        ("separator", || Value::str("/")),
        ("separatorChar", || Value::Char('/')),
        ("pathSeparator", || Value::str(":")),
        ("pathSeparatorChar", || Value::Char(':')),
    ],
}];

/// A path without a slash at its end, nor two together.
struct File(String);

fn normal(path: &str) -> String {
    let mut normal = String::with_capacity(path.len());
    for char in path.chars() {
        if char != '/' || !normal.ends_with('/') {
            normal.push(char);
        }
    }
    if normal.len() > 1 && normal.ends_with('/') {
        normal.pop();
    }
    normal
}

fn child_path(parent: &str, child: &str) -> String {
    normal(&format!("{parent}/{child}"))
}

/// The path that a string or a file is.
fn path_of(value: &Value) -> Result<String> {
    match (value, value.downcast::<File>()) {
        (_, Some(File(path))) => Ok(path.clone()),
        (Value::Str(path), None) => Ok(path.to_string()),
        _ => Err(not_a(value, "java.io.File")),
    }
}

impl File {
    fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&*self.0, |(_, name)| name)
    }

    fn parent(&self) -> Option<&str> {
        match self.0.rsplit_once('/')? {
            ("", "") => None,
            ("", _) => Some("/"),
            (parent, _) => Some(parent),
        }
    }

    fn absolute(&self, cx: &Cx<'_>) -> String {
        if self.0.starts_with('/') {
            return self.0.clone();
        }
        child_path(&cx.rt.host.env("PWD").unwrap_or_default(), &self.0)
    }

    /// The absolute path without `.` and `..`.
    fn canonical(&self, cx: &Cx<'_>) -> String {
        let absolute = self.absolute(cx);
        let mut parts: Vec<&str> = Vec::new();
        for part in absolute.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        format!("/{}", parts.join("/"))
    }

    fn children(&self, cx: &Cx<'_>, files: bool) -> Value {
        let Ok(names) = cx.rt.host.list_directory(&self.0) else {
            return Value::Nil;
        };
        let items = names.into_iter().map(|name| match files {
            true => Value::object(File(child_path(&self.0, &name))),
            false => Value::from(name),
        });
        let class = if files {
            "[Ljava.io.File;"
        } else {
            "[Ljava.lang.String;"
        };
        Value::object(Array::new(class, items.collect()))
    }

    /// Makes the folder, and those it is in if `all`.
    fn make_folder(&self, cx: &Cx<'_>, all: bool) -> bool {
        let host = &cx.rt.host;
        if host.file_exists(&self.0) {
            return false;
        }
        if let Some(parent) = self
            .parent()
            .filter(|parent| all && !host.file_exists(parent))
        {
            File(parent.to_owned()).make_folder(cx, true);
        }
        host.create_directory(&self.0).is_ok()
    }

    fn create(&self, cx: &Cx<'_>) -> Result {
        if cx.rt.host.file_exists(&self.0) {
            return Ok(Value::Bool(false));
        }
        match cx.rt.host.write_file(&self.0, "", true) {
            Ok(()) => Ok(Value::Bool(true)),
            Err(error) => Err(Thrown::new("java.io.IOException", error.to_string())),
        }
    }
}

impl Object for File {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.io.File"
    }

    fn print(&self, out: &mut String, _: bool) {
        out.push_str("#object[java.io.File \"");
        out.push_str(&self.0);
        out.push_str("\"]");
    }

    fn text(&self) -> Option<String> {
        Some(self.0.clone())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<File>()
            .is_some_and(|other| self.0 == other.0)
    }

    fn hash_code(&self) -> Option<u64> {
        use std::hash::BuildHasher;
        Some(foldhash::fast::FixedState::default().hash_one(&self.0))
    }

    fn compare(&self, other: &Value) -> Option<Ordering> {
        Some(self.0.cmp(&other.downcast::<File>()?.0))
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let host = &cx.rt.host;
        Some(Ok(match (name, args) {
            ("getName", []) => Value::str(self.name()),
            ("getPath" | "toString", []) => Value::str(&self.0),
            ("getParent", []) => self.parent().map(Value::str).into(),
            ("getParentFile", []) => self
                .parent()
                .map(|parent| Value::object(File(parent.to_owned())))
                .into(),
            ("getAbsolutePath", []) => Value::from(self.absolute(cx)),
            ("getAbsoluteFile", []) => Value::object(File(self.absolute(cx))),
            ("getCanonicalPath", []) => Value::from(self.canonical(cx)),
            ("getCanonicalFile", []) => Value::object(File(self.canonical(cx))),
            ("isAbsolute", []) => Value::Bool(self.0.starts_with('/')),
            ("exists" | "canRead", []) => Value::Bool(host.file_exists(&self.0)),
            ("isDirectory", []) => Value::Bool(host.is_directory(&self.0)),
            ("isFile", []) => Value::Bool(host.file_exists(&self.0) && !host.is_directory(&self.0)),
            ("length", []) => {
                Value::Int(host.read_file(&self.0).map_or(0, |text| text.len() as i64))
            }
            ("list", []) => self.children(cx, false),
            ("listFiles", []) => self.children(cx, true),
            ("mkdir", []) => Value::Bool(self.make_folder(cx, false)),
            ("mkdirs", []) => Value::Bool(self.make_folder(cx, true)),
            ("createNewFile", []) => return Some(self.create(cx)),
            ("delete", []) => Value::Bool(host.remove_file(&self.0).is_ok()),
            ("deleteOnExit", []) => Value::Nil,
            _ => return None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normal() {
        assert_eq!(normal("/a//b/"), "/a/b");
        assert_eq!(normal("/"), "/");
        assert_eq!(child_path("a", "/b"), "a/b");
    }

    #[test]
    fn parents_end_at_the_root() {
        let parent = |path: &str| File(path.into()).parent().map(str::to_owned);
        assert_eq!(parent("/a/b"), Some("/a".into()));
        assert_eq!(parent("/a"), Some("/".into()));
        assert_eq!(parent("/"), None);
        assert_eq!(parent("a"), None);
    }
}
