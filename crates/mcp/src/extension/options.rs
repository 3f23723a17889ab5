//! What the program says about itself.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tau_hooks::{ActionError, Api};
use tau_http::{Clients, Policy};

use crate::config::{FILE, Values};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(15);
/// How long the first prompt waits for tools that are declared.
const START: Duration = Duration::from_secs(10);
/// How long a command that gives a value may take.
const COMMAND: Duration = Duration::from_secs(10);

/// What the program says about itself.
#[derive(Clone)]
pub struct Options {
    /// The folder of the user's settings.
    pub agent_dir: PathBuf,
    /// The variables of the session.
    pub environment: Arc<[(OsString, OsString)]>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// How the web is reached.
    pub clients: Arc<Clients>,
    /// Where files go that hold long results; the system's folder for temporary files otherwise.
    pub temp_dir: Option<PathBuf>,
    /// The file of what servers log; one in `agent_dir` otherwise.
    pub log: Option<PathBuf>,
    /// How long the first prompt waits for tools that are declared.
    pub start: Duration,
}

impl Options {
    /// The variables of this process, and the web without a proxy of one's own.
    pub fn new(agent_dir: PathBuf) -> Self {
        let variables = tau_sys::variables().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Self {
            agent_dir,
            environment: variables.chain(tau_sys::other_variables()).collect(),
            home: tau_sys::variable("HOME").map(PathBuf::from),
            clients: Arc::new(clients(None, None)),
            temp_dir: None,
            log: None,
            start: START,
        }
    }

    /// As the session has it: its variables, and the settings that it has read.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn of_session(api: &Api) -> Result<Self, ActionError> {
        let (folders, http) = (api.folders()?, api.http()?);
        let variables = api.variables()?.into_iter().map(|(name, value)| (name.into(), value.into()));
        Ok(Self {
            agent_dir: folders.agent_dir,
            environment: variables.collect(),
            home: Some(folders.home),
            clients: Arc::new(clients(http.proxy, http.authorities)),
            temp_dir: None,
            log: None,
            start: START,
        })
    }

    /// With a proxy and certificates of the user.
    #[must_use]
    pub fn with_http(self, proxy: Option<String>, authorities: Option<PathBuf>) -> Self {
        Self { clients: Arc::new(clients(proxy, authorities)), ..self }
    }

    /// The variables of the session for servers: without those that the user's `models.json` and `auth.json` name as keys.
    pub fn server_environment(&self) -> Arc<[(OsString, OsString)]> {
        let models = tau_tools::read_small_text(&self.agent_dir.join("models.json")).unwrap_or_default();
        let logins = tau_tools::read_small_text(&self.agent_dir.join("auth.json")).unwrap_or_default();
        let mut secrets = tau_ai::secrets_in_models(&models);
        secrets.extend(tau_ai::secrets_in_logins(&logins));
        let is_secret = |name: &OsString| name.to_str().is_some_and(|name| secrets.iter().any(|secret| secret == name));
        self.environment.iter().filter(|(name, _)| !is_secret(name)).cloned().collect()
    }

    /// The user's file.
    pub fn user_file(&self) -> PathBuf {
        self.agent_dir.join(FILE)
    }

    /// The file of what servers log.
    pub fn log_file(&self) -> PathBuf {
        self.log.clone().unwrap_or_else(|| self.agent_dir.join("mcp.log"))
    }

    /// Where values come from.
    pub fn values(&self, cwd: PathBuf) -> ShellValues {
        ShellValues { environment: Arc::clone(&self.environment), home: self.home.clone(), cwd }
    }
}

fn clients(proxy: Option<String>, authorities: Option<PathBuf>) -> Clients {
    Clients::following(Policy { connect: CONNECT, silence: None, proxy, authorities })
}

/// Values from the variables of a session, and from commands of the user.
pub struct ShellValues {
    environment: Arc<[(OsString, OsString)]>,
    home: Option<PathBuf>,
    cwd: PathBuf,
}

impl Values for ShellValues {
    fn variable(&self, name: &str) -> Option<String> {
        let found = self.environment.iter().find(|(other, _)| other == name);
        found.and_then(|(_, value)| value.to_str().map(str::to_owned))
    }

    fn command(&self, line: &str) -> Result<String, String> {
        // The user wrote this line for a shell, in a file of their own or of a project that they trust.
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(line).current_dir(&self.cwd).env_clear().envs(self.environment.iter().cloned());
        let done = tau_sys::process::output_within(shell, COMMAND).map_err(|error| error.to_string())?;
        let Some(done) = done else { return Err(format!("it took longer than {} seconds", COMMAND.as_secs())) };
        if !done.status.success() {
            return Err(format!("it ended with {}", done.status));
        }
        Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
    }

    fn home(&self) -> Option<PathBuf> {
        self.home.clone()
    }
}
