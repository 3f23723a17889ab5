//! Subcommands of the program: `tau NAME …`.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use crate::api::Api;
use crate::error::HandlerError;
use crate::extension::Registrar;
use crate::future::BoxFuture;
use crate::owner::Owner;
use crate::registry::Hooks;

/// How a subcommand was called.
#[derive(Clone)]
pub struct CliCall {
    /// The arguments behind the name.
    pub args: Vec<String>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The folder of the user's settings.
    pub agent_dir: PathBuf,
    /// The extension's settings and state. There is no session.
    pub api: Api,
}

/// Runs a subcommand; gives the exit code. It prints its result itself.
pub type SubcommandHandler = Arc<dyn Fn(CliCall) -> BoxFuture<Result<u8, HandlerError>> + Send + Sync>;

/// A subcommand of the program.
#[derive(Clone)]
pub struct Subcommand {
    /// Its name: a-z, 0-9 and `-`, with a letter first.
    pub name: String,
    /// What it does, in a sentence.
    pub about: String,
    /// How it is called, for `tau NAME --help`: one line or several.
    pub usage: String,
    /// Runs it.
    pub run: SubcommandHandler,
}

impl Registrar {
    /// Adds a subcommand to the program: `tau NAME …`. It works for extensions that are part of the program; one of tau's
    /// own, or of an extension before, of the same name is found first.
    ///
    /// # Errors
    /// When the name is none.
    pub fn subcommand<F, Fut>(
        &mut self,
        name: &str,
        about: &str,
        usage: &str,
        run: F,
    ) -> Result<&mut Self, HandlerError>
    where
        F: Fn(CliCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<u8, HandlerError>> + Send + 'static,
    {
        let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(is_fine) {
            return Err(HandlerError::msg(format!(
                "\"{name}\" cannot be the name of a subcommand: use a-z, 0-9 and -, starting with a letter"
            )));
        }
        let (name, about, usage) = (name.to_owned(), about.to_owned(), usage.to_owned());
        let run: SubcommandHandler = Arc::new(move |call| -> BoxFuture<_> { Box::pin(run(call)) });
        let subcommand = Subcommand { name, about, usage, run };
        super::put(&mut self.staged.offers.subcommands, subcommand, |subcommand| &subcommand.name);
        Ok(self)
    }
}

impl Hooks {
    /// The subcommands of extensions, the first of a name.
    pub fn subcommands(&self) -> Vec<(Arc<Owner>, Subcommand)> {
        self.first_of(|registered| &registered.offers.subcommands, |subcommand| subcommand.name.clone())
    }
}
