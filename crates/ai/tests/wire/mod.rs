//! Both wire formats against the loopback server.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod abort;
mod again;
mod failures;
mod hooks;
mod payloads;
mod streaming;
mod support;
