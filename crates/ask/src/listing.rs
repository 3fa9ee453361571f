//! The names of the series that a query means, as JSON.

use serde_json::json;
use store::{Series, Store};

use crate::error::Refused;
use crate::json::{Pieces, by_json};
use crate::limits::{LISTED_USUAL, PIECE_BYTES};
use crate::names::Names;
use crate::question::unknown;

/// The names that the parts of a request for a list have.
const PARTS: [&str; 2] = ["query", "limit"];

/// A request for a list of series.
#[derive(Debug)]
pub struct Listing {
    names: Names,
    limit: usize,
}

impl Listing {
    /// Reads a request; without a query it is for all series.
    ///
    /// # Errors
    /// What is wrong with a part, and what to write.
    pub fn read<'a>(
        parts: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Listing, Refused> {
        let (mut query, mut limit) = ("true", LISTED_USUAL);
        for (name, value) in parts {
            match name {
                "query" => query = value,
                "limit" => {
                    let error =
                        || Refused::new(format!("'{value}' is no limit"), "write limit=100");
                    limit = value.parse().map_err(|_| error())?;
                }
                _ => return Err(unknown(name, &PARTS)),
            }
        }
        let names = Names::parse(query)?;
        Ok(Listing { names, limit })
    }

    /// Gives out the list, in the order of host, service and the rest.
    pub fn write(&self, store: &Store, out: &mut dyn Pieces) {
        let chosen = self.names.choose(store);
        let mut names: Vec<&Series> = chosen.names().collect();
        names.sort_unstable();
        let mut text = format!("{{\"matched\":{},\"series\":[", names.len());
        for (at, name) in names.iter().take(self.limit).enumerate() {
            let (host, service, by) = (&name.host, &name.service, by_json(name));
            text += if at == 0 { "\n" } else { ",\n" };
            text += &json!({ "host": host, "service": service, "by": by }).to_string();
            if text.len() >= PIECE_BYTES {
                let piece = std::mem::take(&mut text).into_bytes();
                if out.piece(piece).is_break() {
                    return;
                }
            }
        }
        text += "]}\n";
        // Nothing follows, whether it was taken or not.
        let _ = out.piece(text.into_bytes());
    }
}
