//! What is written: text that is only ever appended, each part of it under a label.

use tau_tui::terminal::LineTerminal;
use tau_view::untrusted::plain;

/// The page.
pub(super) struct Page {
    terminal: LineTerminal,
    /// Something stands on the last line, such as what the user is asked to type behind.
    is_open: bool,
    /// The user is asked to type.
    asks: bool,
    /// Whose text stands last.
    last: &'static str,
    /// A text that arrives in parts: what is not a whole line yet.
    rest: String,
}

impl Page {
    pub(super) fn new(terminal: LineTerminal) -> Self {
        Self { terminal, is_open: false, asks: false, last: "", rest: String::new() }
    }

    pub(super) fn terminal(&self) -> &LineTerminal {
        &self.terminal
    }

    fn write(&mut self, text: &str) {
        let text = plain(text);
        self.asks = false;
        let begin = if std::mem::take(&mut self.is_open) { "\n" } else { "" };
        self.terminal.write(format!("{begin}{text}\n"));
    }

    /// Says something under a label.
    pub(super) fn say(&mut self, label: &str, text: &str) {
        let label = one_line(label);
        let text = text.trim_end();
        self.write(&match text {
            "" => format!("{label}:"),
            text => format!("{label}: {text}"),
        });
        self.last = "";
    }

    /// Says something that needs no label.
    pub(super) fn line(&mut self, text: &str) {
        self.write(text.trim_end());
        self.last = "";
    }

    /// More of a text has arrived. It is said line by line, under the label of who says it.
    pub(super) fn grow(&mut self, label: &'static str, delta: &str) {
        self.rest.push_str(delta);
        while let Some(end) = self.rest.find('\n') {
            let line: String = self.rest.drain(..=end).collect();
            self.grown(label, line.trim_end());
        }
    }

    /// The text that arrives is complete.
    pub(super) fn grown_up(&mut self, label: &'static str) {
        let rest = std::mem::take(&mut self.rest);
        if !rest.trim().is_empty() {
            self.grown(label, rest.trim_end());
        }
        self.last = "";
    }

    fn grown(&mut self, label: &'static str, line: &str) {
        if self.last == label {
            return self.write(line);
        }
        if !line.trim().is_empty() {
            self.write(&format!("{label}: {line}"));
            self.last = label;
        }
    }

    /// Has the user type behind this.
    pub(super) fn ask(&mut self, text: &str) {
        let begin = if self.is_open { "\n" } else { "" };
        self.terminal.write(format!("{begin}{} ", plain(text)));
        (self.is_open, self.asks) = (true, true);
        self.last = "";
    }

    /// Whether the user is asked to type.
    pub(super) fn asks(&self) -> bool {
        self.asks
    }

    /// The user has ended the line.
    pub(super) fn line_typed(&mut self) {
        (self.is_open, self.asks) = (false, false);
    }

    /// Ends the last line.
    pub(super) fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.terminal.write("\n");
        }
    }

    /// The user has typed something that leaves the line open.
    pub(super) fn key_typed(&mut self) {
        (self.is_open, self.asks) = (true, false);
    }
}

/// A text in one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
