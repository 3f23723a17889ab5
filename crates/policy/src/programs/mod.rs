//! What is known of programs, as data: those that start others, that run code, that fetch.

pub(crate) mod carriers;
pub(crate) mod containers;
pub(crate) mod interpreters;
pub(crate) mod options;
pub(crate) mod remote;
pub(crate) mod wrappers;
