//! The commands' connection to a server.

use std::sync::Arc;

use sinks::pace::MachinePace;
use sinks::riemann::tcp::{PORT, Settings, TcpClient};
use sinks::riemann::udp::{DATAGRAM_BYTES, UdpClient};
use sinks::socket::Address;

use crate::cli;

/// Connects to the server's TCP port.
///
/// # Errors
/// One line: where, and what to look at.
pub fn connect(server: &cli::Server) -> Result<TcpClient, String> {
    let port = server.port.unwrap_or(PORT);
    let settings = Settings::new(Address::new(&server.host, port));
    let client = TcpClient::new(settings, Arc::new(MachinePace::start()));
    client.connect().map_err(|error| {
        format!(
            "cannot connect to {}:{port}: {error}; is the server up?",
            server.host
        )
    })?;
    Ok(client)
}

/// A socket that sends to the server's UDP port.
pub fn udp(server: &cli::Server) -> UdpClient {
    UdpClient::new(
        Address::new(&server.host, server.port.unwrap_or(PORT)),
        DATAGRAM_BYTES,
    )
}
