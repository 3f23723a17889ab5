//! The real program: what it prints, what it leaves behind, how it ends.

mod arguments;
mod commands;
mod config;
mod damage;
mod demo;
mod export;
mod extensions;
mod failures;
mod guards;
mod hooks;
mod instructions;
mod json_mode;
mod kill;
mod packages;
mod prompts;
mod resources;
mod rules;
mod safety;
mod sessions;
mod settings;
mod signals;
mod support;
mod together;
mod tools;
mod trace;
mod traces;
