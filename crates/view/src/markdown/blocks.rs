//! Blocks as lines.

use super::document::{Block, Inline};
use super::renderer::{Next, Renderer, SENTINEL, TextStyle, before_sentinel};
use super::spine::{CodeAbove, Spine};
use super::{Style, Theme};
use crate::wrap::wrap_text;

/// How wide a rule gets at most.
const MAX_RULE_WIDTH: usize = 80;

impl<T: Theme> Renderer<'_, T> {
    /// The whole document, wrapped.
    pub(super) fn document(&mut self, blocks: &[Block], width: usize) -> Result<Vec<String>, T::Error> {
        let style = self.document_style()?;
        let lines = self.blocks(blocks, width, &style)?;
        Ok(lines.iter().flat_map(|line| wrap_text(line, width)).collect())
    }

    pub(super) fn blocks(
        &mut self,
        blocks: &[Block],
        width: usize,
        style: &TextStyle,
    ) -> Result<Vec<String>, T::Error> {
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

    pub(super) fn block(
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
            Block::Code { language, text, .. } => self.code(language.as_deref(), text, None, lines)?,
            Block::List(list) => {
                self.nested(|renderer| renderer.list(list, None, 0, width, style, lines))?;
                blank = false;
            }
            Block::Table(table) => self.table(table, width, style, lines)?,
            Block::Quote(inner) => {
                self.nested(|renderer| renderer.quote(inner, None, width, lines))?;
            }
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

    fn heading(&mut self, level: usize, text: &[Inline]) -> Result<String, T::Error> {
        let mut style = TextStyle::Heading { level, prefix: String::new() };
        let prefix = before_sentinel(&self.text(SENTINEL, &style)?);
        style = TextStyle::Heading { level, prefix };
        // Deep headings look alike, so they keep their marks.
        let mut line = if level >= 3 { self.text(&format!("{} ", "#".repeat(level)), &style)? } else { String::new() };
        line.push_str(&self.inlines(text, &style)?);
        Ok(line)
    }

    /// Adds the lines of a code block, or of one that has other lines `above` them.
    pub(super) fn code(
        &mut self,
        language: Option<&str>,
        code: &str,
        above: Option<&CodeAbove>,
        lines: &mut Vec<String>,
    ) -> Result<(), T::Error> {
        if above.is_none() {
            lines.push(self.theme.apply(Style::CodeBlockBorder, &format!("```{}", language.unwrap_or_default()))?);
        }
        let by_line = match above {
            Some(above) => above.colours.as_ref().map(|colours| colours.fork()),
            None if self.streaming => self.theme.code_lines(language),
            None => None,
        };
        self.coloured_whole = false;
        let highlighted = match by_line {
            Some(mut colours) => code.split('\n').map(|line| colours.line(line)).collect(),
            None => match self.theme.highlight(code, language)? {
                Some(highlighted) => {
                    self.coloured_whole = true;
                    highlighted
                }
                None => {
                    code.split('\n').map(|line| self.theme.apply(Style::CodeBlock, line)).collect::<Result<_, _>>()?
                }
            },
        };
        lines.extend(highlighted.into_iter().map(|line| format!("{}{line}", self.options.code_block_indent)));
        lines.push(self.theme.apply(Style::CodeBlockBorder, "```")?);
        Ok(())
    }

    /// Adds the lines of a quote, or of what a spine leaves of it; nothing when they do not fit what is above.
    pub(super) fn quote(
        &mut self,
        inner: &[Block],
        spine: Option<Spine<'_>>,
        width: usize,
        lines: &mut Vec<String>,
    ) -> Result<Option<()>, T::Error> {
        const BAR: &str = "│ ";
        const RESET: &str = "\x1b[0m";
        let room = width.saturating_sub(2).max(1);
        let prefix = before_sentinel(&self.quoted(SENTINEL)?);
        // What stands before its last reset has no effect.
        let after_reset = prefix.rsplit(RESET).next().unwrap_or_default().to_owned();
        let restored = format!("{RESET}{after_reset}");
        let style = TextStyle::Quote { prefix };
        let mut quoted = match spine {
            None => self.blocks(inner, room, &style)?,
            Some(spine) => match self.resumed(inner, spine, room, &style)? {
                Some(quoted) => quoted,
                None => return Ok(None),
            },
        };
        while quoted.last().is_some_and(String::is_empty) {
            quoted.pop();
        }
        if quoted.is_empty() && spine.is_some() {
            // Then the blank lines above are the last ones, and go too.
            return Ok(None);
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
        Ok(Some(()))
    }

    fn quoted(&mut self, text: &str) -> Result<String, T::Error> {
        let italic = self.theme.apply(Style::Italic, text)?;
        self.theme.apply(Style::Quote, &italic)
    }
}
