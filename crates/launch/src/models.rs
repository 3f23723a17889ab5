//! Models and credentials: files, environment, command line.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tau_agent::recorded_model;
use tau_agent::settings::{Environment, Origin, Settings, keys};
use tau_ai::scripted::{self, ScriptedApi};
use tau_ai::{Model, ModelProblem, ProviderConfig, ThinkingLevel};
use tau_ai::{ModelRegistry, ValueResolver};
use tau_hooks::ScopedModel;
use tau_session::Session;

use crate::args::Args;
use crate::voice::Voice;

/// How long a command that prints a key may take.
const COMMAND_PATIENCE: Duration = Duration::from_secs(10);

/// Looks up what `models.json` refers to.
struct Resolver {
    env: Environment,
}

impl ValueResolver for Resolver {
    fn env(&self, name: &str) -> Option<String> {
        self.env.var(name).map(str::to_owned)
    }

    fn command(&self, command: &str) -> Result<String, String> {
        // The user wrote this line for a shell, in a file that only the user can write.
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).current_dir(&self.env.cwd);
        let Some(done) = tau_sys::process::output_within(shell, COMMAND_PATIENCE).map_err(|error| error.to_string())?
        else {
            return Err(format!("it took longer than {} seconds", COMMAND_PATIENCE.as_secs()));
        };
        if !done.status.success() {
            return Err(format!("it ended with {}", done.status));
        }
        Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
    }

    fn file(&self, path: &str) -> Result<String, String> {
        let path = self.env.resolve(path, &self.env.cwd);
        tau_tools::read_small_text(&path).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Lists of models in the agent folder that are newer than the program's: that of the other program, and what
/// `tau models update` made.
const LISTS: [&str; 2] = ["models-store.json", "tau/catalogue.json"];

/// All models that can be chosen, but for those of extensions. The user is told what is wrong with the
/// files; the rest is usable.
pub fn registry(args: &Args, env: &Environment, voice: &Voice) -> Arc<ModelRegistry> {
    let registry = Arc::new(ModelRegistry::new(Arc::new(Resolver { env: env.clone() })));
    let dir = env.agent_dir();
    for file in LISTS {
        if let Some(text) = read(&dir.join(file), voice)
            && let Err(error) = registry.load_model_lists(file, &text)
        {
            voice.warning(format!("{}: {error}; its models are not used", dir.display()));
        }
    }
    if let Some(text) = read(&dir.join("models.json"), voice) {
        for error in registry.load_models_json(&text).err().into_iter().flatten() {
            voice.warning(format!("{}: {error}", dir.join("models.json").display()));
        }
        for note in registry.notes() {
            voice.warning(format!("{}: {note}", dir.join("models.json").display()));
        }
    }
    let auth = dir.join("auth.json");
    if let Some(text) = read(&auth, voice) {
        if let Err(error) = registry.load_auth_json(&text) {
            voice.warning(format!("{}: {error}", auth.display()));
        }
        if let Some(error) = tau_agent::check_auth_text(&auth, &text) {
            voice.warning(error.to_string());
        }
    }
    if let (Some(key), Some(provider)) = (&args.api_key, &args.provider) {
        registry.set_api_key(provider, key.clone());
    }
    registry
}

fn read(path: &Path, voice: &Voice) -> Option<String> {
    match tau_tools::read_small_text(path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            voice.warning(format!("{}: {error}", path.display()));
            None
        }
    }
}

/// Whether models of servers on this machine are wanted: something names one, or no other model can be asked. A list of
/// models always has them, and adds them itself.
pub(crate) fn wants_local(args: &Args, settings: &Settings, registry: &ModelRegistry) -> bool {
    if args.demo || args.script.is_some() || args.list_models.is_some() {
        return false;
    }
    let enabled = args.models.clone().or_else(|| settings.enabled_models()).unwrap_or_default();
    let names =
        [args.provider.as_deref(), args.model.as_deref(), settings.default_provider(), settings.default_model()];
    let mut names = names.into_iter().flatten().chain(enabled.iter().map(String::as_str));
    names.any(tau_agent::names_local_server) || !registry.has_available()
}

/// Adds the models of servers on this machine.
pub async fn add_local(registry: &ModelRegistry, env: &Environment, voice: &Voice) {
    for problem in tau_agent::add_local_models(registry, env).await {
        voice.warning(problem);
    }
}

/// What the command line chose.
#[derive(Default)]
pub(crate) struct Choice {
    pub(crate) model: Option<Arc<Model>>,
    pub(crate) thinking: Option<ThinkingLevel>,
}

/// The model the command line asks for; none when it leaves the choice to the session or the settings.
///
/// # Errors
/// A text for the user, when there is no such model or script.
pub(crate) fn chosen(
    args: &Args,
    env: &Environment,
    registry: &ModelRegistry,
    voice: &Voice,
) -> Result<Choice, String> {
    if let Some(script) = script(args, env)? {
        for (flag, is_given) in [
            ("--model", args.model.is_some()),
            ("--provider", args.provider.is_some()),
            ("--script", args.demo && args.script.is_some()),
        ] {
            if is_given {
                let played = if args.demo { "--demo" } else { "--script" };
                voice.warning(format!("{flag} has no effect beside {played}"));
            }
        }
        let model = Arc::new(script.model());
        let config = ProviderConfig {
            api: Some(model.api.clone()),
            stream: Some(Arc::new(script)),
            keyless: true,
            ..ProviderConfig::default()
        };
        registry.register_provider(scripted::PROVIDER, config).map_err(|error| error.to_string())?;
        return Ok(Choice { model: Some(model), thinking: args.thinking });
    }
    let Some(pattern) = &args.model else {
        let model = match &args.provider {
            Some(provider) => {
                Some(registry.default_model(provider).ok_or_else(|| unknown_provider(provider, registry))?)
            }
            None => None,
        };
        return Ok(Choice { model, thinking: args.thinking });
    };
    let found = registry.resolve_pattern(args.provider.as_deref(), pattern).map_err(|error| error.to_string())?;
    if let Some(warning) = &found.warning {
        voice.warning(warning);
    }
    if let (Some(key), None) = (&args.api_key, &args.provider) {
        registry.set_api_key(&found.model.provider, key.clone());
    }
    Ok(Choice { model: Some(found.model), thinking: args.thinking.or(found.thinking) })
}

fn script(args: &Args, env: &Environment) -> Result<Option<ScriptedApi>, String> {
    let vars = [("cwd", env.cwd.display().to_string())];
    if args.demo {
        return Ok(Some(ScriptedApi::demo().map_err(|error| error.to_string())?.with_vars(vars)));
    }
    let Some(path) = &args.script else { return Ok(None) };
    let path = env.resolve(&path.to_string_lossy(), &env.cwd);
    let text = tau_tools::read_small_text(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let script = ScriptedApi::from_str(&path.display().to_string(), &text).map_err(|error| error.to_string())?;
    Ok(Some(script.with_vars(vars)))
}

/// What a session begins with.
pub(crate) struct First {
    pub(crate) model: Option<Arc<Model>>,
    pub(crate) thinking: Option<ThinkingLevel>,
    pub(crate) scoped_models: Vec<ScopedModel>,
    /// The settings or the session name a model that is not there.
    pub(crate) missing: Option<Missing>,
}

/// A model that settings, flags or a session name and that is not there.
pub struct Missing {
    /// The files or the flag that say so.
    files: String,
    /// What tau does not have, and what names it.
    wanted: String,
    instead: Option<String>,
    /// What to do next.
    how: String,
}

impl Missing {
    fn new(files: String, wanted: String, instead: Option<&Model>, registry: &ModelRegistry) -> Self {
        let instead = instead.map(name);
        let how = if instead.is_some() { HOW.to_owned() } else { tau_agent::why_no_model(registry) };
        Self { files, wanted, instead, how }
    }

    /// Why nothing is asked.
    pub fn refusal(&self) -> String {
        let instead = self.instead.as_ref().map(|instead| format!(" It does not ask {instead} in its place."));
        format!("{} {}", self.what(instead.as_deref().unwrap_or_default()), self.how)
    }

    /// What is asked instead.
    pub fn notice(&self) -> String {
        let instead = self.instead.as_ref().map(|instead| format!(" {instead} is used instead."));
        format!("{} {}", self.what(instead.as_deref().unwrap_or(" No model is in use.")), self.how)
    }

    fn what(&self, instead: &str) -> String {
        format!("{}: tau does not have {}.{instead}", self.files, self.wanted)
    }
}

const HOW: &str = "Choose one with --model; --list-models shows what there is.";

/// What the command line chose, else what the session's file says, else the models to cycle through, else the settings.
pub(crate) fn first(
    choice: Choice,
    args: &Args,
    settings: &Settings,
    registry: &ModelRegistry,
    session: &Session,
    voice: &Voice,
) -> First {
    let choices = session.choices();
    let known = recorded_model(&choices, registry);
    let known = known.and_then(|choice| registry.find(&choice.provider, &choice.model_id));
    let lost = choices.model.clone().filter(|_| known.is_none() && choice.model.is_none());
    let patterns = args.models.clone().or_else(|| settings.enabled_models()).unwrap_or_default();
    let scoped_models = scope(&patterns, registry, voice);
    let is_scope_empty = scoped_models.is_empty() && patterns.iter().any(|pattern| !pattern.trim().is_empty());
    let named = choice.model.or(known);
    let is_chosen = named.is_some() || settings.default_model().is_some() || settings.default_provider().is_some();
    let first = named.is_none().then(|| first_of(&scoped_models, settings)).flatten();
    let thinking = choice.thinking.or(first.as_ref().and_then(|first| first.thinking_level));
    let mut missing = None;
    let model = named.or(first.map(|first| first.model)).or_else(|| {
        let (model, absent) = standard(args, settings, registry);
        missing = absent;
        model
    });
    if let Some(lost) = lost {
        let files = session.file().map_or("the session".to_owned(), |path| path.display().to_string());
        let wanted = format!("the model of this session, {}/{}", lost.provider, lost.model_id);
        missing = Some(Missing::new(files, wanted, model.as_deref(), registry));
    } else if missing.is_none() && is_scope_empty && !is_chosen {
        let files = if args.models.is_some() {
            "--models".to_owned()
        } else {
            files_of(vec![settings.why(keys::ENABLED_MODELS)])
        };
        let wanted = "any of these models, or no key for them".to_owned();
        missing = Some(Missing::new(files, wanted, model.as_deref(), registry));
    }
    First { model, thinking, scoped_models, missing }
}

fn name(model: &Model) -> String {
    format!("{}/{}", model.provider, model.id)
}

/// The models to cycle through.
fn scope(patterns: &[String], registry: &ModelRegistry, voice: &Voice) -> Vec<ScopedModel> {
    let (found, warnings) = registry.resolve_list(patterns);
    warnings.iter().for_each(|warning| voice.warning(warning));
    let scoped = |found: tau_ai::ResolvedModel| ScopedModel { model: found.model, thinking_level: found.thinking };
    found.into_iter().map(scoped).collect()
}

/// The one of these models that a new session begins with: the one of the settings, else the first.
fn first_of(scope: &[ScopedModel], settings: &Settings) -> Option<ScopedModel> {
    let saved = settings.default_provider().map(tau_ai::provider_name).zip(settings.default_model());
    let is_saved = |scoped: &&ScopedModel| Some((&*scoped.model.provider, &*scoped.model.id)) == saved;
    scope.iter().find(is_saved).or(scope.first()).cloned()
}

/// The model to start with when neither the command line nor the session names one, and what settings name in vain.
fn standard(args: &Args, settings: &Settings, registry: &ModelRegistry) -> (Option<Arc<Model>>, Option<Missing>) {
    let wanted = (settings.default_provider(), settings.default_model());
    let named = match wanted {
        (Some(provider), Some(id)) => registry.find(provider, id),
        (Some(provider), None) => registry.default_model(provider),
        (None, Some(id)) => registry.resolve_pattern(None, id).ok().map(|found| found.model),
        (None, None) => None,
    };
    let absent = match wanted {
        _ if named.is_some() => None,
        (Some(provider), Some(id)) => {
            let twice = id.strip_prefix(provider).and_then(|rest| rest.strip_prefix('/'));
            let hint = twice.filter(|id| registry.find(provider, id).is_some());
            let hint =
                hint.map(|id| format!(" (the provider is in both: defaultModel is {id} beside defaultProvider)"));
            let hint = hint.unwrap_or_default();
            Some(format!("the model {provider}/{id} that defaultProvider and defaultModel name{hint}"))
        }
        (Some(provider), None) => Some(format!("a model of the provider {provider} that defaultProvider names")),
        (None, Some(id)) => Some(format!("the model {id} that defaultModel names")),
        (None, None) => None,
    };
    let model = named.or_else(|| registry.initial_model());
    let missing = absent.map(|wanted| {
        let files = files_of(vec![settings.why(keys::DEFAULT_PROVIDER), settings.why(keys::DEFAULT_MODEL)]);
        Missing::new(files, wanted, model.as_deref(), registry)
    });
    // A key without a provider is meant for whatever is asked.
    if let (Some(key), Some(model), None) = (&args.api_key, &model, &args.provider) {
        registry.set_api_key(&model.provider, key.clone());
    }
    (model, missing)
}

/// The files that settings come from.
fn files_of(origins: Vec<Option<Origin>>) -> String {
    let mut files: Vec<String> =
        origins.into_iter().flatten().map(|origin| origin.path.display().to_string()).collect();
    files.dedup();
    if files.is_empty() { "settings".to_owned() } else { files.join(", ") }
}

fn unknown_provider(provider: &str, registry: &ModelRegistry) -> String {
    let names = registry.providers();
    format!("Unknown provider \"{provider}\". Known: {}", names.join(", "))
}

/// Says which models of `models.json` nothing can reach. Called when extensions have registered their wire formats.
pub(crate) fn warn_of_unknown_apis(registry: &ModelRegistry, voice: &Voice) {
    for (provider, problem) in registry.diagnose_apis() {
        voice.warning(format!("provider {provider} cannot be used: {problem}"));
    }
}

/// Says why models of `models.json` are missing in a list.
pub fn warn_of_unlisted(registry: &ModelRegistry, voice: &Voice) {
    for found in tau_agent::special_problems(registry) {
        // Files and wire formats were named at the start.
        if found.provider.is_some()
            && !matches!(found.problem, ModelProblem::UnknownApi { .. } | ModelProblem::MissingApi { .. })
        {
            voice.warning(format!("not listed: {found}"));
        }
    }
    for (provider, api, ids) in registry.unreachable() {
        let models = match ids.as_slice() {
            [id] => format!("{provider}/{id}"),
            ids => format!("{} models of {provider}", ids.len()),
        };
        voice.warning(format!("not listed: {models}: {}", registry.unknown_api(&api)));
    }
}

/// Whether a model has all words of a search in its provider, its id or its name.
fn is_wanted(model: &Model, search: &str) -> bool {
    let name = format!("{}/{} {}", model.provider, model.id, model.name).to_lowercase();
    search.to_lowercase().split_whitespace().all(|word| name.contains(word))
}

/// The models of a search that can be asked now.
pub fn usable(search: &str, registry: &ModelRegistry) -> Vec<Arc<Model>> {
    let mut models = registry.available();
    models.retain(|model| is_wanted(model, search));
    models
}

/// The table of `--list-models`: what can be asked now.
pub fn list(search: Option<&str>, registry: &ModelRegistry) -> String {
    let models = registry.available();
    if models.is_empty() {
        return format!("No models available. {}\n", tau_agent::why_no_model(registry));
    }
    let search = search.unwrap_or_default().to_lowercase();
    let is_wanted = |model: &&Arc<Model>| is_wanted(model, &search);
    let rows: Vec<[String; 6]> = models
        .iter()
        .filter(is_wanted)
        .map(|model| {
            let yes = |answer: bool| if answer { "yes" } else { "no" }.to_owned();
            [
                model.provider.clone(),
                model.id.clone(),
                size(model.context_window),
                size(model.max_tokens),
                yes(model.reasoning),
                yes(model.accepts_images()),
            ]
        })
        .collect();
    if rows.is_empty() {
        let mut providers: Vec<String> =
            registry.all().iter().filter(is_wanted).map(|model| model.provider.clone()).collect();
        providers.dedup();
        let causes = registry.diagnose().into_iter();
        let causes =
            causes.filter(|found| found.provider.as_ref().is_some_and(|provider| providers.contains(provider)));
        let causes: String = causes.map(|found| format!("\n  {found}")).collect();
        let but = if causes.is_empty() { String::new() } else { format!(" Models that match cannot be used:{causes}") };
        return format!("No models matching \"{search}\".{but}\n");
    }
    table(&["provider", "model", "context", "max-out", "thinking", "images"].map(str::to_owned), &rows)
}

fn size(tokens: u64) -> String {
    match tokens {
        0 => "-".to_owned(),
        tokens if tokens % 1_000_000 == 0 => format!("{}M", tokens / 1_000_000),
        tokens if tokens >= 1000 => format!("{}K", tokens / 1000),
        tokens => tokens.to_string(),
    }
}

fn table(head: &[String; 6], rows: &[[String; 6]]) -> String {
    let width =
        |column: usize| rows.iter().chain([head]).map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}", width = *width)).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    [head].into_iter().chain(rows).map(line).collect()
}
