//! What lays a document out: the options, the theme, and the style of the text around.

use super::document::Block;
use super::measures::LaidTable;
use super::{Options, Style, Theme};

/// The narrowest room in which nested quotes and lists indent their lines and break them.
const MIN_NESTED_WIDTH: usize = 4;
/// The longest sequences before a styled text that are repeated within it, in bytes.
const MAX_PREFIX: usize = 256;
/// Stands for the styled text when the sequences before it are wanted.
pub(super) const SENTINEL: &str = "\0";

/// The style of the text around inline content, with the sequences that switch it on.
pub(super) enum TextStyle {
    Default {
        prefix: String,
    },
    Heading {
        level: usize,
        prefix: String,
    },
    /// Quoted lines are styled as a whole, later.
    Quote {
        prefix: String,
    },
}

impl TextStyle {
    pub(super) fn prefix(&self) -> &str {
        match self {
            Self::Default { prefix } | Self::Heading { prefix, .. } | Self::Quote { prefix } => prefix,
        }
    }
}

/// What stands after a block, as far as spacing depends on it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Next {
    Nothing,
    Space,
    List,
    Other,
}

impl Next {
    pub(super) fn of(block: Option<&Block>) -> Self {
        match block {
            None => Self::Nothing,
            Some(Block::Space) => Self::Space,
            Some(Block::List(_)) => Self::List,
            Some(_) => Self::Other,
        }
    }

    /// Whether a block that stands apart needs a blank line after it.
    pub(super) fn needs_blank(self) -> bool {
        matches!(self, Self::List | Self::Other)
    }
}

pub(super) struct Renderer<'a, T> {
    pub(super) options: &'a Options,
    pub(super) theme: &'a mut T,
    /// How many quotes and lists are around what is being laid out.
    containers: usize,
    /// Whether the text may go on, so that code is coloured line by line.
    pub(super) streaming: bool,
    /// Whether the theme coloured the last code block as a whole.
    pub(super) coloured_whole: bool,
    /// The last table, kept only for a text that may go on.
    pub(super) last_table: Option<LaidTable>,
}

impl<'a, T: Theme> Renderer<'a, T> {
    pub(super) fn new(options: &'a Options, theme: &'a mut T) -> Self {
        Self { options, theme, containers: 0, streaming: false, coloured_whole: false, last_table: None }
    }

    /// For a text that may go on.
    pub(super) fn for_stream(options: &'a Options, theme: &'a mut T) -> Self {
        Self { streaming: true, ..Self::new(options, theme) }
    }

    pub(super) fn document_style(&mut self) -> Result<TextStyle, T::Error> {
        let prefix = self.default_style(SENTINEL)?;
        Ok(TextStyle::Default { prefix: before_sentinel(&prefix) })
    }

    /// What stands before and after text of the document; nothing when the theme does more than that.
    pub(super) fn around_text(&mut self) -> Result<Option<(String, String)>, T::Error> {
        let styled = self.default_style(SENTINEL)?;
        Ok(styled.split_once(SENTINEL).map(|(before, after)| (before.to_owned(), after.to_owned())))
    }

    pub(super) fn nested<R>(&mut self, lay_out: impl FnOnce(&mut Self) -> Result<R, T::Error>) -> Result<R, T::Error> {
        self.containers += 1;
        let done = lay_out(self);
        self.containers -= 1;
        done
    }

    /// Whether a nested quote or list has too little room to indent its lines and break them; the one around it
    /// breaks them then. Otherwise each level would break the marks of the ones in it once more, and double the lines.
    pub(super) fn is_cramped(&self, width: usize) -> bool {
        self.containers > 1 && width < MIN_NESTED_WIDTH
    }

    /// Text in the style around it.
    pub(super) fn text(&mut self, text: &str, style: &TextStyle) -> Result<String, T::Error> {
        match style {
            TextStyle::Default { .. } => self.default_style(text),
            TextStyle::Quote { .. } => Ok(text.to_owned()),
            TextStyle::Heading { level, .. } => {
                let mut text = text.to_owned();
                if *level == 1 {
                    text = self.theme.apply(Style::Underline, &text)?;
                }
                text = self.theme.apply(Style::Bold, &text)?;
                self.theme.apply(Style::Heading, &text)
            }
        }
    }

    pub(super) fn default_style(&mut self, text: &str) -> Result<String, T::Error> {
        let style = self.options.default_style;
        let hooks = [
            (style.color, Style::Text),
            (style.bold, Style::Bold),
            (style.italic, Style::Italic),
            (style.strikethrough, Style::Strikethrough),
            (style.underline, Style::Underline),
        ];
        let mut text = text.to_owned();
        for (_, hook) in hooks.into_iter().filter(|(on, _)| *on) {
            text = self.theme.apply(hook, &text)?;
        }
        Ok(text)
    }
}

/// The sequences a style puts before its text; none if it does not leave the text in one piece, or if they are too
/// long to be repeated.
pub(super) fn before_sentinel(styled: &str) -> String {
    let prefix = styled.split_once(SENTINEL).map_or("", |(prefix, _)| prefix);
    if prefix.len() <= MAX_PREFIX { prefix.to_owned() } else { String::new() }
}
