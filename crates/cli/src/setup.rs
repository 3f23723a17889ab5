//! What a program that is tau brings along.

use std::sync::Arc;

use tau_agent::extensions::{BuiltinExtension, ScriptHostMaker};
use tau_agent::settings::Environment;
use tau_hooks::Extension;
use tau_js::JsHost;
use tau_script::ScriptHost;

use crate::builtins;

/// What a program brings along.
pub struct Setup {
    /// Extensions written in Rust. They are loaded in order and work behind those the user has.
    pub extensions: Vec<Box<dyn Extension>>,
    /// Extensions that are part of the program and that the user can switch, in order, behind all others.
    pub builtins: Arc<[BuiltinExtension]>,
    /// Runs extensions that are scripts. Made when there are any.
    pub scripts: Option<ScriptHostMaker>,
}

impl Default for Setup {
    fn default() -> Self {
        Self { extensions: Vec::new(), builtins: Arc::from([]), scripts: None }
    }
}

impl Setup {
    /// These extensions beside those in TypeScript that the user has, and those of tau.
    pub(crate) fn with_scripts(extensions: Vec<Box<dyn Extension>>) -> Self {
        Self { extensions, builtins: builtins::all(), scripts: Some(Arc::new(scripts)) }
    }
}

/// What runs TypeScript extensions. Compiled modules are kept where caches belong.
fn scripts(env: &Environment) -> Arc<dyn ScriptHost> {
    Arc::new(JsHost::new(Some(env.cache_dir().join("modules"))))
}
