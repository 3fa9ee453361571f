//! Predicates out of the data that the `where` macro makes of an expression.
//!
//! ```text
//! plan    = [:and plan*] [:or plan*] [:not plan] [:match :field pattern] [:tagged-all tags]
//!           [:tagged-any tags] [:compare :< operand*] [:equal operand*] [:nil operand]
//!           [:just operand] [:item set operand] [:contains set operand] [:find regex operand]
//!           [:expired] [:call function]
//! operand = [:field :name] [:const value] [:var var]
//! ```

use clj::{Result, Thrown, Value};

use super::regex::Finder;
use super::{Comparison, Key, Matcher, Members, Operand, Pred, tag_names};

/// The predicate of a plan.
///
/// # Errors
/// When the value is no plan.
pub fn of_plan(plan: &Value) -> Result<Pred> {
    let (head, rest) = parts(plan)?;
    let plans = || rest.iter().map(of_plan).collect::<Result<Box<[Pred]>>>();
    let operands = |from: &[Value]| from.iter().map(operand).collect::<Result<Box<[Operand]>>>();
    match (head.as_str(), &rest[..]) {
        ("and", _) => plans().map(Pred::And),
        ("or", _) => plans().map(Pred::Or),
        ("not", [plan]) => Ok(Pred::Not(Box::new(of_plan(plan)?))),
        ("match", [field, pattern]) => Ok(Pred::Match(key(field)?, Matcher::of(pattern))),
        ("tagged-all", [tags]) => Ok(Pred::Tagged {
            all: true,
            tags: tag_names(tags)?,
        }),
        ("tagged-any", [tags]) => Ok(Pred::Tagged {
            all: false,
            tags: tag_names(tags)?,
        }),
        ("compare", [how, from @ ..]) => Ok(Pred::Compare(comparison(how)?, operands(from)?)),
        ("equal", from) => operands(from).map(Pred::Equal),
        ("nil", [from]) => operand(from).map(Pred::IsNil),
        ("just", [from]) => operand(from).map(Pred::Just),
        ("item", [set, of]) => Ok(Pred::Item(members(set)?, operand(of)?)),
        ("contains", [set, of]) => Ok(Pred::Contains(members(set)?, operand(of)?)),
        ("find", [regex, of]) => match Finder::of(regex) {
            Some(finder) => Ok(Pred::Find(finder, operand(of)?)),
            None => Err(not_a_plan(plan)),
        },
        ("expired", []) => Ok(Pred::Expired),
        ("call", [function]) => Ok(Pred::Call(function.clone())),
        _ => Err(not_a_plan(plan)),
    }
}

fn operand(plan: &Value) -> Result<Operand> {
    let (head, rest) = parts(plan)?;
    match (head.as_str(), &rest[..]) {
        ("field", [field]) => key(field).map(Operand::Field),
        ("var", [Value::Var(var)]) => Ok(Operand::Var(var.clone())),
        ("const", [value]) => Ok(Operand::Const(value.clone())),
        _ => Err(not_a_plan(plan)),
    }
}

fn members(set: &Value) -> Result<Members> {
    Members::of(set).ok_or_else(|| not_a_plan(set))
}

fn parts(plan: &Value) -> Result<(String, Vec<Value>)> {
    let Value::Vector(items) = plan else {
        return Err(not_a_plan(plan));
    };
    match items.get(0) {
        Some(Value::Keyword(head)) => Ok((
            head.name().to_owned(),
            items.iter().skip(1).cloned().collect(),
        )),
        _ => Err(not_a_plan(plan)),
    }
}

fn key(field: &Value) -> Result<Key> {
    match field {
        Value::Keyword(keyword) => Ok(Key::named(keyword.name())),
        other => Err(not_a_plan(other)),
    }
}

fn comparison(how: &Value) -> Result<Comparison> {
    let Value::Keyword(name) = how else {
        return Err(not_a_plan(how));
    };
    match name.name() {
        "<" => Ok(Comparison::Less),
        "<=" => Ok(Comparison::LessOrEqual),
        ">" => Ok(Comparison::Greater),
        ">=" => Ok(Comparison::GreaterOrEqual),
        "==" => Ok(Comparison::SameNumber),
        _ => Err(not_a_plan(how)),
    }
}

fn not_a_plan(value: &Value) -> Thrown {
    Thrown::illegal_argument(format!(
        "not the plan of a predicate: {}",
        value.to_readable()
    ))
}
