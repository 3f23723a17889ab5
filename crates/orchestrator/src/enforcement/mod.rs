//! A gate in front of commands and files: what a command would do is judged by rules before it runs.
//!
//! The rules and the understanding of shells and git are in `tau_policy`; this says what becomes of a call. Whatever goes wrong
//! here keeps the tool from running.

mod answer;
mod ask;
mod command;
mod forge;
mod gate;
mod judge;
mod paths;
mod repetition;
mod scene;
mod warnings;

use std::sync::Arc;

use parking_lot::Mutex;
use tau_hooks::events::{SessionStart, ToolCall, ToolResult};
use tau_hooks::payload::{ToolCallEvent, ToolResultEvent};
use tau_hooks::{Ctx, Extension, HandlerError, Registrar};

use self::forge::Forge;
use self::repetition::Repetition;
use self::warnings::Warnings;
use crate::module::{Alone, GET_GH, Module, Needed};
use crate::shared::commands::share;
use crate::shared::policy::PolicyFiles;

/// The row of the table.
pub const MODULE: Module = Module {
    name: "builtin:enforcement",
    about: "rules about shell commands, git and files that keep tools from running; the command /policy",
    needs: &[Alone {
        without: "builtin:project-settings",
        then: "co_author counts from tau's own files and from the environment only",
    }],
    programs: &[Needed {
        program: "gh",
        what_for: "tells which branches are protected and which pull requests are merged",
        get: GET_GH,
        only_if: None,
    }],
    in_children: true,
    make: || Box::new(Enforcement),
};

/// The extension.
struct Enforcement;

/// What a session has of it.
struct Work {
    files: Arc<Mutex<PolicyFiles>>,
    forge: Arc<Forge>,
    repetition: Mutex<Repetition>,
    warnings: Mutex<Warnings>,
    /// Whether the session is one of a child: then the session above it says what is wrong.
    is_of_child: bool,
}

impl Extension for Enforcement {
    fn name(&self) -> &str {
        "enforcement"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        let work = Arc::new(Work {
            files: Arc::default(),
            forge: Arc::new(Forge::new(registrar.api())),
            repetition: Mutex::default(),
            warnings: Mutex::default(),
            is_of_child: registrar.is_of_child(),
        });
        let gate = Arc::clone(&work);
        registrar.on::<ToolCall>(move |call: ToolCallEvent, ctx: Ctx| {
            let work = Arc::clone(&gate);
            async move { work.judge_call(call, ctx).await }
        });
        let filter = Arc::clone(&work);
        registrar.on::<ToolResult>(move |result: ToolResultEvent, _: Ctx| {
            let work = Arc::clone(&filter);
            async move { work.see_result(&result) }
        });
        if work.is_of_child {
            return Ok(());
        }
        let begun = Arc::clone(&work);
        registrar.on::<SessionStart>(move |_, ctx: Ctx| {
            let work = Arc::clone(&begun);
            async move { work.begin(&ctx).await }
        });
        share(registrar, vec![command::command(&work)])
    }
}
