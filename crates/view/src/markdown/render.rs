//! Blocks as lines.

use super::document::{Block, Inline};
use super::{Options, Style, Theme};
use crate::wrap::wrap_text;

/// How wide a rule gets at most.
const MAX_RULE_WIDTH: usize = 80;
/// The narrowest room in which nested quotes and lists indent their lines and break them.
const MIN_NESTED_WIDTH: usize = 4;
/// The longest sequences before a styled text that are repeated within it, in bytes.
const MAX_PREFIX: usize = 256;
/// Stands for the styled text when the sequences before it are wanted.
const SENTINEL: &str = "\0";

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
enum Next {
    Nothing,
    Space,
    List,
    Other,
}

impl Next {
    fn of(block: Option<&Block>) -> Self {
        match block {
            None => Self::Nothing,
            Some(Block::Space) => Self::Space,
            Some(Block::List(_)) => Self::List,
            Some(_) => Self::Other,
        }
    }

    /// Whether a block that stands apart needs a blank line after it.
    fn needs_blank(self) -> bool {
        matches!(self, Self::List | Self::Other)
    }
}

pub(super) struct Renderer<'a, T> {
    pub(super) options: &'a Options,
    pub(super) theme: &'a mut T,
    /// How many quotes and lists are around what is being laid out.
    containers: usize,
}

impl<'a, T: Theme> Renderer<'a, T> {
    pub(super) fn new(options: &'a Options, theme: &'a mut T) -> Self {
        Self { options, theme, containers: 0 }
    }

    /// The whole document, wrapped.
    pub(super) fn document(&mut self, blocks: &[Block], width: usize) -> Result<Vec<String>, T::Error> {
        let prefix = self.default_style(SENTINEL)?;
        let style = TextStyle::Default { prefix: before_sentinel(&prefix) };
        let lines = self.blocks(blocks, width, &style)?;
        Ok(lines.iter().flat_map(|line| wrap_text(line, width)).collect())
    }

    fn blocks(&mut self, blocks: &[Block], width: usize, style: &TextStyle) -> Result<Vec<String>, T::Error> {
        let mut lines = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            self.block(block, width, Next::of(blocks.get(index + 1)), style, &mut lines)?;
        }
        Ok(lines)
    }

    /// A block of a list item, which cares for spacing itself.
    pub(super) fn item_block(
        &mut self,
        block: &Block,
        width: usize,
        style: &TextStyle,
    ) -> Result<Vec<String>, T::Error> {
        let mut lines = Vec::new();
        self.block(block, width, Next::Nothing, style, &mut lines)?;
        Ok(lines)
    }

    fn block(
        &mut self,
        block: &Block,
        width: usize,
        next: Next,
        style: &TextStyle,
        lines: &mut Vec<String>,
    ) -> Result<(), T::Error> {
        let mut blank = next.needs_blank();
        match block {
            Block::Space => {
                lines.push(String::new());
                blank = false;
            }
            Block::Heading { level, text } => lines.push(self.heading(*level, text)?),
            Block::Paragraph(text) => {
                lines.push(self.inlines(text, style)?);
                blank = next == Next::Other;
            }
            Block::Text(text) => {
                lines.push(self.inlines(text, style)?);
                blank = false;
            }
            Block::Formula(formula) => {
                for line in self.formula(formula).split('\n') {
                    lines.push(self.default_style(line)?);
                }
            }
            Block::Code { language, text, .. } => self.code(language.as_deref(), text, lines)?,
            Block::List(list) => {
                self.nested(|renderer| renderer.list(list, 0, width, style, lines))?;
                blank = false;
            }
            Block::Table(table) => self.table(table, width, style, lines)?,
            Block::Quote(inner) => self.nested(|renderer| renderer.quote(inner, width, lines))?,
            Block::Rule => lines.push(self.theme.apply(Style::Rule, &"─".repeat(width.min(MAX_RULE_WIDTH)))?),
            Block::Html(html) => {
                lines.push(self.default_style(html.trim())?);
                blank = false;
            }
        }
        if blank {
            lines.push(String::new());
        }
        Ok(())
    }

    fn nested(&mut self, lay_out: impl FnOnce(&mut Self) -> Result<(), T::Error>) -> Result<(), T::Error> {
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

    fn heading(&mut self, level: usize, text: &[Inline]) -> Result<String, T::Error> {
        let mut style = TextStyle::Heading { level, prefix: String::new() };
        let prefix = before_sentinel(&self.text(SENTINEL, &style)?);
        style = TextStyle::Heading { level, prefix };
        // Deep headings look alike, so they keep their marks.
        let mut line = if level >= 3 { self.text(&format!("{} ", "#".repeat(level)), &style)? } else { String::new() };
        line.push_str(&self.inlines(text, &style)?);
        Ok(line)
    }

    fn code(&mut self, language: Option<&str>, code: &str, lines: &mut Vec<String>) -> Result<(), T::Error> {
        lines.push(self.theme.apply(Style::CodeBlockBorder, &format!("```{}", language.unwrap_or_default()))?);
        let highlighted = match self.theme.highlight(code, language)? {
            Some(highlighted) => highlighted,
            None => code.split('\n').map(|line| self.theme.apply(Style::CodeBlock, line)).collect::<Result<_, _>>()?,
        };
        lines.extend(highlighted.into_iter().map(|line| format!("{}{line}", self.options.code_block_indent)));
        lines.push(self.theme.apply(Style::CodeBlockBorder, "```")?);
        Ok(())
    }

    fn quote(&mut self, inner: &[Block], width: usize, lines: &mut Vec<String>) -> Result<(), T::Error> {
        const BAR: &str = "│ ";
        const RESET: &str = "\x1b[0m";
        let room = width.saturating_sub(2).max(1);
        let prefix = before_sentinel(&self.quoted(SENTINEL)?);
        // What stands before its last reset has no effect.
        let after_reset = prefix.rsplit(RESET).next().unwrap_or_default().to_owned();
        let restored = format!("{RESET}{after_reset}");
        let mut quoted = self.blocks(inner, room, &TextStyle::Quote { prefix })?;
        while quoted.last().is_some_and(String::is_empty) {
            quoted.pop();
        }
        for line in quoted {
            // A reset inside the line must not end the quote's own style.
            let mut line = line.replace(RESET, &restored);
            // A quote in this one has done so already; once more for each level would make long lines of short ones.
            if !after_reset.is_empty() {
                line = line.replace(&format!("{restored}{after_reset}"), &restored);
            }
            let line = self.quoted(&line)?;
            if self.is_cramped(width) {
                lines.push(line);
                continue;
            }
            for line in wrap_text(&line, room) {
                lines.push(self.theme.apply(Style::QuoteBorder, BAR)? + &line);
            }
        }
        Ok(())
    }

    fn quoted(&mut self, text: &str) -> Result<String, T::Error> {
        let italic = self.theme.apply(Style::Italic, text)?;
        self.theme.apply(Style::Quote, &italic)
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

    fn default_style(&mut self, text: &str) -> Result<String, T::Error> {
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
fn before_sentinel(styled: &str) -> String {
    let prefix = styled.split_once(SENTINEL).map_or("", |(prefix, _)| prefix);
    if prefix.len() <= MAX_PREFIX { prefix.to_owned() } else { String::new() }
}
