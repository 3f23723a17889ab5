//! A program with a directory of its own.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use tau_agent::settings::Environment;
use tau_agent::{AgentSession, Prompt};
use tau_hooks::{Extension, HandlerError, Mode, Registrar};
use tau_launch::args::parse;
use tau_launch::{Configured, Launcher, Notice, Prepared, Services, Trust, Voice};
use tau_testkit::TempHome;

/// A list that several threads write to.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub fn push(&self, text: impl Into<String>) {
        self.0.lock().push(text.into());
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }
}

/// An extension that notes when it is loaded, and when a session begins and ends.
pub struct Noting(pub Log);

impl Extension for Noting {
    fn name(&self) -> &str {
        "noting"
    }

    fn register(&self, registrar: &mut Registrar) -> Result<(), HandlerError> {
        self.0.push("loaded");
        for event in ["session_start", "session_shutdown"] {
            let log = self.0.clone();
            registrar.on_json(event, move |_, ctx| {
                log.push(format!("{event} in {}", ctx.cwd().file_name().expect("a name").to_string_lossy()));
                std::future::ready(Ok(None))
            });
        }
        Ok(())
    }
}

pub struct Place {
    pub home: TempHome,
    /// What extensions and front ends note.
    pub log: Log,
    /// The messages that the user sees.
    pub told: Log,
}

impl Place {
    /// A model that says its number.
    pub fn new() -> Self {
        let home = TempHome::new();
        home.write("script.yaml", "replies: [One., Two., Three., Four.]");
        Self { home, log: Log::default(), told: Log::default() }
    }

    pub fn services(&self) -> Services {
        let told = self.told.clone();
        let mut env = Environment::new(self.home.home(), self.home.cwd());
        env.vars = self.home.vars();
        Services {
            env,
            extensions: vec![Box::new(Noting(self.log.clone()))],
            builtins: Arc::from([]),
            scripts: None,
            patterns: None,
            voice: Voice::new(move |notice| {
                told.push(match notice {
                    Notice::Error(text) => format!("error: {text}"),
                    Notice::Warning(text) => format!("warning: {text}"),
                    Notice::Note(text) => text,
                });
            }),
            settings_read: |_| {},
        }
    }

    pub fn launcher(&self, args: &[&str]) -> Launcher {
        let args = ["--script", "script.yaml"].iter().chain(args);
        let parsed = parse(args, &["text"]).expect("valid arguments");
        Launcher::new(parsed, Mode::Json, self.services())
    }
}

/// The second and the third stage, where they cannot fail.
pub async fn configured(prepared: Prepared) -> Configured {
    let loaded = prepared.load(Trust::Dialogs).await.expect("a decision on trust");
    loaded.configure().await.expect("a command line that makes sense")
}

/// Sends a prompt; gives the answer.
pub async fn say(session: &Arc<AgentSession>, text: &str) -> String {
    session.prompt(Prompt::new(text)).await.unwrap_or_else(|error| panic!("{text}: {error}"));
    session.wait_until_idle().await;
    session.last_answer_text().unwrap_or_default()
}

/// The last name of a path.
pub fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}
