//! Servers of the Model Context Protocol: found in `mcp.json`, connected when they are needed, called, and ended.
//!
//! [`config`] reads, merges and changes `mcp.json`. [`Manager`] holds the servers of a session: it connects them in the
//! background, connects lost ones again, and says which tools they have. A [`Connection`] is one server that is
//! there: a program on pipes or an address of the web. [`names`] gives tools the names that gates match, [`result`] makes
//! what the model reads of what a server says, [`summary`] what the system prompt says of servers, and [`auth`] signs in.
//!
//! Whatever a server sends is foreign: it is read as data, within limits of size and time, and no word of it loosens
//! anything.
//!
//! Architecture Invariant: apart from [`extension`], nothing here knows a session; nothing at all knows JavaScript or
//! terminals.

pub mod auth;
pub mod config;
pub mod connection;
pub mod extension;
mod file;
mod log;
pub mod manager;
pub mod names;
pub mod result;
pub mod summary;

pub use config::{Config, ConfigError, Entry, Exposure, Scope, ServerConfig};
pub use connection::{CallError, Connection};
pub use extension::prompt_commands;
pub use file::FileError;
pub use log::ServerLog;
pub use manager::{Manager, Reach, ServerStatus, State, World};
