//! Models and credentials: files, environment, command line.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tau_agent::recorded_model;
use tau_agent::settings::{Environment, Origin, Settings, keys};
use tau_ai::scripted::{self, ScriptedApi};
use tau_ai::{Model, ModelProblem, PatternError, ProviderConfig, ThinkingLevel};
use tau_ai::{ModelRegistry, ValueResolver};
use tau_hooks::ScopedModel;
use tau_session::Session;

use crate::args::{Args, ListModels};
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
            let limit = COMMAND_PATIENCE.as_secs();
            return Err(format!(
                "it took longer than {limit} seconds; it must answer by itself, without asking anybody"
            ));
        };
        if !done.status.success() {
            // Only this is looked at: what a program says of its failure may be secret.
            let stderr = String::from_utf8_lossy(&done.stderr);
            let asks = ["/dev/tty", "a tty", "terminal"].iter().any(|word| stderr.contains(word));
            let hint = if asks { "; it asks on a terminal, and commands that give keys have none" } else { "" };
            return Err(format!("it ended with {}{hint}", done.status));
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
        for note in registry.auth_notes() {
            voice.warning(format!("{}: {note}", auth.display()));
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
    if names.any(tau_ai::names_local_server) || !registry.has_available() {
        return true;
    }
    // Before what a name means cannot be asked, it may be a model of this machine.
    let cannot_be_asked = |provider: Option<&str>, pattern: &str| {
        let found = registry.resolve_pattern(provider, pattern);
        !found.is_ok_and(|found| registry.has_auth(&found.model.provider))
    };
    match &args.model {
        Some(pattern) => args.api_key.is_none() && cannot_be_asked(args.provider.as_deref(), pattern),
        None => settings.default_model().is_some_and(|id| cannot_be_asked(settings.default_provider(), id)),
    }
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
    let Model { provider, id, .. } = &*found.model;
    if registry.names_provider(pattern) && !registry.has_auth(provider) {
        // What is said of the missing key names the provider alone.
        voice.warning(format!("--model {pattern} names a provider and means its default model, {provider}/{id}"));
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
    /// What is not there, as a sentence without its end.
    what: String,
    /// Why, where more is known, as a sentence.
    why: Option<String>,
    instead: Option<String>,
    /// What to do next.
    how: String,
}

impl Missing {
    fn new(files: String, what: String, instead: Option<&Model>, how: &str, registry: &ModelRegistry) -> Self {
        let instead = instead.map(name);
        let how = if instead.is_some() { how.to_owned() } else { tau_agent::why_no_model(registry) };
        Self { files, what, why: None, instead, how }
    }

    /// With the cause, as far as it is known of a model.
    fn because(mut self, provider: Option<&str>, id: &str, registry: &ModelRegistry) -> Self {
        self.why = match registry.resolve_pattern(provider, id) {
            Err(
                error @ (PatternError::NoServer { .. } | PatternError::LeftOut { .. } | PatternError::NotChat { .. }),
            ) => Some(error.to_string().trim_end_matches('.').to_owned()),
            _ => None,
        };
        self
    }

    /// Why nothing is asked.
    pub fn refusal(&self) -> String {
        let instead =
            self.instead.as_ref().map(|instead| format!(" tau does not use another model ({instead}) unasked."));
        self.text(&instead.unwrap_or_default())
    }

    /// What is asked instead.
    pub fn notice(&self) -> String {
        let instead = self.instead.as_ref().map(|instead| format!(" {instead} is used instead."));
        self.text(instead.as_deref().unwrap_or(" No model is in use."))
    }

    fn text(&self, instead: &str) -> String {
        let why = self.why.as_ref().map(|why| format!(" {why}.")).unwrap_or_default();
        format!("{}: {}.{why}{instead} {}", self.files, self.what, self.how)
    }
}

/// What to do about a model that settings name.
const CHANGE: &str = "Choose one with --model PROVIDER/ID, or change the setting with `tau config set`; `tau models` lists what you can use.";
/// What to do about a model that something else names.
const CHOOSE: &str = "Choose one with --model PROVIDER/ID; `tau models` lists what you can use.";

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
        let what = format!("the model of this session, {}/{}, is not available", lost.provider, lost.model_id);
        let lost_model = Missing::new(files, what, model.as_deref(), CHOOSE, registry);
        missing = Some(lost_model.because(Some(&lost.provider), &lost.model_id, registry));
    } else if missing.is_none() && is_scope_empty && !is_chosen {
        let (files, how) = if args.models.is_some() {
            ("--models".to_owned(), CHOOSE)
        } else {
            (files_of(vec![settings.why(keys::ENABLED_MODELS)]), CHANGE)
        };
        let what = "none of these models is available, or there is no key for them".to_owned();
        missing = Some(Missing::new(files, what, model.as_deref(), how, registry));
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
    // A flag passes an id that a provider is not known to have on to it, with a warning; settings stay for longer.
    let known = |provider: Option<&str>, id: &str| {
        let found = registry.resolve_pattern(provider, id).ok()?;
        Some(found.model).filter(|model| registry.find(&model.provider, &model.id).is_some())
    };
    let named = match wanted {
        (Some(provider), Some(id)) => registry.find(provider, id).or_else(|| known(Some(provider), id)),
        (Some(provider), None) => registry.default_model(provider),
        (None, Some(id)) => known(None, id),
        (None, None) => None,
    };
    let absent = match wanted {
        _ if named.is_some() => None,
        (Some(provider), Some(id)) => {
            Some(format!("the default model {provider}/{id} (defaultProvider and defaultModel) is not available"))
        }
        (Some(provider), None) => {
            Some(format!("no model of the default provider {provider} (defaultProvider) is available"))
        }
        (None, Some(id)) => Some(format!("the default model {id} (defaultModel) is not available")),
        (None, None) => None,
    };
    let model = named.or_else(|| registry.initial_model());
    let missing = absent.map(|what| {
        let files = files_of(vec![settings.why(keys::DEFAULT_PROVIDER), settings.why(keys::DEFAULT_MODEL)]);
        let (provider, id) = wanted;
        Missing::new(files, what, model.as_deref(), CHANGE, registry).because(provider, id.unwrap_or("*"), registry)
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
    // A provider that is known has its own reasons.
    match registry.resolve_pattern(Some(provider), "*") {
        Err(error) if !matches!(error, PatternError::UnknownProvider { .. }) => error.to_string(),
        _ => format!("Unknown provider \"{provider}\". Known: {}", registry.providers().join(", ")),
    }
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

/// What a list chooses from.
fn listed(wanted: &ListModels, registry: &ModelRegistry) -> Vec<Arc<Model>> {
    if wanted.all { registry.all().to_vec() } else { registry.available() }
}

/// The models of a list.
pub fn found(wanted: &ListModels, registry: &ModelRegistry) -> Vec<Arc<Model>> {
    let mut models = listed(wanted, registry);
    models.retain(|model| is_wanted(model, wanted.search.as_deref().unwrap_or_default()));
    models
}

/// The table of `--list-models`.
pub fn list(wanted: &ListModels, registry: &ModelRegistry) -> String {
    let models = listed(wanted, registry);
    if models.is_empty() {
        return format!("No models available. {}\n", tau_agent::why_no_model(registry));
    }
    let search = wanted.search.as_deref().unwrap_or_default().to_lowercase();
    let is_wanted = |model: &&Arc<Model>| is_wanted(model, &search);
    let rows: Vec<[String; 6]> = models
        .iter()
        .filter(is_wanted)
        .map(|model| {
            let yes = |answer: bool| if answer { "yes" } else { "no" }.to_owned();
            [
                tau_agent::shown_name(&model.provider),
                tau_agent::shown_name(&model.id),
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

/// From here on a number of tokens only says that nobody set a limit.
const NO_LIMIT: u64 = 1_000_000_000;

fn size(tokens: u64) -> String {
    match tokens {
        0 => "-".to_owned(),
        NO_LIMIT.. => ">999M".to_owned(),
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
