//! Both wire formats against the loopback server.

mod abort;
mod failures;
mod hooks;
mod payloads;
mod streaming;
mod support;
