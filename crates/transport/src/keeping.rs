//! Messages are kept before their events are streamed, and answered once they are durable.

use std::sync::Arc;

use event::Event;
use tokio::sync::oneshot;

use crate::handler::{Failure, Handler, Receipt};

/// What is kept and not streamed yet. It counts as streamed when this goes, even by a panic: an
/// event that no stream survives is not kept for the next start.
pub(crate) struct Streaming<'a> {
    handler: &'a dyn Handler,
    receipt: Option<Receipt>,
}

impl<'a> Streaming<'a> {
    pub(crate) fn new(handler: &'a dyn Handler, receipt: Option<Receipt>) -> Streaming<'a> {
        Streaming { handler, receipt }
    }
}

impl Drop for Streaming<'_> {
    fn drop(&mut self) {
        if let Some(receipt) = self.receipt {
            self.handler.streamed(receipt);
        }
    }
}

/// Keeps events that did not come as protobuf, then streams them.
///
/// # Errors
/// They cannot be kept; no stream has seen them.
pub(crate) fn stream_events(
    handler: &dyn Handler,
    events: Vec<Event>,
    failures: &mut Vec<Failure>,
) -> Result<Option<Receipt>, String> {
    let receipt = handler.keep_events(&events, handler.now())?;
    let _streaming = Streaming::new(handler, receipt);
    handler.stream_events(events, failures);
    Ok(receipt)
}

/// Waits until a receipt is durable.
///
/// # Errors
/// It never will be: the text that the client shall see.
pub(crate) async fn durable(
    handler: &Arc<dyn Handler>,
    receipt: Option<Receipt>,
) -> Result<(), String> {
    let Some(receipt) = receipt.filter(|receipt| !receipt.is_durable) else {
        return Ok(());
    };
    let (tell, told) = oneshot::channel();
    let tell = move |durable| {
        // The connection may have gone; then there is nobody to answer.
        let _ = tell.send(durable);
    };
    handler.when_durable(receipt, Box::new(tell));
    let stopped = || Err("not durable, the server stops".to_owned());
    told.await.unwrap_or_else(|_| stopped())
}
