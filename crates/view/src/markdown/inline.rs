//! Inline content as styled text.

use super::document::{Formula, Inline};
use super::renderer::{Renderer, TextStyle};
use super::{Style, Theme};
use crate::latex;

impl<T: Theme> Renderer<'_, T> {
    /// Renders inline content that stands in text of the given style. What has a style of its own ends with the
    /// sequence that brings the surrounding one back.
    pub(super) fn inlines(&mut self, inlines: &[Inline], style: &TextStyle) -> Result<String, T::Error> {
        let mut line = String::new();
        for inline in inlines {
            self.inline(inline, style, &mut line)?;
        }
        let prefix = style.prefix();
        while !prefix.is_empty() && line.ends_with(prefix) {
            line.truncate(line.len() - prefix.len());
        }
        Ok(line)
    }

    fn inline(&mut self, inline: &Inline, style: &TextStyle, line: &mut String) -> Result<(), T::Error> {
        let styled = match inline {
            Inline::Text(text) => return self.push_text(text, style, line),
            Inline::Escape(ch) if self.options.preserve_escapes => {
                return self.push_text(&format!("\\{ch}"), style, line);
            }
            Inline::Escape(ch) => return self.push_text(&ch.to_string(), style, line),
            Inline::Formula(formula) => {
                let text = self.formula(formula);
                return self.push_text(&text, style, line);
            }
            Inline::Break => {
                line.push('\n');
                return Ok(());
            }
            Inline::Code(code) => self.theme.apply(Style::Code, code)?,
            Inline::Strong(inner) => self.span(Style::Bold, inner, style)?,
            Inline::Emphasis(inner) => self.span(Style::Italic, inner, style)?,
            Inline::Strikethrough(inner) => self.span(Style::Strikethrough, inner, style)?,
            Inline::Link { text, label, url } => self.link(text, label, url, style)?,
        };
        line.push_str(&styled);
        line.push_str(style.prefix());
        Ok(())
    }

    fn span(&mut self, span: Style, inner: &[Inline], style: &TextStyle) -> Result<String, T::Error> {
        let inner = self.inlines(inner, style)?;
        self.theme.apply(span, &inner)
    }

    fn link(&mut self, text: &[Inline], label: &str, url: &str, style: &TextStyle) -> Result<String, T::Error> {
        let text = self.inlines(text, style)?;
        let underlined = self.theme.apply(Style::Underline, &text)?;
        let styled = self.theme.apply(Style::Link, &underlined)?;
        if self.options.hyperlinks {
            return Ok(format!("\x1b]8;;{url}\x1b\\{styled}\x1b]8;;\x1b\\"));
        }
        if label == url || label == url.strip_prefix("mailto:").unwrap_or(url) {
            return Ok(styled);
        }
        Ok(styled + &self.theme.apply(Style::LinkUrl, &format!(" ({url})"))?)
    }

    /// A formula as text, or as written if it is unfinished or uses what has no text form.
    pub(super) fn formula(&self, formula: &Formula) -> String {
        let rendered =
            if formula.pending || !self.options.latex { None } else { latex::render(&formula.text, formula.display) };
        rendered.unwrap_or_else(|| if formula.display { formula.raw.trim() } else { &formula.raw }.to_owned())
    }

    /// Styles are applied line by line, so that each line stands for itself.
    fn push_text(&mut self, text: &str, style: &TextStyle, line: &mut String) -> Result<(), T::Error> {
        for (index, part) in text.split('\n').enumerate() {
            if index > 0 {
                line.push('\n');
            }
            line.push_str(&self.text(part, style)?);
        }
        Ok(())
    }
}
