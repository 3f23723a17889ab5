//! The dock of a frame, and the few things that follow the state of the session.

use std::time::{Duration, Instant};

use tau_hooks::RunningCall;
use tau_hooks::table::About;
use tau_tui::Drawn;
use tau_tui::blocks::Waiting;
use tau_tui::look::Look;
use tau_tui::screen::{Dock, Size};
use tau_tui::terminal::say::{self, Notices};

use super::App;
use crate::dock::Parts;
use crate::mounts::Slot;
use crate::paths::short_owner;
use crate::screen::Mode;

/// From when on a handler is slow: escape skips it then.
const SLOW: Duration = Duration::from_secs(5);

/// From when on a call says which handler it waits for.
const NOTED: Duration = Duration::from_secs(1);

impl App {
    /// The dock as it is now.
    pub(super) fn draw_dock(&mut self, size: Size) -> Dock {
        let look = self.look.get();
        let panel = if self.panels.is_empty() {
            None
        } else {
            let from_end = self.screen.mode() == Mode::Regular;
            Some(self.panels.draw((size.columns, size.rows.saturating_sub(4)), from_end, &look, &self.keys))
        };
        let own_footer = self.standing.footer.clone().filter(Slot::is_mounted);
        let own_editor = self.draw_own_editor(size, &look);
        let calls = self.note_calls();
        let handler = calls.first().map(|call| short_owner(&call.extension));
        let slow = calls.iter().find(|call| self.is_slow(call)).map(|call| short_owner(&call.extension));
        let escape = self.keys.key_of("app.interrupt").unwrap_or_default();
        let waiting = self.sent.texts().map(|(text, since)| Waiting {
            prompt: text.to_owned(),
            handler: handler.clone(),
            waited: since.elapsed(),
            skip_key: slow.as_ref().map(|_| escape.clone()),
        });
        // What is asked is what the command waits for.
        let waiting = if panel.is_some() || !self.overlays.is_empty() { Vec::new() } else { waiting.collect() };
        let next = if self.completing.list.is_open() {
            Some("close the list".to_owned())
        } else {
            slow.map(|handler| format!("continue without {handler}"))
        };
        self.dock.aside = self.sent.aside();
        let completions = match panel {
            None if own_editor.is_some() => Vec::new(),
            None => self.completing.list.draw(size.columns, &look.styles),
            Some(_) => Vec::new(),
        };
        let parts = Parts {
            completions,
            size,
            look: &look,
            keys: &self.keys,
            session: self.session.as_deref(),
            next,
            waiting,
            panel,
            editor: &mut self.editor,
            padding: self.padding,
            hardware_cursor: self.hardware_cursor,
            own_footer: own_footer.as_ref(),
            own_editor,
        };
        self.dock.draw(parts)
    }

    /// The editor of an extension, if there is one.
    fn draw_own_editor(&self, size: Size, look: &Look) -> Option<(Slot, Drawn)> {
        let slot = self.standing.editor.as_ref().filter(|slot| slot.is_mounted())?;
        slot.stands(size.columns, size);
        let mut drawn = slot.end_rows(size.rows.saturating_sub(6).max(3));
        if slot.is_failing() {
            let owner = short_owner(&slot.owner());
            drawn.lines.push(look.styles.fg("dim", &format!(" {owner} failed; this is what it showed before")));
        }
        Some((slot.clone(), drawn))
    }

    /// The calls of handlers that did not answer at once, since when they are known.
    fn note_calls(&mut self) -> Vec<RunningCall> {
        let calls = self.hooks.dispatcher.running();
        self.calls.retain(|id, _| calls.iter().any(|call| call.id == *id));
        let now = Instant::now();
        if self.panels.asks() {
            // It is the user who is waited for.
            self.calls.extend(calls.iter().map(|call| (call.id, now)));
            self.chat.calls_wait_for_the_user();
            return calls;
        }
        if !calls.iter().any(|call| call.event.row().about == About::ToolArguments) {
            self.chat.calls_wait_no_more();
        }
        for call in &calls {
            let since = *self.calls.entry(call.id).or_insert(now);
            if call.event.row().about == About::ToolArguments && now - since >= NOTED {
                self.chat.call_waits(&short_owner(&call.extension), now - since);
            }
        }
        calls
    }

    /// A call of a handler that has taken long.
    pub(super) fn slow_call(&mut self) -> Option<RunningCall> {
        let calls = self.note_calls();
        calls.into_iter().find(|call| self.is_slow(call))
    }

    fn is_slow(&self, call: &RunningCall) -> bool {
        self.calls.get(&call.id).is_some_and(|since| since.elapsed() >= SLOW)
    }

    /// Goes on without a handler.
    pub(super) fn skip(&mut self, call: RunningCall) {
        if let Some(extension) = self.hooks.dispatcher.skip(call.id) {
            self.warn(&format!("{} was skipped during {}", short_owner(&extension), call.event));
        }
    }

    /// Tells a user who looks elsewhere that tau waits.
    pub(super) fn ring(&mut self) {
        if self.has_focus {
            return;
        }
        let env = self.env.clone();
        let how = Notices::of(|name| env.var(name).map(str::to_owned));
        let text = if self.panels.asks() { "asks a question" } else { "is done" };
        self.screen.terminal.writer().commit(say::notice(how, "tau", text));
    }

    /// The title of the window.
    pub(super) fn set_title(&mut self) {
        let folder = self.env.cwd.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = self.session.as_ref().and_then(|session| session.session().session_name());
        let title = match name {
            Some(name) => format!("τ - {name} - {folder}"),
            None => format!("τ - {folder}"),
        };
        self.screen.terminal.writer().commit(say::title(&title));
    }
}
