//! Behaviour of sessions through the public API.

mod context;
mod cost;
mod create;
mod damage;
mod disk_full;
mod export;
mod fork;
mod golden;
mod list;
mod migrate;
mod properties;
mod replaced;
mod support;
mod threads;
mod tree;
