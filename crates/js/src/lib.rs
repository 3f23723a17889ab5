//! Runs extensions written in TypeScript: in process, on an engine thread, with the modules they expect.
//!
//! [`Engine`] is the thread with its JavaScript runtime. `loader` finds modules and makes functions of them; `ops`
//! are the functions that the TypeScript in `runtime/` stands on, which in turn is everything an extension sees:
//! Node's modules, the web's globals, the packages of pi and typebox. [`RuleEngine`] is apart from all that: it looks for
//! the expressions of stream rules.
//!
//! This crate must not know terminals, nor decide where extensions come from.

mod bridge;
mod convert;
mod engine;
mod loader;
mod ops;
mod raw;
mod rules;
pub mod script;

pub use bridge::{JsHost, options};
pub use engine::{Engine, EngineGone, EngineOptions, ExtensionId, MakeGuest};
pub use loader::{CacheError, ModuleCache};
pub use rules::RuleEngine;
