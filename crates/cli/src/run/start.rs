//! Start-up, in the order in which one step needs the other, and the end.

use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;

use tau_agent::settings::{Environment, SettingsStore, TraceTarget};
use tau_agent::trust::{DefaultTrust, TrustQuestion, Verdict};
use tau_agent::{AgentSession, Prompt, SessionOptions, session_directory};
use tau_ai::ImageBlock;
use tau_hooks::payload::SessionShutdownReason;
use tau_hooks::{Extension, FlagKind, FlagValue, Hooks, LoadError, Mode};

use super::signals::Signalled;
use super::{diagnostics, json, models, print, resources, sessions};
use crate::args::{self, Cli, ExtensionFlag, FileContent, Parsed, initial_prompts, process_file_args};

/// Everything between the first pass over the arguments and the exit code.
pub(super) async fn start(parsed: Parsed, extensions: Vec<Box<dyn Extension>>) -> ExitCode {
    match try_start(parsed, extensions).await {
        Ok(code) | Err(code) => code,
    }
}

async fn try_start(parsed: Parsed, extensions: Vec<Box<dyn Extension>>) -> Result<ExitCode, ExitCode> {
    let env = Environment::from_process()
        .map_err(|error| diagnostics::fail(&format!("the working directory cannot be used: {error}")))?;
    let hooks = Hooks::new();
    hooks.dispatcher.reports.listen(diagnostics::report);
    let failures = load(&hooks, &extensions);
    let cli = super::finish(parsed, &flags(&hooks))?;
    hooks.set_flags(cli.extension_flags.iter().map(|(name, value)| (name.clone(), to_hooks(value))).collect());
    let settings = settings(&cli, &env);
    let snapshot = settings.snapshot();
    hooks.require(&snapshot.tau().required, &failures);
    trace(&cli, &env, &hooks, &snapshot.tau().trace);
    let registry = models::registry(&cli.args, &env, &hooks);
    if let Some(list) = &cli.args.list_models {
        return Ok(super::say(&models::list(list, &registry)));
    }
    let prompts = prompts(&cli, &env)?;
    let choice = models::chosen(&cli.args, &env, &registry).map_err(|error| diagnostics::fail(&error))?;
    let mode = super::mode_of(&cli);
    let wanted = match sessions::asks_extensions(&cli.args) {
        true => session_directory(&hooks, &env, mode).await.map_err(|error| diagnostics::fail(&error.to_string()))?,
        false => None,
    };
    let dir = sessions::directory(&cli.args, &env, &snapshot, wanted);
    let session = sessions::open(&cli.args, &env, &dir).map_err(|error| diagnostics::fail(&error.to_string()))?;
    for problem in session.problems() {
        let file = session.file().map(|file| file.display().to_string()).unwrap_or_default();
        diagnostics::warning(&format!("{file}: {problem}"));
    }
    let known = session.context().model.and_then(|choice| registry.find(&choice.provider, &choice.model_id));
    let options = SessionOptions {
        env,
        mode,
        settings,
        hooks,
        model: choice.model.or(known).or_else(|| models::standard(&cli.args, &snapshot, &registry)),
        models: registry,
        session,
        thinking: choice.thinking,
        tools: resources::tool_choice(&cli.args),
        resources: resources::load_options(&cli.args),
        name: cli.args.name.clone(),
        temp_dir: None,
    };
    let signalled = Signalled::watch().map_err(|error| diagnostics::fail(&error.to_string()))?;
    // From here on extensions may hold something that `session_shutdown` has to release.
    let mut begun = None;
    let begin = |session: &Arc<AgentSession>| {
        begun = Some(Arc::clone(session));
        if mode == Mode::Json {
            json::begin(session);
        }
    };
    let started = signalled.unless(AgentSession::start_with(options, begin)).await;
    let (session, code) = match (started, begun) {
        (Some(Err(error)), _) => return Err(diagnostics::fail(&error.to_string())),
        (Some(Ok(session)), _) => {
            let code = match mode {
                Mode::Json => json::json(&session, prompts, &signalled).await,
                _ => print::print(&session, prompts, &signalled).await,
            };
            (session, code)
        }
        (None, Some(session)) => (session, ExitCode::FAILURE),
        (None, None) => return Err(signalled.code().unwrap_or(ExitCode::FAILURE)),
    };
    session.shut_down(SessionShutdownReason::Quit).await;
    Ok(signalled.code().unwrap_or(code))
}

fn load(hooks: &Arc<Hooks>, extensions: &[Box<dyn Extension>]) -> Vec<LoadError> {
    extensions.iter().filter_map(|extension| hooks.load(&**extension).err()).collect()
}

fn flags(hooks: &Hooks) -> Vec<ExtensionFlag> {
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

fn to_hooks(value: &args::FlagValue) -> FlagValue {
    match value {
        args::FlagValue::Boolean(value) => FlagValue::Boolean(*value),
        args::FlagValue::String(value) => FlagValue::String(value.clone()),
    }
}

/// The settings, with those of the project when it is trusted. What is wrong with them goes to standard error.
fn settings(cli: &Cli, env: &Environment) -> Arc<SettingsStore> {
    let store = SettingsStore::open(env, false);
    let question = TrustQuestion::new(env, cli.args.trust);
    let default = DefaultTrust::from_settings(&store.snapshot());
    if let Verdict::Decided(decision) = question.decide(None, default, false) {
        if let Some(notice) = decision.notice() {
            diagnostics::warning(&notice);
        }
        store.reload(decision.trusted);
    }
    let settings = store.snapshot();
    for error in settings.errors() {
        diagnostics::warning(&error.to_string());
    }
    for ignored in settings.ignored() {
        diagnostics::warning(&format!("project setting `{}` ignored: {}", ignored.key, ignored.reason));
    }
    for wrong in settings.wrong_types() {
        diagnostics::warning(&wrong.to_string());
    }
    Arc::new(store)
}

fn trace(cli: &Cli, env: &Environment, hooks: &Hooks, target: &TraceTarget) {
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
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| diagnostics::fail(&format!("standard input cannot be read: {error}")))?;
        piped = String::from_utf8_lossy(&bytes).into_owned();
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
            "nothing to do: give a prompt, for example `tau -p \"What is in this directory?\"`, or see `tau --help`",
        ));
    }
    Ok(prompts)
}

/// What an attached file is to a model: a picture, made small enough, or text.
fn attach(bytes: &[u8]) -> FileContent {
    let Some(mime_type) = tau_tools::image::sniff_image(bytes) else { return FileContent::Text };
    match tau_tools::image::prepare_image(bytes.to_vec(), mime_type, Some(tau_tools::image::ResizeLimits::default())) {
        Ok(image) => FileContent::Image {
            block: ImageBlock { data: image.data, mime_type: image.mime_type, extra: tau_ai::JsonMap::new() },
            notes: image.notes,
        },
        Err(why) => FileContent::Omitted(why),
    }
}
