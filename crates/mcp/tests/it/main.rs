//! Servers of every kind, through the public door: programs that are started, and addresses on this machine.
#![allow(clippy::disallowed_methods, reason = "tests look at the system they run on")]

mod config;
mod connection;
mod hostile;
mod many;
mod menu;
mod oauth;
mod prompts;
mod reload;
mod server;
mod session;
mod support;
mod user;
mod web;
