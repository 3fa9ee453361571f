//! All of an event's entries, wherever it lies.

use event::{Event, FieldRef, Fields, View};

/// An event that can be written down whole: its fields, and every attribute.
pub trait Entries: Fields {
    /// True if all eight fields are present as keys, whatever they hold.
    fn is_record(&self) -> bool;
    /// Calls `visit` with the name and value of each attribute, in order.
    fn each_attr(&self, visit: &mut dyn FnMut(&str, FieldRef<'_>));
}

impl Entries for Event {
    fn is_record(&self) -> bool {
        Event::is_record(self)
    }

    fn each_attr(&self, visit: &mut dyn FnMut(&str, FieldRef<'_>)) {
        for (name, value) in self.attrs() {
            visit(name, FieldRef::Str(value));
        }
        for (name, value) in self.odd_attrs() {
            visit(name, FieldRef::Odd(value));
        }
    }
}

impl Entries for View<'_> {
    fn is_record(&self) -> bool {
        true
    }

    fn each_attr(&self, visit: &mut dyn FnMut(&str, FieldRef<'_>)) {
        for (name, value) in self.attrs {
            visit(name, FieldRef::Str(value));
        }
    }
}
