//! The model registry through its public interface.

mod auth;
mod config;
mod diagnosis;
mod extension;
mod patterns;
mod support;
