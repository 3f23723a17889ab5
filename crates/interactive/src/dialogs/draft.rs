//! What the rows of a panel are made of.

use tau_tui::Drawn;
use tau_tui::select::{ListLook, SelectList};
use tau_tui::style::bold;
use tau_view::width::visible_width;
use tau_view::wrap::wrap_text;

use super::Space;

/// Rows of a panel between two rules.
pub(crate) struct Draft<'a> {
    space: &'a Space<'a>,
    drawn: Drawn,
}

impl<'a> Draft<'a> {
    /// Begins with a rule and the title. The title may have several lines; a long one is cut, so that what can be chosen
    /// stays on the screen.
    pub(crate) fn new(space: &'a Space<'a>, title: &str) -> Self {
        let mut draft = Self { space, drawn: Drawn::default() };
        draft.rule();
        let title = tau_view::untrusted::plain(title);
        let mut lines = wrap_text(&title, space.width.saturating_sub(1).max(1));
        let most = (space.rows / 2).max(3);
        let hidden = lines.len().saturating_sub(most);
        if hidden > 0 {
            lines.truncate(most - 1);
            lines.push(format!("… {} more lines", hidden + 1));
        }
        let styles = &space.look.styles;
        let last = lines.len().saturating_sub(1);
        for (at, line) in lines.iter().enumerate() {
            let mut line = styles.fg("accent", &bold(line));
            if at == last {
                line.push_str(&styles.fg("muted", space.note));
            }
            draft.drawn.lines.push(format!(" {line}"));
        }
        if let Some(owner) = space.owner.filter(|owner| *owner != "tau") {
            draft.dim(&format!("asked by {}", tau_view::untrusted::plain(owner)));
        }
        draft
    }

    fn rule(&mut self) {
        let rule = "─".repeat(self.space.width);
        self.drawn.lines.push(self.space.look.styles.fg("border", &rule));
    }

    /// How many rows are left, when so many follow behind what comes now.
    pub(crate) fn room(&self, behind: usize) -> usize {
        self.space.rows.saturating_sub(self.drawn.lines.len() + behind)
    }

    /// Adds lines.
    pub(crate) fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        self.drawn.lines.extend(lines);
    }

    /// Adds the rows of a list.
    pub(crate) fn list(&mut self, list: &SelectList, look: &ListLook<'_>) {
        let rows = list.draw_from(self.drawn.lines.len(), self.space.width, look);
        self.lines(rows);
    }

    /// Adds a dim line.
    pub(crate) fn dim(&mut self, text: &str) {
        let line = tau_view::truncate::truncate_to_width(text, self.space.width.saturating_sub(1), "…", false);
        self.drawn.lines.push(format!(" {}", self.space.look.styles.fg("dim", &line)));
    }

    /// Adds a line that is edited, behind a prompt.
    pub(crate) fn input(&mut self, prompt: &str, text: &str, column: usize) {
        let row = self.drawn.lines.len();
        let before = visible_width(prompt);
        self.drawn.lines.push(format!("{prompt}{}", cursor(text, column)));
        self.drawn.cursor = Some((row, (before + column).min(self.space.width.saturating_sub(1))));
    }

    /// Adds a dim text behind the last line.
    pub(crate) fn behind(&mut self, text: &str) {
        if let Some(line) = self.drawn.lines.last_mut() {
            let room = self.space.width.saturating_sub(visible_width(line));
            let text = tau_view::truncate::truncate_to_width(text, room, "…", false);
            line.push_str(&self.space.look.styles.fg("dim", &text));
        }
    }

    /// Adds a part with a cursor of its own.
    pub(crate) fn append(&mut self, part: Drawn) {
        self.drawn.append(part);
    }

    /// Ends with the keys and a rule.
    pub(crate) fn finish(mut self, hints: &[(&str, &str)]) -> Drawn {
        let hints: Vec<String> = hints
            .iter()
            .filter_map(|(action, does)| Some(format!("{} {does}", self.space.keys.key_of(action)?)))
            .collect();
        if !hints.is_empty() {
            self.dim(&hints.join(" · "));
        }
        self.rule();
        self.drawn
    }
}

/// A line with the character in a column inverse.
fn cursor(text: &str, column: usize) -> String {
    let mut at = 0;
    for grapheme in tau_view::width::graphemes(text) {
        if at >= column {
            let start = grapheme.as_ptr() as usize - text.as_ptr() as usize;
            let (before, after) = text.split_at(start);
            return format!("{before}{}{}", tau_tui::style::inverse(grapheme), &after[grapheme.len()..]);
        }
        at += visible_width(grapheme);
    }
    format!("{text}{}", tau_tui::style::inverse(" "))
}
