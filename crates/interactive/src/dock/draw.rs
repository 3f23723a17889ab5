//! The rows of the dock.

use tau_agent::AgentSession;
use tau_hooks::dialogs::WidgetPlacement;
use tau_tui::Drawn;
use tau_tui::blocks::{Context as Filled, Footer, Pending, Waiting, Working};
use tau_tui::editor::{EditorLook, EditorView, Rule};
use tau_tui::keymap::Keymap;
use tau_tui::look::Look;
use tau_tui::screen::{Cursor, Dock as Rows, Line, Size};
use tau_view::bindings::Context;

use super::Dock;

/// What the dock is drawn with.
pub(crate) struct Parts<'a> {
    pub(crate) size: Size,
    pub(crate) look: &'a Look,
    pub(crate) keys: &'a Keymap,
    pub(crate) session: Option<&'a AgentSession>,
    /// What the key does first that stops what is under way.
    pub(crate) next: Option<String>,
    /// Prompts that were sent and are not in the conversation.
    pub(crate) waiting: Vec<Waiting>,
    /// What is in the place of the editor.
    pub(crate) panel: Option<Drawn>,
    pub(crate) editor: &'a mut EditorView,
    /// What is suggested for what is written.
    pub(crate) completions: Vec<String>,
    pub(crate) padding: usize,
    /// Whether the cursor is the terminal's own.
    pub(crate) hardware_cursor: bool,
}

impl Dock {
    /// Draws everything.
    pub(crate) fn draw(&mut self, parts: Parts<'_>) -> Rows {
        let Parts { size, look, keys, session, next, waiting, panel, editor, completions, padding, hardware_cursor } =
            parts;
        let width = size.columns;
        self.lines.begin(width);
        let mut rows = Vec::new();
        // The editor and some of the conversation stay in sight.
        let most = size.rows.saturating_sub(12).max(4);
        if size.rows >= 8 {
            let key = |action| keys.key_of(action).unwrap_or_default();
            let (edit_key, list_key) = (key("app.message.dequeue"), key("app.message.queue"));
            let pending = Pending { edit_key, list_key, ..self.pending.clone() };
            rows.extend(waiting.iter().flat_map(|waiting| waiting.lines(look, width)));
            rows.extend(pending.lines(look, width));
            if let Some(status) = &self.status {
                let text = tau_view::untrusted::plain(status);
                rows.push(Line::new(&format!(" {}", look.styles.fg("dim", &text.replace('\n', " "))), width));
            }
            let above = self.widgets.lines(WidgetPlacement::AboveEditor, width, most);
            rows.extend(above.iter().map(|line| self.lines.line(line)));
        }
        if rows.first().is_none_or(|line| !line.is_empty()) {
            rows.insert(0, Line::empty());
        }
        let middle = match panel {
            Some(panel) => panel,
            None => {
                let key = keys.key_of("app.interrupt").unwrap_or_default();
                let working = self.working(&key, next.as_deref());
                self.draw_editor(size, look, working, session, editor, padding, hardware_cursor)
            }
        };
        let above = rows.len();
        let cursor = middle.cursor.map(|(row, column)| Cursor { row: above + row, column, visible: hardware_cursor });
        rows.extend(middle.lines.iter().map(|line| self.lines.line(line)));
        rows.extend(completions.iter().map(|line| self.lines.line(line)));
        if self.shows_keys {
            rows.extend(key_list(look, keys, width, size.rows / 2));
        }
        if size.rows >= 8 {
            let below = self.widgets.lines(WidgetPlacement::BelowEditor, width, most);
            let footer = self.footer(session).lines(look, width);
            // What is asked or suggested needs the room more.
            if rows.len() + below.len() + footer.len() <= size.rows {
                rows.extend(below.iter().map(|line| self.lines.line(line)));
                rows.extend(footer);
            }
        }
        Rows::new(rows, cursor)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a frame")]
    fn draw_editor(
        &mut self,
        size: Size,
        look: &Look,
        working: Option<Working>,
        session: Option<&AgentSession>,
        editor: &mut EditorView,
        padding: usize,
        hardware_cursor: bool,
    ) -> Drawn {
        let frame = self.frame();
        let working = working.filter(|_| !self.working.is_hidden).map(|working| working.text(look, frame));
        let rule = match session {
            _ if self.is_bash => "bashMode",
            Some(session) => level_token(session.thinking_level()),
            None => "borderMuted",
        };
        editor.draw(
            size.columns,
            &EditorLook {
                styles: &look.styles,
                rule,
                top: Rule { left: working, right: None },
                bottom: Rule::default(),
                padding,
                rows: size.rows,
                cursor: !hardware_cursor,
            },
        )
    }

    fn footer(&mut self, session: Option<&AgentSession>) -> Footer {
        let mut footer = Footer {
            path: self.folder.clone(),
            branch: self.branch.clone(),
            model: "no model".to_owned(),
            statuses: self.widgets.statuses(),
            status_line: self.status_line.clone(),
            ..Footer::default()
        };
        // Until prompts are taken, whatever is known by then.
        let Some(session) = session.filter(|_| self.is_ready) else {
            footer.model = "starting…".to_owned();
            return Footer { context: Filled { percent: Some(0.0), ..Filled::default() }, ..footer };
        };
        footer.session = session.session().session_name();
        footer.context = self.counted.context(session);
        footer.totals = self.counted.totals(session);
        footer.routed = self.counted.routed();
        if let Some(model) = session.model() {
            footer.model.clone_from(&model.id);
            footer.provider = self.names_provider.then(|| model.provider.to_string());
            footer.level = (model.thinking_levels().len() > 1).then(|| session.thinking_level().to_string());
        }
        footer
    }
}

/// The colour of the rules for a thinking level.
fn level_token(level: tau_ai::ThinkingLevel) -> &'static str {
    use tau_ai::ThinkingLevel;
    match level {
        ThinkingLevel::Off => "thinkingOff",
        ThinkingLevel::Minimal => "thinkingMinimal",
        ThinkingLevel::Low => "thinkingLow",
        ThinkingLevel::Medium => "thinkingMedium",
        ThinkingLevel::High => "thinkingHigh",
        ThinkingLevel::Xhigh => "thinkingXhigh",
        ThinkingLevel::Max => "thinkingMax",
    }
}

/// The keys that are valid in the editor.
fn key_list(look: &Look, keys: &Keymap, width: usize, most: usize) -> Vec<Line> {
    let is_listed = |id: &str| id.starts_with("app.") || id.starts_with("tui.input");
    let valid = keys.bindings().valid_in(Context::Editor).filter(|(binding, _)| is_listed(binding.id));
    let mut rows: Vec<String> =
        valid.map(|(binding, keys)| format!(" {:24} {}", keys.join("/"), binding.doc)).collect();
    let most = most.max(3);
    if rows.len() > most {
        rows.truncate(most - 1);
        rows.push(" /hotkeys                 All keys".to_owned());
    }
    rows.iter().map(|row| Line::new(&look.styles.fg("dim", row), width)).collect()
}
