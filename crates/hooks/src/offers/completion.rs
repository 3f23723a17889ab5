//! Completions of commands by their names, whoever the commands belong to.

use std::collections::HashSet;
use std::future::Future;
use std::sync::Arc;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};

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
        own.into_iter().chain(others).chain(self.template_completer(command)).collect()
    }

    /// The completions of a command's argument, those of all completers; one that fails gives none.
    pub async fn complete(&self, command: &str, prefix: &str) -> Vec<Completion> {
        self.complete_as_found(command, prefix, |_| ()).await
    }

    /// As [`Hooks::complete`]. All completers are asked at once, and `so_far` gets what there is whenever one has answered
    /// and others are still at work: one that takes its time holds nothing up.
    pub async fn complete_as_found(
        &self,
        command: &str,
        prefix: &str,
        so_far: impl Fn(Vec<Completion>),
    ) -> Vec<Completion> {
        let completers = self.completers(command);
        let mut found: Vec<Vec<Completion>> = vec![Vec::new(); completers.len()];
        let ask = |(place, (owner, completer)): (usize, &(Arc<Owner>, Completer))| {
            let (owner, completer) = (Arc::clone(owner), Arc::clone(completer));
            async move { (place, self.asked(command, prefix, &owner, &completer).await) }
        };
        let mut asked: FuturesUnordered<_> = completers.iter().enumerate().map(ask).collect();
        while let Some((place, more)) = asked.next().await {
            found[place] = more;
            if !asked.is_empty() {
                so_far(merged(&found));
            }
        }
        merged(&found)
    }

    /// What one completer gives.
    async fn asked(&self, command: &str, prefix: &str, owner: &Owner, completer: &Completer) -> Vec<Completion> {
        let asked = std::panic::AssertUnwindSafe(async { completer(prefix.to_owned()).await });
        let found = match asked.catch_unwind().await {
            Ok(found) => found.map_err(|error| error.to_string()),
            Err(panic) => Err(crate::dispatch::panicked(panic).to_string()),
        };
        found.unwrap_or_else(|why| {
            let text = format!("the completions of `/{command}`: {why}");
            let report = crate::report::Report::diagnostic(Arc::clone(&owner.path), "completions", text);
            self.dispatcher.reports.send(&report);
            Vec::new()
        })
    }
}

/// All of them in the order of the completers, each value once.
fn merged(found: &[Vec<Completion>]) -> Vec<Completion> {
    let mut seen = HashSet::new();
    found.iter().flatten().filter(|one| seen.insert(one.value.as_str())).cloned().collect()
}
