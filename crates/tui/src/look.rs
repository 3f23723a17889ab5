//! How everything looks that is made of text: colours, links, margins.

use std::convert::Infallible;
use std::sync::Arc;

use parking_lot::RwLock;
use tau_view::markdown::{CodeLines, Options, Style, Theme};

use crate::picture::Drawing;
use crate::style::{Styles, bold, italic, struck, underline};

/// Colours source code. Asked for each block that is laid out, on any thread.
pub trait Highlighter: Send + Sync {
    /// What colours the lines of a text in this language, one after the other; `None` leaves the text as it is, because
    /// the language is not known or nothing can be said yet.
    fn lines(&self, language: &str, styles: &Styles) -> Option<Box<dyn CodeLines>>;
}

/// What blocks need to know to be laid out.
#[derive(Clone)]
pub struct Look {
    /// The colours.
    pub styles: Styles,
    /// Whether links are links, or have their address behind them.
    pub links: bool,
    /// Empty columns at both sides of messages.
    pub padding: usize,
    /// Colours code.
    pub highlighter: Option<Arc<dyn Highlighter>>,
    /// How images are drawn, if they are.
    pub pictures: Option<Drawing>,
}

impl Look {
    /// With these colours and nothing else.
    pub fn plain(styles: Styles) -> Self {
        Self { styles, links: false, padding: 1, highlighter: None, pictures: None }
    }

    /// How Markdown is laid out.
    pub fn markdown(&self) -> Options {
        // Without an indent, what is copied of a code block is the code.
        Options { hyperlinks: self.links, code_block_indent: String::new(), ..Options::default() }
    }
}

/// The look that holds now. Clones share it: what was laid out before a change is laid out again with the new one when it
/// is asked for again.
#[derive(Clone)]
pub struct SharedLook(Arc<RwLock<Arc<Look>>>);

impl SharedLook {
    /// This look.
    pub fn new(look: Look) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(look))))
    }

    /// The look that holds now.
    pub fn get(&self) -> Arc<Look> {
        Arc::clone(&self.0.read())
    }

    /// Another look.
    pub fn set(&self, look: Look) {
        *self.0.write() = Arc::new(look);
    }
}

/// The colours of Markdown.
pub struct MarkdownTheme<'a> {
    look: &'a Look,
    /// The token of text that has no style of its own.
    text: &'static str,
}

impl<'a> MarkdownTheme<'a> {
    /// With the terminal's own colour for plain text.
    pub fn new(look: &'a Look) -> Self {
        Self { look, text: "text" }
    }

    /// With plain text in the colour of this token; [`tau_view::markdown::DefaultStyle::color`] has to be set.
    pub fn with_text(look: &'a Look, text: &'static str) -> Self {
        Self { look, text }
    }
}

impl Theme for MarkdownTheme<'_> {
    type Error = Infallible;

    fn apply(&mut self, style: Style, text: &str) -> Result<String, Infallible> {
        let styles = &self.look.styles;
        Ok(match style {
            Style::Heading => styles.fg("mdHeading", text),
            Style::Link => styles.fg("mdLink", text),
            Style::LinkUrl => styles.fg("mdLinkUrl", text),
            Style::Code => styles.fg("mdCode", text),
            Style::CodeBlock => styles.fg("mdCodeBlock", text),
            Style::CodeBlockBorder => styles.fg("mdCodeBlockBorder", text),
            Style::Quote => styles.fg("mdQuote", text),
            Style::QuoteBorder => styles.fg("mdQuoteBorder", text),
            Style::Rule => styles.fg("mdHr", text),
            Style::ListBullet => styles.fg("mdListBullet", text),
            Style::Bold => bold(text),
            Style::Italic => italic(text),
            Style::Strikethrough => struck(text),
            Style::Underline => underline(text),
            Style::Text => styles.fg(self.text, text),
        })
    }

    fn highlight(&mut self, code: &str, language: Option<&str>) -> Result<Option<Vec<String>>, Infallible> {
        let lines = self.code_lines(language);
        Ok(lines.map(|mut lines| code.split('\n').map(|line| lines.line(line)).collect()))
    }

    fn code_lines(&mut self, language: Option<&str>) -> Option<Box<dyn CodeLines>> {
        self.look.highlighter.as_ref()?.lines(language?, &self.look.styles)
    }
}
