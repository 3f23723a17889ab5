//! Starts the commands of the bash tool through a program that keeps them in bounds, such as `bwrap` or `firejail`.
//!
//! Which one, the user says in their own settings; a project has no say:
//!
//! ```json
//! { "tau": { "extensions": { "sandbox": { "command": ["bwrap", "--dev-bind", "/", "/", "--unshare-net"] } } } }
//! ```
//!
//! Without a command nothing changes. When the setting cannot be read, no command runs.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;
use tau_hooks::{Extension, HandlerError, Registrar, SettingSpec};
use tau_tools::bash::{BashExec, BashExecError, BashOperations};

/// The extension.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sandbox;

/// Runs commands through a program.
struct Through {
    program: Vec<String>,
    inner: Arc<dyn BashOperations>,
}

#[async_trait]
impl BashOperations for Through {
    async fn exec(&self, command: &str, cwd: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        let words = self.program.iter().map(String::as_str).chain(["bash", "-c", command]);
        let line = words.map(quoted).collect::<Vec<_>>().join(" ");
        self.inner.exec(&line, cwd, exec).await
    }
}

/// A word that the shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl Extension for Sandbox {
    fn name(&self) -> &str {
        "sandbox"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let command = SettingSpec::new("command", "The program that commands are started through", json!([]))
            .schema(json!({ "type": "array", "items": { "type": "string", "minLength": 1 } }))
            .of_user();
        registrar.setting(command)?;
        let api = registrar.api();
        registrar.wrap_bash(move |inner| {
            let program: Vec<String> = api.setting("command")?.get()?;
            Ok(if program.is_empty() { inner } else { Arc::new(Through { program, inner }) })
        });
        Ok(())
    }
}
