//! A hook as an extension: one handler, under the rules of the dialect of scripts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use serde_json::Value;
use tau_ai::ContentBlock;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::EventId;
use tau_hooks::{AnyHandler, AnyOutput, AnyPayload, BoxFuture, Ctx, HandlerError, Hooks, Owner, Report};
use tau_tools::{Kept, Leftovers};

use super::answer::needs_no_more;
use super::hook::{Calls, Matcher, Program, ShellHook};
use super::input::{Call, Outcome, input, shown_input, variables};
use super::process::{Ended, Launch, run, short};
use crate::extensions::hooks::HookMoment;
use crate::extensions::{DialectEvidence, FoundExtension, LoadContext, LoadedScript};
use crate::settings::{Environment, ShellHookSettings};

/// A script may be given so much time that the limit of handlers would come first.
const LONG: Duration = Duration::from_secs(300);

/// Registers a hook. Nothing of it is run before a tool is.
pub(crate) fn load(
    found: &FoundExtension,
    hook: &Arc<ShellHook>,
    with: &LoadContext,
) -> Result<LoadedScript, HandlerError> {
    let started = Instant::now();
    let owner = found.owner();
    let location: Arc<str> = Arc::clone(&owner.path);
    let runner = Arc::new(Runner {
        matcher: Matcher::new(&hook.tools)?,
        hook: Arc::clone(hook),
        settings: with.settings.tau().shell_hooks,
        env: with.env.clone(),
        hooks: Arc::downgrade(&with.hooks),
        owner: Arc::clone(&owner),
        leftovers: with.leftovers.clone(),
        told: AtomicBool::new(false),
    });
    let event = runner.event();
    let mut registrar = with.hooks.registrar(owner);
    registrar.add_handler(event, Arc::new(Handler(runner)), location);
    let owner = registrar.commit()?;
    Ok(LoadedScript { owner, time: started.elapsed(), memory_bytes: None, dialect_by: DialectEvidence::Location })
}

/// A hook with what it needs to run.
pub(super) struct Runner {
    pub(super) hook: Arc<ShellHook>,
    matcher: Matcher,
    pub(super) settings: ShellHookSettings,
    env: Environment,
    hooks: Weak<Hooks>,
    owner: Arc<Owner>,
    leftovers: Leftovers,
    /// The user knows that there is no tool for it.
    told: AtomicBool,
}

struct Handler(Arc<Runner>);

impl AnyHandler for Handler {
    fn call(&self, payload: &dyn AnyPayload, ctx: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        let runner = Arc::clone(&self.0);
        let payload = payload.to_json();
        Box::pin(async move {
            let payload = payload?;
            let text = |name: &str| payload[name].as_str().unwrap_or_default().to_owned();
            let call = Call {
                tool: text("toolName"),
                id: text("toolCallId"),
                parent: payload["parentToolCallId"].as_str().map(str::to_owned),
                input: payload["input"].clone(),
            };
            if !runner.matcher.accepts(&call.tool) {
                runner.tell_unknown_tool(&ctx);
                return Ok(AnyOutput::Empty);
            }
            match runner.hook.moment {
                HookMoment::Pre => runner.before(call, &ctx).await,
                HookMoment::Post => {
                    let outcome = Outcome {
                        content: serde_json::from_value::<Vec<ContentBlock>>(payload["content"].clone())?,
                        details: payload.get("details").filter(|details| !details.is_null()).cloned(),
                        is_error: payload["isError"] == Value::Bool(true),
                    };
                    match (runner.hook.calls, outcome.is_error) {
                        (Calls::Succeeded, true) | (Calls::Failed, false) => Ok(AnyOutput::Empty),
                        _ => runner.after(call, outcome, &ctx).await,
                    }
                }
            }
        })
    }
}

impl Runner {
    fn event(&self) -> EventId {
        match self.hook.moment {
            HookMoment::Pre => EventId::ToolCall,
            HookMoment::Post => EventId::ToolResult,
        }
    }

    /// Runs the script for a call.
    pub(super) async fn run(&self, call: &Call, outcome: Option<&Outcome>, shown: &Value, ctx: &Ctx) -> Ended {
        let timeout = self.hook.timeout.or(self.settings.timeout);
        // Its own limit is the one that counts.
        let _pause = timeout.is_none_or(|limit| limit > LONG).then(|| ctx.pause_deadline());
        let mut env: Vec<(String, Option<String>)> =
            self.env.vars.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
        env.extend(self.hooks.upgrade().map(|hooks| hooks.variables.changes()).unwrap_or_default());
        let own = variables(&self.hook, call, outcome, ctx);
        env.extend(own.into_iter().map(|(name, value)| (name, Some(value))));
        let input = input(&self.hook, call, shown, outcome, ctx);
        let launch =
            Launch { cwd: ctx.cwd(), env, input, timeout, leftovers: self.leftovers.clone(), answer: needs_no_more };
        run(&self.hook.program, launch, ctx.signal()).await
    }

    /// The arguments of a call in both spellings.
    pub(super) fn shown(&self, call: &Call, ctx: &Ctx) -> Value {
        shown_input(&self.hook, call, ctx)
    }

    /// What was run and what it wrote, for a message about its exit code.
    pub(super) fn exit_details(&self, stderr: &Kept) -> String {
        let command = match &self.hook.program {
            Program::File(path) => path.display().to_string(),
            Program::Command(command) => short(command).to_owned(),
        };
        match short(&stderr.text) {
            "" => format!("command: {command}"),
            text => format!("command: {command}; it wrote: {text}"),
        }
    }

    /// Tells the user of a failure that changes nothing.
    pub(super) fn report(&self, text: impl std::fmt::Display) {
        if let Some(hooks) = self.hooks.upgrade() {
            let error = HandlerError::msg(text);
            let report = Report::failure(&self.owner, self.event(), &error, &self.owner.path);
            hooks.dispatcher.reports.send(&report);
        }
    }

    /// Shows the user what the script wants to be shown; where nobody looks, it goes where reports go.
    pub(super) fn show(&self, text: &str, ctx: &Ctx) {
        match self.hooks.upgrade() {
            Some(hooks) if !ctx.has_ui() => {
                let report = Report::diagnostic(Arc::clone(&self.owner.path), self.event().name(), text);
                hooks.dispatcher.reports.send(&report);
            }
            _ => ctx.ui().notify(text, NotifyLevel::Warning),
        }
    }

    /// Says once that the hook never runs.
    fn tell_unknown_tool(&self, ctx: &Ctx) {
        if self.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let tools = ctx.host().all_tools();
        if let Some(tool) = self.hook.unknown_tool(tools.iter().map(|tool| tool.name.as_str())) {
            let text =
                format!("there is no tool `{tool}`, so this hook never runs: its file is to be called as a tool");
            if let Some(hooks) = self.hooks.upgrade() {
                let path = Arc::clone(&self.owner.path);
                hooks.dispatcher.reports.send(&Report::diagnostic(path, self.event().name(), text));
            }
        }
    }
}
