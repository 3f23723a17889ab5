//! What painters show, on models of terminals.

mod bytes;
mod full;
mod growing;
mod images;
mod lines;
mod models;
mod pictures;
mod plain;
mod regular;
mod rows;
mod selection;
mod world;
