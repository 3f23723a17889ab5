//! The suite in sessions of a scripted model.
#![allow(clippy::disallowed_methods, reason = "tests make repositories, and begin tasks of their own")]

mod ask_user;
mod autocomplete;
mod btw;
mod enforcement;
mod forge;
mod git_ssh;
mod github_autocomplete;
mod hook_table;
mod nvim;
mod project_settings;
mod prompts;
mod registrations;
mod rules;
mod screen;
mod segments;
mod session_validation;
mod status;
mod status_line;
mod world;
