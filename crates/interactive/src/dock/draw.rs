//! The rows of the dock.

use std::ops::Range;

use tau_agent::AgentSession;
use tau_hooks::dialogs::WidgetPlacement;
use tau_hooks::mount::WorkingStatus;
use tau_tui::Drawn;
use tau_tui::blocks::{Context as Filled, Footer, Pending, Waiting, Working};
use tau_tui::editor::{EditorLook, EditorView, Rule};
use tau_tui::keymap::Keymap;
use tau_tui::look::Look;
use tau_tui::screen::{Cursor, Dock as Rows, Line, Size};
use tau_view::bindings::Context;
use tau_view::editor::vi::Mode;

use super::{Dock, Regions};
use crate::mounts::Slot;
use crate::paths::short_owner;

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
    /// The footer of an extension.
    pub(crate) own_footer: Option<&'a Slot>,
    /// The editor of an extension, with its rows.
    pub(crate) own_editor: Option<(Slot, Drawn)>,
}

impl Dock {
    /// Draws everything.
    pub(crate) fn draw(&mut self, parts: Parts<'_>) -> Rows {
        let Parts { size, look, keys, session, next, waiting, panel, editor, completions, .. } = parts;
        let (padding, hardware_cursor, own_footer) = (parts.padding, parts.hardware_cursor, parts.own_footer);
        let own_editor = parts.own_editor;
        let width = size.columns;
        self.lines.begin(width);
        let (mut rows, mut components) = (Vec::new(), Vec::new());
        // The editor and some of the conversation stay in sight.
        let most = size.rows.saturating_sub(12).max(4);
        let (below, of_below) = self.widgets.lines(WidgetPlacement::BelowEditor, size, most / 2);
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
            let (above, of_components) = self.widgets.lines(WidgetPlacement::AboveEditor, size, most - below.len());
            components.extend(moved(of_components, rows.len()));
            rows.extend(above.iter().map(|line| self.lines.line(line)));
        }
        if rows.first().is_none_or(|line| !line.is_empty()) {
            rows.insert(0, Line::empty());
            components = moved(components, 1);
        }
        let is_panel = panel.is_some();
        let middle = match panel {
            Some(panel) => panel,
            None => {
                let key = keys.key_of("app.interrupt").unwrap_or_default();
                let working = self.working(&key, next.as_deref());
                if let Some((slot, own)) = own_editor {
                    let working = working.filter(|_| !self.working.is_hidden);
                    rows.extend(self.working_beside(&slot, working, look));
                    own
                } else {
                    self.draw_editor(size, look, working, session, editor, padding, hardware_cursor)
                }
            }
        };
        let above = rows.len();
        let cursor = middle.cursor.map(|(row, column)| Cursor { row: above + row, column, visible: hardware_cursor });
        rows.extend(middle.lines.iter().map(|line| self.lines.line(line)));
        let (middle, suggested) = (above..rows.len(), rows.len()..rows.len() + completions.len());
        let (editor, panel) = if is_panel { (0..0, middle) } else { (middle, 0..0) };
        rows.extend(completions.iter().map(|line| self.lines.line(line)));
        if self.shows_keys {
            rows.extend(key_list(look, keys, width, size.rows / 2));
        }
        if size.rows >= 8 {
            let footer = match own_footer {
                Some(slot) => self.own_footer(slot, size, look),
                None => self.footer(session).lines(look, width),
            };
            // What is asked or suggested needs the room more. Of the conversation, a row stays in sight.
            let room = size.rows.saturating_sub(rows.len() + below.len());
            let mut footer = footer;
            if is_panel && footer.len() >= room {
                footer.truncate(room.saturating_sub(1).max(1));
            }
            if footer.len() <= room {
                components.extend(moved(of_below, rows.len()));
                rows.extend(below.iter().map(|line| self.lines.line(line)));
                components.extend(own_footer.map(|slot| (slot.clone(), rows.len()..rows.len() + footer.len())));
                rows.extend(footer);
            }
        }
        self.regions = Regions { editor, panel, completions: suggested, components };
        Rows::new(rows, cursor)
    }

    /// The line above the editor of an extension that says what is under way; one that shows that itself is told.
    fn working_beside(&mut self, slot: &Slot, working: Option<Working>, look: &Look) -> Option<Line> {
        let frame = self.frame();
        if !slot.embeds_working() {
            let line = format!(" {}", working?.text(look, frame));
            return Some(self.lines.line(&line));
        }
        slot.works(working.map(|working| {
            let (indicator, message) = working.parts(look, frame);
            WorkingStatus { indicator, message }
        }));
        None
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
        let mode = editor.vi_mode().map(|mode| look.styles.fg(rule, mode_name(mode)));
        editor.draw(
            size.columns,
            &EditorLook {
                styles: &look.styles,
                rule,
                top: Rule { left: working, right: None },
                bottom: Rule { left: None, right: mode },
                padding,
                rows: size.rows,
                cursor: !hardware_cursor,
            },
        )
    }

    /// The footer of an extension, in at most half of the screen.
    fn own_footer(&mut self, slot: &Slot, size: Size, look: &Look) -> Vec<Line> {
        slot.stands(size.columns, size);
        let mut lines = slot.start_rows(size.rows / 2).lines;
        if slot.is_failing() {
            let owner = short_owner(&slot.owner());
            lines.push(look.styles.fg("dim", &format!(" {owner} failed; this is what it showed before")));
        }
        lines.iter().map(|line| self.lines.line(line)).collect()
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

/// What the keys of vi do now.
fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Normal => "NORMAL",
        Mode::Insert => "INSERT",
        Mode::Visual => "VISUAL",
        Mode::VisualLines => "VISUAL LINE",
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

/// The same components, so many rows further down.
fn moved(components: Vec<(Slot, Range<usize>)>, rows: usize) -> Vec<(Slot, Range<usize>)> {
    components.into_iter().map(|(slot, place)| (slot, place.start + rows..place.end + rows)).collect()
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
