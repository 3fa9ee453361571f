//! Analysed code: names resolved, places known, macros gone.

use std::sync::Arc;

use super::closure::Group;
use crate::{Map, Span, Value, Var};

/// Where a local is found when code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A parameter.
    Argument(usize),
    /// A local of this call.
    Slot(usize),
    /// A value the closure was made with.
    Capture(usize),
    /// The function itself, or one of its `letfn` siblings.
    Sibling(usize),
}

pub enum Expr {
    Constant(Value),
    Local(Place),
    /// A local in a slot, used for the last time: the slot is emptied.
    Last(usize),
    Var(Arc<Var>, Span),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Do(Vec<Expr>),
    And(Vec<Expr>, Box<Expr>),
    Or(Vec<Expr>, Box<Expr>),
    Let(Vec<(usize, Expr)>, Box<Expr>),
    Loop(Vec<(usize, Expr)>, Box<Expr>),
    RecurLoop(Vec<(usize, Expr)>),
    RecurFn(Vec<Expr>),
    Fn(FnExpr),
    /// The functions of one group and the slots they go to.
    LetFn(Vec<(usize, FnExpr)>, Box<Expr>),
    /// The text of the head says in errors what was called.
    Call(Box<Expr>, Vec<Expr>, Head),
    Vector(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Set(Vec<Expr>),
    WithMeta(Box<Expr>, Map),
    Def(Arc<Var>, Option<Box<Expr>>, Box<Expr>),
    SetVar(Arc<Var>, Box<Expr>, Span),
    Throw(Box<Expr>, Span),
    Try(TryExpr),
    Case(CaseExpr),
    New(Arc<str>, Vec<Expr>, Span),
    StaticCall(Arc<str>, Arc<str>, Vec<Expr>, Span),
    StaticField(Arc<str>, Arc<str>, Span),
    Method(Box<Expr>, Arc<str>, Vec<Expr>, Span),
}

/// Where a call is, and how its head was written.
pub struct Head {
    pub span: Span,
    pub text: Arc<str>,
}

pub struct FnExpr {
    pub group: Arc<Group>,
    pub index: usize,
    pub captures: Vec<Place>,
    pub meta: Option<Map>,
}

pub struct TryExpr {
    pub body: Box<Expr>,
    pub catches: Vec<CatchExpr>,
    pub finally: Option<Box<Expr>>,
}

pub struct CatchExpr {
    /// Full class name.
    pub class: Arc<str>,
    pub slot: usize,
    pub body: Expr,
}

pub struct CaseExpr {
    pub subject: Box<Expr>,
    /// Constants and the branch each chooses.
    pub choices: Vec<(Value, usize)>,
    pub branches: Vec<Expr>,
    pub default: Box<Expr>,
}

impl Expr {
    /// The expressions in this one, in the order they run; not those in functions it makes.
    pub fn parts(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Constant(_)
            | Expr::Local(_)
            | Expr::Last(_)
            | Expr::Var(..)
            | Expr::Fn(_)
            | Expr::StaticField(..) => Vec::new(),
            Expr::If(test, then, otherwise) => vec![test, then, otherwise],
            Expr::And(first, last) | Expr::Or(first, last) => {
                first.iter_mut().chain([&mut **last]).collect()
            }
            Expr::Let(bindings, body) | Expr::Loop(bindings, body) => {
                let inits = bindings.iter_mut().map(|(_, init)| init);
                inits.chain([&mut **body]).collect()
            }
            Expr::RecurLoop(bindings) => bindings.iter_mut().map(|(_, value)| value).collect(),
            Expr::LetFn(_, body) | Expr::WithMeta(body, _) => vec![body],
            Expr::SetVar(_, value, _) | Expr::Throw(value, _) => vec![value],
            Expr::Call(head, args, _) | Expr::Method(head, _, args, _) => {
                [&mut **head].into_iter().chain(args).collect()
            }
            Expr::Do(all)
            | Expr::RecurFn(all)
            | Expr::Vector(all)
            | Expr::Set(all)
            | Expr::New(_, all, _)
            | Expr::StaticCall(_, _, all, _) => all.iter_mut().collect(),
            Expr::Map(entries) => entries
                .iter_mut()
                .flat_map(|(key, value)| [key, value])
                .collect(),
            Expr::Def(_, value, meta) => {
                let value = value.as_deref_mut();
                value.into_iter().chain([&mut **meta]).collect()
            }
            Expr::Try(trial) => {
                let catches = trial.catches.iter_mut().map(|catch| &mut catch.body);
                let finally = trial.finally.as_deref_mut();
                let body = [&mut *trial.body].into_iter();
                body.chain(catches).chain(finally).collect()
            }
            Expr::Case(case) => {
                let subject = [&mut *case.subject].into_iter();
                let branches = subject.chain(&mut case.branches);
                branches.chain([&mut *case.default]).collect()
            }
        }
    }
}
