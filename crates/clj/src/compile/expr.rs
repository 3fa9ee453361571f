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
