//! What `ctx` answers and does.

use std::sync::Arc;

use rquickjs::{Ctx, Function, Value};
use serde_json::Value as Data;
use tau_hooks::payload::ForkPosition;
use tau_hooks::{ActionError, Mode};

use super::extract::{Bridged, InCall, InCommand};
use super::refused;
use super::replace::{self, Compact, Fork, Navigate, New};
use crate::ops::table::{Promised, Typed, Unread, ops, record};
use crate::ops::{Json, List};
use crate::pi::Numbered;

ops! {
    /// What `ctx` answers and does.
    pub(crate) static OPS: always;

    /// The mode that the session runs in.
    fn ctxMode(id, call) -> "\"tui\" | \"rpc\" | \"json\" | \"print\"" = mode, Recorded;
    /// Whether there is a user to ask; throws when the session of the context is over.
    fn ctxHasUi(id, call) = has_ui, Recorded;
    /// What the session is called and how many stand above it, when an extension of another one opened it.
    fn ctxChild(id, call) = child, Recorded;
    /// The working directory.
    fn ctxCwd(id, call) = cwd, Recorded;
    /// Whether no run is under way.
    fn ctxIsIdle(id, call) = is_idle, Recorded;
    /// Whether messages wait in a queue.
    fn ctxHasPendingMessages(id, call) = has_pending_messages, Recorded;
    /// Whether the user trusts the project.
    fn ctxIsProjectTrusted(id, call) = is_project_trusted, Recorded;
    /// The system prompt.
    fn ctxSystemPrompt(id, call) = system_prompt, Recorded;
    /// What the system prompt is made of.
    fn ctxSystemPromptOptions(id, call) -> "SystemPromptOptions" = system_prompt_options, Recorded;
    /// The thinking level.
    fn ctxThinkingLevel(id, call) -> "ThinkingLevel" = thinking_level, Recorded;
    /// How full the context is.
    fn ctxContextUsage(id, call) -> "ContextUsage | undefined" = context_usage, Recorded;
    /// The model.
    fn ctxModel(id, call) -> "Model | undefined" = model, Recorded;
    /// The models that the session is limited to.
    fn ctxScopedModels(id, call) -> "ScopedModel[]" = scoped_models, Recorded;
    /// The session of the context when it is another one than the extension's own, as for a gate that is asked about a
    /// child: its number, its working directory, its folder.
    fn ctxSession(id, call) = session, Recorded;
    /// Ends the run.
    fn ctxAbort(id, call) = abort, Refused;
    /// Ends the program in order.
    fn ctxShutdown(id, call) = shutdown, Refused;
    /// An `AbortSignal` of the run the call belongs to.
    fn ctxSignal(id, call) -> "AbortSignal" = signal, Pure;
    /// A function that gives what it gets. As long as it is there, a script holds the context of a command.
    fn ctxHold() -> "(handler: number | undefined) => number | undefined" = hold, Pure;
    /// Waits until no run is under way.
    fn ctxWaitForIdle(id, call, handler) = wait_for_idle, Refused;
    /// Loads extensions and resources anew.
    fn ctxReload(id, call, handler) = reload, Refused;
    /// Compacts the conversation.
    fn ctxCompact(id, call, handler, options) -> "CompactionDone" = compact, Refused;
    /// Begins another session.
    fn ctxNewSession(id, call, handler, options) -> "Replaced" = new_session, Refused;
    /// Begins another session with a part of this one.
    fn ctxFork(id, call, handler, options) -> "Replaced" = fork, Refused;
    /// Moves to another place of the tree.
    fn ctxNavigateTree(id, call, handler, options) -> "Navigated" = navigate_tree, Refused;
    /// Opens another session.
    fn ctxSwitchSession(id, call, handler, path) -> "Replaced" = switch_session, Refused;
}

record! {
    /// What a child session knows of its place.
    struct ChildPlace {
        name: String,
        depth: usize,
    }
}

fn mode(InCall { ctx, .. }: InCall) -> &'static str {
    match ctx.host().mode() {
        Mode::Tui => "tui",
        Mode::Rpc => "rpc",
        Mode::Json => "json",
        Mode::Print => "print",
    }
}

fn has_ui(InCall { ctx, .. }: InCall) -> bool {
    ctx.has_ui()
}

fn child(InCall { ctx, .. }: InCall) -> Option<Typed<ChildPlace>> {
    let child = ctx.host().child()?;
    Some(Typed(ChildPlace { name: child.name.to_string(), depth: child.depth }))
}

fn cwd(InCall { ctx, .. }: InCall) -> String {
    ctx.host().cwd().to_string_lossy().into_owned()
}

fn is_idle(InCall { ctx, .. }: InCall) -> bool {
    ctx.host().is_idle()
}

fn has_pending_messages(InCall { ctx, .. }: InCall) -> bool {
    ctx.host().has_pending_messages()
}

fn is_project_trusted(InCall { ctx, .. }: InCall) -> bool {
    ctx.host().is_project_trusted()
}

fn system_prompt(InCall { ctx, .. }: InCall) -> String {
    ctx.host().system_prompt()
}

fn system_prompt_options(InCall { ctx, .. }: InCall) -> Json {
    Json(ctx.host().system_prompt_options())
}

fn thinking_level(InCall { ctx, .. }: InCall) -> &'static str {
    ctx.host().thinking_level().as_str()
}

fn context_usage(InCall { ctx, .. }: InCall) -> Option<Json> {
    ctx.host().context_usage().map(|usage| Json(tau_ai::to_json(usage)))
}

fn model(InCall { ctx, .. }: InCall) -> Option<Json> {
    ctx.host().model().map(|model| Json(tau_ai::to_json(&*model)))
}

fn scoped_models(InCall { ctx, .. }: InCall) -> List<Json> {
    List(ctx.host().scoped_models().iter().map(|model| Json(tau_ai::to_json(model))).collect())
}

fn session<'js>(js: Ctx<'js>, InCall { bridge, extension, ctx, .. }: InCall) -> rquickjs::Result<Option<Numbered>> {
    let own = extension.api.host().map_err(|error| refused(&js, &error))?;
    if std::ptr::addr_eq(Arc::as_ptr(&own), Arc::as_ptr(ctx.host())) {
        return Ok(None);
    }
    Ok(Some(Numbered::add(bridge.core(&js)?.host().resources(), ctx.session())))
}

fn abort(InCall { ctx, .. }: InCall) {
    ctx.host().abort();
}

fn shutdown(InCall { ctx, .. }: InCall) {
    ctx.host().shutdown();
}

fn signal<'js>(js: Ctx<'js>, InCall { bridge, ctx, call, .. }: InCall) -> rquickjs::Result<Value<'js>> {
    let core = bridge.core(&js)?;
    super::signal::watch(&js, &core, call, ctx.signal().clone())
}

fn hold<'js>(js: Ctx<'js>, Bridged(bridge): Bridged) -> rquickjs::Result<Function<'js>> {
    let held = bridge.hold_command();
    let holds = move |handler: Option<u32>| {
        let _held = &held;
        handler
    };
    Function::new(js, holds)
}

fn wait_for_idle<'js>(js: Ctx<'js>, command: InCommand) -> rquickjs::Result<Promised<'js, ()>> {
    let ctx = command.ctx.clone();
    command.act(&js, async move { ctx.wait_for_idle().await })
}

fn reload<'js>(js: Ctx<'js>, command: InCommand) -> rquickjs::Result<Promised<'js, ()>> {
    let ctx = command.ctx.clone();
    command.act(&js, async move { ctx.reload().await })
}

fn compact<'js>(js: Ctx<'js>, command: InCommand, options: Unread<Compact>) -> rquickjs::Result<Promised<'js, Json>> {
    let ctx = command.ctx.clone();
    command.act(&js, async move {
        // What is no text is no instruction.
        let instructions = options.read().ok().and_then(|options| options.custom_instructions);
        let (sender, result) = tokio::sync::oneshot::channel();
        ctx.compact(instructions, move |done| {
            // The engine ended meanwhile, and with it the code that waits.
            drop(sender.send(done));
        })?;
        let done = result.await.map_err(|_| ActionError::Stale)?.map_err(ActionError::Refused)?;
        Ok(Json(tau_ai::to_json(done)))
    })
}

fn new_session<'js>(js: Ctx<'js>, command: InCommand, options: Unread<New>) -> rquickjs::Result<Promised<'js, Json>> {
    let ctx = command.ctx.clone();
    let options = replace::parse("newSession", options);
    let fill = options.as_ref().ok().and_then(|options| options.setup);
    let fill = fill.map(|number| command.bridge.callback(command.id, number, None));
    command.act(&js, async move { replace::new_session(&ctx, options?, fill).await.map(Json) })
}

fn fork<'js>(js: Ctx<'js>, command: InCommand, options: Unread<Fork>) -> rquickjs::Result<Promised<'js, Json>> {
    let ctx = command.ctx.clone();
    command.act(&js, async move {
        let options = replace::parse("fork", options)?;
        let position: Option<ForkPosition> = match options.position {
            Data::Null => None,
            position => Some(replace::read("fork", position)?),
        };
        ctx.fork(&options.entry_id, position.unwrap_or(ForkPosition::Before)).await.map(replace::replaced).map(Json)
    })
}

fn navigate_tree<'js>(
    js: Ctx<'js>,
    command: InCommand,
    options: Unread<Navigate>,
) -> rquickjs::Result<Promised<'js, Json>> {
    let ctx = command.ctx.clone();
    command.act(&js, async move { replace::navigate(&ctx, replace::parse("navigateTree", options)?).await.map(Json) })
}

fn switch_session<'js>(js: Ctx<'js>, command: InCommand, path: String) -> rquickjs::Result<Promised<'js, Json>> {
    let ctx = command.ctx.clone();
    command.act(&js, async move { ctx.switch_session(path.as_ref()).await.map(replace::replaced).map(Json) })
}
