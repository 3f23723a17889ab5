//! The third stage: what was asked for is known, and everything there is to choose from.

use std::sync::Arc;

use tau_agent::settings::{Environment, SettingsStore};
use tau_agent::{SessionOptions, session_directory};
use tau_ai::ModelRegistry;

use crate::args::Cli;
use crate::open_error::OpenError;
use crate::ready::Ready;
use crate::sessions::{self, Which};
use crate::start::Start;
use crate::{models, resources};

/// The whole command line, and the models with those of extensions.
pub struct Configured {
    pub(crate) start: Start,
    pub(crate) settings: Arc<SettingsStore>,
    pub(crate) models: Arc<ModelRegistry>,
    pub(crate) cli: Cli,
}

impl Configured {
    /// Everything the command line says.
    pub fn cli(&self) -> &Cli {
        &self.cli
    }

    /// Directories and variables of the session.
    pub fn env(&self) -> &Environment {
        &self.start.env
    }

    /// The settings.
    pub fn settings(&self) -> &Arc<SettingsStore> {
        &self.settings
    }

    /// The models that can be chosen.
    pub fn models(&self) -> &Arc<ModelRegistry> {
        &self.models
    }

    /// Chooses model and session file, and opens the file or begins one.
    ///
    /// # Errors
    /// When there is no such model or session, when nobody chooses one, and when a file cannot be read or written.
    pub async fn open(self, which: Which<'_>) -> Result<Ready, OpenError> {
        let Self { start, settings, models, cli } = self;
        let Start { program, env, hooks, extensions, .. } = start;
        let (args, mode, voice) = (&cli.args, program.mode, &program.services.voice);
        let snapshot = settings.snapshot();
        let choice = models::chosen(args, &env, &models, voice).map_err(OpenError::Model)?;
        let wanted = if sessions::asks_extensions(args) {
            session_directory(&hooks, &env, mode, extensions.leftovers()).await.map_err(OpenError::Directory)?
        } else {
            None
        };
        let dir = sessions::folder_of_sessions(args, &env, &snapshot, wanted);
        let session = sessions::open(which, args, &env, &dir, voice).await?;
        // A session that is continued with a model of this machine.
        let recorded = session.choices().model;
        if recorded.is_some_and(|model| tau_ai::names_local_server(&model.provider)) {
            models::add_local(&models, &env, voice).await;
        }
        let models::First { model, thinking, scoped_models, missing } =
            models::first(choice, args, &snapshot, &models, &session, voice);
        let options = SessionOptions {
            mode,
            settings,
            hooks,
            extensions: Some(extensions),
            model,
            scoped_models,
            models,
            session: Arc::new(session),
            thinking,
            tools: resources::tool_choice(args),
            resources: resources::load_options(args),
            name: cli.args.name.clone(),
            temp_dir: None,
            patterns: program.services.patterns.clone(),
            env,
        };
        Ok(Ready { options, missing })
    }
}
