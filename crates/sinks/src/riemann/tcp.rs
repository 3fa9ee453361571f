//! A client over TCP or TLS that gets the server's answers.

use std::sync::Arc;
use std::time::Duration;

use codec::riemann::{DecodeError, Frames, decode_msg, encode_events, encode_query, frame};
use event::{Event, Time, Views};
use parking_lot::Mutex;
use rustls::ClientConfig;

use super::ClientError;
use super::pending::{Pending, Slot};
use super::wire::Wire;
use crate::pace::Pace;
use crate::policy::IO_TIMEOUT;
use crate::socket::Address;

/// Riemann's port.
pub const PORT: u16 = 5555;
/// Riemann's port for TLS.
pub const TLS_PORT: u16 = 5554;
/// After a connection failed, the next is tried no sooner, as Riemann's clients do.
pub const RECONNECT_DELAY: Duration = Duration::from_secs(5);
/// Requests that wait for their answers on one connection.
pub const PENDING_REQUESTS: usize = 8192;
/// The largest answer: a query that matches some millions of events.
pub const ANSWER_BYTES: usize = 1 << 30;
/// A receive buffer that grew larger is given back once it is empty.
const KEPT_BYTES: usize = 1 << 20;

#[derive(Clone, Debug)]
pub struct Settings {
    pub address: Address,
    pub tls: Option<Arc<ClientConfig>>,
    /// How long a request waits for its answer.
    pub timeout: Duration,
    pub reconnect_delay: Duration,
    pub pending_max: usize,
}

impl Settings {
    /// The usual limits.
    pub fn new(address: Address) -> Settings {
        Settings {
            address,
            tls: None,
            timeout: IO_TIMEOUT,
            reconnect_delay: RECONNECT_DELAY,
            pending_max: PENDING_REQUESTS,
        }
    }
}

/// A client that connects at the first request, and again after the connection broke, though not
/// within [`Settings::reconnect_delay`] of a failure: until then requests fail at once. Any number
/// of threads may send at the same time; requests travel without waiting for earlier answers.
///
/// A request is sent once at most. When it fails for another reason than
/// [`ClientError::Server`], the server may have taken it or not.
pub struct TcpClient {
    settings: Settings,
    pace: Arc<dyn Pace>,
    link: Mutex<Link>,
}

enum Link {
    Unused,
    Up(Arc<Connection>),
    Down { since: Duration, error: ClientError },
}

struct Connection {
    wire: Wire,
    pending: Pending,
}

/// An answer that is on its way.
pub struct Promise {
    slot: Slot,
    connection: Arc<Connection>,
    timeout: Duration,
}

impl TcpClient {
    /// A client that is not connected yet.
    pub fn new(settings: Settings, pace: Arc<dyn Pace>) -> TcpClient {
        TcpClient {
            settings,
            pace,
            link: Mutex::new(Link::Unused),
        }
    }

    /// Sends events in one message and waits until the server acknowledged them.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub fn send_events(&self, events: &[Event]) -> Result<(), ClientError> {
        self.send_events_promised(events)?.wait()
    }

    /// Sends events in one message; the promise is of the acknowledgement.
    ///
    /// # Errors
    /// When they cannot be sent: not connected, or too many requests wait.
    pub fn send_events_promised(&self, events: &[Event]) -> Result<Promise, ClientError> {
        let mut message = Vec::new();
        frame(&mut message, |out| encode_events(out, events));
        self.send(&message)
    }

    /// The events that match a query. One that comes without a time gets `now`.
    ///
    /// # Errors
    /// See [`ClientError`]; a query that does not parse is the server's.
    pub fn query(&self, query: &str, now: Time) -> Result<Vec<Event>, ClientError> {
        self.query_promised(query)?.wait_events(now)
    }

    /// Asks for the events that match a query; the promise is of the answer.
    ///
    /// # Errors
    /// When it cannot be sent: not connected, or too many requests wait.
    pub fn query_promised(&self, query: &str) -> Result<Promise, ClientError> {
        let mut message = Vec::new();
        frame(&mut message, |out| encode_query(out, query));
        self.send(&message)
    }

    /// Connects now, if there is no connection.
    ///
    /// # Errors
    /// When that fails, or failed within the reconnect delay.
    pub fn connect(&self) -> Result<(), ClientError> {
        self.connection(&mut self.link.lock()).map(drop)
    }

    /// True if there is a connection that is not known to be broken.
    pub fn is_connected(&self) -> bool {
        matches!(&*self.link.lock(), Link::Up(connection) if !connection.pending.is_broken())
    }

    /// Requests whose answers have not come.
    pub fn pending(&self) -> usize {
        match &*self.link.lock() {
            Link::Up(connection) => connection.pending.len(),
            _ => 0,
        }
    }

    /// Closes the connection; requests that wait fail. The next request opens another.
    pub fn close(&self) {
        if let Link::Up(connection) = std::mem::replace(&mut *self.link.lock(), Link::Unused) {
            connection.give_up(&ClientError::Disconnected("closed".into()));
        }
    }

    /// The lock is held until the message is written, so that answers come in the order of the
    /// pending requests.
    fn send(&self, message: &[u8]) -> Result<Promise, ClientError> {
        let mut link = self.link.lock();
        let connection = self.connection(&mut link)?;
        let slot = connection.pending.push(self.settings.pending_max)?;
        if let Err(error) = connection.wire.write(message) {
            let error = ClientError::Disconnected(error.to_string());
            connection.give_up(&error);
            *link = Link::Down {
                since: self.pace.now(),
                error: error.clone(),
            };
            return Err(error);
        }
        Ok(Promise {
            slot,
            connection,
            timeout: self.settings.timeout,
        })
    }

    fn connection(&self, link: &mut Link) -> Result<Arc<Connection>, ClientError> {
        match link {
            Link::Up(connection) if !connection.pending.is_broken() => {
                return Ok(connection.clone());
            }
            Link::Down { since, error }
                if self.pace.now() < *since + self.settings.reconnect_delay =>
            {
                return Err(error.clone());
            }
            _ => {}
        }
        let opened = Connection::open(&self.settings.address, self.settings.tls.as_ref());
        match opened {
            Ok(connection) => {
                *link = Link::Up(connection.clone());
                Ok(connection)
            }
            Err(error) => {
                let error = ClientError::Disconnected(error.to_string());
                *link = Link::Down {
                    since: self.pace.now(),
                    error: error.clone(),
                };
                Err(error)
            }
        }
    }
}

impl Drop for TcpClient {
    fn drop(&mut self) {
        self.close();
    }
}

impl Connection {
    fn open(
        address: &Address,
        tls: Option<&Arc<ClientConfig>>,
    ) -> std::io::Result<Arc<Connection>> {
        let wire = Wire::open(address, tls)?;
        let connection = Arc::new(Connection {
            wire,
            pending: Pending::default(),
        });
        let own = connection.clone();
        std::thread::Builder::new()
            .name("riemann client".into())
            .spawn(move || {
                let error = own.read_answers();
                own.give_up(&error);
            })?;
        Ok(connection)
    }

    /// Reads until the connection ends; gives why.
    fn read_answers(&self) -> ClientError {
        let mut buffer = Vec::new();
        loop {
            match self.wire.read(&mut buffer) {
                Ok(true) => {}
                Ok(false) => return ClientError::Disconnected("the server closed".into()),
                Err(error) => return ClientError::Disconnected(error.to_string()),
            }
            let mut frames = Frames::new(&buffer, ANSWER_BYTES);
            for frame in &mut frames {
                match frame {
                    Ok(bytes) if self.pending.answer(bytes) => {}
                    Ok(_) => return ClientError::Protocol("to no request".into()),
                    Err(error) => return ClientError::Protocol(error.to_string()),
                }
            }
            let consumed = frames.consumed();
            buffer.drain(..consumed);
            if buffer.is_empty() && buffer.capacity() > KEPT_BYTES {
                buffer = Vec::new();
            }
        }
    }

    fn give_up(&self, error: &ClientError) {
        self.wire.shutdown();
        self.pending.fail(error);
    }
}

impl Promise {
    /// Waits for the answer and for what it says of the request. After a time-out the connection is
    /// given up: a server that does not answer is as good as gone.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub fn wait(self) -> Result<(), ClientError> {
        self.wait_events(Time::from_s(0)).map(drop)
    }

    /// As [`Promise::wait`]; gives the events of the answer.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub fn wait_events(self, now: Time) -> Result<Vec<Event>, ClientError> {
        self.wait_at_most(self.timeout, now).unwrap_or_else(|| {
            self.give_up();
            Err(ClientError::Timeout)
        })
    }

    /// Closes the connection: its server has not answered in time.
    pub fn give_up(&self) {
        self.connection
            .give_up(&ClientError::Disconnected("no answer in time".into()));
    }

    /// As [`Promise::wait_events`], but no longer than `timeout`: then `None`, and the answer may
    /// still come.
    pub fn wait_at_most(
        &self,
        timeout: Duration,
        now: Time,
    ) -> Option<Result<Vec<Event>, ClientError>> {
        let outcome = self.slot.wait(timeout)?;
        Some(outcome.and_then(|bytes| read_events(&bytes, now)))
    }
}

fn read_events(bytes: &[u8], now: Time) -> Result<Vec<Event>, ClientError> {
    let read = match read_answer(bytes, now) {
        Err(Unread::Decode(DecodeError::Utf8)) => {
            read_answer(&codec::riemann::repair_msg(bytes), now)
        }
        read => read,
    };
    read.map_err(|unread| match unread {
        Unread::Decode(error) => ClientError::Protocol(error.to_string()),
        Unread::Refused(error) => ClientError::Server(error),
    })
}

enum Unread {
    Decode(DecodeError),
    Refused(String),
}

fn read_answer(bytes: &[u8], now: Time) -> Result<Vec<Event>, Unread> {
    let mut views = Views::new();
    let head = decode_msg(bytes, now, &mut views).map_err(Unread::Decode)?;
    if head.ok == Some(false) {
        return Err(Unread::Refused(
            head.error.unwrap_or("the server gave no reason").into(),
        ));
    }
    Ok(views.iter().map(|view| Event::from_view(&view)).collect())
}

#[cfg(test)]
mod tests;
