//! Marks in the words of a paragraph that later words may complete.

use super::document::Inline;

/// The marks that are open. It may name more than are, never less.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pending {
    /// Characters that may complete one.
    closers: Vec<char>,
    brackets: usize,
}

impl Pending {
    /// Takes words into account; false when they contain what no word may follow.
    #[must_use]
    pub(super) fn add(&mut self, inlines: &[Inline]) -> bool {
        inlines.iter().all(|inline| match inline {
            Inline::Text(text) => {
                self.add_text(text);
                true
            }
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strikethrough(inner) => self.add(inner),
            Inline::Link { text, .. } => self.add(text),
            Inline::Formula(formula) => !formula.pending,
            Inline::Escape(_) | Inline::Code(_) | Inline::Break => true,
        })
    }

    fn add_text(&mut self, text: &str) {
        let mut before = None;
        let mut chars = text.chars().peekable();
        while let Some(ch) = chars.next() {
            let after = chars.peek().copied();
            match ch {
                '`' | '$' => self.close_with(ch),
                '*' | '~' if !after.is_some_and(char::is_whitespace) => self.close_with(ch),
                '_' if !after.is_some_and(char::is_whitespace) && !is_inside_word(before, after) => self.close_with(ch),
                '<' if !after.is_some_and(|after| !after.is_alphabetic() && !"/!?".contains(after)) => {
                    self.close_with('>');
                }
                '[' => self.brackets += 1,
                ']' => {
                    self.brackets = self.brackets.saturating_sub(1);
                    if after.is_none_or(|after| after == '(') {
                        self.close_with(')');
                    }
                }
                _ => {}
            }
            before = Some(ch);
        }
    }

    fn close_with(&mut self, ch: char) {
        if !self.closers.contains(&ch) {
            self.closers.push(ch);
        }
    }

    /// Whether the source of the words after them may complete one.
    pub(super) fn may_close_in(&self, source: &str) -> bool {
        if self.closers.is_empty() && self.brackets == 0 {
            return false;
        }
        let mut before = None;
        let mut chars = source.chars().peekable();
        while let Some(ch) = chars.next() {
            let after = chars.peek().copied();
            let spaced = before.is_none_or(char::is_whitespace);
            let closes = match ch {
                ']' => self.brackets > 0,
                '*' | '~' => !spaced && self.closers.contains(&ch),
                '_' => !spaced && !is_inside_word(before, after) && self.closers.contains(&ch),
                _ => self.closers.contains(&ch),
            };
            if closes {
                return true;
            }
            before = Some(ch);
        }
        false
    }
}

fn is_inside_word(before: Option<char>, after: Option<char>) -> bool {
    before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
}
