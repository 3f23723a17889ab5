//! Texts of the session: what can be copied, what was changed, and the pager.

use tau_agent::outcome::{Copyable, FileChange, Hunk};
use tau_tui::blocks::{Change, Changes};
use tau_tui::screen::{Block, Scroll, Transcript};
use tau_tui::select::Item;
use tau_view::untrusted::plain;

use super::App;
use crate::dialogs::{Deed, Effect};

/// How much of a text is shown in a list, in characters.
const EXCERPT: usize = 200;

impl App {
    /// Opens the list of what can be copied.
    pub(super) fn choose_text(&mut self, texts: Vec<Copyable>) {
        let item = |text: &Copyable| {
            let lines = text.text.lines().count();
            let noun = if lines == 1 { "line" } else { "lines" };
            Item::new(format!("{} ({lines} {noun})", plain(&text.kind))).about(excerpt(&text.text))
        };
        let items = texts.iter().map(item).collect();
        let texts: Vec<String> = texts.into_iter().map(|text| text.text).collect();
        self.open_list("Copy".to_owned(), items, None, move |at| match at.and_then(|at| texts.get(at)).cloned() {
            Some(text) => Effect::Do(Deed::Copy(text)),
            None => Effect::Nothing,
        });
    }

    /// Shows changes of files in the pager.
    pub(super) fn show_changes(&mut self, files: Vec<FileChange>) {
        if files.is_empty() {
            return self.note("No tool has changed a file in this session.");
        }
        let mut page = Transcript::new();
        for file in files {
            let changes = file.hunks.into_iter().map(|hunk| match hunk {
                Hunk::Edited(lines) => Change::Edited(lines),
                Hunk::Written(text) => Change::Written(text),
            });
            let content = Changes::new(self.look.clone(), file.path, changes.collect());
            // As prompts of the transcript, files are what one goes to.
            page.push(Block::finished(content).prompt());
        }
        let hint = self.page_hint("Changes", "file");
        self.screen.open_page(page, hint);
    }

    /// Shows the whole transcript in the pager.
    pub(super) fn open_pager(&mut self) {
        if self.screen.window().is_some() {
            return self.status("The whole transcript is on the screen already");
        }
        let hint = self.pager_hint();
        let (pager, transcript) = self.screen.open_pager(hint);
        pager.window.scroll(transcript, Scroll::End);
    }
}

/// The beginning of a text, in one line.
fn excerpt(text: &str) -> String {
    let text = plain(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(EXCERPT).collect()
}
