//! Child sessions: what `createAgentSession` and the class `AgentSession` of the SDK stand on.
//!
//! A child is a resource. What it is asked goes through three ops: `childGet` answers at once, `childDo` acts at once, and
//! `childCall` gives a promise. Its events arrive as calls of one function.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use async_trait::async_trait;
use rquickjs::{Ctx, IntoJs, Value};
use serde::Deserialize;
use serde_json::{Value as Data, json};
use tau_agent::settings::QueueMode;
use tau_agent::{AgentSession, Direction, Prompt, SessionEvent, Update};
use tau_ai::{ContentBlock, ThinkingLevel};
use tau_hooks::dialect::PI;
use tau_hooks::payload::{CustomDraft, ForkPosition, InputSource, Snapshot, StreamUpdate, StreamingBehavior};
use tau_hooks::table::slip_of;
use tau_hooks::{
    ChildError, ChildEvent, ChildExtensions, ChildFile, ChildHooks, ChildLife, ChildLoader, ChildRequest,
    ChildResources, ChildSession, ChildSkill, ChildSubscription, ChildTemplate, HandlerError, HostActions as _,
    HostView as _, NewSessionRequest, Owner, Registrar, SendOptions,
};
use tokio::sync::oneshot;

use super::callback::{call_entry, failure};
use super::extract::{Bridged, Caller};
use super::tools::{JsTool, ToolFunctions};
use super::{Bridge, Extension, refused, tool_spec};
use crate::engine::{ExtensionId, Fault, Frame, Settle, WeakEngine};
use crate::ops::table::{Promised, ops};
use crate::ops::{Json, OpError, session_handle, session_of};

ops! {
    /// Child sessions.
    pub(crate) static OPS: always;

    /// The number of the extension that called, by a stack.
    fn childCaller(stack) = child_caller, Pure;
    /// What a session's opener calls itself.
    fn childOpener(id) = child_opener, Pure;
    /// Opens a session below this one; gives its number and what it is called.
    fn childOpen(id, wanted) = child_open, Refused;
    /// Asks something about a child session.
    fn childGet(number, name) = child_get, Recorded;
    /// The tree that is open now: its number, its working directory, its folder.
    fn childSession(number) = child_session, Recorded;
    /// Changes a child session.
    fn childDo(number, name, args) = child_do, Refused;
    /// Acts on a child session and waits for the outcome.
    fn childCall(id, number, name, args) = child_call, Refused;
    /// Calls a function with each event of a child session.
    fn childListen(id, number, callback) = child_listen, Pure;
}

/// A child as a resource.
struct ChildHandle {
    child: Arc<dyn ChildSession>,
    session: Arc<AgentSession>,
    listener: RefCell<Option<ChildSubscription>>,
}

/// What `createAgentSession` asks for.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Wanted {
    name: Option<String>,
    cwd: Option<String>,
    agent_dir: Option<String>,
    model: Option<Data>,
    thinking_level: Option<ThinkingLevel>,
    tools: Option<Vec<String>>,
    exclude_tools: Vec<String>,
    no_tools: bool,
    no_builtin_tools: bool,
    /// The names of all options that the caller gave.
    given: Vec<String>,
    system_prompt: Option<String>,
    append_system_prompt: Vec<String>,
    no_context_files: bool,
    no_skills: bool,
    no_prompt_templates: bool,
    skill_paths: Vec<String>,
    prompt_template_paths: Vec<String>,
    context_files: Option<Vec<ContextText>>,
    skills: Vec<ChildSkill>,
    prompt_templates: Vec<ChildTemplate>,
    discover: bool,
    extensions: Vec<String>,
    settings: Data,
    /// The number of an open tree.
    session: Option<u32>,
    background: bool,
    custom_tools: Vec<CustomTool>,
    /// Functions that register with a `pi` of the child.
    factories: Vec<Factory>,
}

#[derive(Deserialize)]
struct ContextText {
    path: String,
    content: String,
}

#[derive(Deserialize)]
struct CustomTool {
    spec: Data,
    execute: u32,
    #[serde(rename = "prepareArguments")]
    prepare: Option<u32>,
}

#[derive(Deserialize)]
struct Factory {
    name: String,
    number: u32,
}

fn thrown(js: &Ctx<'_>, error: &ChildError) -> rquickjs::Error {
    OpError::message(error.to_string()).throw(js)
}

fn told(error: impl std::fmt::Display) -> OpError {
    OpError::message(error.to_string())
}

/// Options that nobody knows are left alone, as in pi. One that is nearly an option that takes tools away is refused: the child
/// would have more tools than its author means.
fn check_names(given: &[String]) -> Result<(), OpError> {
    const LIMITS: [&str; 3] = ["tools", "excludeTools", "noTools"];
    for name in given.iter().filter(|name| !LIMITS.contains(&name.as_str())) {
        if let Some(meant) = slip_of(name, LIMITS) {
            let text = format!("createAgentSession has no option `{name}`; did you mean `{meant}`?");
            return Err(OpError::message(text));
        }
    }
    Ok(())
}

/// The tools of an extension, for a child.
fn tools(
    js: &Ctx<'_>,
    bridge: &Bridge,
    id: u32,
    extension: &Extension,
    wanted: Vec<CustomTool>,
) -> rquickjs::Result<Vec<JsTool>> {
    let place = Arc::clone(&extension.owner.path);
    let tool = |tool: CustomTool| {
        let spec = tool_spec::read(tool.spec, extension, &place)
            .map_err(|error| told(format!("the tool's definition: {error}")).throw(js))?;
        let callback = |number| bridge.callback(id, number, Some(Arc::clone(&place)));
        let functions =
            ToolFunctions { execute: callback(tool.execute), prepare: tool.prepare.map(callback), loadout: None };
        Ok(JsTool::new(spec, functions, extension.api.clone()))
    };
    wanted.into_iter().map(tool).collect()
}

/// Runs a function of an extension that registers with a `pi` of the child, in the engine that the function lives in.
struct InlineLoader {
    engine: WeakEngine,
    name: String,
    number: u32,
    runtime: tokio::runtime::Handle,
}

#[async_trait]
impl ChildLoader for InlineLoader {
    async fn load(&self, into: &ChildHooks) -> Result<(), HandlerError> {
        let hooks = into.hooks()?;
        let engine = self.engine.upgrade().ok_or_else(super::callback::ended)?;
        let activity = Arc::clone(engine.activity());
        let owner = Owner::new(format!("<inline:{}>", self.name), self.name.as_str(), &PI);
        let (number, runtime) = (self.number, self.runtime.clone());
        let (sender, done) = oneshot::channel();
        let posted = engine.post(move |core| {
            let registrar = hooks.registrar(owner);
            // It is no module: what it does is done in its own name.
            let (id, extension) =
                core.bridge().keep(|id| Extension::new(&hooks, registrar, ExtensionId(id), runtime.clone()));
            let modules = extension.modules;
            core.activity().name(modules, &extension.owner);
            let settle: Settle = Box::new(move |_, result, _| {
                let registrar = extension.registrar.borrow_mut().take();
                let done = match (result, registrar) {
                    (Err(fault), _) => Err(failure(fault, None)),
                    (Ok(_), Some(registrar)) => registrar.commit().map(drop),
                    (Ok(_), None) => Err(HandlerError::msg("it was loaded twice")),
                };
                // The session that waited may have ended.
                let _ = sender.send(done);
            });
            call_entry(core, modules, "loadInline", settle, |ctx, call| {
                let mut args = rquickjs::function::Args::new(ctx.clone(), 3);
                args.push_arg(call)?;
                args.push_arg(id)?;
                args.push_arg(number)?;
                Ok(args)
            });
        });
        posted.map_err(|_| super::callback::gone(&activity))?;
        drop(engine);
        match activity.answer(done).await {
            Some(done) => done,
            None => Err(super::callback::gone(&activity)),
        }
    }
}

fn handle<'js>(js: &Ctx<'js>, bridge: &Bridge, number: u32) -> rquickjs::Result<Rc<ChildHandle>> {
    let core = bridge.core(js)?;
    core.host().resources().get::<ChildHandle>(number).map_err(|error| error.throw(js))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    text: String,
    #[serde(default)]
    images: Vec<ContentBlock>,
    #[serde(default)]
    streaming_behavior: Option<StreamingBehavior>,
    #[serde(default)]
    expand: bool,
}

/// Waits until listeners have heard what happened so far, so that nobody who waited for a call misses it.
async fn heard(engine: &WeakEngine) {
    let hears = {
        let Some(engine) = engine.upgrade() else { return };
        let (told, hears) = oneshot::channel();
        // The call may have been given up meanwhile.
        match engine.post(move |_| told.send(()).unwrap_or(())) {
            Ok(()) => hears,
            // Without the engine nobody listens.
            Err(_) => return,
        }
    };
    // An engine that ends tells nobody.
    drop(hears.await);
}

async fn perform(
    child: &Arc<dyn ChildSession>,
    session: &Arc<AgentSession>,
    name: &str,
    args: Data,
    model: Option<Arc<tau_ai::Model>>,
) -> Result<Data, OpError> {
    let text = |field: &str| args[field].as_str().map(str::to_owned);
    match name {
        "prompt" => {
            let asked: Asked = serde_json::from_value(args).map_err(told)?;
            let prompt = Prompt {
                text: asked.text,
                images: asked.images,
                source: InputSource::Extension,
                streaming_behavior: asked.streaming_behavior,
                expand: asked.expand,
            };
            session.prompt(prompt).await.map_err(told)?;
        }
        "enqueue" => {
            let asked: Asked = serde_json::from_value(args).map_err(told)?;
            let to = asked.streaming_behavior.unwrap_or(StreamingBehavior::Steer);
            let prompt = Prompt { source: InputSource::Extension, expand: true, ..Prompt::new(asked.text) };
            session.enqueue(Prompt { images: asked.images, ..prompt }, to).await.map_err(told)?;
        }
        "newSession" => {
            let request = NewSessionRequest { parent_session: text("parentSession"), setup: None };
            let done = tau_hooks::HostSessions::new_session(&**session, request).await.map_err(told)?;
            return Ok(json!({"cancelled": done.cancelled}));
        }
        "switchSession" => {
            let path = text("path").unwrap_or_default();
            let done = tau_hooks::HostSessions::switch_session(&**session, path.as_ref()).await.map_err(told)?;
            return Ok(json!({"cancelled": done.cancelled}));
        }
        "fork" => {
            let entry = text("entryId").unwrap_or_default();
            let done = tau_hooks::HostSessions::fork(&**session, &entry, ForkPosition::Before).await.map_err(told)?;
            return Ok(json!({"cancelled": done.cancelled, "selectedText": done.text}));
        }
        "export" => {
            let (session, path) = (Arc::clone(session), text("path").map(Into::into));
            let file = tokio::task::spawn_blocking(move || session.export(path)).await.map_err(told)?.map_err(told)?;
            return Ok(file.display().to_string().into());
        }
        "waitForIdle" => child.wait_for_idle().await,
        "waitForRun" => session.wait_for_run().await,
        "compact" => {
            let done = session.compact(text("instructions")).await.map_err(told)?;
            return Ok(tau_ai::to_json(done));
        }
        "setModel" => {
            let Some(model) = model else { return Ok(Data::Null) };
            if session.set_model(Arc::clone(&model)).await.map_err(told)? {
                return Ok(Data::Null);
            }
            return Err(OpError::message(format!("No API key for {}/{}", model.provider, model.id)));
        }
        "cycleModel" => {
            let back = args["direction"].as_str() == Some("backward");
            let direction = if back { Direction::Backward } else { Direction::Forward };
            let cycled = session.cycle_model(direction).await.map_err(told)?;
            return Ok(match cycled {
                Some(cycled) => json!({
                    "model": tau_ai::to_json(&*cycled.model), "thinkingLevel": cycled.thinking_level,
                    "isScoped": cycled.is_scoped,
                }),
                None => Data::Null,
            });
        }
        "setSteeringMode" | "setFollowUpMode" => {
            let mode = QueueMode::parse(args["mode"].as_str().unwrap_or_default());
            let mode = mode.ok_or_else(|| OpError::message("a queue is taken \"all\" or \"one-at-a-time\""))?;
            match name {
                "setSteeringMode" => session.set_steering_mode(mode).await.map_err(told)?,
                _ => session.set_follow_up_mode(mode).await.map_err(told)?,
            }
        }
        "setAutoCompaction" => session.set_auto_compaction(args["on"] == true).await.map_err(told)?,
        "setAutoRetry" => session.set_auto_retry(args["on"] == true).await.map_err(told)?,
        "bash" => {
            let command = text("command").unwrap_or_default();
            let done = child.run_bash(command, args["excludeFromContext"] == true).await.map_err(told)?;
            return Ok(tau_ai::to_json(done));
        }
        "reload" => {
            session.reload().await.map_err(told)?;
        }
        "close" => child.close().await,
        _ => return Err(OpError::message(format!("`{name}` is not known of a session"))),
    }
    Ok(Data::Null)
}

/// An event as listeners of the SDK get it: with the whole message so far.
fn seen(event: &SessionEvent) -> Data {
    match event {
        SessionEvent::MessageUpdate(Update(item)) => json!({
            "type": "message_update",
            "message": tau_ai::to_json(Snapshot(item.partial.clone())),
            "assistantMessageEvent": tau_ai::to_json(StreamUpdate(item.clone())),
        }),
        event => tau_ai::to_json(event),
    }
}

fn child_caller<'js>(js: Ctx<'js>, Bridged(bridge): Bridged, stack: String) -> rquickjs::Result<u32> {
    let core = bridge.core(&js)?;
    let of_frame = |frame: &Frame| core.loader().owner_of(&frame.file);
    Ok(Frame::parse(&stack).iter().find_map(of_frame).unwrap_or_else(|| core.host().current()).0)
}

fn child_opener<'js>(js: Ctx<'js>, Bridged(bridge): Bridged, id: u32) -> rquickjs::Result<String> {
    Ok(bridge.extension(&js, id)?.owner.name.to_string())
}

fn child_open<'js>(
    js: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    wanted: Json,
) -> rquickjs::Result<Promised<'js, u32>> {
    let host = extension.api.host().map_err(|error| refused(&js, &error))?;
    let wanted: Wanted = serde_json::from_value(wanted.0).map_err(|error| told(error).throw(&js))?;
    check_names(&wanted.given).map_err(|error| error.throw(&js))?;
    let core = bridge.core(&js)?;
    let file = match wanted.session {
        Some(number) => ChildFile::Open(session_of(core.host().resources(), number).map_err(|error| error.throw(&js))?),
        None => ChildFile::Memory,
    };
    let model = wanted.model.as_ref().filter(|model| !model.is_null());
    let model = model.map(|model| super::models::known(&extension.api, model)).transpose();
    let mut request = ChildRequest {
        name: wanted.name,
        model: model.map_err(|error| refused(&js, &error))?,
        thinking: wanted.thinking_level,
        cwd: wanted.cwd.map(Into::into),
        agent_dir: wanted.agent_dir.map(Into::into),
        tools: wanted.tools,
        exclude_tools: wanted.exclude_tools,
        no_builtin_tools: wanted.no_builtin_tools,
        no_tools: wanted.no_tools,
        resources: ChildResources {
            system_prompt: wanted.system_prompt,
            append_system_prompt: wanted.append_system_prompt,
            no_context_files: wanted.no_context_files,
            no_skills: wanted.no_skills,
            no_prompt_templates: wanted.no_prompt_templates,
            skill_paths: wanted.skill_paths,
            prompt_template_paths: wanted.prompt_template_paths,
            context_files: wanted
                .context_files
                .map(|files| files.into_iter().map(|file| (file.path.into(), file.content)).collect()),
            skills: wanted.skills,
            prompt_templates: wanted.prompt_templates,
        },
        extensions: ChildExtensions { discover: wanted.discover, paths: wanted.extensions },
        settings: wanted.settings,
        file,
        life: if wanted.background { ChildLife::Session } else { ChildLife::Run },
        ..ChildRequest::default()
    };
    if !wanted.custom_tools.is_empty() {
        let tools = tools(&js, &bridge, id, &extension, wanted.custom_tools)?;
        let name = extension.owner.name.to_string();
        request = request.with(name, move |registrar: &mut Registrar| {
            for tool in &tools {
                registrar.add_tool(Arc::new(tool.in_session(registrar.api())));
            }
            Ok(())
        });
    }
    for Factory { name, number } in wanted.factories {
        let engine = bridge.engine.clone();
        request.own.push(Box::new(InlineLoader { engine, name, number, runtime: extension.runtime.clone() }));
    }
    let owner = Arc::clone(&extension.owner);
    let opened = async move { host.open_child(request, owner).await.map_err(told) };
    let (session, weak) = (extension.runtime.clone(), Rc::downgrade(&core));
    let host = Rc::clone(core.host());
    host.spawn(&js, async move {
        let opened = session.spawn(opened).await.unwrap_or_else(|_| Err(OpError::message("the session ended")))?;
        let gone = || OpError::message("the engine has ended");
        let core = weak.upgrade().ok_or_else(gone)?;
        let session = AgentSession::of_child(&*opened).cloned().ok_or_else(gone)?;
        let handle = ChildHandle { child: opened, session, listener: RefCell::default() };
        Ok(core.host().resources().add(Rc::new(handle)))
    })
}

fn child_get<'js>(js: Ctx<'js>, Bridged(bridge): Bridged, number: u32, name: String) -> rquickjs::Result<Value<'js>> {
    let handle = handle(&js, &bridge, number)?;
    let session = &handle.session;
    let answer = match name.as_str() {
        "name" => json!(handle.child.info().name),
        "isStreaming" => session.is_streaming().into(),
        "isCompacting" => session.is_compacting().into(),
        "isBashRunning" => session.is_bash_running().into(),
        "isEnded" => handle.child.ended().is_cancelled().into(),
        "model" => tau_ai::to_json(session.model().as_deref()),
        "thinkingLevel" => tau_ai::to_json(session.thinking_level()),
        "thinkingLevels" => tau_ai::to_json(session.thinking_levels()),
        "scopedModels" => tau_ai::to_json(&*session.scoped_models()),
        "systemPrompt" => session.system_prompt().into(),
        "activeTools" => session.active_tools().into(),
        "allTools" => tau_ai::to_json(session.all_tools()),
        "contextUsage" => tau_ai::to_json(session.context_usage()),
        "messages" => session.history().iter().map(|message| tau_ai::to_json(message)).collect(),
        "lastText" => handle.child.last_text().into(),
        "queued" => {
            let queued = session.queued_texts();
            json!({"steering": queued.steering, "followUp": queued.follow_up})
        }
        "steeringMode" => session.steering_mode().as_str().into(),
        "followUpMode" => session.follow_up_mode().as_str().into(),
        "autoCompaction" => session.compacts_by_itself().into(),
        "autoRetry" => session.retries_by_itself().into(),
        "commands" => tau_ai::to_json(session.slash_commands()),
        "extensions" => session.hooks().extensions().iter().map(|owner| json!(owner.path)).collect(),
        "usage" => tau_ai::to_json(handle.child.usage()),
        "stats" => {
            let stats = session.stats();
            let tokens = stats.tokens;
            json!({
                "sessionFile": stats.session_file, "sessionId": stats.session_id,
                "userMessages": stats.user_messages, "assistantMessages": stats.assistant_messages,
                "toolCalls": stats.tool_calls, "toolResults": stats.tool_results,
                "totalMessages": stats.total_messages,
                "tokens": {
                    "input": tokens.input, "output": tokens.output, "cacheRead": tokens.cache_read,
                    "cacheWrite": tokens.cache_write, "total": tokens.total,
                },
                "cost": stats.cost, "contextUsage": stats.context_usage,
            })
        }
        _ => return Err(told(format!("`{name}` is not known of a session")).throw(&js)),
    };
    Json(answer).into_js(&js)
}

fn child_session<'js>(js: Ctx<'js>, Bridged(bridge): Bridged, number: u32) -> rquickjs::Result<Value<'js>> {
    let session = handle(&js, &bridge, number)?.session.session();
    let dir = session.file().and_then(std::path::Path::parent).map(|dir| dir.to_string_lossy().into_owned());
    let cwd = session.cwd().to_string_lossy().into_owned();
    let id = session.id().to_owned();
    let rid = bridge.core(&js)?.host().resources().add(session_handle(session));
    let list = rquickjs::Array::new(js.clone())?;
    list.set(0, rid)?;
    list.set(1, cwd)?;
    list.set(2, dir.unwrap_or_default())?;
    list.set(3, id)?;
    Ok(list.into_value())
}

fn child_do<'js>(
    js: Ctx<'js>,
    Bridged(bridge): Bridged,
    number: u32,
    name: String,
    args: Json,
) -> rquickjs::Result<Json> {
    let handle = handle(&js, &bridge, number)?;
    let (session, args) = (&handle.session, args.0);
    let done = match name.as_str() {
        "abort" => {
            handle.child.abort();
            Data::Null
        }
        "abortBash" => {
            session.abort_bash();
            Data::Null
        }
        "setActiveTools" => {
            let names: Vec<String> = serde_json::from_value(args).map_err(|error| told(error).throw(&js))?;
            session.set_active_tools(&names);
            Data::Null
        }
        "setThinkingLevel" => {
            let level: ThinkingLevel = serde_json::from_value(args).map_err(|error| told(error).throw(&js))?;
            session.set_thinking_level(level).map_err(|error| refused(&js, &error))?;
            Data::Null
        }
        "setSessionName" => {
            session.set_session_name(args.as_str().unwrap_or_default()).map_err(|error| refused(&js, &error))?;
            Data::Null
        }
        "clearQueue" => {
            let queued = session.clear_queue();
            json!({"steering": queued.steering, "followUp": queued.follow_up})
        }
        "sendMessage" => {
            #[derive(Deserialize)]
            struct Sent {
                message: CustomDraft,
                #[serde(default)]
                options: SendOptions,
            }
            let sent: Sent = serde_json::from_value(args).map_err(|error| told(error).throw(&js))?;
            session.send_message(sent.message, sent.options).map_err(|error| refused(&js, &error))?;
            Data::Null
        }
        _ => return Err(told(format!("`{name}` is not known of a session")).throw(&js)),
    };
    Ok(Json(done))
}

fn child_call<'js>(
    js: Ctx<'js>,
    Bridged(bridge): Bridged,
    id: u32,
    number: u32,
    name: String,
    args: Json,
) -> rquickjs::Result<Promised<'js, Json>> {
    let handle = handle(&js, &bridge, number)?;
    let extension = bridge.extension(&js, id)?;
    let model = match name.as_str() {
        "setModel" => {
            let known = super::models::known(&extension.api, &args.0);
            Some(known.map_err(|error| refused(&js, &error))?)
        }
        _ => None,
    };
    let (child, session) = (Arc::clone(&handle.child), Arc::clone(&handle.session));
    if child.ended().is_cancelled() && name != "close" {
        return Err(thrown(&js, &ChildError::Ended));
    }
    let runtime = extension.runtime.clone();
    let engine = bridge.engine.clone();
    let work = async move { perform(&child, &session, &name, args.0, model).await.map(Json) };
    bridge.core(&js)?.host().spawn(&js, async move {
        let done = runtime.spawn(work).await;
        heard(&engine).await;
        done.unwrap_or_else(|_| Err(OpError::message("the session ended")))
    })
}

fn child_listen<'js>(
    js: Ctx<'js>,
    Bridged(bridge): Bridged,
    id: u32,
    number: u32,
    function: u32,
) -> rquickjs::Result<()> {
    let handle = handle(&js, &bridge, number)?;
    let (engine, modules) = (bridge.engine.clone(), bridge.modules(id));
    let listener = move |event: &dyn ChildEvent| {
        let Some(event) = event.as_any().downcast_ref::<SessionEvent>().cloned() else { return };
        let Some(engine) = engine.upgrade() else { return };
        // Without the engine nobody listens.
        let _ = engine.post(move |core| {
            core.enter(modules, |js| {
                let hear = || -> rquickjs::Result<()> {
                    let event = crate::convert::to_js(js, &seen(&event))?;
                    core.entry(js, "hearChild")?.call((function, event))
                };
                if hear().is_err() {
                    let fault = Fault::caught(js, core, modules);
                    // What was stopped has not answered.
                    if fault.kind.cuts_off() {
                        core.cut_gates(js, modules, &fault);
                    }
                    core.report(fault);
                }
            });
        });
    };
    *handle.listener.borrow_mut() = Some(handle.child.listen(Arc::new(listener)));
    Ok(())
}
