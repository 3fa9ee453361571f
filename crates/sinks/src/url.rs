//! Percent-encoding.

use std::fmt::Write;

/// Encodes all but letters, digits and `-._~`: for a path segment or a query value.
pub fn component(text: &str) -> String {
    encode(text, "%20")
}

/// `a=b&c=d`, as a form is posted.
pub fn form(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{}={}", encode(key, "+"), encode(value, "+")))
        .collect();
    pairs.join("&")
}

fn encode(text: &str, space: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push_str(space),
            _ => write!(encoded, "%{byte:02X}").expect("a string takes all"),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_what_has_a_meaning() {
        assert_eq!(component("a b/c?ü"), "a%20b%2Fc%3F%C3%BC");
        assert_eq!(form(&[("a b", "1&2"), ("c", "=")]), "a+b=1%262&c=%3D");
    }
}
