//! What can be done about a server in the menu.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use tau_hooks::dialogs::UiCall;
use tau_hooks::{Ctx, HandlerError};

use crate::config::{Entry, Exposure, FILE, Scope, update_server};
use crate::extension::connect::{login, logout, reconnect};
use crate::extension::session::Open;
use crate::manager::Server;

/// Where a change is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// The user's file.
    Global,
    /// The file of the project.
    Project,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Connect a server anew.
    Reconnect(String),
    /// Sign in at it.
    SignIn(String),
    /// Forget its login.
    SignOut(String),
    /// Switch it off where it is on, and on where it is off.
    Switch { server: String, target: Target },
    /// Reach its tools in another way.
    Expose { server: String, exposure: Exposure },
    /// Put a text into the editor.
    Write(String),
}

/// The files in which a server can be changed, the one that counts first.
pub(super) fn targets(entry: &Entry, is_trusted: bool) -> Vec<Target> {
    let project = is_trusted.then_some(Target::Project);
    match (entry.scope, &entry.changed_by) {
        (Scope::Global, None) => [Some(Target::Global), project].into_iter().flatten().collect(),
        (Scope::Global, Some(_)) | (Scope::Project, _) => project.into_iter().collect(),
        (Scope::Extension | Scope::Host, _) => Vec::new(),
    }
}

fn found(open: &Open, name: &str) -> Result<std::sync::Arc<Server>, HandlerError> {
    open.manager.server(name).ok_or_else(|| HandlerError::msg(format!("there is no MCP server \"{name}\" any more")))
}

impl Action {
    /// Does it; gives what there is to say about it.
    pub(super) async fn run(self, open: &Open, ctx: &Ctx) -> Result<Option<String>, HandlerError> {
        match self {
            Self::Reconnect(name) => {
                // The user may have corrected its entry meanwhile.
                open.reload(ctx)?;
                reconnect(open, &*found(open, &name)?).await?;
                Ok(None)
            }
            Self::SignIn(name) => login(open, &*found(open, &name)?, ctx).await.map(Some),
            Self::SignOut(name) => logout(open, &*found(open, &name)?, ctx).await.map(Some),
            Self::Switch { server, target } => {
                let enabled = !found(open, &server)?.entry().config.enabled;
                change(open, ctx, &server, target, json!({ "enabled": enabled })).await
            }
            Self::Expose { server, exposure } => {
                let entry = found(open, &server)?.entry();
                let target = targets(&entry, ctx.host().is_project_trusted()).into_iter().next();
                let target = target.ok_or_else(|| HandlerError::msg(format!("\"{server}\" is in no file of yours")))?;
                change(open, ctx, &server, target, json!({ "exposure": exposure.as_str() })).await
            }
            Self::Write(text) => {
                ctx.ui().call(UiCall::SetEditorText(text));
                Ok(None)
            }
        }
    }
}

/// Writes keys of a server and takes up what the files say then.
async fn change(
    open: &Open,
    ctx: &Ctx,
    server: &str,
    target: Target,
    keys: Value,
) -> Result<Option<String>, HandlerError> {
    let file: PathBuf = match target {
        Target::Global => open.options.user_file(),
        Target::Project => open.api.folders()?.project_dir.join(FILE),
    };
    let Value::Object(keys): Value = keys else { return Ok(None) };
    let (path, name) = (file.clone(), server.to_owned());
    // The file may be held by another program.
    let work = tokio::task::spawn_blocking(move || update_server(&path, &name, &Map::from_iter(keys)));
    work.await.map_err(HandlerError::msg)?.map_err(HandlerError::msg)?;
    open.reload(ctx)?;
    Ok(Some(format!("Saved in {}", file.display())))
}
