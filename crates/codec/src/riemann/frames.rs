//! Messages on a stream: each after its length, a big-endian u32.

use thiserror::Error;

const LENGTH_BYTES: usize = 4;

/// Walks the complete frames of a buffer.
///
/// ```
/// use codec::riemann::Frames;
/// let mut frames = Frames::new(&[0, 0, 0, 1, 7, 0, 0], 1024);
/// assert_eq!(frames.next(), Some(Ok(&[7][..])));
/// assert_eq!(frames.next(), None);
/// assert_eq!(frames.consumed(), 5);
/// assert_eq!(frames.wanted(), None);
/// ```
#[derive(Debug)]
pub struct Frames<'a> {
    bytes: &'a [u8],
    consumed: usize,
    limit_bytes: usize,
}

/// Why a stream cannot be read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// The length has its top bit set.
    #[error("negative frame length: {0}")]
    Negative(i32),
    #[error("frame of {size_bytes} bytes exceeds the limit of {limit_bytes}")]
    TooLarge {
        size_bytes: usize,
        limit_bytes: usize,
    },
}

impl<'a> Frames<'a> {
    /// A walk over `bytes`; a frame may hold at most `limit_bytes`, its length not counted.
    pub fn new(bytes: &'a [u8], limit_bytes: usize) -> Frames<'a> {
        Frames {
            bytes,
            consumed: 0,
            limit_bytes,
        }
    }

    /// Bytes of all frames returned so far, lengths included.
    pub fn consumed(&self) -> usize {
        self.consumed
    }

    /// Bytes that the unfinished frame after [`Frames::consumed`] will have in all, its length
    /// included; `None` while the length itself is incomplete or refused.
    pub fn wanted(&self) -> Option<usize> {
        let size = self.size().ok()??;
        Some(LENGTH_BYTES + size)
    }

    fn size(&self) -> Result<Option<usize>, FrameError> {
        let Some(length) = self.bytes[self.consumed..].first_chunk::<LENGTH_BYTES>() else {
            return Ok(None);
        };
        let length = i32::from_be_bytes(*length);
        let size_bytes = usize::try_from(length).map_err(|_| FrameError::Negative(length))?;
        if size_bytes > self.limit_bytes {
            return Err(FrameError::TooLarge {
                size_bytes,
                limit_bytes: self.limit_bytes,
            });
        }
        Ok(Some(size_bytes))
    }
}

/// Ends at an unfinished frame. After an error the stream cannot be read on: the same error again.
impl<'a> Iterator for Frames<'a> {
    type Item = Result<&'a [u8], FrameError>;

    fn next(&mut self) -> Option<Self::Item> {
        let size = match self.size() {
            Ok(size) => size?,
            Err(error) => return Some(Err(error)),
        };
        let from = self.consumed + LENGTH_BYTES;
        let frame = self.bytes.get(from..from + size)?;
        self.consumed = from + size;
        Some(Ok(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &[Result<&[u8], FrameError>], consumed: usize) {
        let mut frames = Frames::new(bytes, 8);
        let seen: Vec<_> = frames.by_ref().take(expected.len().max(1)).collect();
        assert_eq!(seen, expected);
        assert_eq!(frames.consumed(), consumed);
    }

    #[test]
    fn whole_frames_come_and_the_rest_waits() {
        check(b"", &[], 0);
        check(&[0, 0, 0], &[], 0);
        check(&[0, 0, 0, 0], &[Ok(&[])], 4);
        check(
            &[0, 0, 0, 2, 1, 2, 0, 0, 0, 1, 3, 0],
            &[Ok(&[1, 2]), Ok(&[3])],
            11,
        );
        check(&[0, 0, 0, 2, 1], &[], 0);
        assert_eq!(Frames::new(&[0, 0, 0, 2, 1], 8).wanted(), Some(6));
    }

    #[test]
    fn impossible_lengths_are_errors() {
        check(&[255, 255, 255, 255], &[Err(FrameError::Negative(-1))], 0);
        let large = FrameError::TooLarge {
            size_bytes: 9,
            limit_bytes: 8,
        };
        check(&[0, 0, 0, 0, 0, 0, 0, 9], &[Ok(&[]), Err(large)], 4);
    }
}
