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

/// The pairs of a form, as [`form`] writes it.
pub fn pairs(form: &str) -> Vec<(String, String)> {
    let pairs = form.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

fn decode(text: &str) -> String {
    let mut pieces = text.split('%');
    let plain = |piece: &str| piece.replace('+', " ").into_bytes();
    let mut bytes = pieces.next().map(plain).unwrap_or_default();
    for piece in pieces {
        let digits = piece.get(..2);
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(plain(&piece[2..]));
            }
            None => {
                bytes.push(b'%');
                bytes.extend(plain(piece));
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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

    #[test]
    fn a_form_is_read_as_it_was_written() {
        let written = [("a b", "1&2+%"), ("c", "=ü"), ("d", "")];
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        assert_eq!(pairs(&form(&written)), written.map(own));
        assert_eq!(pairs("a=%zz&b=%4"), [own(("a", "%zz")), own(("b", "%4"))]);
    }
}
