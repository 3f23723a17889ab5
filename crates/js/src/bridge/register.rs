//! What extensions register: handlers, tools, commands, shortcuts, flags, renderers, providers.

use std::sync::Arc;

use rquickjs::{Ctx, Function, IntoJs, Object, Value};
use tau_ai::{MAX_MODELS, ProviderConfig};
use tau_hooks::dialect::ClosedDialog;
use tau_hooks::events::TABLE;
use tau_hooks::table::{misspelt_gate, nearest};
use tau_hooks::{
    Callable, Command, FlagSpec, FlagValue, HandlerError, InARow, MarkdownKind, MarkdownTransformer, Provider,
    Registrar, Report, ReportKind, Shortcut, ToolRenderers,
};

use super::events::JsHandler;
use super::extract::Caller;
use super::model_source::JsModelSource;
use super::mount::{JsRenderer, JsToolResolver, Kind, completer};
use super::oauth::JsOAuth;
use super::tools::{JsTool, ToolFunctions};
use super::{Bridge, Extension, tool_spec};
use crate::engine::Frame;
use crate::ops::table::ops;
use crate::ops::{Account, Json, OpError};

ops! {
    /// What extensions register.
    pub(crate) static OPS: always;

    /// Notes where the factory of an extension is.
    fn extFactory(id, factory) = ext_factory, Pure;
    /// The rules of the dialect of an extension that scripts follow.
    fn extDialect(id) -> "Dialect" = ext_dialect, Pure;
    /// Registers a handler; gives its number.
    fn extOn(id, event, callback, stack) = ext_on, Pure;
    /// Registers a tool.
    fn extTool(id, spec, functions: "ToolFunctions", stack) = ext_tool, Pure;
    /// Registers a command.
    fn extCommand(id, name, spec: "{ description?: unknown; handler: number; complete?: number }", stack) = ext_command, Pure;
    /// Registers a shortcut.
    fn extShortcut(id, key, description, callback) = ext_shortcut, Pure;
    /// Registers a flag.
    fn extFlag(id, spec) = ext_flag, Pure;
    /// The value of a flag.
    fn extGetFlag(id, name) -> "boolean | string | undefined" = ext_get_flag, Recorded;
    /// Registers a renderer of messages.
    fn extMessageRenderer(id, customType, callback) = ext_message_renderer, Pure;
    /// Registers a renderer of entries.
    fn extEntryRenderer(id, customType, callback) = ext_entry_renderer, Pure;
    /// Registers a transformer of Markdown.
    fn extMarkdownTransformer(id, callback, kinds) = ext_markdown_transformer, Pure;
    /// Registers a function that renders tools of any name.
    fn extToolResolver(id, callback) = ext_tool_resolver, Pure;
    /// Registers a provider of models.
    fn extProvider(id, name, config, stream, oauth, source) = ext_provider, Pure;
    /// A provider cannot be registered: throws why, or tells the user while the extension loads.
    fn extProviderRefused(id, why) = ext_provider_refused, Pure;
    /// Most models of one provider.
    fn extMostModels() = ext_most_models, Pure;
    /// Removes a provider.
    fn extUnregisterProvider(id, name) = ext_unregister_provider, Pure;
}

/// Lets an extension register something, while it loads and afterwards.
pub(super) fn register<'js>(
    ctx: &Ctx<'js>,
    extension: &Extension,
    add: impl FnOnce(&mut Registrar) -> Result<(), HandlerError>,
) -> rquickjs::Result<()> {
    let done = if let Some(registrar) = &mut *extension.registrar.borrow_mut() {
        add(registrar)
    } else {
        match extension.hooks() {
            Ok(hooks) => {
                let mut late = hooks.registrar(Arc::clone(&extension.owner));
                add(&mut late).and_then(|()| late.commit_late())
            }
            Err(error) => Err(error.into()),
        }
    };
    done.map_err(|error| OpError::message(error.to_string()).throw(ctx))
}

impl Bridge {
    /// The innermost place of the extension's own code in a stack.
    fn location(&self, stack: &str, extension: &Extension) -> Arc<str> {
        let core = self.core.borrow().upgrade();
        let frames = Frame::parse(stack);
        let own =
            frames.iter().find(|frame| core.as_ref().is_some_and(|core| core.loader().owner_of(&frame.file).is_some()));
        own.map_or_else(|| Arc::clone(&extension.owner.path), |frame| frame.to_string().into())
    }
}

fn ext_factory<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, extension, .. }: Caller,
    factory: Object<'js>,
) -> rquickjs::Result<()> {
    let number = |name: &str| factory.get::<_, Option<u32>>(name).ok().flatten();
    let file = factory.get::<_, Option<String>>("fileName").ok().flatten();
    if let (Some(file), Some(line)) = (file, number("lineNumber")) {
        let column = number("columnNumber").unwrap_or(1);
        let (line, column) = bridge.core(&ctx)?.loader().original(&file, line, column);
        *extension.place.lock() = Some(format!("{file}:{line}:{column}"));
    }
    Ok(())
}

fn ext_dialect<'js>(ctx: Ctx<'js>, Caller { bridge, extension, .. }: Caller) -> rquickjs::Result<Value<'js>> {
    let dialect = extension.owner.dialect;
    let rules = serde_json::json!({
        "defaultOnly": dialect.default_export_only,
        "noFactory": dialect.script.no_factory.replace("{path}", &extension.owner.path),
        "keybindingsIfAsked": dialect.keybindings_if_asked,
        "tellsKilled": dialect.script.tells_killed,
        "bun": dialect.script.bun,
        "mentioned": bridge.core(&ctx)?.loader().evidence(&extension.owner.path).words,
    });
    let rules = crate::convert::to_js(&ctx, &rules)?;
    if let (ClosedDialog::Null, Some(rules)) = (dialect.closed_dialog, rules.as_object()) {
        rules.set("closed", Value::new_null(ctx.clone()))?;
    }
    Ok(rules)
}

fn ext_on<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    event: String,
    function: Function<'js>,
    stack: String,
) -> rquickjs::Result<Option<u32>> {
    let location = bridge.location(&stack, &extension);
    let dialect = extension.owner.dialect;
    let Some(event) = (dialect.event)(&event) else {
        if dialect.any_event {
            return Ok(None);
        }
        if let Some(error) = misspelt_gate(&event) {
            return Err(OpError::message(error.to_string()).throw(&ctx));
        }
        extension.report(&Report {
            extension: Arc::clone(&extension.owner.path),
            event: event.clone(),
            kind: ReportKind::UnknownName {
                what: "event",
                nearest: nearest(&event, TABLE.iter().map(|row| row.name)).map(str::to_owned),
                name: event,
            },
            location: Some(location.to_string()),
            failures: extension.owner.dialect.failures,
        });
        return Ok(None);
    };
    let (engine, modules) = (bridge.engine.clone(), bridge.modules(id));
    let handler = bridge
        .functions()
        .keep(&ctx, function, |number| JsHandler::new(event, engine, modules, number, Arc::clone(&location)));
    let number = handler.number;
    register(&ctx, &extension, |registrar| {
        registrar.add_handler(event, Callable::Remote(handler), location);
        Ok(())
    })?;
    Ok(Some(number))
}

fn ext_tool<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    spec: Json,
    functions: Json,
    stack: String,
) -> rquickjs::Result<()> {
    let location = bridge.location(&stack, &extension);
    if !spec.0["parameters"].is_object() {
        let (name, path) = (spec.0["name"].as_str().unwrap_or_default(), &extension.owner.path);
        let what = "must define an object parameter schema.";
        return Err(OpError::message(format!("Tool \"{name}\" registered by extension \"{path}\" {what}")).throw(&ctx));
    }
    bridge.count(&ctx, &extension, "tool", spec.0["name"].as_str().unwrap_or_default())?;
    let spec = tool_spec::read(spec.0, &extension, &location)
        .map_err(|error| OpError::message(format!("the tool's definition: {error}")).throw(&ctx))?;
    let function = |name: &str| {
        let number = functions.0[name].as_u64().and_then(|number| u32::try_from(number).ok())?;
        Some(bridge.callback(id, number, Some(Arc::clone(&location))))
    };
    let Some(execute) = function("execute") else {
        return Err(OpError::message(format!("Tool \"{}\" has no execute function", spec.name)).throw(&ctx));
    };
    let renderer = |name: &str, kind| function(name).map(|function| JsRenderer::handle(function, kind));
    let renderers =
        ToolRenderers { call: renderer("renderCall", Kind::Call), result: renderer("renderResult", Kind::Result) };
    let name = spec.name.clone();
    let functions =
        ToolFunctions { execute, prepare: function("prepareArguments"), loadout: function("prepareLoadout") };
    let tool = Arc::new(JsTool::new(spec, functions, extension.api.clone()));
    let loading = extension.is_loading();
    register(&ctx, &extension, |registrar| {
        registrar.add_tool(tool);
        if renderers.call.is_some() || renderers.result.is_some() {
            registrar.tool_renderers(&name, renderers);
        }
        Ok(())
    })?;
    if !loading && let Ok(host) = extension.api.host() {
        host.tools_changed();
    }
    Ok(())
}

fn ext_command<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    name: String,
    spec: Json,
    stack: String,
) -> rquickjs::Result<()> {
    let location = bridge.location(&stack, &extension);
    let function = |name: &str| {
        let number = spec.0[name].as_u64().and_then(|number| u32::try_from(number).ok())?;
        Some(bridge.callback(id, number, Some(Arc::clone(&location))))
    };
    let Some(run) = function("handler") else {
        return Err(OpError::message(format!("command \"{name}\" has no handler")).throw(&ctx));
    };
    bridge.count(&ctx, &extension, "command", &name)?;
    let handler = move |args: String, hook: tau_hooks::Ctx| -> tau_hooks::BoxFuture<Result<(), HandlerError>> {
        let run = Arc::clone(&run);
        Box::pin(async move { run.call_with_context(hook, vec![args.into()]).await })
    };
    let completer = function("complete").map(completer);
    let command = Command {
        name,
        description: spec.0["description"].as_str().map(str::to_owned),
        handler: Arc::new(handler),
        completer,
    };
    register(&ctx, &extension, |registrar| {
        registrar.add_command(command);
        Ok(())
    })
}

fn ext_shortcut<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    key: String,
    description: Option<String>,
    function: u32,
) -> rquickjs::Result<()> {
    let run = bridge.callback(id, function, None);
    Account::add_argument(&ctx, description.as_ref().map_or(0, String::len));
    bridge.count(&ctx, &extension, "shortcut", &key)?;
    let handler = move |hook: tau_hooks::Ctx| -> tau_hooks::BoxFuture<Result<(), HandlerError>> {
        let run = Arc::clone(&run);
        Box::pin(async move { run.call_with_context(hook, Vec::new()).await })
    };
    let shortcut = Shortcut { key: key.to_lowercase(), description, handler: Arc::new(handler) };
    register(&ctx, &extension, |registrar| {
        registrar.add_shortcut(shortcut);
        Ok(())
    })
}

fn ext_flag<'js>(ctx: Ctx<'js>, Caller { bridge, extension, .. }: Caller, spec: Json) -> rquickjs::Result<()> {
    let mut spec = spec.0;
    bridge.count(&ctx, &extension, "flag", spec["name"].as_str().unwrap_or_default())?;
    // A default of the wrong type is told by the registrar in the documented words.
    let flag: FlagSpec = serde_json::from_value(spec.take())
        .map_err(|error| OpError::message(format!("the flag's definition: {error}")).throw(&ctx))?;
    register(&ctx, &extension, |registrar| registrar.flag(flag).map(|_| ()))
}

fn ext_get_flag<'js>(ctx: Ctx<'js>, Caller { extension, .. }: Caller, name: String) -> rquickjs::Result<Value<'js>> {
    let value = match &*extension.registrar.borrow() {
        Some(registrar) => registrar.flag_value(&name),
        None => extension.api.flag(&name),
    };
    match value {
        Some(FlagValue::Boolean(value)) => value.into_js(&ctx),
        Some(FlagValue::String(value)) => value.into_js(&ctx),
        None => Ok(Value::new_undefined(ctx)),
    }
}

fn ext_message_renderer<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    custom_type: String,
    function: u32,
) -> rquickjs::Result<()> {
    let handle = JsRenderer::handle(bridge.callback(id, function, None), Kind::Message);
    bridge.count(&ctx, &extension, "message renderer", &custom_type)?;
    register(&ctx, &extension, |registrar| {
        registrar.message_renderer(&custom_type, handle);
        Ok(())
    })
}

fn ext_entry_renderer<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    custom_type: String,
    function: u32,
) -> rquickjs::Result<()> {
    let handle = JsRenderer::handle(bridge.callback(id, function, None), Kind::Entry);
    bridge.count(&ctx, &extension, "entry renderer", &custom_type)?;
    register(&ctx, &extension, |registrar| {
        registrar.entry_renderer(&custom_type, handle);
        Ok(())
    })
}

fn ext_markdown_transformer<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    function: u32,
    kinds: Json,
) -> rquickjs::Result<()> {
    let handle = JsRenderer::handle(bridge.callback(id, function, None), Kind::Markdown);
    // Later versions may draw Markdown in more places.
    let known = |kind: &serde_json::Value| serde_json::from_value::<MarkdownKind>(kind.clone()).ok();
    let given = kinds.0.as_array().map(|kinds| kinds.iter().filter_map(known).collect());
    let kinds = given.unwrap_or_else(|| MarkdownKind::USUAL.to_vec());
    register(&ctx, &extension, |registrar| {
        registrar.markdown_transformer(MarkdownTransformer { handle, kinds, failures: InARow::default() });
        Ok(())
    })
}

fn ext_tool_resolver<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    function: u32,
) -> rquickjs::Result<()> {
    let handle = JsToolResolver::handle(bridge.callback(id, function, None));
    register(&ctx, &extension, |registrar| {
        registrar.tool_resolver(handle);
        Ok(())
    })
}

fn ext_provider<'js>(
    ctx: Ctx<'js>,
    Caller { bridge, id, extension, .. }: Caller,
    name: String,
    config: Json,
    stream: Option<u32>,
    oauth: Option<Object<'js>>,
    source: Option<u32>,
) -> rquickjs::Result<()> {
    let api = stream.map(|function| {
        super::models::stream_api(bridge.callback(id, function, None), &name, Arc::clone(&extension.owner.path))
    });
    let loading = extension.is_loading();
    // Problems while the extension loads are reported later, when all providers are there.
    if !loading && let Some(registry) = extension.api.host().ok().and_then(|host| host.models()) {
        let checked = ProviderConfig::read(&name, &config.0);
        let checked = checked.and_then(|config| registry.check_provider(&name, config));
        checked.map_err(|error| OpError::message(error.to_string()).throw(&ctx))?;
    }
    let owner = || Arc::clone(&extension.owner.path);
    bridge.count(&ctx, &extension, "provider", &name)?;
    let oauth = oauth.map(|given| JsOAuth::read(&bridge, owner(), id, &given)).transpose()?;
    let operations = tau_ai::Operations::default();
    let source = source.map(|function| {
        Arc::new(JsModelSource(bridge.callback(id, function, None))) as Arc<dyn tau_hooks::ModelSource>
    });
    let provider = Provider { name, config: config.0, api, oauth, operations, source };
    register(&ctx, &extension, |registrar| {
        registrar.provider(provider);
        Ok(())
    })?;
    if !loading && let Ok(host) = extension.api.host() {
        host.providers_changed();
    }
    Ok(())
}

fn ext_provider_refused(ctx: Ctx<'_>, Caller { extension, .. }: Caller, why: String) -> rquickjs::Result<()> {
    if !extension.is_loading() {
        return Err(OpError::message(why).throw(&ctx));
    }
    extension.report(&Report::diagnostic(Arc::clone(&extension.owner.path), "load", why));
    Ok(())
}

fn ext_most_models() -> f64 {
    MAX_MODELS as f64
}

fn ext_unregister_provider(Caller { bridge, extension, .. }: Caller, name: String) -> rquickjs::Result<()> {
    bridge.forget(&extension, "provider", &name);
    if let Some(registrar) = &mut *extension.registrar.borrow_mut() {
        registrar.remove_provider(&name);
        return Ok(());
    }
    if let Ok(hooks) = extension.hooks() {
        hooks.remove_provider(&name);
    }
    if let Ok(host) = extension.api.host() {
        host.providers_changed();
    }
    Ok(())
}
