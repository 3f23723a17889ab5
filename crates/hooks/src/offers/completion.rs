//! Completions of commands by their names, whoever the commands belong to.

use std::future::Future;
use std::sync::Arc;

use crate::extension::{Completer, Completion, Registrar};
use crate::future::BoxFuture;
use crate::owner::Owner;
use crate::registry::Hooks;

impl Registrar {
    /// Completes the argument of a command that is not this extension's, such as a built-in one, by its name without the
    /// slash. A command's own completions come first.
    pub fn completer<F, Fut>(&mut self, command: &str, complete: F) -> &mut Self
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Vec<Completion>> + Send + 'static,
    {
        let complete: Completer = Arc::new(move |prefix| -> BoxFuture<_> {
            let found = complete(prefix);
            Box::pin(async move { Ok(found.await) })
        });
        super::put(&mut self.staged.offers.completers, (command.to_owned(), complete), |(name, _)| name);
        self
    }
}

impl Hooks {
    /// What completes the argument of a command, by its name as it can be typed: its own completer, then those that
    /// extensions registered for it, in load order.
    pub fn completers(&self, command: &str) -> Vec<(Arc<Owner>, Completer)> {
        let own = self.commands().into_iter().find(|entry| entry.name == command);
        let own = own.and_then(|entry| Some((entry.owner, entry.command.completer?)));
        let others = self.all_of(|registered| &registered.offers.completers).into_iter();
        let others = others.filter(|(_, (name, _))| name == command).map(|(owner, (_, completer))| (owner, completer));
        own.into_iter().chain(others).collect()
    }

    /// The completions of a command's argument, those of all completers; one that fails gives none.
    pub async fn complete(&self, command: &str, prefix: &str) -> Vec<Completion> {
        let mut all: Vec<Completion> = Vec::new();
        for (owner, completer) in self.completers(command) {
            use futures_util::FutureExt;
            let asked = std::panic::AssertUnwindSafe(async { completer(prefix.to_owned()).await });
            let found = match asked.catch_unwind().await {
                Ok(found) => found.map_err(|error| error.to_string()),
                Err(panic) => Err(crate::dispatch::panicked(panic).to_string()),
            };
            match found {
                Ok(more) => {
                    let new = |one: &Completion| !all.iter().any(|known| known.value == one.value);
                    let more: Vec<_> = more.into_iter().filter(new).collect();
                    all.extend(more);
                }
                Err(why) => {
                    let text = format!("the completions of `/{command}`: {why}");
                    let report = crate::report::Report::diagnostic(Arc::clone(&owner.path), "completions", text);
                    self.dispatcher.reports.send(&report);
                }
            }
        }
        all
    }
}
