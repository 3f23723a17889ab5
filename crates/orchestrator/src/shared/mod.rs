//! What modules share. Each of these has one owner here, and none of them knows a module.

pub mod channels;
pub mod commands;
pub mod container;
pub(crate) mod drawing;
pub mod forge;
pub mod notify;
pub(crate) mod page;
pub mod policy;
pub mod programs;
pub mod rank;
pub mod repository;
pub(crate) mod say;
pub(crate) mod scroll;
pub mod segments;
pub mod settings;
pub mod social_closer;
pub(crate) mod stamp;
