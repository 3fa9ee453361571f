//! Which series a query of Riemann's language means.

use event::View;
use query::{Ast, Query, Term};
use store::{Chosen, Series, Store};

use crate::error::Refused;

/// Fields of an event that are no part of a series' name.
const UNKNOWN: [&str; 5] = ["state", "description", "metric", "time", "ttl"];

/// What a series is kept by that is a tag.
pub(crate) const TAGS: &str = "tags";

/// A query over the names of series: their host, service, and what else they are kept by.
#[derive(Debug)]
pub struct Names {
    text: String,
    query: Query,
}

impl Names {
    /// Reads a query.
    ///
    /// # Errors
    /// If it is none, with the place; if it asks for what series do not have.
    pub fn parse(text: &str) -> Result<Names, Refused> {
        let written = |error: query::QueryError| {
            let place = format!("column {} of the query", error.column);
            Refused::new(
                format!("{place}: {error}"),
                "write a query such as service = \"api latency\" and host =~ \"web%\"",
            )
        };
        let ast = query::parse(text).map_err(written)?;
        if let Some(field) = unknown(&ast) {
            return Err(Refused::new(
                format!("series have no {field}"),
                "ask for host, service, and the attributes and tags that `:by` of `history` names",
            ));
        }
        let query = Query::compile(&ast).map_err(written)?;
        let text = text.to_owned();
        Ok(Names { text, query })
    }

    /// The query as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The series of a store that it means.
    #[must_use]
    pub fn choose(&self, store: &Store) -> Chosen {
        match self.query.host_and_service() {
            Some((host, service)) => store.choose_named(host, service),
            None => store.choose(&|series| self.is_one(series)),
        }
    }

    fn is_one(&self, series: &Series) -> bool {
        let by = || series.by.iter().map(|(name, value)| (&**name, &**value));
        let attrs: Vec<(&str, &str)> = by().filter(|(name, _)| *name != TAGS).collect();
        let tags = by().filter(|(name, _)| *name == TAGS);
        let tags: Vec<&str> = tags.map(|(_, tag)| tag).collect();
        self.query.matches(&View {
            host: series.host.as_deref(),
            service: series.service.as_deref(),
            tags: &tags,
            attrs: &attrs,
            ..View::default()
        })
    }
}

/// A field that is asked for and that no series can have.
fn unknown(ast: &Ast) -> Option<&str> {
    let of_term = |term: &'_ Term| match term {
        Term::Field(name) => UNKNOWN.iter().find(|field| *field == name).copied(),
        _ => None,
    };
    match ast {
        Ast::Term(term) | Ast::Like(_, term) | Ast::Regex(_, term) => of_term(term),
        Ast::Equal(a, b) | Ast::NotEqual(a, b) | Ast::Compare(_, a, b) => {
            of_term(a).or_else(|| of_term(b))
        }
        Ast::Tagged(_) => None,
        Ast::Not(inner) => unknown(inner),
        Ast::And(a, b) | Ast::Or(a, b) => unknown(a).or_else(|| unknown(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: bool) {
        let mut series = Series::new("web1", "rtt");
        series.by.push(("zone".to_owned(), "a".to_owned()));
        series.by.push(("tags".to_owned(), "db".to_owned()));
        assert_eq!(
            Names::parse(text).unwrap().is_one(&series),
            expected,
            "{text}"
        );
    }

    #[test]
    fn names_match() {
        check("true", true);
        check("host = \"web1\" and service =~ \"r%\"", true);
        check("zone = \"a\"", true);
        check("zone = nil or rack = \"1\"", false);
        check("tagged \"db\" and tags != nil", true);
        check("tagged \"web\"", false);
    }

    #[test]
    fn what_series_do_not_have_is_refused() {
        let refused = Names::parse("service = \"a\" and not metric > 1").unwrap_err();
        assert_eq!(refused.error, "series have no metric");
        let refused = Names::parse("service =").unwrap_err();
        assert!(
            refused.error.starts_with("column 10 of the query: "),
            "{refused}"
        );
    }
}
