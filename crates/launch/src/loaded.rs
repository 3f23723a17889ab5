//! The second stage: everything is loaded.

use std::sync::Arc;

use tau_agent::extensions::{Lists, LoadRecord};
use tau_agent::settings::{Settings, SettingsStore};
use tau_agent::trust::Decision;
use tau_ai::ModelRegistry;
use tau_hooks::{FlagKind, FlagValue, Hooks};
use tokio_util::sync::CancellationToken;

use crate::args::{self, ArgsError, ExtensionFlag, Parsed};
use crate::configured::Configured;
use crate::start::Start;
use crate::voice::Voice;
use crate::{models, trace};

/// Settings, trust, all extensions and the models of files.
pub struct Loaded {
    pub(crate) start: Start,
    pub(crate) parsed: Parsed,
    pub(crate) settings: Arc<SettingsStore>,
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) trust: Decision,
}

impl Loaded {
    /// What was decided about trust.
    pub fn trust(&self) -> &Decision {
        &self.trust
    }

    /// The settings.
    pub fn settings(&self) -> &Arc<SettingsStore> {
        &self.settings
    }

    /// The flags of extensions.
    pub fn flags(&self) -> Vec<ExtensionFlag> {
        flags(&self.start.hooks)
    }

    /// Judges the whole command line and does nothing else.
    ///
    /// # Errors
    /// As [`Loaded::configure`].
    pub fn check_arguments(&self) -> Result<(), ArgsError> {
        self.parsed.clone().finish(&self.flags()).map(drop)
    }

    /// The subcommands of extensions that are part of the program: their names and what they do.
    pub fn subcommands(&self) -> Vec<(String, String)> {
        self.start.hooks.subcommands().into_iter().map(|(_, subcommand)| (subcommand.name, subcommand.about)).collect()
    }

    /// Judges the whole command line, says what is left out or has no effect, and takes in what extensions have: flags,
    /// providers and logins.
    ///
    /// # Errors
    /// When the command line has a flag that nobody knows, or a bad value of a flag of an extension.
    pub async fn configure(self) -> Result<Configured, ArgsError> {
        let Self { start, parsed, settings, models, trust } = self;
        let (hooks, env, extensions) = (&start.hooks, &start.env, &start.extensions);
        let voice = start.program.services.voice.clone();
        let cli = parsed.finish(&flags(hooks))?;
        hooks.set_flags(cli.extension_flags.iter().map(|(name, value)| (name.clone(), to_hooks(value))).collect());
        let snapshot = settings.snapshot();
        tell(&trust, &snapshot, &voice);
        if cli.args.verbose {
            tell_loads(&extensions.loads(), &voice);
        }
        trace::begin(&cli.args, env, hooks, &snapshot.tau().trace, &voice);
        models.connect_with(snapshot.http());
        extensions.register_providers(&models);
        let lists = if cli.args.list_models.as_ref().is_some_and(|list| list.renew) { Lists::All } else { Lists::New };
        extensions.refresh_models(&models, lists, &CancellationToken::new()).await;
        extensions.project_logins(&models).await;
        models::warn_of_unknown_apis(&models, &voice);
        if models::wants_local(&cli.args, &snapshot, &models) {
            models::add_local(&models, env, &voice).await;
        }
        Ok(Configured { start, settings, models, cli })
    }
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

/// Says what of the project was left out, and what is wrong with the settings.
fn tell(trust: &Decision, settings: &Settings, voice: &Voice) {
    if let Some(notice) = trust.notice() {
        voice.warning(notice);
    }
    if let Some(error) = &trust.not_saved {
        voice.warning(format!("the answer could not be kept: {error}"));
    }
    settings.problems().into_iter().for_each(|text| voice.warning(text));
}

/// Says which extensions are there, and what each cost.
fn tell_loads(loads: &[LoadRecord], voice: &Voice) {
    for load in loads.iter().filter(|load| load.error.is_none()) {
        let memory = load.memory_bytes.map(|bytes| format!(", {} KB", bytes.div_ceil(1024))).unwrap_or_default();
        let own = if load.extension.isolated { ", isolated" } else { "" };
        let (path, origin) = (load.extension.path.display(), load.extension.origin);
        let time = load.time.as_secs_f64() * 1000.0;
        voice.note(format!("Loaded extension {path} ({origin}{own}): {time:.1} ms{memory}"));
    }
}
