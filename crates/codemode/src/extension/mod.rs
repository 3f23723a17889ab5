//! Codemode and tool search as extensions that are part of the program.
//!
//! Each registers one tool, which is not active until somebody wants it: a session without it sends what it would send
//! without the extension.

mod codemode;
mod host;
mod loadout;
mod models;
mod progress;
mod result;
mod store_entries;
mod tool_search;

pub use codemode::{Codemode, CodemodeOptions};
pub use loadout::CODEMODE;
pub use store_entries::STORE_ENTRY;
pub use tool_search::{TOOL_SEARCH, ToolSearch};

use serde_json::Value;
use tau_hooks::{Api, Extension};
use tau_tools::{Exposure, ToolSpec};

use crate::declarations::identifier;

/// The tool that the model meant by a name and that is not declared, if the tool `way` is there to reach it.
fn undeclared(api: &Api, way: &str, name: &str) -> Option<ToolSpec> {
    let host = api.host().ok()?;
    let active = host.active_tools();
    let is_meant = |tool: &ToolSpec| {
        let is_reached = matches!(tool.exposure, Exposure::Codemode | Exposure::Deferred);
        is_reached && !active.contains(&tool.name) && (tool.name == name || identifier(&tool.name) == identifier(name))
    };
    if active.iter().any(|active| active == way) { host.all_tools().into_iter().find(is_meant) } else { None }
}

/// Why there is no such extension.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownBuiltin {
    /// Nothing is called so.
    #[error("there is no extension {0} in tau")]
    Name(String),
    /// It does not take these options.
    #[error("the options of the extension {name}: {problem}")]
    Options {
        /// Which one.
        name: String,
        /// What is wrong.
        problem: String,
    },
}

/// The extension of a name, for those who load it themselves, with options as in JSON.
///
/// # Errors
/// When there is none of that name, and when the options are not as it wants them.
pub fn by_name(name: &str, options: &Value) -> Result<Box<dyn Extension>, UnknownBuiltin> {
    match name {
        CODEMODE => {
            let options = if options.is_null() { CodemodeOptions::default() } else { read(name, options)? };
            Ok(Box::new(Codemode::new().with_options(options)))
        }
        "tool-search" => Ok(Box::new(ToolSearch)),
        _ => Err(UnknownBuiltin::Name(name.to_owned())),
    }
}

fn read<T: serde::de::DeserializeOwned>(name: &str, options: &Value) -> Result<T, UnknownBuiltin> {
    let failed =
        |error: serde_json::Error| UnknownBuiltin::Options { name: name.to_owned(), problem: error.to_string() };
    T::deserialize(options).map_err(failed)
}
