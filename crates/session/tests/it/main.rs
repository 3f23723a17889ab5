//! Behaviour of sessions through the public API.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod context;
mod cost;
mod create;
mod damage;
mod disk;
mod disk_full;
mod export;
mod fork;
mod golden;
mod list;
mod migrate;
mod moments;
mod properties;
mod repair;
mod replaced;
mod support;
mod threads;
mod tree;
