//! Splits bytes into lines of bounded length.

/// What a buffer starts with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line without its `\n` or `\r\n`, and the bytes it took with it.
    Whole(&'a [u8], usize),
    /// No end in sight yet.
    Partial,
    /// More bytes than a line may have.
    TooLong,
}

/// The first line of `bytes`.
pub(crate) fn first(bytes: &[u8], bytes_max: usize) -> Line<'_> {
    match memchr::memchr(b'\n', bytes) {
        Some(end) => {
            let line = &bytes[..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.len() > bytes_max {
                Line::TooLong
            } else {
                Line::Whole(line, end + 1)
            }
        }
        // The last byte may be the `\r` of an end.
        None if bytes.len() > bytes_max + 1 => Line::TooLong,
        None => Line::Partial,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_and_the_edge() {
        assert_eq!(first(b"ab\r\ncd\n", 2), Line::Whole(b"ab", 4));
        assert_eq!(first(b"ab\ncd\n", 2), Line::Whole(b"ab", 3));
        assert_eq!(first(b"\n", 2), Line::Whole(b"", 1));
        assert_eq!(first(b"abc\n", 2), Line::TooLong);
        assert_eq!(first(b"abcd", 2), Line::TooLong);
        assert_eq!(first(b"ab\r", 2), Line::Partial);
        assert_eq!(first(b"", 2), Line::Partial);
    }
}
