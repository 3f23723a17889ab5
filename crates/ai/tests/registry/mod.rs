//! The model registry through its public interface.

mod auth;
mod config;
mod diagnosis;
mod extension;
mod lists;
mod patterns;
pub mod support;
