//! Sessions that are replaced, forked and moved about in.

mod commands;
mod fork;
mod golden;
mod import;
mod listeners;
mod listing;
mod long;
mod new;
mod properties;
mod resume;
mod scripts;
mod tools;
mod tree;
