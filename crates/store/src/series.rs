//! The name of a series: host, service, and what else it is kept by.

/// Whose samples these are.
///
/// ```
/// use store::Series;
/// let series = Series::new("web1", "http req 0.99");
/// assert_eq!(series.host.as_deref(), Some("web1"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Series {
    /// The event's host.
    pub host: Option<String>,
    /// The event's service.
    pub service: Option<String>,
    /// Other fields and their values, in the order in which they were named.
    pub by: Vec<(String, String)>,
}

impl Series {
    /// The series of a host and a service.
    #[must_use]
    pub fn new(host: &str, service: &str) -> Series {
        Series {
            host: Some(host.to_owned()),
            service: Some(service.to_owned()),
            by: Vec::new(),
        }
    }
}

/// The number of a series in its store.
pub(crate) type SeriesId = u32;

/// Writes the name as bytes: equal names have equal bytes.
pub(crate) fn encode(
    host: Option<&str>,
    service: Option<&str>,
    by: &[(&str, &str)],
    bytes: &mut Vec<u8>,
) {
    for text in [host, service] {
        let len = text.map_or(0, |text| text.len() + 1);
        write_len(bytes, len);
        bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
    }
    for (field, value) in by {
        for text in [field, value] {
            write_len(bytes, text.len());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
}

/// Reads a name; `None` if the bytes are none.
pub(crate) fn decode(mut bytes: &[u8]) -> Option<Series> {
    let rest = &mut bytes;
    let host = read_optional(rest)?;
    let service = read_optional(rest)?;
    let mut by = Vec::new();
    while !rest.is_empty() {
        by.push((read_text(rest)?, read_text(rest)?));
    }
    Some(Series { host, service, by })
}

fn read_optional(rest: &mut &[u8]) -> Option<Option<String>> {
    match read_len(rest)? {
        0 => Some(None),
        len => take_text(rest, len - 1).map(Some),
    }
}

fn read_text(rest: &mut &[u8]) -> Option<String> {
    let len = read_len(rest)?;
    take_text(rest, len)
}

fn take_text(rest: &mut &[u8], len: usize) -> Option<String> {
    let (text, after) = rest.split_at_checked(len)?;
    *rest = after;
    String::from_utf8(text.to_vec()).ok()
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
pub(crate) fn write_len(bytes: &mut Vec<u8>, len: usize) {
    write_varint(bytes, len as u64);
}

pub(crate) fn write_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub(crate) fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

pub(crate) fn read_len(rest: &mut &[u8]) -> Option<usize> {
    usize::try_from(read_varint(rest)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(series: &Series) {
        let by: Vec<(&str, &str)> = series.by.iter().map(|(a, b)| (&**a, &**b)).collect();
        let mut bytes = Vec::new();
        encode(
            series.host.as_deref(),
            series.service.as_deref(),
            &by,
            &mut bytes,
        );
        assert_eq!(decode(&bytes).as_ref(), Some(series));
        for len in 0..bytes.len() {
            assert_ne!(decode(&bytes[..len]).as_ref(), Some(series));
        }
    }

    #[test]
    fn names_come_back() {
        check(&Series::default());
        check(&Series::new("", ""));
        let mut long = Series::new("host", &"é".repeat(200));
        check(&long);
        long.by.push(("zone".to_owned(), "a".to_owned()));
        check(&long);
    }
}
