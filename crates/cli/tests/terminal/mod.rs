//! tau in a terminal, as a user sees it: the real program, a pty, and the screen that a terminal would show.

mod blocks;
mod colours;
mod commands;
mod components;
mod dialogs;
mod ends;
mod faults;
mod fullscreen;
mod images;
mod mcp;
mod pictures;
mod plain;
mod prompts;
mod questions;
mod random;
mod reflowing;
mod screen;
mod selectors;
mod start;
mod state;
mod suite;
mod themes;
mod vi;
mod writing;

pub(crate) use mcp::SERVER as HALL;

use screen::Seat;
