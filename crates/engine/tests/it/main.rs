//! Scripts in an engine without an agent, and the runtime's own tests in it.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod limits;
mod runtime;
mod untouchable;
mod wasm;
