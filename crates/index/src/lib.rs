//! The latest event per host and service; publish and subscribe.
