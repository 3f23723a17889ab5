//! The terminal that a user sits at: what is read from it, what is written to it, and what stands on it.
//!
//! - [`terminal`] owns the terminal: its modes, what is typed, what it answers, and how bytes get to it,
//! - [`screen`] turns blocks of lines into those bytes,
//! - [`blocks`] are what the transcript and the dock show,
//! - [`style`] gives text its colours, [`highlight`] source code, [`keymap`] keys their meaning,
//! - [`picture`] are images as terminals take them,
//! - [`editor`] is what a user writes in, [`complete`] what is suggested meanwhile, [`select`] what a user chooses from.
//!
//! Architecture Invariant: nothing here knows JavaScript.

pub mod blocks;
pub mod complete;
mod drawn;
pub mod editor;
pub mod highlight;
pub mod history;
pub mod keymap;
pub mod look;
pub mod picture;
pub mod queue;
pub mod screen;
pub mod select;
pub mod style;
pub mod terminal;

pub use drawn::Drawn;
