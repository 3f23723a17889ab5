//! Test kit for tau itself and for authors of extensions: a loopback model server that records what it is
//! asked. It must not know how to run an agent; it only stands in for the world around one.
#![allow(clippy::disallowed_methods, reason = "only tests use it")]

pub mod authorization;
mod clock;
mod golden;
pub mod host;
pub mod loopback;
mod mcp;
mod rpc;
mod session;
mod sources;
mod temp_home;

pub use clock::VirtualClock;
pub use golden::{GoldenTrace, UPDATE};
pub use host::{FakeUser, Fired, HostAction, Stage, StaticHost};
pub use mcp::{mcp_script, refusing_address};
pub use rpc::{Asked, Dialog, RpcClient, RpcEnd};
pub use session::{session_lines, session_problems};
pub use sources::FixedSources;
pub use temp_home::TempHome;
