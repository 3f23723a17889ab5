//! What a program that is tau brings along.

use std::sync::Arc;

use tau_agent::extensions::ScriptHostMaker;
use tau_agent::settings::Environment;
use tau_hooks::Extension;
use tau_js::JsHost;
use tau_script::ScriptHost;

/// What a program brings along.
#[derive(Default)]
pub struct Setup {
    /// Extensions written in Rust. They are loaded in order and work behind those the user has.
    pub extensions: Vec<Box<dyn Extension>>,
    /// Runs extensions that are scripts. Made when there are any.
    pub scripts: Option<ScriptHostMaker>,
}

impl Setup {
    /// These extensions beside the ones in TypeScript that the user has.
    pub(crate) fn with_scripts(extensions: Vec<Box<dyn Extension>>) -> Self {
        Self { extensions, scripts: Some(Arc::new(scripts)) }
    }
}

/// What runs TypeScript extensions. Compiled modules are kept where caches belong.
fn scripts(env: &Environment) -> Arc<dyn ScriptHost> {
    Arc::new(JsHost::new(Some(env.cache_dir().join("modules"))))
}
