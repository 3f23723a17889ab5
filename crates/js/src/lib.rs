//! Runs extensions written in TypeScript: the bridge between the hook system and the engine.
//!
//! `bridge` is what `pi` and `ctx` stand on, `pi` what the packages of pi that extensions import stand on; the
//! TypeScript over both is in the runtime of `tau-engine`. [`RuleEngine`] is apart from all that: it looks for the
//! expressions of stream rules.
//!
//! This crate must not know terminals, nor decide where extensions come from.

mod bridge;
#[cfg(test)]
mod declarations;
mod pi;
mod rules;

pub use bridge::{JsHost, options};
pub use rules::RuleEngine;
// What both halves of the host share keeps its path here.
use tau_engine::{convert, engine, loader, ops, raw};
