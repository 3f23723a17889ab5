//! RPC mode: the real program, driven by a client.

mod dialogs;
mod end;
mod garbage;
mod providers;
mod reference;
mod session;
mod slow;
mod stuck;
mod support;
mod talk;
mod trust;
