//! The hook system as its users see it: one program of tests, so that it is linked once.

mod bus;
mod closures;
mod dialects;
mod dialogs;
mod fold_rules;
mod gates;
mod generated;
mod limits;
mod no_handler;
mod offers;
mod order;
mod queue;
mod registry;
mod status;
mod tasks;
mod trace;
mod visits;
