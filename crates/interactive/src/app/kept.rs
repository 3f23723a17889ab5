//! Prompts that were sent, and the text that was not.

use std::sync::Arc;

use tau_tui::history::HistorySearch;

use super::App;
use crate::dialogs::{Entry, HistoryPanel};
use crate::kept::{Fail, Loaded};
use crate::told::{Said, Told};

/// How many prompts the editor itself goes through.
const IN_EDITOR: usize = 100;
/// How many prompts a search shows at once.
const ROWS: usize = 10;

impl App {
    /// Begins to read what is kept of the project.
    pub(super) fn open_kept(&self) {
        let (env, teller) = (self.env.clone(), self.teller.clone());
        self.tasks.spawn_blocking(move || teller.tell(Told::Kept(Box::new(Loaded::read(&env)))));
    }

    /// Fills the editor's own history, and brings back what was not sent.
    pub(super) fn restore_kept(&mut self, loaded: Loaded) {
        self.kept.begin(&loaded, &self.tasks, self.reports_kept());
        let prompts = self.kept.prompts();
        for prompt in prompts.iter().skip(prompts.len().saturating_sub(IN_EDITOR)) {
            self.editor.model.add_to_history(prompt);
        }
        if let Some(error) = loaded.error {
            self.warn(&error.to_string());
        }
        match loaded.draft {
            Some(draft) if self.editor.is_empty() => {
                self.editor.set_text(&draft);
                self.edited();
                self.status("Restored a prompt that was not sent");
            }
            Some(draft) => {
                // What is typed now takes its place as the draft.
                self.keep_prompt(&draft);
                self.status("A prompt that was not sent is among the earlier prompts");
            }
            None => {}
        }
        if !self.editor.is_empty() {
            self.keep_draft(&self.editor.text());
        }
    }

    /// A prompt was sent.
    pub(super) fn keep_prompt(&mut self, text: &str) {
        self.editor.model.add_to_history(text);
        self.kept.add(text.to_owned(), &self.tasks, self.reports_kept());
    }

    /// What is in the editor has changed.
    pub(super) fn keep_draft(&self, text: &str) {
        self.kept.write_soon(text.to_owned(), &self.tasks, self.reports_kept());
    }

    fn reports_kept(&self) -> Fail {
        let teller = self.teller.clone();
        Arc::new(move |why| teller.tell(Told::Done(Said::Error(why))))
    }

    /// Searches the prompts that were sent.
    pub(super) fn search_history(&mut self) {
        let draft = self.editor.text();
        let search = HistorySearch::new(&self.kept.prompts(), &draft, ROWS);
        self.panels.open(Entry::own(HistoryPanel::new(search)), false);
    }
}
