//! Runs TypeScript in process: an engine on a thread of its own, with the modules of Node and the web.
//!
//! [`Engine`] is the thread with its JavaScript runtime. [`loader`] finds modules and makes functions of them; [`ops`] are
//! the functions that the TypeScript in `runtime/` stands on, listed in tables ([`ops::table`]). What the engine runs
//! scripts for is its [guest](engine::Guest): it adds ops of its own, and may keep something with each call.
//!
//! The TypeScript of guests is in `runtime/`, too (`host/`, `pi/`): compiled code is trusted, so only this crate makes it.
//!
//! This crate must not know hooks, sessions, the agent or terminals.

pub mod convert;
pub mod engine;
pub mod loader;
pub mod ops;
pub mod raw;
pub mod script;

pub use engine::{Engine, EngineGone, EngineOptions, ExtensionId, MakeGuest};
pub use loader::{CacheError, ModuleCache};
