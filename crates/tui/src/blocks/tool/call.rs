//! What renderers share.

use serde_json::Value;
use tau_view::code::language_of;
use tau_view::markdown::CodeLines;
use tau_view::wrap::wrap_text;

use super::result::{self, Shown};
use super::view::ToolView;
use crate::blocks::paint::{self, Rows, visible_line};
use crate::look::Look;
use crate::style::bold;

/// How many lines of an error show.
const ERROR_LINES: usize = 10;

/// A call, and what it is shown with.
pub(super) struct Call<'a> {
    pub(super) view: &'a ToolView,
    pub(super) look: &'a Look,
    pub(super) width: usize,
}

impl Call<'_> {
    /// An argument that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.view.args.get(name)?.as_str()
    }

    /// An argument that is a whole number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        let value = self.view.args.get(name)?;
        value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64))
    }

    pub(super) fn fg(&self, token: &str, text: &str) -> String {
        self.look.styles.fg(token, text)
    }

    /// What the tool is called.
    pub(super) fn name(&self, name: &str) -> String {
        self.fg("toolTitle", &bold(&visible_line(name)))
    }

    /// An argument that must be a text, in a colour: a sign when it is none, or has not arrived.
    pub(super) fn given(&self, token: &str, name: &str, show: impl Fn(&str) -> String) -> String {
        match self.view.args.get(name) {
            Some(Value::String(text)) if !text.is_empty() => self.fg(token, &show(text)),
            None | Some(Value::String(_)) if !self.view.args_complete => self.fg("muted", "..."),
            None => self.fg("error", &format!("[no {name}]")),
            Some(_) => self.fg("error", &format!("[invalid {name}]")),
        }
    }

    /// The path that a call is about.
    pub(super) fn path(&self) -> String {
        self.given("accent", "path", |path| visible_line(&self.view.places.short(path)))
    }

    /// Wrapped lines in a colour.
    pub(super) fn wrapped(&self, token: &str, text: &str) -> Vec<String> {
        paint::wrapped(self.look, token, text, self.width)
    }

    /// What the call gave, or has given so far.
    pub(super) fn shown(&self) -> Option<Shown> {
        let value = self.view.result.as_deref().or(self.view.partial.as_deref())?;
        let failed = self.view.is_error && self.view.result.is_some();
        Some(result::shown(value, failed, self.view.images.is_empty()))
    }

    /// The output of a tool, which may have colours: some of it, unless everything is shown.
    pub(super) fn output(&self, text: &str, rows: Rows) -> Vec<String> {
        let rows = if self.view.expanded { Rows::All } else { rows };
        let (shown, hidden) = paint::output_rows(self.look, "toolOutput", text, self.width, rows);
        let (first, last) = match rows {
            Rows::Last(_) => (self.more(hidden, "earlier"), Vec::new()),
            Rows::All | Rows::First(_) => (Vec::new(), self.more(hidden, "more")),
        };
        [first, shown, last].concat()
    }

    /// Says that lines are left out, and which key shows them.
    pub(super) fn more(&self, count: usize, which: &str) -> Vec<String> {
        if count == 0 {
            return Vec::new();
        }
        let noun = paint::plural(count, "line", "lines");
        let key = paint::to_expand(&self.view.expand_key).map(|hint| format!(", {hint}")).unwrap_or_default();
        self.wrapped("muted", &format!("... ({count} {which} {noun}{key})"))
    }

    /// The message of a call that failed. One that was blocked has said why.
    pub(super) fn error(&self) -> Vec<String> {
        let Some(shown) = self.shown().filter(|_| self.view.is_error && self.view.blocked.is_none()) else {
            return Vec::new();
        };
        let mut rows = self.wrapped("error", &paint::clean(shown.whole.trim()));
        let more = if self.view.expanded { 0 } else { rows.len().saturating_sub(ERROR_LINES) };
        rows.truncate(rows.len() - more);
        rows.extend(self.more(more, "more"));
        rows
    }

    /// What was cut off.
    pub(super) fn notes(&self, shown: &Shown) -> Vec<String> {
        if shown.notes.is_empty() {
            return Vec::new();
        }
        self.wrapped("warning", &format!("[{}]", paint::one_line(&shown.notes.join(". "))))
    }

    /// Colours source code line by line.
    pub(super) fn code(&self, path: &str) -> Code {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| !ending.is_empty());
        let language = ending.or_else(|| language_of(path)).unwrap_or(name);
        let lines = self.look.highlighter.as_ref().and_then(|colours| colours.lines(language, &self.look.styles));
        Code { lines }
    }

    /// A line of code, wrapped.
    pub(super) fn code_line(&self, code: &mut Code, line: &str) -> Vec<String> {
        let line = paint::clean(line.strip_suffix('\r').unwrap_or(line)).replace('\n', " ");
        match &mut code.lines {
            Some(lines) => wrap_text(&lines.line(&line), self.width),
            None => self.wrapped("toolOutput", &line),
        }
    }
}

/// Colours source code.
pub(super) struct Code {
    lines: Option<Box<dyn CodeLines>>,
}
