//! Test kit for tau itself and for authors of extensions: a loopback model server that records what it is
//! asked. It must not know how to run an agent; it only stands in for the world around one.

pub mod host;
pub mod loopback;

pub use host::{FakeUser, HostAction, Stage, StaticHost};
