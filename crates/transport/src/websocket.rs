//! Websockets: the index, any channel, and events.

use std::sync::Arc;

use codec::json;
use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use crate::follower::Follower;
use crate::http::Client;
use crate::json_events::{JsonEvents, unkept};
use crate::keeping::durable;
use crate::limits::{CLOSE_TIMEOUT, JSON_BYTES_MAX, WEBSOCKET_MESSAGES_PER_BATCH};
use crate::target::{Target, parameter, target};
use crate::upgrade::{Upgrade, WebSocket};

/// The longest reason that a close frame can carry.
const CLOSE_REASON_BYTES_MAX: usize = 123;

/// Why the server closes a websocket.
struct Closing(CloseCode, String);

/// A websocket whose handshake is not answered yet.
pub(crate) struct Session {
    upgrade: Upgrade,
    purpose: Purpose,
}

/// What a websocket is for.
enum Purpose {
    Events,
    Follow(Box<Follower>),
    /// To be told why it is for nothing.
    Close(Closing),
}

impl Session {
    /// Subscribes at once: a client that has its handshake misses nothing published since.
    pub(crate) fn begin(upgrade: Upgrade, client: &Client) -> Session {
        let purpose = match target(&upgrade.path) {
            Some(Target::Events) => Purpose::Events,
            Some(Target::Httptrap(_)) | None => {
                Purpose::Close(Closing(CloseCode::Normal, String::new()))
            }
            Some(target) => match follower(client, &target, &upgrade.query) {
                Ok(follower) => Purpose::Follow(Box::new(follower)),
                Err(reason) => Purpose::Close(Closing(CloseCode::Policy, reason)),
            },
        };
        Session { upgrade, purpose }
    }
}

/// Serves a websocket until either side closes it.
pub(crate) async fn serve(session: Session, client: &Client) {
    let Some(mut socket) = session.upgrade.open().await else {
        return;
    };
    let mut task = client.task.clone();
    let served = async {
        match session.purpose {
            Purpose::Events => events(&mut socket, client).await,
            Purpose::Follow(follower) => follow(&mut socket, *follower).await,
            Purpose::Close(closing) => Ok(closing),
        }
    };
    let closing = tokio::select! {
        served = served => served,
        () = task.stop_grace_over() => return,
    };
    let Closing(code, reason) = match closing {
        Ok(closing) => closing,
        Err(Error::Capacity(_)) => Closing(
            CloseCode::Size,
            format!("a message has more than {JSON_BYTES_MAX} bytes"),
        ),
        Err(error) => return tracing::debug!("websocket: {error}"),
    };
    tokio::select! {
        () = close(&mut socket, code, reason) => {}
        () = task.stop_grace_over() => {}
    }
}

fn follower(client: &Client, target: &Target, parameters: &str) -> Result<Follower, String> {
    let query = parameter(parameters, "query").ok_or("the parameter query is missing")?;
    let follower = Follower::new(
        Arc::clone(&client.handler),
        Arc::clone(&client.stats),
        client.task.clone(),
    );
    match target {
        Target::Channel(channel) => follower.with_channel(channel, &query),
        _ if parameter(parameters, "subscribe").as_deref() == Some("true") => {
            follower.with_channel("index", &query)?.with_index(&query)
        }
        _ => follower.with_index(&query),
    }
}

/// Sends a frame an event. What the client says is not for us, but for its pings, that are answered
/// by reading on.
async fn follow(socket: &mut WebSocket, mut follower: Follower) -> Result<Closing, Error> {
    loop {
        let events = tokio::select! {
            biased;
            message = socket.next() => match message {
                None | Some(Ok(Message::Close(_))) => return Err(Error::ConnectionClosed),
                Some(Err(error)) => return Err(error),
                Some(Ok(_)) => continue,
            },
            events = follower.next() => events,
        };
        let Some(events) = events else {
            return Ok(follower.closing());
        };
        for event in events {
            let mut text = Vec::new();
            json::event_to_json(&mut text, &event);
            socket.feed(frame(text)).await?;
        }
        socket.flush().await?;
    }
}

impl Follower {
    fn closing(&self) -> Closing {
        if self.endless() {
            Closing(CloseCode::Away, "the server stops".into())
        } else {
            Closing(CloseCode::Normal, String::new())
        }
    }
}

/// Takes an event a frame; frames that have come together are streamed together.
async fn events(socket: &mut WebSocket, client: &Client) -> Result<Closing, Error> {
    let mut task = client.task.clone();
    loop {
        let first = tokio::select! {
            biased;
            () = task.stopping() => {
                return Ok(Closing(CloseCode::Away, "the server stops".into()));
            }
            message = socket.next() => message,
        };
        let mut texts = JsonEvents::new(&*client.handler, &client.stats);
        let mut next = first;
        let mut read = 0;
        let end = loop {
            match next {
                Some(Ok(Message::Text(text))) => texts.push(text.as_bytes()),
                Some(Ok(Message::Binary(_))) => texts.refuse("an event comes as a text frame"),
                None | Some(Ok(Message::Close(_))) => break Some(Error::ConnectionClosed),
                Some(Err(error)) => break Some(error),
                Some(Ok(_)) => {}
            }
            read += 1;
            if read == WEBSOCKET_MESSAGES_PER_BATCH {
                break None;
            }
            match socket.next().now_or_never() {
                Some(message) => next = message,
                None => break None,
            }
        };
        let (mut answers, receipt) = texts.stream();
        if let Err(reason) = durable(&client.handler, receipt).await {
            unkept(&mut answers, &reason);
        }
        if !matches!(end, Some(Error::ConnectionClosed)) {
            for answer in answers {
                socket.feed(frame(answer)).await?;
            }
            socket.flush().await?;
        }
        if let Some(error) = end {
            return Err(error);
        }
    }
}

fn frame(text: Vec<u8>) -> Message {
    Message::Text(Utf8Bytes::try_from(text).expect("JSON is made of strings"))
}

/// Says why, and gives the client time to agree.
async fn close(socket: &mut WebSocket, code: CloseCode, mut reason: String) {
    reason.truncate(reason.floor_char_boundary(CLOSE_REASON_BYTES_MAX));
    let farewell = async {
        if socket
            .close(Some(CloseFrame {
                code,
                reason: reason.into(),
            }))
            .await
            .is_ok()
        {
            while let Some(Ok(_)) = socket.next().await {}
        }
    };
    // A client that does not answer is left.
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, farewell).await;
}
