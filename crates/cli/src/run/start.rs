//! Start-up, in the order in which one step needs the other, and the end.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tau_agent::extensions::{DiscoveryOptions, Extensions, LoadRecord, ScriptHost};
use tau_agent::settings::{Environment, Settings, SettingsStore, TraceTarget};
use tau_agent::trust::Decision;
use tau_agent::{AgentSession, Prompt, SessionOptions, session_directory};
use tau_ai::ImageBlock;
use tau_hooks::payload::SessionShutdownReason;
use tau_hooks::{Extension, FlagKind, FlagValue, Hooks, LoadError, Mode};
use tau_tools::image::{ImageError, ResizeLimits, prepare_image, sniff_image};

use super::Setup;
use super::signals::Signalled;
use super::{diagnostics, json, models, notices, output, print, resources, sessions};
use crate::args::{
    self, Args, Cli, ExtensionFlag, FileContent, MAX_ATTACHED, Parsed, initial_prompts, is_binary, process_file_args,
};
use crate::commands::packages;
use crate::rpc::{Partials, Rpc};

/// How long the end waits for whatever runs extensions.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// The exit code of a mode that did what it was to do.
pub(crate) const SUCCESS: u8 = 0;
/// The exit code of a mode that did not.
pub(crate) const FAILURE: u8 = 1;

/// Everything between the first pass over the arguments and the exit code.
///
/// `host` runs the scripts of `setup`, if it was started ahead.
pub(super) async fn start(
    parsed: Parsed,
    env: Environment,
    setup: Setup,
    host: Option<Arc<dyn ScriptHost>>,
) -> ExitCode {
    match try_start(parsed, env, setup, host).await {
        Ok(code) | Err(code) => code,
    }
}

async fn try_start(
    parsed: Parsed,
    env: Environment,
    setup: Setup,
    host: Option<Arc<dyn ScriptHost>>,
) -> Result<ExitCode, ExitCode> {
    let hooks = Hooks::new();
    hooks.dispatcher.reports.listen(diagnostics::report);
    let rpc = rpc(&parsed, &hooks)?;
    let failures = load(&hooks, &setup.extensions);
    let options = discovery(&parsed.args);
    let extensions = Extensions::new(env.clone(), Arc::clone(&hooks), options, setup.scripts, failures);
    let installer = packages::installer(packages::is_offline(parsed.args.offline, &env));
    let extensions = Arc::new(extensions.installing(installer));
    // What a start needs is large. In a box it is not moved, so it touches less of the stack.
    let done = Box::pin(with_extensions(parsed, env, Arc::clone(&hooks), &extensions, host, rpc.as_ref())).await;
    // However it ended: what extensions started must not outlive us. A session that got this far has done it already.
    extensions.shut_down(PATIENCE).await;
    if let Some(rpc) = rpc {
        rpc.finish().await;
    }
    done.map(|end| match end {
        End::Own(code) => ExitCode::from(hooks.exit.code(code)),
        End::Other(code) => code,
    })
}

/// How a session ended.
enum End {
    /// As far as tau is concerned, with this code; extensions may want another one.
    Own(u8),
    /// Not by itself.
    Other(ExitCode),
}

async fn with_extensions(
    parsed: Parsed,
    env: Environment,
    hooks: Arc<Hooks>,
    extensions: &Arc<Extensions>,
    host: Option<Arc<dyn ScriptHost>>,
    rpc: Option<&Rpc>,
) -> Result<End, ExitCode> {
    let mode = super::mode_of(&parsed.args);
    let settings = Arc::new(SettingsStore::open(&env, false));
    // Extensions need nothing of the models, and models of extensions come later: this thread reads them while an engine
    // loads.
    let (trust, registry) = tokio::join!(extensions.start(&settings, parsed.args.trust, mode), async {
        models::registry(&parsed.args, &env)
    });
    if let Some(host) = host {
        host.settle();
    }
    let trust = trust.map_err(|error| diagnostics::fail(&error.to_string()))?;
    let cli = super::finish(parsed, &flags(&hooks))?;
    hooks.set_flags(cli.extension_flags.iter().map(|(name, value)| (name.clone(), to_hooks(value))).collect());
    tell(&trust, &settings.snapshot());
    notices::tell(&cli.args, &env, trust.trusted);
    if cli.args.verbose {
        tell_loads(&extensions.loads());
    }
    let snapshot = settings.snapshot();
    trace(&cli, &env, &hooks, &snapshot.tau().trace);
    registry.connect_with(snapshot.http());
    extensions.register_providers(&registry);
    extensions.project_logins(&registry).await;
    models::warn_of_unknown_apis(&registry);
    if let Some(list) = &cli.args.list_models {
        if !registry.available().is_empty() {
            models::warn_of_unlisted(&registry);
        }
        return Ok(End::Other(super::say(&models::list(list, &registry))));
    }
    let prompts = if mode == Mode::Rpc { no_prompts(&cli)? } else { prompts(&cli, &env)? };
    let partials = partials(&cli.args);
    let choice = models::chosen(&cli.args, &env, &registry).map_err(|error| diagnostics::fail(&error))?;
    let wanted = match sessions::asks_extensions(&cli.args) {
        true => session_directory(&hooks, &env, mode, extensions.leftovers())
            .await
            .map_err(|error| diagnostics::fail(&error.to_string()))?,
        false => None,
    };
    let dir = sessions::directory(&cli.args, &env, &snapshot, wanted);
    let session = sessions::open(&cli.args, &env, &dir).map_err(|error| diagnostics::fail(&error.to_string()))?;
    let models::First { model, thinking, scoped_models, missing } =
        models::first(choice, &cli.args, &snapshot, &registry, &session);
    match missing {
        Some(missing) if mode == Mode::Rpc => diagnostics::warning(&missing.notice()),
        // Nobody is there to see that another model answers, at another price.
        Some(missing) => return Err(diagnostics::fail(&missing.refusal())),
        None => {}
    }
    let options = SessionOptions {
        env,
        mode,
        settings,
        hooks,
        extensions: Some(Arc::clone(extensions)),
        model,
        scoped_models,
        models: registry,
        session,
        thinking,
        tools: resources::tool_choice(&cli.args),
        resources: resources::load_options(&cli.args),
        name: cli.args.name.clone(),
        temp_dir: None,
        patterns: Some(Arc::new(tau_js::RuleEngine)),
    };
    let signalled = Signalled::watch().map_err(|error| diagnostics::fail(&error.to_string()))?;
    // From here on extensions may hold something that `session_shutdown` has to release.
    let mut begun = None;
    let begin = |session: &Arc<AgentSession>| {
        begun = Some(Arc::clone(session));
        match rpc {
            Some(rpc) => rpc.begin(session),
            None if mode == Mode::Json => json::begin(session, partials),
            None => {}
        }
    };
    let started = signalled.unless(Box::pin(AgentSession::start_with(options, begin))).await;
    // Before there is a session that could take its commands, the end of its input is all that a client says.
    let is_wanted = started.is_none() && rpc.is_some_and(Rpc::input_ended);
    let (session, code) = match (started, begun) {
        (Some(Err(error)), _) => return Err(diagnostics::fail(&error.to_string())),
        (Some(Ok(session)), _) => {
            let code = match rpc {
                Some(rpc) => rpc.run(&session, &signalled).await,
                None if mode == Mode::Json => json::json(&session, prompts, &signalled).await,
                None => print::print(&session, prompts, &signalled).await,
            };
            (session, code)
        }
        (None, Some(session)) => (session, FAILURE),
        (None, None) => return Err(signalled.code().unwrap_or(ExitCode::FAILURE)),
    };
    session.shut_down(SessionShutdownReason::Quit).await;
    let code = if output::has_failed() { FAILURE } else { code };
    let signal = signalled.code().filter(|_| !is_wanted && !rpc.is_some_and(Rpc::is_done));
    Ok(signal.map_or(End::Own(code), End::Other))
}

/// The client of RPC mode. From here on standard output is its alone.
fn rpc(parsed: &Parsed, hooks: &Arc<Hooks>) -> Result<Option<Rpc>, ExitCode> {
    let args = &parsed.args;
    if super::mode_of(args) != Mode::Rpc || args.help || args.list_models.is_some() {
        return Ok(None);
    }
    let opened = Rpc::open(hooks, partials(args));
    opened.map(Some).map_err(|error| diagnostics::fail(&format!("standard input and output cannot be used: {error}")))
}

fn partials(args: &Args) -> Partials {
    if args.cumulative_updates { Partials::Cumulative } else { Partials::Deltas }
}

/// In RPC mode prompts come from the client.
fn no_prompts(cli: &Cli) -> Result<Vec<Prompt>, ExitCode> {
    if !cli.files.is_empty() {
        return Err(diagnostics::fail("@file arguments are not supported in RPC mode"));
    }
    if !cli.messages.is_empty() {
        diagnostics::warning("prompts on the command line are not used in RPC mode");
    }
    Ok(Vec::new())
}

/// Loads what the program brings along; gives what failed.
pub(crate) fn load(hooks: &Arc<Hooks>, extensions: &[Box<dyn Extension>]) -> Vec<LoadError> {
    extensions.iter().filter_map(|extension| hooks.load(&**extension).err()).collect()
}

/// Where extensions are looked for.
pub(crate) fn discovery(args: &Args) -> DiscoveryOptions {
    DiscoveryOptions { paths: args.extensions.clone(), hooks: args.hooks.clone(), no_extensions: args.no_extensions }
}

pub(crate) fn flags(hooks: &Hooks) -> Vec<ExtensionFlag> {
    let flag = |spec: tau_hooks::FlagSpec| ExtensionFlag {
        name: spec.name,
        kind: match spec.kind {
            FlagKind::Boolean => args::FlagKind::Boolean,
            FlagKind::String => args::FlagKind::String,
        },
        default: spec.default.map(|value| match value {
            FlagValue::Boolean(value) => args::FlagValue::Boolean(value),
            FlagValue::String(value) => args::FlagValue::String(value),
        }),
        description: Some(spec.description).filter(|text| !text.is_empty()),
    };
    hooks.flag_specs().into_iter().map(|(_, spec)| flag(spec)).collect()
}

pub(crate) fn to_hooks(value: &args::FlagValue) -> FlagValue {
    match value {
        args::FlagValue::Boolean(value) => FlagValue::Boolean(*value),
        args::FlagValue::String(value) => FlagValue::String(value.clone()),
    }
}

/// Says what of the project was left out, and what is wrong with the settings.
pub(crate) fn tell(trust: &Decision, settings: &Settings) {
    if let Some(notice) = trust.notice() {
        diagnostics::warning(&notice);
    }
    if let Some(error) = &trust.not_saved {
        diagnostics::warning(&format!("the answer could not be kept: {error}"));
    }
    settings.problems().iter().for_each(|text| diagnostics::warning(text));
}

/// Says which extensions are there, and what each cost.
pub(crate) fn tell_loads(loads: &[LoadRecord]) {
    for load in loads.iter().filter(|load| load.error.is_none()) {
        let memory = load.memory_bytes.map(|bytes| format!(", {} KB", bytes.div_ceil(1024))).unwrap_or_default();
        let own = if load.extension.isolated { ", isolated" } else { "" };
        let (path, origin) = (load.extension.path.display(), load.extension.origin);
        let time = load.time.as_secs_f64() * 1000.0;
        diagnostics::line(&format!("Loaded extension {path} ({origin}{own}): {time:.1} ms{memory}"));
    }
}

pub(crate) fn trace(cli: &Cli, env: &Environment, hooks: &Hooks, target: &TraceTarget) {
    let path = match (&cli.args.trace, target) {
        (Some(path), _) => env.resolve(&path.to_string_lossy(), &env.cwd),
        (None, TraceTarget::File(path)) => path.clone(),
        (None, TraceTarget::Standard) => env.agent_dir().join("tau-trace.jsonl"),
        (None, TraceTarget::Off) => return,
    };
    if let Err(error) = hooks.dispatcher.trace.write_to(&path) {
        diagnostics::warning(&format!("{}: the trace cannot be written: {error}", path.display()));
    }
}

/// The prompts of the command line, with piped input and attached files in front of the first one.
fn prompts(cli: &Cli, env: &Environment) -> Result<Vec<Prompt>, ExitCode> {
    let attached = process_file_args(&cli.files, |path| env.resolve(path, &env.cwd), attach)
        .map_err(|error| diagnostics::fail(&error.to_string()))?;
    let mut piped = String::new();
    if !super::stdin_is_terminal() {
        let mut bytes = Vec::new();
        // A byte more than is allowed shows that there are too many.
        std::io::stdin()
            .take(MAX_ATTACHED + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| diagnostics::fail(&format!("standard input cannot be read: {error}")))?;
        if bytes.len() as u64 > MAX_ATTACHED {
            let most = MAX_ATTACHED >> 20;
            let message = format!("standard input has more than {most} MB, the most that can be part of a prompt");
            return Err(diagnostics::fail(&message));
        }
        if is_binary(&bytes) {
            let message =
                "standard input is binary, so it cannot be part of a prompt; name the file in the prompt instead";
            return Err(diagnostics::fail(message));
        }
        piped = String::from_utf8_lossy(&bytes).into_owned();
    }
    if let Some(why) = cli.args.unless_piped.as_ref().filter(|_| piped.trim().is_empty()) {
        return Err(diagnostics::fail(why));
    }
    let texts = initial_prompts(cli.messages.clone(), &attached.text, Some(&piped));
    let mut prompts: Vec<Prompt> = texts.into_iter().map(Prompt::new).collect();
    if !attached.images.is_empty() {
        match prompts.first_mut() {
            Some(first) => first.images = attached.images,
            None => prompts.push(Prompt { images: attached.images, ..Prompt::default() }),
        }
    }
    let asked = cli.args.print || cli.args.mode.is_some();
    if prompts.is_empty() && !asked {
        return Err(diagnostics::fail(
            "nothing to do: give a prompt, for example `tau -p \"What is in this directory?\"`, or see `tau --help`. tau has no \
             interactive view yet.",
        ));
    }
    Ok(prompts)
}

/// What an attached file is to a model: a picture, made small enough, or text. The user hears of a picture and of a binary
/// file that is left out.
fn attach(path: &Path, bytes: &[u8]) -> FileContent {
    let Some(mime_type) = sniff_image(bytes) else {
        let content = FileContent::of(bytes);
        if content != FileContent::Text {
            let path = path.display();
            diagnostics::warning(&format!(
                "{path}: the file is binary; the model gets its name and size, not its content"
            ));
        }
        return content;
    };
    match prepare_image(bytes.to_vec(), mime_type, Some(ResizeLimits::default())) {
        Ok(image) => FileContent::Image {
            block: ImageBlock { data: image.data, mime_type: image.mime_type, extra: tau_ai::JsonMap::new() },
            notes: image.notes,
        },
        Err(error) => {
            let note = error.note(path);
            let why = match &error {
                ImageError::TooLarge(why) => why.about(Some(path)),
                _ => format!("{}: {}", path.display(), note.trim_matches(['[', ']'])),
            };
            diagnostics::warning(&why);
            FileContent::Omitted(note)
        }
    }
}
