//! The mouse: who gets what it does, and what follows.

use std::process::Stdio;
use std::time::Duration;

use tau_tui::complete::Became;
use tau_tui::screen::{Scroll, Under};
use tau_tui::terminal::input::{Mouse, MouseKind};

use super::App;
use crate::dialogs::Took;
use crate::screen::{MouseUse, Pointed};
use crate::told::{Said, Told};

/// How long it is said that something was copied, and that it was not.
const COPIED: Duration = Duration::from_secs(1);
const FAILED: Duration = Duration::from_secs(5);

/// What links may lead to.
const SCHEMES: [&str; 4] = ["http://", "https://", "file://", "mailto:"];

impl App {
    /// Takes what the mouse did. What is under it comes first, then the window.
    pub(super) fn mouse(&mut self, mouse: &Mouse) {
        let is_wheel = matches!(mouse.kind, MouseKind::Wheel(_));
        match self.screen.mouse() {
            MouseUse::All => {}
            MouseUse::Wheel if is_wheel => {}
            MouseUse::Wheel | MouseUse::Off => return,
        }
        if self.mouse_of_component(mouse) {
            return self.screen.changed_by_key();
        }
        if let Some(lines) = self.screen.turned(mouse) {
            self.screen.changed_by_key();
            return self.wheel(mouse, lines);
        }
        let pointed = self.screen.point(mouse);
        match &pointed {
            Pointed::Nothing => return,
            // Many of these come one after the other.
            Pointed::Done if matches!(mouse.kind, MouseKind::Move | MouseKind::Drag(_)) => self.screen.changed(),
            _ => self.screen.changed_by_key(),
        }
        match pointed {
            Pointed::Nothing | Pointed::Done => {}
            Pointed::Link(link) => self.open_link(link),
            Pointed::Dock { row, column } => self.click_in_dock(row, column),
            Pointed::Selected(text) if self.modes.copies => self.copy_selection(text),
            Pointed::Selected(_) => {}
        }
    }

    /// A turn of the wheel: a list under the pointer moves, and what is left of it scrolls the transcript.
    fn wheel(&mut self, mouse: &Mouse, lines: isize) {
        let mut left = lines;
        if let Some(Under::Dock { row, .. }) = self.screen.under(mouse) {
            if self.dock.regions.panel.contains(&row) {
                let took;
                (left, took) = self.panels.wheel(lines);
                self.took(took);
            } else if let Some(list) =
                self.completing.list.open_list().filter(|_| self.dock.regions.completions.contains(&row))
            {
                left = list.wheel(lines);
            }
        }
        if left != 0 {
            self.screen.scroll(Scroll::Lines(left));
        }
    }

    fn click_in_dock(&mut self, row: usize, column: usize) {
        let regions = &self.dock.regions;
        if regions.panel.contains(&row) {
            let took = self.panels.click(row - regions.panel.start, &self.keys);
            self.took(took);
        } else if regions.completions.contains(&row) {
            let row = row - regions.completions.start;
            if self.completing.list.open_list().is_some_and(|list| list.click(row)) {
                let became = self.completing.list.choose_selected(&mut self.editor.model);
                self.became(became);
            }
        } else if regions.editor.contains(&row) && self.editor.click(row - regions.editor.start, column) {
            let became = self.completing.list.changed(&self.editor.model);
            debug_assert_ne!(became, Became::Submit);
        }
    }

    fn took(&mut self, took: Option<Took>) {
        if let Some(Took::Closes(effect) | Took::Acts(effect)) = took {
            self.effect(effect);
        }
    }

    /// Unfolds or folds the block that was clicked, once it is sure that it was clicked once.
    pub(super) fn toggle_clicked(&mut self) {
        if let Some(block) = self.screen.clicked() {
            self.chat.toggle(&mut self.screen.transcript, block);
        }
    }

    /// Copies what is selected, and says in the window how that went.
    pub(super) fn copy_selection(&mut self, text: String) {
        let (clipboard, teller) = (self.clipboard.clone(), self.teller.clone());
        self.tasks.spawn(async move {
            let copied = clipboard.copy(&text).await.map_err(|error| error.to_string());
            teller.tell(Told::Done(Said::Selected(copied)));
        });
    }

    /// Says that what is selected was copied, or why not.
    pub(super) fn selection_copied(&mut self, copied: Result<tau_tui::terminal::clipboard::Copied, String>) {
        let (text, time) = match copied {
            Ok(copied) => {
                if let Some(sequence) = &copied.terminal {
                    self.screen.terminal.writer().commit(sequence.clone());
                }
                (copied.message().to_owned(), COPIED)
            }
            Err(why) => (format!("Not copied: {why}"), FAILED),
        };
        self.screen.flash(text, time);
    }

    /// Opens a link with the program that the system has for it. No shell reads it.
    fn open_link(&mut self, link: String) {
        if !SCHEMES
            .iter()
            .any(|scheme| link.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme)))
        {
            return self.screen.flash("Links of this kind are not opened".to_owned(), FAILED);
        }
        let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let mut opener = tokio::process::Command::new(program);
        opener.arg(&link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            let failed = match opener.status().await {
                Ok(status) if status.success() => return,
                Ok(status) => format!("{program} ended with {status}"),
                Err(error) => format!("{program}: {error}"),
            };
            teller.tell(Told::Done(Said::Error(format!("The link could not be opened: {failed}. It leads to {link}"))));
        });
    }
}
