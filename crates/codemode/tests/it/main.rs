//! Tests of codemode and tool search.

mod engine;
mod gates;
mod hostile;
mod loops;
mod models;
mod search;
mod session;
mod shown;
mod world;
