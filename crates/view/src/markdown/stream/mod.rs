//! Markdown that arrives in parts, laid out at a cost that does not grow with its length.
//!
//! Lines of the text that is read already are kept; only the rest of the last open block is read and laid out again,
//! see [`super::spine`]. What the kept lines rely on is checked each time. Where later text breaks it, the block that
//! is open is laid out from its beginning, or the whole text when a link target is defined that lines above use.

mod place;
mod settle;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use self::place::{Place, Read};
use super::document::Block;
use super::measures::LaidTable;
use super::parse::parse_part;
use super::references::{Definitions, Label};
use super::renderer::Renderer;
use super::spine::Leaf;
use super::{Options, Theme, math};
use crate::untrusted::Cleaner;

/// How much of a paragraph is read again at most, in bytes, as long as nothing in it is open.
const PARAGRAPH_PART: usize = 1024;

/// Lines of a Markdown text that is still growing.
///
/// The lines are those that [`render`](super::render) gives for the text so far. The text is cleaned as it arrives:
/// control characters, escape sequences and characters that reorder text go, see [`crate::untrusted`]; tabs become
/// spaces. [`MarkdownStream::text`] is what remains.
///
/// After [`push`](Self::push), the lines are those of the last [`lay_out`](Self::lay_out).
pub struct MarkdownStream {
    options: Options,
    width: usize,
    paragraph_part: usize,
    cleaner: Cleaner,
    source: String,
    finished: bool,
    dirty: bool,
    /// Where the text begins that is read each time.
    place: Place,
    /// Where the outermost open block begins.
    block: BlockStart,
    /// Lines of the text before the place, and after it.
    kept: Vec<String>,
    live: Vec<String>,
    final_lines: usize,
    /// Link targets defined before the place.
    definitions: Definitions,
    /// Labels in kept lines that are not defined, and those that are defined after the place.
    unresolved: HashSet<Label>,
    assumed: HashMap<Label, String>,
    /// How many bytes were read.
    #[cfg(test)]
    work: std::cell::Cell<usize>,
}

#[derive(Debug, Default, Clone, Copy)]
struct BlockStart {
    start: usize,
    fence: math::Fence,
    /// How many lines are before it.
    lines: usize,
}

/// What laying out a part gives.
struct Laid {
    lines: Vec<String>,
    table: Option<LaidTable>,
    coloured_whole: bool,
}

impl MarkdownStream {
    /// An empty text, for lines of at most `width` columns.
    pub fn new(width: usize, options: Options) -> Self {
        Self {
            options,
            width,
            paragraph_part: PARAGRAPH_PART,
            cleaner: Cleaner::default(),
            source: String::new(),
            finished: false,
            dirty: false,
            place: Place::default(),
            block: BlockStart::default(),
            kept: Vec::new(),
            live: Vec::new(),
            final_lines: 0,
            definitions: Definitions::default(),
            unresolved: HashSet::new(),
            assumed: HashMap::new(),
            #[cfg(test)]
            work: std::cell::Cell::default(),
        }
    }

    /// Adds text at the end.
    pub fn push(&mut self, delta: &str) {
        let before = self.source.len();
        for ch in self.cleaner.clean(delta).chars() {
            match ch {
                '\t' => self.source.push_str("   "),
                // Formulas are replaced by these while a text is read.
                '\u{100000}'.. => self.source.push(char::REPLACEMENT_CHARACTER),
                ch => self.source.push(ch),
            }
        }
        self.dirty |= self.source.len() > before;
    }

    /// Says that nothing more arrives: every line is final after the next [`lay_out`](Self::lay_out).
    pub fn finish(&mut self) {
        self.finished = true;
        self.dirty = true;
    }

    /// The text so far, cleaned.
    pub fn text(&self) -> &str {
        &self.source
    }

    /// How many columns a line has at most.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Changes how many columns a line has at most. If that is new, no line is final until they are laid out again.
    pub fn set_width(&mut self, width: usize) {
        if width != self.width {
            self.width = width;
            self.restyle();
        }
    }

    /// Forgets all lines, because the theme gives others now.
    pub fn restyle(&mut self) {
        self.final_lines = 0;
        self.rewind();
    }

    /// Brings the lines up to date.
    ///
    /// # Errors
    /// What the theme fails with. The lines stay usable.
    pub fn lay_out<T: Theme>(&mut self, theme: &mut T) -> Result<(), T::Error> {
        if !self.dirty {
            return Ok(());
        }
        loop {
            let read = self.read(&self.place);
            if self.references_change(&read) {
                self.rewind();
                continue;
            }
            let laid = match self.place.leaf.as_ref() {
                Some(Leaf::Paragraph(above)) if above.pending.may_close_in(read.first_block()) => None,
                _ => self.lay(&read, &self.place, theme)?,
            };
            let Some(laid) = laid else {
                self.reopen();
                continue;
            };
            self.live.clone_from(&laid.lines);
            self.settle(read, laid, theme)?;
            self.dirty = false;
            if self.finished {
                self.final_lines = self.line_count();
            }
            return Ok(());
        }
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.kept.len() + self.live.len()
    }

    /// How many of the first lines no later text changes.
    pub fn final_lines(&self) -> usize {
        self.final_lines
    }

    /// Some of the lines.
    pub fn lines(&self, range: Range<usize>) -> impl Iterator<Item = &str> {
        let kept = self.kept.len();
        let within = |lines: Range<usize>| lines.start.min(lines.end)..lines.end;
        let first = within(range.start.min(kept)..range.end.min(kept));
        let end = range.end.clamp(kept, self.line_count()) - kept;
        let second = within(range.start.clamp(kept, self.line_count()) - kept..end);
        self.kept[first].iter().chain(&self.live[second]).map(String::as_str)
    }

    /// The last `count` lines.
    pub fn tail(&self, count: usize) -> impl Iterator<Item = &str> {
        self.lines(self.line_count().saturating_sub(count)..self.line_count())
    }

    /// Begins again with the whole text.
    fn rewind(&mut self) {
        self.place = Place::default();
        self.block = BlockStart::default();
        self.kept.clear();
        self.live.clear();
        self.definitions.clear();
        self.unresolved.clear();
        self.assumed.clear();
        self.dirty = true;
    }

    /// Begins again with the outermost open block.
    fn reopen(&mut self) {
        let BlockStart { start, fence, lines } = self.block;
        self.place = Place { start, fence, ..Place::default() };
        self.kept.truncate(lines);
    }

    /// Reads the text from a place on.
    fn read(&self, place: &Place) -> Read {
        let extracted = math::extract_part(&self.source[place.start..], place.fence);
        let mut preamble = place.spine().preamble();
        loop {
            let text = format!("{preamble}{}", extracted.text);
            #[cfg(test)]
            self.work.set(self.work.get() + text.len());
            let mut part = parse_part(&text, &extracted.formulas, &self.definitions);
            // What is defined first counts; the reader only knows that of the text it reads.
            let again: String = part
                .definitions
                .iter()
                .filter_map(|found| {
                    let url = self.definitions.get(&found.label).filter(|url| **url != found.url)?;
                    Some(definition(&found.label, url))
                })
                .collect();
            if !again.is_empty() && !preamble.starts_with(&again) {
                preamble = format!("{again}\n{preamble}");
                continue;
            }
            if place.start == 0 && text.starts_with('\n') && !part.blocks.is_empty() {
                part.blocks.insert(0, Block::Space);
            }
            let open = extracted.open.map(|open| place.start + open);
            return Read { preamble: preamble.len(), part, open, lines: extracted.lines, text };
        }
    }

    fn lay<T: Theme>(&self, read: &Read, place: &Place, theme: &mut T) -> Result<Option<Laid>, T::Error> {
        let mut renderer = Renderer::for_stream(&self.options, theme);
        let lines = renderer.rest(&read.part.blocks, place.spine(), self.width)?;
        let (table, coloured_whole) = (renderer.last_table.take(), renderer.coloured_whole);
        Ok(lines.map(|lines| Laid { lines, table, coloured_whole }))
    }

    /// Whether kept lines use a link target that is another one now.
    fn references_change(&self, read: &Read) -> bool {
        let live = || read.part.definitions.iter();
        let appeared = live().any(|found| self.unresolved.contains(&found.label));
        let changed = self.assumed.iter().any(|(label, url)| {
            let found = live().find(|found| found.label == *label);
            self.definitions.get(label).or(found.map(|found| &found.url)) != Some(url)
        });
        appeared || changed
    }
}

/// A definition as it is written.
fn definition(label: &Label, url: &str) -> String {
    let mut written = format!("[{}]: <", label.as_str());
    for ch in url.chars() {
        if matches!(ch, '<' | '>' | '\\') {
            written.push('\\');
        }
        match ch {
            '&' => written.push_str("&amp;"),
            ch => written.push(ch),
        }
    }
    written + ">\n"
}
