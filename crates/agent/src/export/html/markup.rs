//! Markup that can only be ours: what comes from a session enters as text or as the value of an attribute, escaped.

use std::fmt::{self, Display, Write};

use super::palette::Palette;

/// HTML that is being built.
#[derive(Debug, Default)]
pub(super) struct Markup(String);

impl Markup {
    /// Markup, which can only come from the program's own text.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text of anybody.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        escape(text, &mut self.0);
        self
    }

    /// What displays itself, as text.
    pub(super) fn show(&mut self, value: impl Display) -> &mut Self {
        // Writing to a string does not fail.
        let _ = write!(Escaping(&mut self.0), "{value}");
        self
    }

    /// ` name="value"`, to stand inside of a tag.
    pub(super) fn attribute(&mut self, name: &'static str, value: impl Display) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").show(value).raw("\"")
    }

    /// Other markup.
    pub(super) fn add(&mut self, other: &Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    /// The rules of the colours that were used, which hold nothing but digits.
    pub(super) fn css(&mut self, palette: &Palette) -> &mut Self {
        self.0.push_str(&palette.css());
        self
    }

    /// An element with nothing but text in it.
    pub(super) fn element(&mut self, open: &'static str, text: &str, close: &'static str) -> &mut Self {
        self.raw(open).text(text).raw(close)
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

struct Escaping<'a>(&'a mut String);

impl Write for Escaping<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(text, self.0);
        Ok(())
    }
}

/// The one place where text becomes HTML. It holds in text and in quoted values. Characters that HTML does not allow
/// show as a question mark in a lozenge, and so do those that change the direction of what follows.
fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            // A parser would make a second newline of it.
            '\r' => {}
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push(char::REPLACEMENT_CHARACTER),
            _ if character.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let mut markup = Markup::default();
        markup.raw("<a").attribute("href", "\" onclick='x' &").raw(">").text("</a><script>\0\u{202e}\u{7f}\r\n\t");
        assert_eq!(
            markup.finish(),
            "<a href=\"&quot; onclick=&#39;x&#39; &amp;\">&lt;/a&gt;&lt;script&gt;\u{fffd}\u{fffd}\u{fffd}\n\t"
        );
    }
}
