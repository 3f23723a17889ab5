//! The suite in sessions of a scripted model.
#![allow(clippy::disallowed_methods, reason = "tests make repositories, and begin tasks of their own")]

mod ask_user;
mod autocomplete;
mod btw;
mod forge;
mod github_autocomplete;
mod screen;
mod status_line;
mod world;
