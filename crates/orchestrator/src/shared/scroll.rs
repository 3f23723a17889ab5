//! A text over the screen that is longer than the place for it.

use tau_view::keys::{KeyModes, is_key_release, matches_key};

const CLOSES: &[&str] = &["escape", "q", "ctrl+c"];

/// How far a text is scrolled, by its lines.
pub(crate) struct Scroll {
    /// The first line that is seen.
    top: usize,
    /// Lines of the text, and how many fit, when it was drawn last.
    drawn: (usize, usize),
}

impl Default for Scroll {
    fn default() -> Self {
        Self { top: 0, drawn: (0, 1) }
    }
}

impl Scroll {
    /// The lines that are seen, when so many fit.
    pub(crate) fn seen(&mut self, lines: Vec<String>, fit: usize) -> impl Iterator<Item = String> + use<> {
        self.drawn = (lines.len(), fit);
        self.by(0);
        lines.into_iter().skip(self.top).take(fit)
    }

    /// Moves by so many lines.
    fn by(&mut self, lines: isize) {
        let (all, fit) = self.drawn;
        self.top = self.top.saturating_add_signed(lines).min(all.saturating_sub(fit));
    }

    /// What the keys do now.
    pub(crate) fn hint(&self) -> String {
        let (all, fit) = self.drawn;
        let below = all.saturating_sub(self.top + fit);
        let more = if below > 0 { format!("{below} more below · ") } else { String::new() };
        let scrolls = if all > fit { "↑↓ scroll · " } else { "" };
        format!("{more}{scrolls}esc close")
    }

    /// Takes a key. Says whether it closes the text.
    pub(crate) fn closes(&mut self, key: &str) -> bool {
        let modes = KeyModes::default();
        let is = |names: &[&str]| names.iter().any(|name| matches_key(key, name, modes));
        let page = isize::try_from(self.drawn.1).unwrap_or(isize::MAX);
        match key {
            _ if is_key_release(key) => {}
            _ if is(CLOSES) => return true,
            _ if is(&["up", "k"]) => self.by(-1),
            _ if is(&["down", "j"]) => self.by(1),
            _ if is(&["pageUp"]) => self.by(-page),
            _ if is(&["pageDown", "space"]) => self.by(page),
            _ if is(&["home", "g"]) => self.top = 0,
            _ if is(&["end", "shift+g"]) => self.by(isize::MAX),
            _ => {}
        }
        false
    }
}
