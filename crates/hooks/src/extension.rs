//! Extensions written in Rust.

use std::future::Future;
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tau_tools::{Invocation, Tool, ToolFailure, ToolOutput, ToolSpec};

use crate::api::Api;
use crate::context::Ctx;
use crate::error::HandlerError;
use crate::events::{EventId, TABLE};
use crate::future::BoxFuture;
use crate::handle::Handle;
use crate::handler::{Callable, Dynamic, IntoOutcome, Sleeper, Typed, caller};
use crate::mcp::{McpRegistrationError, McpServer};
use crate::named::{Name, Named};
use crate::offers::Offers;
use crate::owner::{Owner, Phase};
use crate::registry::Hooks;
use crate::rendering::{MarkdownTransformer, ToolRenderers};
use crate::report::{Report, ReportKind};
use crate::routing::VirtualModel;
use crate::services::SettingSpec;
use crate::table::{Event, misspelt_gate};
use crate::tasks::Planned;

/// An extension written in Rust.
pub trait Extension: Send + Sync {
    /// The short name, shown to people and used in settings.
    fn name(&self) -> &str;

    /// Registers handlers, tools, commands and the rest. When this fails, nothing it registered stays.
    ///
    /// # Errors
    /// Whatever keeps the extension from working; the user is told.
    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError>;
}

/// An async function that handles `E`: any `Fn(E::Payload, Ctx)` whose future is `Send`.
pub trait Handler<E: Event>: Fn(E::Payload, Ctx) -> Self::Future + Clone + Send + Sync + 'static {
    /// What the function returns.
    type Future: Future<Output = Self::Outcome> + Send + 'static;
    /// What the future resolves to.
    type Outcome: IntoOutcome<E::Output> + 'static;
}

impl<E, F, Fut> Handler<E> for F
where
    E: Event,
    F: Fn(E::Payload, Ctx) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: IntoOutcome<E::Output> + 'static,
{
    type Future = Fut;
    type Outcome = Fut::Output;
}

/// A command-line flag of an extension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlagSpec {
    /// Without the dashes.
    pub name: String,
    /// For the help text.
    #[serde(default)]
    pub description: String,
    /// Whether it takes a value.
    #[serde(rename = "type")]
    pub kind: FlagKind,
    /// Its value when it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<FlagValue>,
}

/// Whether a flag takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FlagKind {
    /// It does not.
    Boolean,
    /// It takes a text.
    String,
}

/// The value of a flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FlagValue {
    /// Of a boolean flag.
    Boolean(bool),
    /// Of a flag with a text.
    String(String),
}

impl FlagValue {
    pub(crate) fn kind(&self) -> FlagKind {
        match self {
            Self::Boolean(_) => FlagKind::Boolean,
            Self::String(_) => FlagKind::String,
        }
    }
}

/// A completion of a command's argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// What is inserted.
    pub value: String,
    /// What is shown.
    pub label: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Runs a command with the text after its name.
pub type CommandHandler = Arc<dyn Fn(String, Ctx) -> BoxFuture<Result<(), HandlerError>> + Send + Sync>;
/// Runs a shortcut.
pub type ShortcutHandler = Arc<dyn Fn(Ctx) -> BoxFuture<Result<(), HandlerError>> + Send + Sync>;
/// Completes a command's argument. What it fails with is reported; one that fails each time has to stop saying so.
pub type Completer = Arc<dyn Fn(String) -> BoxFuture<Result<Vec<Completion>, HandlerError>> + Send + Sync>;

/// A slash command of an extension.
#[derive(Clone)]
pub struct Command {
    /// Without the slash, as registered.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// Runs it.
    pub handler: CommandHandler,
    /// Completes its argument.
    pub completer: Option<Completer>,
}

/// A keyboard shortcut of an extension.
#[derive(Clone)]
pub struct Shortcut {
    /// The key, as `ctrl+x`.
    pub key: String,
    /// What it does.
    pub description: Option<String>,
    /// Runs it.
    pub handler: ShortcutHandler,
}

/// A model provider of an extension.
#[derive(Clone)]
pub struct Provider {
    /// Its name.
    pub name: String,
    /// Its configuration in the form of `models.json`.
    pub config: Value,
    /// Its own wire format, when it brings one.
    pub api: Option<Arc<dyn tau_ai::StreamApi>>,
    /// How to log in, when it offers that.
    pub oauth: Option<Arc<dyn tau_ai::OAuth>>,
    /// Its functions for models that do not converse.
    pub operations: tau_ai::Operations,
    /// Who says which models it has, when that is not known beforehand.
    pub source: Option<Arc<dyn crate::ModelSource>>,
}

impl Provider {
    /// These settings on top of earlier ones.
    fn over(mut self, earlier: Self) -> Self {
        if let (Value::Object(new), Value::Object(mut all)) = (&self.config, earlier.config) {
            all.extend(
                new.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), value.clone())),
            );
            self.config = Value::Object(all);
        }
        self.api = self.api.or(earlier.api);
        self.oauth = self.oauth.or(earlier.oauth);
        self.operations = self.operations.over(earlier.operations);
        self.source = self.source.or(earlier.source);
        self
    }
}

/// Adds a provider to a list in which each name stands once.
pub(crate) fn add_provider(list: &mut Vec<Provider>, provider: Provider) {
    match list.iter().position(|other| other.name == provider.name) {
        Some(index) => {
            let earlier = list.remove(index);
            list.insert(index, provider.over(earlier));
        }
        None => list.push(provider),
    }
}

/// Adds a server to a list in which each name stands once; a replaced one keeps its place.
pub(crate) fn add_mcp_server(list: &mut Vec<McpServer>, server: McpServer) {
    match list.iter_mut().find(|other| other.name == server.name) {
        Some(other) => *other = server,
        None => list.push(server),
    }
}

/// Adds a virtual model to a list in which each name stands once; a replaced one keeps its place.
pub(crate) fn add_virtual_model(list: &mut Vec<VirtualModel>, virtual_model: VirtualModel) {
    let name = |one: &VirtualModel| (one.model.provider.clone(), one.model.id.clone());
    match list.iter_mut().find(|other| name(other) == name(&virtual_model)) {
        Some(other) => *other = virtual_model,
        None => list.push(virtual_model),
    }
}

impl Name for Arc<dyn Tool> {
    fn name(&self) -> &str {
        &self.spec().name
    }
}

impl Name for Command {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Name for FlagSpec {
    fn name(&self) -> &str {
        &self.name
    }
}

/// Everything an extension has registered.
#[derive(Default)]
pub struct Registered {
    pub(crate) handlers: Vec<(EventId, Callable, Arc<str>)>,
    pub(crate) tools: Named<Arc<dyn Tool>>,
    pub(crate) tool_renderers: Vec<(String, ToolRenderers)>,
    pub(crate) commands: Named<Command>,
    pub(crate) shortcuts: Vec<Shortcut>,
    pub(crate) flags: Named<FlagSpec>,
    pub(crate) message_renderers: Vec<(String, Handle)>,
    pub(crate) entry_renderers: Named<(String, Handle)>,
    pub(crate) tool_resolvers: Vec<Handle>,
    pub(crate) markdown_transformers: Vec<MarkdownTransformer>,
    pub(crate) providers: Vec<Provider>,
    pub(crate) mcp_servers: Vec<McpServer>,
    pub(crate) virtual_models: Vec<VirtualModel>,
    pub(crate) tasks: Vec<Planned>,
    pub(crate) settings: Named<SettingSpec>,
    pub(crate) offers: Offers,
}

/// Takes what an extension registers. Nothing takes effect before the whole registration succeeded.
pub struct Registrar {
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) owner: Arc<Owner>,
    pub(crate) staged: Registered,
    /// What a handler was registered for that is nearly a gate.
    misspelt: Option<String>,
    committed: bool,
}

/// A registration that was given up leaves nothing behind.
impl Drop for Registrar {
    fn drop(&mut self) {
        // Registrations that come late and are refused leave what is loaded alone.
        if !self.committed && !self.owner.is_loaded() {
            self.hooks.clear_away(&self.owner, Phase::Failed);
        }
    }
}

impl Registrar {
    pub(crate) fn new(hooks: &Arc<Hooks>, owner: Arc<Owner>) -> Self {
        let home: Weak<Hooks> = Arc::downgrade(hooks);
        owner.join(home);
        Self { hooks: Arc::clone(hooks), owner, staged: Registered::default(), misspelt: None, committed: false }
    }

    /// Makes everything that was registered take effect.
    ///
    /// # Errors
    /// When a tool has no usable schema, or a handler is for an event that is nearly a gate; then nothing takes effect.
    pub fn commit(mut self) -> Result<Arc<Owner>, HandlerError> {
        self.check_events()?;
        self.staged.tools.iter().try_for_each(|tool| crate::registry::check_tool(&self.owner, &**tool))?;
        self.committed = true;
        self.hooks.commit(&self.owner, std::mem::take(&mut self.staged));
        Ok(Arc::clone(&self.owner))
    }

    /// Adds everything to an extension that is loaded already: registrations that came after its start.
    ///
    /// # Errors
    /// As [`Registrar::commit`], and when the extension is not loaded; then nothing is added.
    pub fn commit_late(mut self) -> Result<(), HandlerError> {
        self.committed = true;
        self.check_events()?;
        self.staged.tools.iter().try_for_each(|tool| crate::registry::check_tool(&self.owner, &**tool))?;
        Ok(self.hooks.amend(&self.owner, std::mem::take(&mut self.staged))?)
    }

    /// Whether the session is a child of another one. Of a child in a process of its own this is known to extensions that the
    /// user can switch, and not yet to those that the program always brings.
    pub fn is_of_child(&self) -> bool {
        self.hooks.is_of_child()
    }

    fn check_events(&self) -> Result<(), HandlerError> {
        self.misspelt.as_deref().and_then(misspelt_gate).map_or(Ok(()), Err)
    }

    /// The value of a flag that was registered already: what the command line said when it is known by now, else the
    /// default.
    pub fn flag_value(&self, name: &str) -> Option<FlagValue> {
        let flag = self.staged.flags.iter().find(|flag| flag.name == name)?;
        self.hooks.given_flag(name).or_else(|| flag.default.clone())
    }

    /// What the extension can do later on.
    pub fn api(&self) -> Api {
        Api::new(&self.hooks, &self.owner)
    }

    /// Handles an event: `registrar.on::<ToolCall>(|event, ctx| async move { … })`.
    #[track_caller]
    pub fn on<E: Event>(&mut self, handler: impl Handler<E>) -> &mut Self {
        self.staged.handlers.push((E::ID, Callable::Local(Arc::new(Typed::<E, _>::new(handler))), caller()));
        self
    }

    /// As [`Registrar::on`], for a handler that only listens while `wanted` says so: at other times nothing calls or traces it,
    /// and the event costs what it costs without it. `wanted` is asked before each event and must not wait.
    ///
    /// # Errors
    /// When the event is a gate, which has to be guarded at all times.
    #[track_caller]
    pub fn on_while<E: Event>(
        &mut self,
        wanted: impl Fn() -> bool + Send + Sync + 'static,
        handler: impl Handler<E>,
    ) -> Result<&mut Self, HandlerError> {
        if Hooks::gates().any(|gate| gate == E::ID) {
            let name = E::ID.row().name;
            return Err(HandlerError::msg(format!("a handler of {name} has to listen at all times: use `on`")));
        }
        let handler = Sleeper { handler: Typed::<E, _>::new(handler), wanted };
        self.staged.handlers.push((E::ID, Callable::Local(Arc::new(handler)), caller()));
        Ok(self)
    }

    /// Handles an event by the name it has in the extension's dialect, with JSON in and out; the payload has that name as
    /// `type`. A handler of a name that no event has is never called, and reported unless the dialect takes any name. When it
    /// is nearly the name of a gate, the registration fails.
    #[track_caller]
    pub fn on_json<F, Fut>(&mut self, event: &str, handler: F) -> &mut Self
    where
        F: Fn(Value, Ctx) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<Value>, HandlerError>> + Send + 'static,
    {
        match (self.owner.dialect.event)(event) {
            Some(id) => {
                let handler = Callable::Local(Arc::new(Dynamic { event: id, call: handler }));
                self.staged.handlers.push((id, handler, caller()));
            }
            None if self.owner.dialect.any_event => {}
            None if misspelt_gate(event).is_some() => self.misspelt = Some(event.to_owned()),
            None => self.hooks.dispatcher.reports.send(&Report {
                extension: Arc::clone(&self.owner.path),
                event: event.to_owned(),
                kind: ReportKind::UnknownName {
                    what: "event",
                    name: event.to_owned(),
                    nearest: crate::table::nearest(event, TABLE.iter().map(|row| row.name)).map(str::to_owned),
                },
                location: Some(caller().to_string()),
                failures: self.owner.dialect.failures,
            }),
        }
        self
    }

    /// Handles an event with a handler made elsewhere; `location` is where it was registered, as `file:line`.
    pub fn add_handler(&mut self, event: EventId, handler: Callable, location: Arc<str>) -> &mut Self {
        self.staged.handlers.push((event, handler, location));
        self
    }

    /// Offers the model a tool. A tool of the name of a built-in one takes its place.
    pub fn tool<F, Fut>(&mut self, spec: ToolSpec, execute: F) -> &mut Self
    where
        F: Fn(Invocation, Ctx) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ToolOutput, ToolFailure>> + Send + 'static,
    {
        let api = self.api();
        let execute = Box::new(move |invocation, ctx| -> BoxFuture<_> { Box::pin(execute(invocation, ctx)) });
        self.add_tool(Arc::new(ExtensionTool { spec, api, execute }))
    }

    /// Offers the model a tool that needs no context.
    pub fn add_tool(&mut self, tool: Arc<dyn Tool>) -> &mut Self {
        self.staged.tools.put(tool);
        self
    }

    /// Says how a tool's calls and results are shown.
    pub fn tool_renderers(&mut self, tool: &str, renderers: ToolRenderers) -> &mut Self {
        self.staged.tool_renderers.push((tool.to_owned(), renderers));
        self
    }

    /// Adds a slash command; the handler gets the text after the name.
    pub fn command<F, Fut>(&mut self, name: &str, description: &str, handler: F) -> &mut Self
    where
        F: Fn(String, Ctx) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        self.add_command(Command {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            handler: Arc::new(move |args, ctx| Box::pin(handler(args, ctx))),
            completer: None,
        })
    }

    /// Adds a slash command; the last one of a name within an extension wins.
    pub fn add_command(&mut self, command: Command) -> &mut Self {
        self.staged.commands.put(command);
        self
    }

    /// Adds a keyboard shortcut.
    pub fn shortcut<F, Fut>(&mut self, key: &str, description: &str, handler: F) -> &mut Self
    where
        F: Fn(Ctx) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        self.staged.shortcuts.push(Shortcut {
            key: key.to_lowercase(),
            description: Some(description.to_owned()),
            handler: Arc::new(move |ctx| Box::pin(handler(ctx))),
        });
        self
    }

    /// Adds a command-line flag.
    ///
    /// # Errors
    /// When the default is not of the flag's type.
    pub fn flag(&mut self, flag: FlagSpec) -> Result<&mut Self, HandlerError> {
        if let Some(default) = &flag.default
            && default.kind() != flag.kind
        {
            let name = |kind| match kind {
                FlagKind::Boolean => "boolean",
                FlagKind::String => "string",
            };
            return Err(HandlerError::msg(format!(
                "Invalid default for flag \"{}\": expected {}, got {}",
                flag.name,
                name(flag.kind),
                name(default.kind())
            )));
        }
        self.staged.flags.put(flag);
        Ok(self)
    }

    /// Says how messages of a kind are shown.
    pub fn message_renderer(&mut self, custom_type: &str, renderer: Handle) -> &mut Self {
        self.staged.message_renderers.push((custom_type.to_owned(), renderer));
        self
    }

    /// Says how entries of a kind are shown; the last one of a kind within an extension wins.
    pub fn entry_renderer(&mut self, custom_type: &str, renderer: Handle) -> &mut Self {
        self.staged.entry_renderers.put((custom_type.to_owned(), renderer));
        self
    }

    /// Chooses how tools are shown, also those of others: gets a tool's name and what the next one would choose, or the
    /// tool itself. Several work in load order.
    pub fn tool_resolver(&mut self, resolver: Handle) -> &mut Self {
        self.staged.tool_resolvers.push(resolver);
        self
    }

    /// Changes Markdown before it is shown; transformers work one after another.
    pub fn markdown_transformer(&mut self, transformer: MarkdownTransformer) -> &mut Self {
        self.staged.markdown_transformers.push(transformer);
        self
    }

    /// Adds a keyboard shortcut made elsewhere.
    pub fn add_shortcut(&mut self, shortcut: Shortcut) -> &mut Self {
        self.staged.shortcuts.push(shortcut);
        self
    }

    /// Adds a model provider. What one of that name was given before by this extension and is not given now stays.
    pub fn provider(&mut self, provider: Provider) -> &mut Self {
        add_provider(&mut self.staged.providers, provider);
        self
    }

    /// Takes a model provider back that was added before.
    pub fn remove_provider(&mut self, name: &str) -> &mut Self {
        self.staged.providers.retain(|other| other.name != name);
        self
    }

    /// Registers an MCP server; an earlier one of this extension with the same name is replaced.
    ///
    /// # Errors
    /// When the entry is not usable, or another extension has the name or one that differs only in `-` and `_`.
    pub fn mcp_server(&mut self, name: &str, config: Value) -> Result<&mut Self, McpRegistrationError> {
        let server = McpServer::new(name, config, &self.owner.path)?;
        let staged = self.staged.mcp_servers.iter();
        staged.chain(&self.hooks.mcp_servers()).try_for_each(|other| server.check_beside(other))?;
        add_mcp_server(&mut self.staged.mcp_servers, server);
        Ok(self)
    }

    /// Adds a model for which this extension chooses, request by request, the one that answers. An earlier one of this
    /// extension with the same name is replaced.
    pub fn virtual_model(&mut self, virtual_model: VirtualModel) -> &mut Self {
        add_virtual_model(&mut self.staged.virtual_models, virtual_model);
        self
    }

    /// Takes a virtual model back that was added before.
    pub fn remove_virtual_model(&mut self, provider: &str, id: &str) -> &mut Self {
        self.staged.virtual_models.retain(|other| other.model.provider != provider || other.model.id != id);
        self
    }

    /// The MCP servers registered so far.
    pub fn mcp_servers(&self) -> &[McpServer] {
        &self.staged.mcp_servers
    }

    /// Takes an MCP server back that was registered before.
    pub fn remove_mcp_server(&mut self, name: &str) -> &mut Self {
        self.staged.mcp_servers.retain(|other| other.name != name);
        self
    }
}

type Execute = dyn Fn(Invocation, Ctx) -> BoxFuture<Result<ToolOutput, ToolFailure>> + Send + Sync;

struct ExtensionTool {
    spec: ToolSpec,
    api: Api,
    execute: Box<Execute>,
}

#[async_trait]
impl Tool for ExtensionTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, invocation: Invocation) -> Result<ToolOutput, ToolFailure> {
        let ctx = self.api.tool_ctx(&invocation).map_err(ToolFailure::new)?;
        (self.execute)(invocation, ctx).await
    }
}
