//! Git over SSH that ends when the connection is dead: without limits a `git fetch` of the model hangs until somebody looks.
//!
//! Only the variable `GIT_SSH_COMMAND` of the session is set. What the user or the repository chose stays as it is.

use tau_hooks::events::SessionStart;
use tau_hooks::{Api, Ctx, Extension, HandlerError, Registrar};

use crate::module::Module;
use crate::shared::repository::facts_of;

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:git-ssh",
    about: "limits for git over SSH, so that a dead connection ends",
    needs: &[],
    programs: &[],
    in_children: true,
    make: || Box::new(GitSsh),
};

/// The variable that git reads.
const VARIABLE: &str = "GIT_SSH_COMMAND";
/// Gives up a connection that is not made within 10 seconds, and one over which nothing came for 45 seconds.
const COMMAND: &str = "ssh -o ServerAliveInterval=15 -o ServerAliveCountMax=3 -o ConnectTimeout=10";
/// Each of them says how git reaches SSH, or may: git has settings from them that are not looked at here. `GIT_SSH_COMMAND`
/// would outrank it.
const CHOICES: &[&str] = &[
    VARIABLE,
    "GIT_SSH",
    "GIT_SSH_VARIANT",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
];
/// The same in git's settings.
const SETTINGS: &[&str] = &["core.sshCommand", "ssh.variant"];

/// The extension.
struct GitSsh;

impl Extension for GitSsh {
    fn name(&self) -> &str {
        "git-ssh"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let api = registrar.api();
        registrar.on::<SessionStart>(move |_, ctx: Ctx| {
            let api = api.clone();
            async move {
                if !is_chosen(&api, &ctx).await? {
                    api.set_variable(VARIABLE, Some(COMMAND))?;
                }
                Ok(())
            }
        });
        Ok(())
    }
}

/// Whether somebody said how git reaches SSH.
async fn is_chosen(api: &Api, ctx: &Ctx) -> Result<bool, HandlerError> {
    let variables = api.variables()?;
    if CHOICES.iter().any(|name| variables.get(*name).is_some_and(|value| !value.is_empty())) {
        return Ok(true);
    }
    let in_settings =
        facts_of(&ctx.cwd()).ask(|repository| SETTINGS.iter().any(|key| repository.setting(key).is_some())).await;
    match in_settings {
        Ok(says) => Ok(says.unwrap_or(false)),
        // What an unreadable repository says about SSH is not replaced.
        Err(error) => {
            tracing::debug!(%error, "git's settings are not known");
            Ok(true)
        }
    }
}
