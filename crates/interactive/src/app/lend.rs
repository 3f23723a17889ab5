//! The terminal for others: the shell while tau is stopped, and the user's own editor.

use std::path::Path;
use std::sync::Arc;
use std::task::Poll;

use tau_agent::settings::keys;
use tau_hooks::dialogs::{DialogBackEnd, DialogEvent, UiCall};
use tau_hooks::mount::Lend;
use tau_launch::{Interrupts, Stop};

use super::App;
use crate::paths::short_owner;

impl App {
    /// Gives the terminal away, if a key asked for that.
    pub(super) async fn lend_if_wanted(&mut self) {
        if std::mem::take(&mut self.suspends) {
            self.suspend().await;
        }
        if std::mem::take(&mut self.edits_outside) {
            self.edit_outside().await;
        }
    }

    /// Paints again, after others had the terminal. What was typed meanwhile was not meant for a question below.
    pub(super) fn begin_again(&mut self) {
        self.screen.begin_again();
        self.panels.was_covered();
    }

    /// Stops the program, as ctrl+z does, until it is continued.
    pub(super) async fn suspend(&mut self) {
        self.screen.leave();
        if let Err(error) = self.screen.terminal.suspend().await {
            self.error(&format!("tau cannot be stopped: {error}"));
        }
        self.begin_again();
    }

    /// Gives the terminal to programs of extensions, until the last one that has it gives it back or is gone, or the user
    /// takes it back.
    pub(super) async fn lend_to_extensions(&mut self, stop: &Stop) {
        while let Some((owner, lend)) = self.lends.pop_front() {
            if !lend.wants || lend.is_over() {
                lend.done();
                continue;
            }
            // Until the modes of the terminal are set again, ctrl+c is a signal.
            let interrupts = stop.interrupts();
            self.screen.leave();
            let mut lending = Lending { holders: vec![(owner, lend)], missed: Vec::new() };
            let back = self.screen.terminal.lend(lending.until_over(&mut self.back_end, &interrupts)).await;
            self.begin_again();
            let Lending { holders, missed } = lending;
            match back {
                Back::Given(back) => back.done(),
                Back::Lost => {}
                Back::Taken => {
                    let names: Vec<String> = holders.iter().map(|(owner, _)| short_owner(owner)).collect();
                    self.note(&format!("The terminal was taken back from {}.", names.join(", ")));
                }
            }
            for (_, lend) in holders {
                lend.end();
            }
            for event in missed {
                self.dialog(event);
            }
        }
    }

    /// Has the text of the editor, or of the question in its place, edited by the user's own editor.
    async fn edit_outside(&mut self) {
        let settings = self.settings();
        let named = settings.of(keys::EXTERNAL_EDITOR).map(str::to_owned);
        let named =
            named.or_else(|| ["VISUAL", "EDITOR"].iter().find_map(|name| self.env.var(name).map(str::to_owned)));
        let command = named.unwrap_or_else(|| "nano".to_owned());
        let folder = match tempfile::tempdir() {
            Ok(folder) => folder,
            Err(error) => return self.error(&format!("there is no place for the text: {error}")),
        };
        let file = folder.path().join("prompt.md");
        let (is_answer, text) = match self.panels.text() {
            Some(text) => (true, text),
            None => (false, self.editor.text()),
        };
        if let Err(error) = std::fs::write(&file, text) {
            return self.error(&format!("{}: {error}", file.display()));
        }
        self.screen.leave();
        let done = self.screen.terminal.lend(run(&command, &file, &self.env.cwd)).await;
        self.screen.begin_again();
        match done.and_then(|()| std::fs::read_to_string(&file).map_err(|error| error.to_string())) {
            Ok(text) if is_answer => self.panels.set_text(text.trim_end_matches('\n')),
            Ok(text) => {
                self.editor.set_text(text.trim_end_matches('\n'));
                self.edited();
            }
            Err(why) => self.error(&format!("{command}: {why}; the text is as it was")),
        }
    }
}

/// How the terminal came back.
enum Back {
    /// The last one that had it gave it back, and waits.
    Given(Lend),
    /// Those that had it are gone, or were stopped.
    Lost,
    /// The user took it.
    Taken,
}

/// The extensions that have the terminal, and what is to be done when it is back.
struct Lending {
    holders: Vec<(Arc<str>, Lend)>,
    missed: Vec<DialogEvent>,
}

impl Lending {
    /// Waits until nobody has the terminal any more.
    async fn until_over(&mut self, back_end: &mut DialogBackEnd, interrupts: &Interrupts) -> Back {
        for (_, lend) in &self.holders {
            lend.done();
        }
        loop {
            let event = tokio::select! {
                biased;
                () = interrupts.next() => return Back::Taken,
                () = self.one_ends() => None,
                event = back_end.recv() => match event {
                    Some(event) => Some(event),
                    None => return Back::Lost,
                },
            };
            let Some(event) = event else {
                self.holders.retain(|(_, lend)| !lend.is_over());
                if self.holders.is_empty() {
                    return Back::Lost;
                }
                continue;
            };
            if let Some(back) = self.heard(event) {
                return back;
            }
        }
    }

    /// Completes when somebody says that one of them has the terminal no more.
    async fn one_ends(&self) {
        if self.holders.is_empty() {
            return std::future::pending().await;
        }
        let mut all: Vec<_> = self.holders.iter().map(|(_, lend)| Box::pin(lend.ended())).collect();
        std::future::poll_fn(|context| {
            if all.iter_mut().any(|ended| ended.as_mut().poll(context).is_ready()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    /// An extension has the terminal no more.
    fn remove(&mut self, owner: &Arc<str>) {
        let (gone, left): (Vec<_>, Vec<_>) = self.holders.drain(..).partition(|(holder, _)| holder == owner);
        self.holders = left;
        for (_, lend) in gone {
            lend.end();
        }
    }

    /// Takes note of an event; how the terminal came back, if it did.
    fn heard(&mut self, event: DialogEvent) -> Option<Back> {
        match &event {
            DialogEvent::Ui(call) => {
                let UiCall::Lend(lend) = &call.call else {
                    self.missed.push(event);
                    return None;
                };
                if lend.wants {
                    self.holders.push((Arc::clone(&call.owner), lend.clone()));
                    lend.done();
                    return None;
                }
                self.remove(&call.owner);
                if self.holders.is_empty() {
                    return Some(Back::Given(lend.clone()));
                }
                lend.done();
                None
            }
            DialogEvent::OwnerRemoved(owner) => {
                // It cannot give it back any more.
                self.remove(owner);
                self.missed.push(event);
                self.holders.is_empty().then_some(Back::Lost)
            }
            _ => {
                self.missed.push(event);
                None
            }
        }
    }
}

/// Runs an editor on a file. Its command is split at spaces; no shell reads it.
async fn run(command: &str, file: &Path, cwd: &Path) -> Result<(), String> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("no editor is named")?;
    let mut child = tokio::process::Command::new(program);
    child.args(words).arg(file).current_dir(cwd).kill_on_drop(true);
    let status = child.status().await.map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("it ended with {status}")) }
}
