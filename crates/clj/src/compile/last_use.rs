//! Where a local is used for the last time: its value is moved on from there, not copied, so that
//! nothing but the code at work holds the front of a long sequence.
//!
//! Goes through the code backwards, with the slots whose values are still wanted later. What the
//! parameters hold is moved to slots first, where a function hands one on.

use super::expr::{Expr, FnExpr, Place, TryExpr};
use super::lower_call::hands_on;

/// Marks the last uses in the body of a function of `fixed` parameters, whose locals take up the
/// slots below `slots`. Gives the parameters that are to be moved to slots, and those slots.
pub fn mark(body: &mut Expr, fixed: usize, slots: &mut usize) -> Vec<(usize, usize)> {
    let mut moved = Vec::new();
    for argument in 0..fixed {
        if hands_on_argument(body, argument) {
            replace(body, Place::Argument(argument), Place::Slot(*slots));
            moved.push((argument, *slots));
            *slots += 1;
        }
    }
    let mut live = vec![false; *slots];
    visit(body, &mut live);
    moved
}

/// True if a parameter is handed to a call, or bound, as it is.
fn hands_on_argument(expr: &mut Expr, argument: usize) -> bool {
    let is_it = |expr: &Expr| matches!(expr, Expr::Local(Place::Argument(at)) if *at == argument);
    let here = match expr {
        Expr::Call(function, args, _) => hands_on(function) && args.iter().any(is_it),
        Expr::Let(bindings, _) | Expr::Loop(bindings, _) => {
            bindings.iter().any(|(_, init)| is_it(init))
        }
        // The first call's arguments must not be held while the next turns run.
        Expr::RecurFn(_) => true,
        _ => false,
    };
    here || expr
        .parts()
        .into_iter()
        .any(|part| hands_on_argument(part, argument))
}

fn replace(expr: &mut Expr, old: Place, new: Place) {
    let exchange = |place: &mut Place| {
        if *place == old {
            *place = new;
        }
    };
    match expr {
        Expr::Local(place) => exchange(place),
        Expr::Fn(function) => function.captures.iter_mut().for_each(exchange),
        Expr::LetFn(functions, _) => functions
            .iter_mut()
            .flat_map(|(_, function)| &mut function.captures)
            .for_each(exchange),
        _ => {}
    }
    for part in expr.parts() {
        replace(part, old, new);
    }
}

/// True if running the expression empties the slot.
pub fn takes(expr: &mut Expr, slot: usize) -> bool {
    matches!(expr, Expr::Last(at) if *at == slot)
        || expr.parts().into_iter().any(|part| takes(part, slot))
}

/// `live` is what is wanted after the expression; afterwards, what is wanted before it.
fn visit(expr: &mut Expr, live: &mut [bool]) {
    match expr {
        Expr::Local(Place::Slot(slot)) => {
            let slot = *slot;
            if !live[slot] {
                *expr = Expr::Last(slot);
            }
            live[slot] = true;
        }
        Expr::If(test, then, otherwise) => {
            branches([&mut **then, &mut **otherwise], live);
            visit(test, live);
        }
        Expr::Case(case) => {
            let all = case.branches.iter_mut().chain([&mut *case.default]);
            branches(all, live);
            visit(&mut case.subject, live);
        }
        Expr::And(first, last) | Expr::Or(first, last) => {
            let after = live.to_owned();
            visit(last, live);
            for part in first.iter_mut().rev() {
                join(live, &after);
                visit(part, live);
            }
        }
        Expr::Let(bindings, body) => {
            visit(body, live);
            bound(bindings, live);
        }
        Expr::Loop(bindings, body) => turns(bindings, body, live),
        Expr::RecurLoop(bindings) => {
            for (slot, _) in bindings.iter() {
                live[*slot] = false;
            }
            for (_, value) in bindings.iter_mut().rev() {
                visit(value, live);
            }
        }
        Expr::Fn(function) => captured(function, live),
        Expr::LetFn(functions, body) => {
            visit(body, live);
            for (slot, _) in functions.iter() {
                live[*slot] = false;
            }
            for (_, function) in functions.iter() {
                captured(function, live);
            }
        }
        Expr::Try(trial) => attempt(trial, live),
        _ => {
            for part in expr.parts().into_iter().rev() {
                visit(part, live);
            }
        }
    }
}

fn turns(bindings: &mut [(usize, Expr)], body: &mut Expr, live: &mut [bool]) {
    // The next turn wants again whatever this one uses from outside.
    let mut wanted = vec![false; live.len()];
    uses(body, &mut wanted);
    unbind(body, &mut wanted);
    for (slot, _) in bindings.iter() {
        wanted[*slot] = false;
    }
    join(live, &wanted);
    visit(body, live);
    bound(bindings, live);
}

/// The body may be left for the clauses at any point of it.
fn attempt(trial: &mut TryExpr, live: &mut [bool]) {
    if let Some(finally) = &mut trial.finally {
        visit(finally, live);
    }
    let after = live.to_owned();
    for catch in &mut trial.catches {
        let mut before = after.clone();
        visit(&mut catch.body, &mut before);
        before[catch.slot] = after[catch.slot];
        join(live, &before);
    }
    visit(&mut trial.body, live);
}

fn branches<'e>(all: impl IntoIterator<Item = &'e mut Expr>, live: &mut [bool]) {
    let after = live.to_owned();
    for branch in all {
        let mut before = after.clone();
        visit(branch, &mut before);
        join(live, &before);
    }
}

fn bound(bindings: &mut [(usize, Expr)], live: &mut [bool]) {
    for (slot, init) in bindings.iter_mut().rev() {
        live[*slot] = false;
        visit(init, live);
    }
}

fn captured(function: &FnExpr, live: &mut [bool]) {
    for place in &function.captures {
        if let Place::Slot(slot) = place {
            live[*slot] = true;
        }
    }
}

fn join(live: &mut [bool], other: &[bool]) {
    for (live, other) in live.iter_mut().zip(other) {
        *live |= other;
    }
}

/// Makes all that an expression uses wanted, marking nothing.
fn uses(expr: &mut Expr, live: &mut [bool]) {
    match expr {
        Expr::Local(Place::Slot(slot)) | Expr::Last(slot) => live[*slot] = true,
        Expr::Fn(function) => captured(function, live),
        Expr::LetFn(functions, _) => functions
            .iter()
            .for_each(|(_, function)| captured(function, live)),
        _ => {}
    }
    for part in expr.parts() {
        uses(part, live);
    }
}

/// Takes out what is bound inside an expression. No slot is bound both inside and outside.
fn unbind(expr: &mut Expr, wanted: &mut [bool]) {
    match expr {
        Expr::Let(bindings, _) | Expr::Loop(bindings, _) => {
            for (slot, _) in bindings {
                wanted[*slot] = false;
            }
        }
        Expr::LetFn(functions, _) => {
            for (slot, _) in functions {
                wanted[*slot] = false;
            }
        }
        Expr::Try(trial) => {
            for catch in &trial.catches {
                wanted[catch.slot] = false;
            }
        }
        _ => {}
    }
    for part in expr.parts() {
        unbind(part, wanted);
    }
}
