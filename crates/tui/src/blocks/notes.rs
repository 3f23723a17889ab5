//! Notes between the messages: what happened, what is wrong, where a session begins.

use std::time::Duration;

use tau_view::truncate::truncate_to_width;
use tau_view::width::visible_width;

use super::paint::{self, Margin, clean, one_line};
use crate::look::{Look, SharedLook};
use crate::screen::{Content, Line};

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// Something happened.
    Status,
    /// Something may be wrong.
    Warning,
    /// Something is wrong.
    Error,
}

/// A note, of one line or more.
#[derive(Clone)]
pub struct Note {
    look: SharedLook,
    kind: NoteKind,
    text: String,
}

impl Note {
    /// A note.
    pub fn new(look: SharedLook, kind: NoteKind, text: impl Into<String>) -> Self {
        Self { look, kind, text: text.into() }
    }

    /// Says that a request failed, and is repeated after a pause.
    pub fn retry(look: SharedLook, attempt: u32, attempts: u32, pause: Duration, reason: &str) -> Self {
        let seconds = pause.as_millis().div_ceil(1000);
        let reason = one_line(reason);
        let colon = if reason.is_empty() { "" } else { ": " };
        Self::new(look, NoteKind::Status, format!("Retrying ({attempt}/{attempts}) in {seconds}s{colon}{reason}"))
    }

    fn text(&self) -> String {
        let text = clean(self.text.trim_end());
        match self.kind {
            NoteKind::Status => text,
            NoteKind::Warning => format!("Warning: {text}"),
            NoteKind::Error => format!("Error: {text}"),
        }
    }
}

impl Content for Note {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        let token = match self.kind {
            NoteKind::Status => "dim",
            NoteKind::Warning => "warning",
            NoteKind::Error => "error",
        };
        let mut lines = vec![Line::empty()];
        lines.extend(Margin::new(look.padding, width).wrapped(&look, token, &self.text()));
        lines
    }

    fn estimate(&self, width: usize) -> usize {
        1 + paint::estimate(&self.text, width)
    }
}

/// The line that stands for messages of a session that are only in the pager.
pub fn earlier_messages(look: &Look, count: usize, pager_key: &str, width: usize) -> Line {
    let key = one_line(pager_key);
    let key = if key.is_empty() { String::new() } else { format!(" ({key})") };
    let noun = paint::plural(count, "message", "messages");
    let text = format!("{} earlier {noun} — pager{key}", paint::grouped(count as u64));
    let margin = Margin::new(look.padding, width);
    margin.line(&look.styles.fg("dim", &truncate_to_width(&text, margin.inner, "…", false)))
}

/// The line above what full-screen mode leaves on the screen: so many blocks are left out.
pub fn left_out(look: &Look, count: usize, width: usize) -> Line {
    let noun = paint::plural(count, "message", "messages");
    let text = format!("{} earlier {noun}", paint::grouped(count as u64));
    let margin = Margin::new(look.padding, width);
    margin.line(&look.styles.fg("dim", &truncate_to_width(&text, margin.inner, "…", false)))
}

/// The rule above another session.
#[derive(Clone)]
pub struct SessionRule {
    look: SharedLook,
    text: String,
}

impl SessionRule {
    /// A rule that says what begins, such as `New session` or the name of one.
    pub fn new(look: SharedLook, text: impl Into<String>) -> Self {
        Self { look, text: text.into() }
    }
}

impl Content for SessionRule {
    fn lines(&self, width: usize) -> Vec<Line> {
        let look = self.look.get();
        vec![Line::empty(), rule(&look, "borderMuted", &look.styles.fg("muted", &one_line(&self.text)), width)]
    }

    fn estimate(&self, _: usize) -> usize {
        2
    }
}

/// A rule in the colour of a token, with styled text in it.
pub(super) fn rule(look: &Look, token: &str, text: &str, width: usize) -> Line {
    if text.is_empty() || width < 6 {
        return Line::new(&look.styles.fg(token, &"─".repeat(width)), width);
    }
    let text = truncate_to_width(text, width - 5, "…", false);
    let rest = width.saturating_sub(visible_width(&text) + 4);
    let line = |count: usize| look.styles.fg(token, &"─".repeat(count));
    Line::new(&format!("{} {text} {}", line(2), line(rest)), width)
}
