//! A start as front ends drive it.

mod front_end;
mod open;
mod scripts;
mod support;
mod trust;
