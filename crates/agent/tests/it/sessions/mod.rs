//! Sessions that are replaced, forked and moved about in.

mod commands;
mod fork;
mod golden;
mod listing;
mod new;
mod resume;
mod scripts;
mod tree;
