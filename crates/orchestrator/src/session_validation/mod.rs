//! What is there and what is not when a session starts: programs that modules need, and notes of a new version. `/repair`
//! puts damaged session files right, and `/changelog` shows the notes of all versions.

mod changelog;
mod kept;
mod programs;
mod repair;
mod upgrade;

use std::sync::Arc;

use tau_hooks::events::SessionStart;
use tau_hooks::{Command, Ctx, Extension, HandlerError, Mode, Registrar, Task};

use crate::module::{Module, Needed};
use crate::shared::commands::share;
use crate::shared::page::Text;
use crate::shared::say::show;

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:session-validation",
    about: "what modules lack on this machine, notes of a new version, /changelog, /repair",
    needs: &[],
    programs: &[Needed {
        program: "prek",
        what_for: "runs the checks of .pre-commit-config.yaml before commits",
        get: "Install prek (https://github.com/j178/prek), then run `prek install`.",
        only_if: Some(".pre-commit-config.yaml"),
    }],
    in_children: false,
    make: || Box::new(SessionValidation::of(&[])),
};

const CHANGELOG: &str = "changelog";
const REPAIR: &str = "repair";

/// The extension.
pub(crate) struct SessionValidation {
    /// The modules whose programs it looks for.
    modules: &'static [Module],
}

impl SessionValidation {
    /// Looks for what these modules need, as far as they are on.
    pub(crate) fn of(modules: &'static [Module]) -> Self {
        Self { modules }
    }
}

impl Extension for SessionValidation {
    fn name(&self) -> &str {
        "session-validation"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let modules = self.modules;
        registrar.check("programs", move |api| async move { Ok(programs::look(&api, modules)?.findings()) });
        registrar.on::<SessionStart>(move |_, ctx: Ctx| {
            // For one answer nobody reads notices, and nobody waits for files.
            let is_seen = ctx.has_ui() && matches!(ctx.mode(), Mode::Tui | Mode::Rpc);
            let begun = if is_seen { ctx.spawn("checks", move |task| validate(task, modules)) } else { Ok(()) };
            async move { begun.map_err(HandlerError::from) }
        });
        let changelog = Command {
            name: CHANGELOG.to_owned(),
            description: Some("Show what changed in each version of tau".to_owned()),
            handler: Arc::new(|_, ctx| {
                Box::pin(async move { show(&ctx, CHANGELOG, Text::Markdown(changelog::whole())).await })
            }),
            completer: None,
        };
        let repair = Command {
            name: REPAIR.to_owned(),
            description: Some("Repair the file of this session, or another session file".to_owned()),
            handler: Arc::new(|file, ctx| Box::pin(async move { repair::run(&file, &ctx).await })),
            completer: None,
        };
        share(registrar, vec![changelog, repair])
    }
}

async fn validate(task: Task, modules: &'static [Module]) -> Result<(), HandlerError> {
    let ctx = task.ctx()?;
    programs::tell(&ctx, modules).await?;
    if ctx.mode() == Mode::Tui {
        upgrade::tell(&ctx).await?;
    }
    Ok(())
}
