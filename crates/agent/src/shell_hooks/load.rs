//! A hook as an extension: one handler, under the rules of the dialect of scripts.
#![expect(clippy::disallowed_methods, reason = "a handler runs on the runtime of its session")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use serde_json::Value;
use tau_ai::ContentBlock;
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::events::EventId;
use tau_hooks::table::Deadline;
use tau_hooks::{AnyOutput, AnyPayload, BoxFuture, Callable, Ctx, HandlerError, Hooks, LocalHandler, Owner, Report};
use tau_script::{DialectEvidence, LoadedScript};
use tau_tools::{Kept, Leftovers};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::answer::needs_no_more;
use super::input::{Call, Outcome, event_name, input, session_input, shown_input, variables};
use super::process::{Ended, Launch, run, short};
use super::scene::Scene;
use crate::found::FoundExtension;
use crate::found::HookMoment;
use crate::found::{Calls, Folders, Matcher, Program, ShellHook, Tools, misspelt, useless};
use crate::found::{Moment, SessionMoment};
use crate::settings::{Environment, ShellHookSettings};

/// The limit of a script that is as near to that of handlers as this is left to the script alone: it is killed, and what it
/// was asked about stays shut, before the handler is left behind.
const NEAR: Duration = Duration::from_secs(2);

/// What a hook is loaded into.
pub(crate) struct LoadContext<'a> {
    /// What it registers with.
    pub(crate) hooks: &'a Arc<Hooks>,
    /// Directories and variables.
    pub(crate) env: &'a Environment,
    /// The settings for hooks.
    pub(crate) settings: ShellHookSettings,
    /// Takes what its program leaves running.
    pub(crate) leftovers: &'a Leftovers,
}

/// Registers a hook. Nothing of it is run before a tool is.
pub(crate) fn load(
    found: &FoundExtension,
    hook: &Arc<ShellHook>,
    with: &LoadContext<'_>,
) -> Result<LoadedScript, HandlerError> {
    let started = Instant::now();
    let owner = found.owner();
    let location: Arc<str> = Arc::clone(&owner.path);
    let behind = CancellationToken::new();
    let runner = Arc::new(Runner {
        matcher: Matcher::new(&hook.tools)?,
        hook: Arc::clone(hook),
        settings: with.settings.clone(),
        env: with.env.clone(),
        hooks: Arc::downgrade(with.hooks),
        owner: Arc::clone(&owner),
        leftovers: with.leftovers.clone(),
        told: AtomicBool::new(false),
        behind: behind.clone(),
        _ends: behind.drop_guard(),
    });
    let mut registrar = with.hooks.registrar(owner);
    for event in hook.moment.events() {
        let handler = Callable::Local(Arc::new(Handler(Arc::clone(&runner))));
        registrar.add_handler(*event, handler, Arc::clone(&location));
    }
    let owner = registrar.commit()?;
    // A program may be one of the folder that it runs in.
    if let Ok(what) = serde_json::to_string(&**hook) {
        let (file, folder) = (found.real_path.display(), with.env.cwd.display());
        owner.set_code(&format!("{file}\n{folder}\n{what}"));
    }
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
    /// Ends what runs in the background when the hook is removed.
    behind: CancellationToken,
    _ends: DropGuard,
}

struct Handler(Arc<Runner>);

impl LocalHandler for Handler {
    fn call(&self, payload: &dyn AnyPayload, ctx: Ctx) -> BoxFuture<Result<AnyOutput, HandlerError>> {
        let runner = Arc::clone(&self.0);
        match runner.hook.moment {
            Moment::Tool(moment) => {
                let payload = payload.to_json();
                Box::pin(async move { runner.around_tool(moment, payload?, ctx).await })
            }
            Moment::Session(moment) => match runner.launch_at(moment, payload, &ctx) {
                None => Box::pin(std::future::ready(Ok(AnyOutput::Empty))),
                Some(launch) => {
                    let scene = Scene::of(moment, payload);
                    Box::pin(async move {
                        match runner.run(launch, &ctx).await {
                            None => Ok(AnyOutput::Empty),
                            Some(ended) => runner.answered(scene, ended, &ctx),
                        }
                    })
                }
            },
        }
    }
}

impl Runner {
    /// Runs the script for a tool call, if it is for that.
    async fn around_tool(
        self: Arc<Self>,
        moment: HookMoment,
        payload: Value,
        ctx: Ctx,
    ) -> Result<AnyOutput, HandlerError> {
        let text = |name: &str| payload[name].as_str().unwrap_or_default().to_owned();
        let call = Call {
            tool: text("toolName"),
            id: text("toolCallId"),
            parent: payload["parentToolCallId"].as_str().map(str::to_owned),
            input: payload["input"].clone(),
        };
        if !self.matcher.accepts(&call.tool) {
            self.tell_unknown_tool(&ctx);
            return Ok(AnyOutput::Empty);
        }
        if let Some(condition) = &self.hook.condition
            && !condition.may_be_about(
                &call.tool,
                &call.input,
                Folders { project: &self.env.cwd, cwd: &ctx.cwd(), home: &self.env.home },
            )
        {
            return Ok(AnyOutput::Empty);
        }
        match moment {
            HookMoment::Pre => self.before(call, &ctx).await,
            HookMoment::Post => {
                let outcome = Outcome {
                    content: serde_json::from_value::<Vec<ContentBlock>>(payload["content"].clone())?,
                    details: payload.get("details").filter(|details| !details.is_null()).cloned(),
                    is_error: payload["isError"] == Value::Bool(true),
                };
                match (self.hook.calls, outcome.is_error) {
                    (Calls::Succeeded, true) | (Calls::Failed, false) => Ok(AnyOutput::Empty),
                    _ => self.after(call, outcome, &ctx).await,
                }
            }
        }
    }

    /// What is to be run at a moment of the session; `None` when it is none for this hook.
    fn launch_at(&self, moment: &SessionMoment, payload: &dyn AnyPayload, ctx: &Ctx) -> Option<Launch> {
        let facts = (moment.facts)(payload, ctx)?;
        let input = self.matcher.accepts_subject(facts.subject).then(|| session_input(&self.hook, &facts, ctx))?;
        Some(self.launch(input, self.variables(moment.name, "", ctx)))
    }

    /// The first event at which it runs, for reports.
    fn event(&self) -> EventId {
        self.hook.moment.events().first().copied().unwrap_or(EventId::ToolCall)
    }

    /// Runs the script for a call; `None` when nobody waits for it.
    pub(super) async fn run_for(
        self: &Arc<Self>,
        call: &Call,
        outcome: Option<&Outcome>,
        shown: &Value,
        ctx: &Ctx,
    ) -> Option<Ended> {
        let input = input(&self.hook, call, shown, outcome, ctx);
        let own = self.variables(event_name(outcome), &call.tool, ctx);
        self.run(self.launch(input, own), ctx).await
    }

    /// The variables that are set for the script.
    fn variables(&self, event: &str, tool: &str, ctx: &Ctx) -> Vec<(String, String)> {
        variables(&self.hook, event, tool, &self.env.cwd, ctx)
    }

    /// The script runs in the folder that it was found for, also when a child session works in another one: a relative path
    /// must not lead to a script of that folder.
    fn launch(&self, input: Vec<u8>, own: Vec<(String, String)>) -> Launch {
        let mut env: Vec<(String, Option<String>)> =
            self.env.vars.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
        env.extend(self.hooks.upgrade().map(|hooks| hooks.variables.changes()).unwrap_or_default());
        env.extend(own.into_iter().map(|(name, value)| (name, Some(value))));
        let timeout = self.hook.timeout.or(self.settings.timeout);
        let leftovers = self.leftovers.clone();
        Launch { cwd: self.env.cwd.clone(), env, input, timeout, limited_by: None, leftovers, answer: needs_no_more }
    }

    /// Runs the script within its own limit and that of handlers, whichever is shorter; `None` when nobody waits for it.
    async fn run(self: &Arc<Self>, mut launch: Launch, ctx: &Ctx) -> Option<Ended> {
        if self.hook.background {
            self.run_behind(launch);
            return None;
        }
        let of_handlers = self.limit_of_handlers(ctx);
        let is_near = |limit| launch.timeout.is_none_or(|own| own.saturating_add(NEAR) >= limit);
        let _pause = of_handlers.filter(|(limit, _)| is_near(*limit)).map(|_| ctx.pause_deadline());
        if let Some((limit, setting)) = of_handlers.filter(|(limit, _)| launch.timeout.is_none_or(|own| *limit < own)) {
            launch.timeout = Some(limit);
            launch.limited_by = setting;
        }
        Some(run(&self.hook.program, launch, ctx.signal()).await)
    }

    /// How long a handler of the event may take, and the setting that says so; `None` also where all handlers share a limit.
    fn limit_of_handlers(&self, ctx: &Ctx) -> Option<(Duration, Option<&'static str>)> {
        let deadline = (self.owner.dialect.rule)(self.event())?.deadline;
        let hooks = self.hooks.upgrade().filter(|_| deadline != Deadline::Shutdown)?;
        Some((hooks.dispatcher.limit(deadline, ctx.mode())?, deadline.setting()))
    }

    /// Runs the script beside everything else: it decides nothing, and only its failure is reported.
    fn run_behind(self: &Arc<Self>, launch: Launch) {
        let (runner, hook) = (Arc::downgrade(self), Arc::clone(&self.hook));
        let cancel = self.behind.clone();
        drop(tokio::spawn(async move {
            let ended = run(&hook.program, launch, &cancel).await;
            let Some(runner) = runner.upgrade() else { return };
            match ended {
                Ended::Failed(why) => runner.report(format_args!("the hook {} {why}", hook.name())),
                Ended::Code { code, stderr, .. } if code != 0 => {
                    let more = runner.exit_details(&stderr);
                    runner.report(format_args!("the hook {} exited with code {code}; {more}", hook.name()));
                }
                Ended::Code { .. } | Ended::Aborted => {}
            }
        }));
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

    /// Says once that the hook never runs, unless every start says so.
    fn tell_unknown_tool(&self, ctx: &Ctx) {
        if self.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let tools = ctx.host().all_tools();
        let names = || tools.iter().map(|tool| tool.name.as_str());
        if let Tools::Matching(pattern) = &self.hook.tools
            && self.hook.moment.is_gate()
            && misspelt(pattern, &names().map(str::to_owned).collect::<Vec<_>>()).is_some_and(|found| found.is_near())
        {
            return;
        }
        let unknown = self.hook.unknown_tool(names());
        let text = match (unknown, useless(&self.hook.tools, &self.matcher, names()), &self.hook.tools) {
            (Some(tool), ..) => {
                format!(
                    "there is no tool `{tool}`, so this hook never runs: name its file after a tool, such as bash.sh"
                )
            }
            (None, Some(hint), Tools::Matching(pattern)) => {
                let hint = if hint.is_empty() { hint } else { format!("; {hint}") };
                let pattern = pattern.escape_debug();
                format!("its matcher `{pattern}` is the name of no tool, so this hook never runs{hint}")
            }
            _ => return,
        };
        if let Some(hooks) = self.hooks.upgrade() {
            let path = Arc::clone(&self.owner.path);
            hooks.dispatcher.reports.send(&Report::diagnostic(path, self.event().name(), text));
        }
    }
}
