//! What modules share. Each of these has one owner here, and none of them knows a module.

pub mod channels;
pub mod commands;
pub mod container;
pub mod forge;
pub mod notify;
pub mod programs;
pub mod rank;
pub mod repository;
