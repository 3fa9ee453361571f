//! Where events leave: a module a target, all behind one queue.
