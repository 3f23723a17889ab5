//! The way of a prompt, stage by stage.

mod abort;
mod commands;
mod crash;
mod delivery;
mod isolation;
mod queues;
mod quoted_keys;
mod recorded;
mod sent_commands;
mod start;
mod told;
mod tools;
mod triggered;
