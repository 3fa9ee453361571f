//! Every limit of a server: name, unit, reason. Those that an option can change are its default.

use std::time::Duration;

/// Longest Riemann message. Riemann takes up to 2 GiB; events of 20 MB have been seen; this is
/// three times that, and what one client can make the server hold.
pub const FRAME_BYTES_MAX: usize = 64 << 20;

/// Connections of one server at a time; further ones wait in the backlog.
pub const CONNECTIONS_MAX: usize = 65_536;

/// Connections the kernel holds for us until they are accepted. Riemann's 50 refuses a restarting
/// fleet; the kernel caps this at `net.core.somaxconn`.
pub const BACKLOG: u32 = 4096;

/// Answers of one connection that may wait for a slow reader before its next query is answered.
/// One answer may exceed it, never two.
pub const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Bytes read at once. One buffer a worker, shared by its connections; 512 KiB was the fastest
/// with 1 MiB of second-level cache.
pub const READ_BYTES: usize = 512 << 10;

/// Memory that a connection's unfinished message may have beyond twice its length.
pub const TAIL_SLACK_BYTES: usize = 4 << 10;

/// Memory for answers that a worker keeps for the next connection.
pub const ANSWER_BYTES_KEPT: usize = 1 << 20;

/// Longest datagram of Riemann's protocol; longer ones are dropped and counted.
pub const DATAGRAM_BYTES_MAX: usize = 16_384;

/// Longest datagram that UDP over IPv4 can carry.
pub const UDP_PAYLOAD_BYTES_MAX: usize = 65_507;

/// Room for what the kernel gives in one call: one datagram, or several it has joined.
pub const UDP_RECEIVE_BYTES: usize = 1 << 16;

/// Datagrams that are streamed in one call, so that other sockets of the worker get their turn.
pub const DATAGRAMS_PER_BATCH: usize = 256;

/// Receive buffer asked of the kernel for UDP: one second of 100 000 datagrams of 160 bytes.
pub const UDP_RECEIVE_BUFFER_BYTES: usize = 16 << 20;

/// A read of fewer bytes is small: what it carries costs less than being woken for it.
pub const GATHER_BYTES: usize = 16 << 10;

/// Pause of a TCP reader: at 5 ms, single writes went from 0.2 to 1.6 million a second.
pub const GATHER_PAUSE: Duration = Duration::from_millis(5);

/// Pause of a UDP reader: short, for what overruns the buffer is lost.
pub const GATHER_PAUSE_UDP: Duration = Duration::from_millis(1);

/// A UDP reader pauses only above this receive buffer, as the kernel counts it: 1 ms of 2 million
/// datagrams a second, each of which takes at least 768 bytes there.
pub const GATHER_BUFFER_BYTES: usize = 2 << 20;

/// Longest Graphite line; a longer one closes the connection, as in Riemann.
pub const GRAPHITE_LINE_BYTES_MAX: usize = 1024;

/// Longest OpenTSDB line; a longer one is answered with an error and closes the connection.
pub const OPENTSDB_LINE_BYTES_MAX: usize = 4096;

/// Longest JSON line or websocket message; the limit of Riemann's http-kit.
pub const JSON_BYTES_MAX: usize = 4 << 20;

/// Longest body of a plain HTTP request; the limit of Riemann's http-kit.
pub const BODY_BYTES_MAX: usize = 8 << 20;

/// Errors of a document of metrics that its answer tells of; of the others it tells how many.
pub const HTTPTRAP_ERRORS_SHOWN: usize = 100;

/// Request line and headers of an HTTP request together. Queries travel in the request line.
pub const HTTP_HEAD_BYTES_MAX: usize = 64 << 10;

/// Headers of one HTTP request.
pub const HTTP_HEADERS_MAX: usize = 100;

/// Websocket messages of one client that are streamed in one call.
pub const WEBSOCKET_MESSAGES_PER_BATCH: usize = 1024;

/// Events of several messages that are streamed in one call; a message is never split. Also how
/// many decoded events a worker keeps memory for.
pub const EVENTS_PER_CALL: usize = 16_384;

/// Events taken from a subscription at once: small enough that a slow reader's loss shows soon.
pub const FEED_EVENTS_PER_TURN: usize = 256;

/// Text handed to an HTTP connection at once.
pub const BODY_CHUNK_BYTES: usize = 64 << 10;

/// Pieces of an answer that wait for a slow client before the thread that makes it has to.
pub const PIECES_WAITING: usize = 4;

/// Time for a client to finish the head of an HTTP request, or to begin the next one.
pub const HTTP_HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Time for a client to finish the TLS handshake.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for a client to finish the body of a plain HTTP request.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Time for a websocket client to answer our close frame.
pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Time that a stopping server gives its clients to take their last answers. Short of the second
/// in which the whole program stops.
pub const STOP_GRACE: Duration = Duration::from_millis(500);

/// Silence after which the kernel asks whether the peer is still there.
pub const KEEPALIVE_TIME: Duration = Duration::from_secs(120);

/// Pause of accepting when the process is out of file handles or memory.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The same warning is logged once in this time, with the number of times it was left out.
pub const WARNING_INTERVAL: Duration = Duration::from_secs(10);

/// Stack of a worker thread: stream functions of a configuration may recurse. Only touched pages
/// count as memory.
pub const WORKER_STACK_BYTES: usize = 16 << 20;

const _: () = {
    assert!(
        UDP_PAYLOAD_BYTES_MAX < READ_BYTES,
        "a batch holds at least one datagram"
    );
    assert!(DATAGRAM_BYTES_MAX <= UDP_PAYLOAD_BYTES_MAX);
    assert!(UDP_PAYLOAD_BYTES_MAX <= UDP_RECEIVE_BYTES && UDP_RECEIVE_BYTES < READ_BYTES);
    assert!(GRAPHITE_LINE_BYTES_MAX < READ_BYTES && OPENTSDB_LINE_BYTES_MAX < READ_BYTES);
};
