//! Laying out styled text for a terminal without touching one: widths, wrapping, cutting, keys, Markdown, and
//! the models behind a text editor and an input line.
//!
//! Everything here is a function or a model over strings: lines carry ANSI escape sequences, keys arrive as the
//! bytes a terminal would send. This crate must not know hooks, sessions or models, and it must never read from
//! or write to a terminal: whoever renders decides where lines go.
//!
//! - [`width`], [`wrap`], [`truncate`], [`columns`] and [`ansi`] measure and cut lines,
//! - [`untrusted`] makes text from elsewhere safe to show,
//! - [`keys`] names what was pressed, and [`bindings`] what keys are for,
//! - [`fuzzy`] ranks candidates for a typed query,
//! - [`markdown`] and [`latex`] turn model output into lines,
//! - [`code`] tells the parts of source code apart,
//! - [`editor`] and [`input`] hold text that is being edited,
//! - [`theme`] says which colour everything has.

pub mod ansi;
pub mod bindings;
mod characters;
pub mod code;
pub mod columns;
pub mod diff;
pub mod editor;
pub mod fuzzy;
pub mod input;
pub mod keys;
mod kill_ring;
pub mod latex;
pub mod markdown;
pub mod theme;
pub mod truncate;
pub mod untrusted;
pub mod width;
mod words;
pub mod wrap;
