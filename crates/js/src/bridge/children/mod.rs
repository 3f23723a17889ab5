//! Child sessions: what `createAgentSession` and the class `AgentSession` of the SDK stand on.
//!
//! A child is a resource. `asking` has what it answers, `acting` what it does. Its events arrive as calls of one function.

pub(super) mod acting;
pub(super) mod asking;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use async_trait::async_trait;
use rquickjs::Ctx;
use serde::Deserialize;
use serde_json::Value as Data;
use tau_ai::ThinkingLevel;
use tau_hooks::dialect::PI;
use tau_hooks::table::slip_of;
use tau_hooks::{
    ChildError, ChildEvent, ChildExtensions, ChildFile, ChildHooks, ChildLife, ChildLoader, ChildRequest,
    ChildResources, ChildSession, ChildSkill, ChildSubscription, ChildTemplate, HandlerError, Owner, Registrar,
    SessionDriver,
};
use tokio::sync::oneshot;

use super::callback::{call_entry, failure};
use super::extract::{Bridged, Caller};
use super::guest::HasBridge as _;
use super::tools::{JsTool, ToolFunctions};
use super::{Bridge, Extension, refused, tool_spec};
use crate::engine::{ExtensionId, Fault, Frame, Settle, WeakEngine};
use crate::ops::table::Signature;
use crate::ops::table::{Arguments, Param, Promised, ops};
use crate::ops::{Json, OpError};
use crate::pi::session_of;

ops! {
    /// Child sessions.
    pub(crate) static OPS: always;

    /// The number of the extension that called, by a stack.
    fn childCaller(stack) = child_caller, Pure;
    /// What a session's opener calls itself.
    fn childOpener(id) = child_opener, Pure;
    /// Opens a session below this one; gives its number and what it is called.
    fn childOpen(id, wanted) = child_open, Refused;
    /// Calls a function with each event of a child session.
    fn childListen(id, number, callback) = child_listen, Pure;
}

/// A child as a resource.
struct ChildHandle {
    child: Arc<dyn ChildSession>,
    session: Arc<dyn SessionDriver>,
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
            core.name(modules, &extension.owner);
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

/// The child that JavaScript holds by a number.
struct OfChild(Rc<ChildHandle>);

impl<'js> Param<'js> for OfChild {
    fn take(arguments: &mut Arguments<'_, 'js>) -> rquickjs::Result<Self> {
        let number = arguments.argument()?;
        arguments.host().resources().get(number).map(Self).map_err(|error| error.throw(arguments.ctx()))
    }

    fn describe(signature: &mut Signature) {
        <u32 as Param<'_>>::describe(signature);
    }
}

fn handle<'js>(js: &Ctx<'js>, bridge: &Bridge, number: u32) -> rquickjs::Result<Rc<ChildHandle>> {
    let core = bridge.core(js)?;
    core.host().resources().get::<ChildHandle>(number).map_err(|error| error.throw(js))
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
        let handle = ChildHandle { session: opened.driver(), child: opened, listener: RefCell::default() };
        Ok(core.host().resources().add(Rc::new(handle)))
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
        let Some(engine) = engine.upgrade() else { return };
        let event = event.whole();
        // Without the engine nobody listens.
        let _ = engine.post(move |core| {
            core.enter(modules, |js| {
                let hear = || -> rquickjs::Result<()> {
                    let event = crate::convert::to_js(js, &event())?;
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
