//! The rest of a text whose beginning is laid out, as lines.

use super::Theme;
use super::document::Block;
use super::list::Rest;
use super::renderer::{Next, Renderer, TextStyle};
use super::spine::{Leaf, Level, Spine};

impl<T: Theme> Renderer<'_, T> {
    /// The lines of the rest of a document, wrapped; nothing when they do not fit what is above.
    pub(super) fn rest(
        &mut self,
        blocks: &[Block],
        spine: Spine<'_>,
        width: usize,
    ) -> Result<Option<Vec<String>>, T::Error> {
        if spine.is_empty() {
            return self.document(blocks, width).map(Some);
        }
        let style = self.document_style()?;
        let (mut lines, blocks) = match (spine.leaf, blocks.split_first()) {
            (Some(Leaf::Paragraph(above)), Some((Block::Paragraph(text), blocks))) => {
                let text = self.inlines(text, &style)?;
                let Some(text) = text.strip_prefix(&above.around.0) else { return Ok(None) };
                let mut flow = above.flow.clone();
                flow.push(text);
                let mut lines = flow.finish();
                if Next::of(blocks.first()) == Next::Other {
                    lines.push(String::new());
                }
                (lines, self.blocks(blocks, width, &style)?)
            }
            (Some(Leaf::Paragraph(_)), _) => return Ok(None),
            _ => match self.resumed(blocks, spine, width, &style)? {
                Some(lines) => (Vec::new(), lines),
                None => return Ok(None),
            },
        };
        lines.extend(blocks.iter().flat_map(|line| crate::wrap::wrap_text(line, width)));
        Ok(Some(lines))
    }

    /// The lines of the blocks of a container, the first of which is the rest of an open one.
    pub(super) fn resumed(
        &mut self,
        blocks: &[Block],
        spine: Spine<'_>,
        width: usize,
        style: &TextStyle,
    ) -> Result<Option<Vec<String>>, T::Error> {
        if spine.is_empty() {
            return self.blocks(blocks, width, style).map(Some);
        }
        let Some((first, others)) = blocks.split_first() else { return Ok(None) };
        let next = Next::of(others.first());
        let mut lines = Vec::new();
        let mut blank = next.needs_blank();
        let fits = match (spine.levels.split_first(), spine.leaf, first) {
            (Some((Level::Quote, levels)), _, Block::Quote(inner)) => {
                let spine = Spine { levels, ..spine };
                self.nested(|renderer| renderer.quote(inner, Some(spine), width, &mut lines))?
            }
            (Some((Level::List(level), levels)), _, Block::List(list)) => {
                blank = false;
                let rest = Rest::new(level, Spine { levels, ..spine });
                self.nested(|renderer| renderer.list(list, Some(rest), 0, width, style, &mut lines))?
            }
            (None, Some(Leaf::Code(above)), Block::Code { language, text, .. }) => {
                self.code(language.as_deref(), text, Some(above), &mut lines)?;
                Some(())
            }
            (None, Some(Leaf::Table { above, .. }), Block::Table(table)) => {
                self.table_part(table, Some(above), width, style, &mut lines)?
            }
            _ => None,
        };
        if fits.is_none() {
            return Ok(None);
        }
        if blank {
            lines.push(String::new());
        }
        lines.extend(self.blocks(others, width, style)?);
        Ok(Some(lines))
    }
}
