//! What painters show, on models of terminals.

mod bytes;
mod full;
mod growing;
mod lines;
mod models;
mod pictures;
mod plain;
mod regular;
mod world;
