//! Opens a session: everything from a directory to extensions that were told that it begins.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{RequestId, SessionId};
use agent_client_protocol::{Client, Error};
use tau_agent::extensions::Extensions;
use tau_agent::settings::{Environment, SettingsStore};
use tau_agent::{AgentSession, SessionOptions, session_directory};
use tau_ai::{Model, ModelRegistry};
use tau_hooks::payload::SessionShutdownReason;
use tau_hooks::{Hooks, Mode};
use tau_session::{NewSession, Session, find_sessions, session_dirs};

use super::conversation::Conversation;
use super::dialogs::{self, Asker, Place};
use super::errors::{BRING_A_KEY, bad_params, failed, no_credentials, no_model, no_session};
use super::history;
use super::outbox::Outbox;
use super::server::Server;
use super::teller::Teller;
use crate::args::Args;
use crate::commands::packages;
use crate::run::{diagnostics, models, notices, resources, sessions, start};

/// How long a session that could not be opened waits for what runs extensions.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a client wants to open.
pub(super) struct Wanted {
    pub(super) cwd: PathBuf,
    /// A session that was saved; a new one when absent.
    pub(super) saved: Option<SessionId>,
    /// Whether the client is told what was said in it.
    pub(super) replay: bool,
    /// The client's request.
    pub(super) request: RequestId,
}

/// What a session needs before there is one.
struct Prepared {
    hooks: Arc<Hooks>,
    outbox: Arc<Outbox>,
    teller: Arc<Teller>,
    asker: Arc<Asker>,
    extensions: Arc<Extensions>,
}

impl Server {
    /// Opens a session. The client may not know a new one yet: nothing is told of it before its outbox is released.
    ///
    /// # Errors
    /// When there is no such directory or session, when no model can be asked, or when something cannot be read.
    pub(super) async fn open(
        self: &Arc<Self>,
        wanted: Wanted,
        connection: &ConnectionTo<Client>,
    ) -> Result<Arc<Conversation>, Error> {
        let env = self.env_in(&wanted.cwd)?;
        if let Some(id) = &wanted.saved {
            // Two of one file would write past each other.
            self.close(id).await;
        }
        let prepared = self.prepare(&env, &wanted, connection);
        let opened = tokio::select! {
            biased;
            () = self.ending.cancelled() => Err(ending()),
            options = self.options(env, &wanted, &prepared) => options,
        };
        let opened = match opened {
            Ok(options) => self.start(options, &wanted, &prepared, connection).await,
            Err(error) => Err(error),
        };
        match opened {
            Ok(conversation) => {
                self.keep(&conversation).await?;
                self.watch(&conversation);
                Ok(conversation)
            }
            Err(error) => {
                prepared.outbox.close();
                prepared.extensions.shut_down(PATIENCE).await;
                Err(error)
            }
        }
    }

    fn prepare(self: &Arc<Self>, env: &Environment, wanted: &Wanted, connection: &ConnectionTo<Client>) -> Prepared {
        let (args, client) = (&self.parsed.args, self.client());
        let hooks = Hooks::new();
        let outbox = Outbox::new(wanted.saved.is_none());
        let teller = Teller::new(Arc::clone(&outbox), client);
        hooks.dispatcher.reports.listen(diagnostics::report);
        let told = Arc::clone(&teller);
        hooks.dispatcher.reports.listen(move |report| told.report(report));
        let place = match &wanted.saved {
            Some(id) => Place::Open(id.clone(), Weak::new()),
            None => Place::Opening(wanted.request.clone()),
        };
        let back_end = hooks.dialogs.subscribe_for(dialogs::shows(client));
        let voice = (Arc::clone(&outbox), Arc::clone(&teller));
        let asker = Asker::start(hooks.dialogs.clone(), back_end, connection.clone(), voice, place);
        let failures = start::load(&hooks, &self.extensions);
        let options = start::discovery(args);
        let extensions = Extensions::new(env.clone(), Arc::clone(&hooks), options, self.scripts.clone(), failures);
        let installer = packages::installer(packages::is_offline(args.offline, env));
        Prepared { hooks, outbox, teller, asker, extensions: Arc::new(extensions.installing(installer)) }
    }

    /// Loads extensions, and chooses what the session begins with.
    async fn options(&self, env: Environment, wanted: &Wanted, prepared: &Prepared) -> Result<SessionOptions, Error> {
        let Prepared { hooks, extensions, .. } = prepared;
        let settings = Arc::new(SettingsStore::open(&env, false));
        let (args, models_env) = (self.parsed.args.clone(), env.clone());
        let registry = tokio::task::spawn_blocking(move || models::registry(&args, &models_env));
        let trust = extensions.start(&settings, self.parsed.args.trust, Mode::Rpc).await.map_err(failed)?;
        let registry = registry.await.map_err(failed)?;
        let cli = self.parsed.clone().finish(&start::flags(hooks)).map_err(failed)?;
        if !cli.messages.is_empty() || !cli.files.is_empty() {
            return Err(failed(
                "tau acp takes no prompts on its command line; remove them from the editor's settings.",
            ));
        }
        hooks.set_flags(
            cli.extension_flags.iter().map(|(name, value)| (name.clone(), start::to_hooks(value))).collect(),
        );
        let snapshot = settings.snapshot();
        start::tell(&trust, &snapshot);
        notices::tell(&cli.args, &env, trust.trusted);
        if cli.args.verbose {
            start::tell_loads(&extensions.loads());
        }
        start::trace(&cli, &env, hooks, &snapshot.tau().trace);
        registry.connect_with(snapshot.http());
        extensions.register_providers(&registry);
        extensions.project_logins(&registry).await;
        let choice = models::chosen(&cli.args, &env, &registry).map_err(failed)?;
        let wanted_dir = match sessions::asks_extensions(&cli.args) {
            true => session_directory(hooks, &env, Mode::Rpc, extensions.leftovers()).await.map_err(failed)?,
            false => None,
        };
        let dir = sessions::directory(&cli.args, &env, &snapshot, wanted_dir);
        let session = session(&cli.args, &env, &dir, wanted.saved.as_ref()).await?;
        let first = models::first(choice, &cli.args, &snapshot, &registry, &session);
        if let Some(missing) = &first.missing {
            diagnostics::warning(&missing.notice());
        }
        check_model(first.model.as_deref(), &registry)?;
        Ok(SessionOptions {
            env,
            mode: Mode::Rpc,
            settings,
            hooks: Arc::clone(hooks),
            extensions: Some(Arc::clone(extensions)),
            model: first.model,
            scoped_models: first.scoped_models,
            models: registry,
            session: Arc::new(session),
            thinking: first.thinking,
            tools: resources::tool_choice(&cli.args),
            resources: resources::load_options(&cli.args),
            name: None,
            temp_dir: None,
            patterns: Some(Arc::new(tau_js::RuleEngine)),
        })
    }

    async fn start(
        self: &Arc<Self>,
        options: SessionOptions,
        wanted: &Wanted,
        prepared: &Prepared,
        connection: &ConnectionTo<Client>,
    ) -> Result<Arc<Conversation>, Error> {
        let Prepared { outbox, teller, asker, .. } = prepared;
        let id = SessionId::new(options.session.id());
        let client = self.client();
        tokio::spawn(Arc::clone(outbox).forward(id.clone(), connection.clone(), Arc::clone(&self.wire)));
        let mut begun = None;
        let begin = |session: &Arc<AgentSession>| {
            begun = Some(Arc::clone(session));
            if wanted.saved.is_some() {
                asker.move_to(Place::Open(id.clone(), Arc::downgrade(session)));
            }
            if wanted.replay {
                history::replay(session, client, outbox);
                teller.usage(session);
            }
            let (told, heard) = (Arc::clone(teller), Arc::downgrade(session));
            session.listen(move |event| {
                if let Some(session) = heard.upgrade() {
                    told.hear(&session, event);
                }
            });
        };
        let started = tokio::select! {
            biased;
            () = self.ending.cancelled() => None,
            started = AgentSession::start_with(options, begin) => Some(started),
        };
        match (started, begun) {
            (Some(Ok(session)), _) => {
                let voice = (Arc::clone(outbox), Arc::clone(teller));
                Ok(Conversation::new(id, session, voice, Arc::clone(asker)))
            }
            (Some(Err(error)), _) => Err(failed(error)),
            (None, begun) => {
                // Extensions may hold something that `session_shutdown` has to release.
                if let Some(session) = begun {
                    session.shut_down(SessionShutdownReason::Quit).await;
                }
                Err(ending())
            }
        }
    }

    /// Closes the session when something in it asks for its end and what is at work is done.
    fn watch(self: &Arc<Self>, conversation: &Arc<Conversation>) {
        let (server, conversation) = (Arc::downgrade(self), Arc::downgrade(conversation));
        let Some(exit) = conversation.upgrade().map(|open| open.session.exit_requested().clone()) else { return };
        tokio::spawn(async move {
            exit.cancelled().await;
            let (Some(server), Some(open)) = (server.upgrade(), conversation.upgrade()) else { return };
            open.quiet().await;
            server.close(&open.id).await;
        });
    }
}

fn ending() -> Error {
    failed("tau is ending.")
}

/// Begins a session, or opens one that was saved.
async fn session(args: &Args, env: &Environment, dir: &Path, saved: Option<&SessionId>) -> Result<Session, Error> {
    let Some(id) = saved else {
        let new = NewSession::default();
        return match args.no_session {
            true => Session::in_memory(&env.cwd, new),
            false => Session::create(dir, &env.cwd, new),
        }
        .map_err(failed);
    };
    let dirs = folders(dir, env);
    let (wanted, id) = (id.to_string(), id.clone());
    let opened = tokio::task::spawn_blocking(move || {
        let path = file_of(&dirs, &wanted)?;
        Some(Session::open(&path))
    });
    opened.await.map_err(failed)?.ok_or_else(|| no_session(&id))?.map_err(bad_params)
}

/// Where sessions are looked for: beside those of this directory, then in all projects.
pub(super) fn folders(dir: &Path, env: &Environment) -> Vec<PathBuf> {
    [dir.to_owned()].into_iter().chain(session_dirs(&env.agent_dir())).collect()
}

/// The file of exactly that session.
pub(super) fn file_of(dirs: &[PathBuf], id: &str) -> Option<PathBuf> {
    if id.is_empty() {
        return None;
    }
    find_sessions(dirs, id).into_iter().find(|(_, found)| found == id).map(|(path, _)| path)
}

/// Makes sure that something can be asked: the client offers to authenticate if not.
fn check_model(model: Option<&Model>, registry: &ModelRegistry) -> Result<(), Error> {
    let model = model.ok_or_else(no_model)?;
    match registry.has_auth(&model.provider) {
        true => Ok(()),
        false => {
            let (provider, id) = (&model.provider, &model.id);
            Err(no_credentials(format!("There is no key for {provider}/{id}. {BRING_A_KEY}")))
        }
    }
}
