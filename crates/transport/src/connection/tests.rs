use std::collections::VecDeque;
use std::sync::Mutex;

use proptest::prelude::*;
use tokio::runtime::Builder;

use super::*;
use crate::graphite::tests::graphite_lines;
use crate::riemann::tests::messages;
use crate::server::Server;

/// A peer that sends one piece at each read, and keeps what it is sent, a write at a time.
struct Script {
    pieces: VecDeque<Vec<u8>>,
    paused: bool,
    /// `None`: it does not take what it is sent.
    written: Option<Arc<Mutex<Vec<Vec<u8>>>>>,
}

impl AsyncRead for Script {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.paused = !self.paused;
        if !self.paused {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Some(mut piece) = self.pieces.pop_front() {
            let rest = piece.split_off(piece.len().min(buffer.remaining()));
            if !rest.is_empty() {
                self.pieces.push_front(rest);
            }
            buffer.put_slice(&piece);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Script {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Some(written) = &self.written else {
            return Poll::Pending;
        };
        written.lock().unwrap().push(bytes.to_vec());
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// What the peer is sent when it sends those pieces.
fn play(protocol: impl Protocol, pieces: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    let pieces = pieces
        .into_iter()
        .filter(|piece| !piece.is_empty())
        .collect();
    let written = Arc::<Mutex<Vec<Vec<u8>>>>::default();
    let script = Script {
        pieces,
        paused: false,
        written: Some(Arc::clone(&written)),
    };
    let server = Server::new("test", ([127, 0, 0, 1], 0).into());
    let mut task = server.task();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let stats = Arc::clone(server.stats());
    runtime.block_on(drive(script, protocol, stats, &mut task));
    written.lock().unwrap().clone()
}

#[test]
fn while_answers_wait_nothing_is_read_and_no_query_run() {
    let (mut protocol, recorder) = messages();
    protocol.answer_bytes_max = 1;
    let pieces = [
        CONVERSATION.repeat(10),
        CONVERSATION.to_vec(),
        CONVERSATION.to_vec(),
    ];
    let mut script = Script {
        pieces: pieces.into(),
        paused: false,
        written: None,
    };
    let server = Server::new("test", ([127, 0, 0, 1], 0).into());
    let mut task = server.task();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let stats = Arc::clone(server.stats());
    runtime.block_on(async {
        let mut connection = Box::pin(drive(&mut script, protocol, stats, &mut task));
        for _ in 0..100 {
            assert!(connection.as_mut().now_or_never().is_none());
        }
    });
    assert_eq!(script.pieces.len(), 2);
    assert_eq!(recorder.calls(), [["one", "two"]]);
    assert_eq!(recorder.queries(), [] as [&str; 0]);
}

/// Cuts `bytes` at places that are given as numbers of any size.
fn cut(bytes: &[u8], places: &[usize]) -> Vec<Vec<u8>> {
    let mut places: Vec<usize> = places
        .iter()
        .map(|place| place % (bytes.len() + 1))
        .collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places
        .windows(2)
        .map(|ends| bytes[ends[0]..ends[1]].to_vec())
        .collect()
}

const ACK: [u8; 6] = [0, 0, 0, 2, 0x10, 1];

/// Two events; a query that fails; none; a query that matches nothing.
const CONVERSATION: &[u8] = b"\0\0\0\x0e\x32\x05\x1a\x03one\x32\x05\x1a\x03two\
    \0\0\0\x07\x2a\x05\x0a\x03bad\0\0\0\0\0\0\0\x05\x2a\x03\x0a\x01x";

#[test]
fn the_answers_of_a_read_are_one_write() {
    let (protocol, _) = messages();
    let written = play(protocol, [ACK_REQUEST.repeat(100), ACK_REQUEST.repeat(3)]);
    assert_eq!(written, [ACK.repeat(100), ACK.repeat(3)]);
}

const ACK_REQUEST: [u8; 4] = [0; 4];

#[test]
fn a_message_may_come_in_any_two_pieces() {
    let (protocol, recorder) = messages();
    let whole = play(protocol, [CONVERSATION.to_vec()]).concat();
    assert_eq!(recorder.calls(), [["one", "two"]]);
    for place in 0..CONVERSATION.len() {
        let (protocol, recorder) = messages();
        assert_eq!(
            play(protocol, cut(CONVERSATION, &[place])).concat(),
            whole,
            "cut at {place}"
        );
        assert_eq!(recorder.calls().concat(), ["one", "two"], "cut at {place}");
    }
}

#[test]
fn too_many_answers_are_sent_before_the_next_query() {
    let (mut protocol, recorder) = messages();
    protocol.answer_bytes_max = 1;
    let written = play(protocol, [CONVERSATION.to_vec(), ACK_REQUEST.to_vec()]);
    let (whole, _) = messages();
    let expected = play(whole, [CONVERSATION.to_vec(), ACK_REQUEST.to_vec()]);
    assert_eq!(written.concat(), expected.concat());
    assert_eq!((written.len(), expected.len()), (3, 2));
    assert_eq!(recorder.queries(), ["x"]);
}

#[test]
fn a_message_beyond_the_buffer_may_come_in_pieces() {
    let large = vec![b's'; READ_BYTES + 1000];
    let mut bytes = ACK_REQUEST.to_vec();
    let event = codec_event(&large);
    bytes.extend_from_slice(&u32::try_from(event.len()).unwrap().to_be_bytes());
    bytes.extend_from_slice(&event);
    bytes.extend_from_slice(&ACK_REQUEST);
    for places in [vec![], vec![6], vec![7, 300_000], vec![bytes.len() - 5]] {
        let (protocol, recorder) = messages();
        assert_eq!(
            play(protocol, cut(&bytes, &places)).concat(),
            ACK.repeat(3),
            "{places:?}"
        );
        assert_eq!(recorder.calls()[0][0].len(), large.len());
    }
}

/// A message of one event with that service.
fn codec_event(service: &[u8]) -> Vec<u8> {
    let varint = |number: usize| {
        let septets = [number & 127 | 128, number >> 7 & 127 | 128, number >> 14];
        septets.map(|septet| u8::try_from(septet).unwrap())
    };
    let length = varint(service.len());
    [
        &[0x32][..],
        &varint(service.len() + 4),
        &[0x1a],
        &length,
        service,
    ]
    .concat()
}

proptest! {
    #[test]
    fn pieces_make_no_difference(
        bytes in prop_oneof![
            Just(CONVERSATION.repeat(3)),
            (0..CONVERSATION.len() * 4).prop_map(|end| CONVERSATION.repeat(4)[..end].to_vec()),
            prop::collection::vec(any::<u8>(), 0..100).prop_map(|mut garbage| {
                garbage.splice(0..0, CONVERSATION.iter().copied());
                garbage
            }),
        ],
        places in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let (whole, expected) = messages();
        let (pieces, recorder) = messages();
        prop_assert_eq!(
            play(pieces, cut(&bytes, &places)).concat(),
            play(whole, [bytes]).concat()
        );
        prop_assert_eq!(recorder.events(), expected.events());
        prop_assert_eq!(recorder.queries(), expected.queries());
    }

    #[test]
    fn pieces_make_no_difference_to_lines(
        text in "([a-c]{1,3} [0-9]{1,2} [0-9]{1,2}\r?\n|\n|é b\n){0,8}",
        places in prop::collection::vec(any::<usize>(), 0..8),
    ) {
        let (whole, expected) = graphite_lines();
        let (pieces, recorder) = graphite_lines();
        play(whole, [text.clone().into_bytes()]);
        play(pieces, cut(text.as_bytes(), &places));
        prop_assert_eq!(recorder.events(), expected.events());
    }
}
