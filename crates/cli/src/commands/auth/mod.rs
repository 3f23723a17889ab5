//! `tau auth`: logging in and out without a session, and credentials for other programs.

mod check;
mod import;
mod login;
mod print;
mod status;
pub(super) mod terminal;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use tau_agent::Logins;
use tau_agent::extensions::{DiscoveryOptions, Extensions};
use tau_ai::{ModelRegistry, PatternError};
use tau_hooks::{Hooks, Mode};
use tau_launch::args::{Args, nearest};
use tau_launch::models;

use super::command::Command;
use super::context::Context;
use super::options::Options;
use crate::diagnostics;
use crate::exit::PATIENCE;
use crate::output::say;

/// Which flags a verb takes.
const VERBS: [(&str, &[&str]); 7] = [
    ("login", &["--api-key", "--no-browser"]),
    ("logout", &[]),
    ("status", &["--json"]),
    ("import", &["--yes"]),
    ("print-api-key", &["--provider", "--model"]),
    ("print-bearer-token", &["--provider", "--model", "--min-expiry"]),
    ("check", &["--provider", "--model", "--json", "--credentials", "--no-refresh"]),
];

pub(super) async fn auth(context: &Context, options: &Options, command: &Command) -> ExitCode {
    let mut words = options.words.iter().map(String::as_str);
    let Some(verb) = words.next() else { return say(&command.help()) };
    let Some((_, flags)) = VERBS.iter().find(|(known, _)| *known == verb) else {
        let known: Vec<&str> = VERBS.iter().map(|(verb, _)| *verb).collect();
        // What follows `--api-key` is taken for a word, and may be a key.
        let meant = nearest(verb, known.iter().copied()).map(|meant| format!("; did you mean {meant}?"));
        let verb = if options.given.contains_key("--api-key") { String::new() } else { format!(" \"{verb}\"") };
        let instead = meant.unwrap_or_else(|| format!("; the commands are {}", known.join(", ")));
        return diagnostics::fail(&format!("unknown auth command{verb}{instead}"));
    };
    let word = words.next();
    let wrong = options
        .given
        .keys()
        .find(|flag| !flags.contains(flag))
        .map(|flag| format!("{flag} cannot be used with this command"));
    let takes_word = matches!(verb, "login" | "logout" | "import");
    let asks_about = !takes_word && verb != "status";
    let wrong = wrong.or_else(|| match word {
        None if verb == "import" => Some("a file is missing".to_owned()),
        None if takes_word => Some("a provider is missing".to_owned()),
        Some(_) if verb == "status" => Some("it takes no argument".to_owned()),
        Some(_) if !takes_word => {
            Some("it takes no argument; name a provider with --provider or a model with --model".to_owned())
        }
        _ => None,
    });
    let asked = Asked { context, options };
    let wrong =
        wrong.or_else(|| (asks_about && asked.is_empty()).then(|| "--provider or --model is missing".to_owned()));
    if let Some(wrong) = wrong {
        diagnostics::error(&format!("tau auth {verb}: {wrong}\nUsage: {}", command.usage));
        return if verb == "check" { check::INVALID.into() } else { ExitCode::FAILURE };
    }
    match (verb, word) {
        ("login", Some(provider)) => login::login(&asked, provider).await,
        ("logout", Some(provider)) => login::logout(&asked, provider).await,
        ("import", Some(file)) => import::import(&asked, file).await,
        ("status", _) => status::status(&asked).await,
        ("print-api-key", _) => print::api_key(&asked).await,
        ("print-bearer-token", _) => print::bearer_token(&asked).await,
        _ => check::check(&asked).await,
    }
}

/// What was asked, and where.
struct Asked<'a> {
    context: &'a Context,
    options: &'a Options,
}

impl Asked<'_> {
    fn is_empty(&self) -> bool {
        self.value("--provider").is_none() && self.value("--model").is_none()
    }

    fn value(&self, flag: &str) -> Option<&str> {
        self.options.given.get(flag).map(String::as_str)
    }

    fn has(&self, flag: &str) -> bool {
        self.options.given.contains_key(flag)
    }

    /// What is known without extensions.
    fn open(&self) -> Open {
        let env = &self.context.env;
        let registry = models::registry(&Args::default(), env, &diagnostics::voice());
        registry.connect_with(self.context.settings.snapshot().http());
        let logins = Logins::new(Arc::clone(&registry), self.auth_file());
        Open { registry, logins, extensions: None }
    }

    /// Where credentials are kept.
    fn auth_file(&self) -> PathBuf {
        self.context.env.agent_dir().join("auth.json")
    }

    /// Looks for servers on this machine when the flags, or `named`, name one of them.
    async fn look_for_local(&self, open: &Open, named: Option<&str>) {
        let names = [self.value("--provider"), self.value("--model"), named];
        if names.into_iter().flatten().any(tau_ai::names_local_server) {
            models::add_local(&open.registry, &self.context.env, &diagnostics::voice()).await;
        }
    }

    /// The provider that the flags name.
    fn provider(&self, open: &Open) -> Result<String, PatternError> {
        if let Some(provider) = self.value("--provider") {
            return Ok(tau_ai::provider_name(provider).to_owned());
        }
        let pattern = self.value("--model").unwrap_or_default();
        let found = open.registry.resolve_pattern(None, pattern)?;
        Ok(found.model.provider.clone())
    }
}

/// The registry, and what takes care of logins.
struct Open {
    registry: Arc<ModelRegistry>,
    logins: Logins,
    extensions: Option<Arc<Extensions>>,
}

impl Open {
    /// Loads extensions, whose providers and logins are known from then on. They cost time, so only those who need them ask.
    async fn load_extensions(&mut self, context: &Context) -> Result<(), String> {
        if self.extensions.is_some() {
            return Ok(());
        }
        let hooks = Hooks::new();
        let voice = diagnostics::voice();
        hooks.dispatcher.reports.listen(move |report| voice.report(report));
        let (env, scripts) = (context.env.clone(), context.scripts.clone());
        let extensions =
            Arc::new(Extensions::new(env, Arc::clone(&hooks), DiscoveryOptions::default(), scripts, Vec::new()));
        let started = extensions.start(&context.settings, Some(context.is_trusted()), Mode::Print).await;
        self.extensions = Some(Arc::clone(&extensions));
        started.map_err(|error| error.to_string())?;
        extensions.register_providers(&self.registry);
        Ok(())
    }

    /// Ends what extensions started.
    async fn close(self) {
        if let Some(extensions) = self.extensions {
            extensions.shut_down(PATIENCE).await;
        }
    }
}
