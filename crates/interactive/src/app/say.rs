//! What tau says: notes in the transcript, and a line that the next one replaces.

use serde_json::Value;
use tau_agent::settings::keys;
use tau_tui::blocks::{Header, Hint, NoteKind};
use tau_tui::screen::{BlockId, Line};
use tau_view::bindings::{BINDINGS, Context};

use super::App;
use crate::listing::listing;
use crate::screen::{Mode, SEARCH_KEY};
use crate::told::Said;

/// What is typed: the key of an action, or a text.
enum Typed {
    Action(&'static str),
    Text(&'static str),
}

/// What the key for a page up does in regular mode.
const PAGER: &str = "pager";

/// The header: what is typed, and what it does.
const HINTS: &[(Typed, &str)] = &[
    (Typed::Action("app.interrupt"), "interrupt"),
    (Typed::Action("app.clear"), "clear"),
    (Typed::Action("app.exit"), "exit"),
    (Typed::Text("/"), "commands"),
    (Typed::Text("!"), "bash"),
    (Typed::Text("@"), "files"),
    (Typed::Action("app.tools.expand"), "more"),
    (Typed::Action("tui.altScreen.pageUp"), PAGER),
];

impl App {
    /// A line above the editor that the next one replaces.
    pub(super) fn status(&mut self, text: &str) {
        self.dock.status = Some(text.to_owned());
        self.screen.changed();
    }

    /// A note in the transcript.
    pub(super) fn note(&mut self, text: &str) {
        self.say(NoteKind::Status, text);
    }

    /// A warning.
    pub(super) fn warn(&mut self, text: &str) {
        self.say(NoteKind::Warning, text);
    }

    /// An error.
    pub(super) fn error(&mut self, text: &str) {
        self.say(NoteKind::Error, text);
    }

    fn say(&mut self, kind: NoteKind, text: &str) {
        self.chat.note(&mut self.screen.transcript, kind, text);
        self.screen.changed();
    }

    /// What a task had to say at its end.
    pub(super) fn said(&mut self, said: Said) {
        match said {
            Said::Status(text) => self.status(&text),
            Said::Note(text) => self.note(&text),
            Said::Error(text) => self.error(&text),
            Said::Copied(copied) => {
                if let Some(sequence) = &copied.terminal {
                    self.screen.terminal.writer().commit(sequence.clone());
                }
                self.status(copied.message());
            }
            Said::Selected(copied) => self.selection_copied(copied),
        }
    }

    /// The header, once extensions are bound.
    pub(super) fn show_header(&mut self) {
        let settings = self.settings();
        // What is wrong is said in any case.
        let (has_header, has_listing) = match settings.of(keys::QUIET_STARTUP) {
            _ if self.is_verbose => (true, true),
            Some(Value::String(word)) if word == "header" => (true, false),
            Some(Value::Bool(true)) => (false, false),
            _ => (true, true),
        };
        if has_header {
            self.begin_header();
        }
        if let Some(session) = &self.session {
            let found = |expanded| {
                let mut found = listing(session, &self.env, self.look.clone(), expanded);
                found.sections.retain(|section| has_listing || section.wrong);
                found
            };
            let (folded, whole) = (found(false), found(true));
            let content = move |expanded| if expanded { whole.clone() } else { folded.clone() };
            self.chat.push_fold(&mut self.screen.transcript, |block| block, self.is_verbose, content);
        }
    }

    /// The header of tau.
    pub(super) fn push_header(&mut self) -> BlockId {
        let header = self.header_content();
        let transcript = &mut self.screen.transcript;
        let content = move |expanded| Header { expanded, ..header.clone() };
        self.chat.push_fold(transcript, |block| block, self.is_verbose, content)
    }

    /// Puts the header of tau where one of an extension stood.
    pub(super) fn restore_header(&mut self, block: BlockId) {
        let header = self.header_content();
        let content = move |expanded| Header { expanded, ..header.clone() };
        self.chat.put_fold(&mut self.screen.transcript, block, self.is_verbose, content);
    }

    fn header_content(&self) -> Header {
        let hint = |(key, does): &(Typed, &str)| {
            let key = match key {
                Typed::Action(action) => self.keys.key_of(action)?,
                Typed::Text(text) => (*text).to_owned(),
            };
            let is_scrolled = *does == PAGER && self.screen.mode() == Mode::Full;
            Some(Hint::new(key, if is_scrolled { "scroll" } else { does }))
        };
        let hints = HINTS.iter().filter_map(hint).collect();
        Header {
            look: self.look.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            hints,
            all_hints: self.all_hints(),
            notes: vec![self.mode_note()],
            expanded: self.is_verbose,
        }
    }

    /// Every key of the program, with what it does.
    fn all_hints(&self) -> Vec<Hint> {
        let own =
            BINDINGS.iter().filter(|binding| binding.id.starts_with("app.") && binding.context == Context::Editor);
        own.filter_map(|binding| Some(Hint::new(self.keys.key_of(binding.id)?, binding.doc))).collect()
    }

    /// The last line of the pager.
    pub(super) fn pager_hint(&self) -> Line {
        self.page_hint("Transcript", "prompt")
    }

    /// The last line of the pager on a page; `place` is what the key for prompts goes to there.
    pub(super) fn page_hint(&self, title: &str, place: &str) -> Line {
        let key = |action: &str| self.keys.key_of(action).unwrap_or_default();
        let parts = [
            (key("tui.altScreen.pageUp"), "up"),
            (key("tui.altScreen.pageDown"), "down"),
            (key("tui.altScreen.previousPrompt"), place),
            (SEARCH_KEY.to_owned(), "search"),
            (key("app.tools.expand"), "expand"),
        ];
        let shown = parts.iter().filter(|(key, _)| !key.is_empty());
        let parts: Vec<String> = shown.map(|(key, does)| format!("{key} {does}")).collect();
        // The way back comes first: what does not fit is cut.
        let text = format!(" {title} · escape back · {}", parts.join(" · "));
        let look = self.look.get();
        Line::new(&look.styles.fg("dim", &text), self.screen.size().columns)
    }
}
