//! Sockets: framing, limits, back-pressure.
