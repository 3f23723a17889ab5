//! A block of the transcript: a message, a tool call, a notice.

use std::fmt;
use std::ops::Range;

use super::content::Content;
use super::line::Line;

/// Names a block of a [`Transcript`](super::Transcript).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub(super) u64);

/// Where a block is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// In the scrollback and in the pager.
    #[default]
    Everywhere,
    /// Only in the scrollback, such as the line that tells how many messages are left out there.
    Scrollback,
    /// Only in the pager, such as what happened before a session was opened again.
    Pager,
}

/// A part of a block, with its lines at the width that was asked for last.
struct Part {
    content: Box<dyn Content>,
    settled: bool,
    laid: Option<(usize, Box<[Line]>)>,
}

impl Part {
    fn lines(&mut self, width: usize) -> &[Line] {
        if self.laid.as_ref().is_none_or(|(laid, _)| *laid != width) {
            let lines = self.content.lines(width).iter().map(|line| line.clamped(width)).collect();
            self.laid = Some((width, lines));
        }
        self.laid.as_ref().map_or(&[], |(_, lines)| lines)
    }
}

/// A block: parts one below the other, each laid out by itself.
///
/// A part that is settled does not change any more, and neither do those before it: a Markdown message settles what later
/// text cannot change, a tool call settles nothing before it is complete. Text that streams in replaces only the
/// parts that are not settled, so that its cost does not grow with the message. A block that is finished is settled as a
/// whole.
pub struct Block {
    parts: Vec<Part>,
    finished: bool,
    /// Where each part ends, in lines, at a width: as many as are known.
    ends: (usize, Vec<usize>),
    prompt: bool,
    shown: Shown,
    label: Option<String>,
}

impl Block {
    /// A block without parts.
    pub fn new() -> Block {
        Block {
            parts: Vec::new(),
            finished: false,
            ends: (0, Vec::new()),
            prompt: false,
            shown: Shown::default(),
            label: None,
        }
    }

    /// A block that has one part and is finished.
    pub fn finished(content: impl Content + 'static) -> Block {
        let mut block = Block::new();
        block.push(content);
        block.finish();
        block
    }

    /// The same block as a prompt, to which the pager can jump.
    pub fn prompt(self) -> Block {
        Block { prompt: true, ..self }
    }

    /// The same block, shown somewhere else.
    pub fn shown(self, shown: Shown) -> Block {
        Block { shown, ..self }
    }

    /// The same block with a label, which is written before it where there are no colours to tell blocks apart.
    pub fn labelled(self, label: impl Into<String>) -> Block {
        Block { label: Some(label.into()), ..self }
    }

    /// Adds a part at the end. A block that is finished takes no more.
    pub fn push(&mut self, content: impl Content + 'static) {
        self.push_boxed(Box::new(content));
    }

    fn push_boxed(&mut self, content: Box<dyn Content>) {
        if !self.finished {
            self.parts.push(Part { content, settled: false, laid: None });
        }
    }

    /// Replaces the parts from `first` on. Parts that are settled stay as they are; what would replace them is
    /// left out.
    pub fn replace(&mut self, first: usize, parts: Vec<Box<dyn Content>>) {
        let from = first.clamp(self.settled(), self.parts.len());
        self.parts.truncate(from);
        self.forget_ends(from);
        for content in parts.into_iter().skip(from.saturating_sub(first)) {
            self.push_boxed(content);
        }
    }

    /// Replaces everything that is not settled by one part.
    pub fn set(&mut self, content: impl Content + 'static) {
        self.replace(self.settled(), vec![Box::new(content)]);
    }

    /// Settles the first `parts` parts.
    pub fn settle(&mut self, parts: usize) {
        for part in self.parts.iter_mut().take(parts) {
            part.settled = true;
        }
    }

    /// Settles all parts: nothing changes or comes any more.
    pub fn finish(&mut self) {
        self.settle(self.parts.len());
        self.finished = true;
    }

    /// Takes back that it is finished. Only as long as it was not painted: what is in the scrollback stays there.
    pub fn reopen(&mut self) {
        self.finished = false;
        self.parts.iter_mut().for_each(|part| part.settled = false);
    }

    /// Whether nothing of the block changes any more.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// How many parts are settled.
    pub fn settled(&self) -> usize {
        self.parts.partition_point(|part| part.settled)
    }

    /// Whether this is a prompt.
    pub fn is_prompt(&self) -> bool {
        self.prompt
    }

    /// The label.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    pub(super) fn in_scrollback(&self) -> bool {
        self.shown != Shown::Pager
    }

    /// Shows it in the pager only, if it is shown there.
    pub(super) fn leave_scrollback(&mut self) {
        if self.shown == Shown::Everywhere {
            self.shown = Shown::Pager;
        }
    }

    pub(super) fn in_pager(&self) -> bool {
        self.shown != Shown::Scrollback
    }

    /// Gives up the lines that were laid out, because the theme changed or nobody needs them for a while.
    pub fn release(&mut self) {
        for part in &mut self.parts {
            part.laid = None;
        }
        self.forget_ends(0);
    }

    /// How many lines the block has at a width.
    pub fn height(&mut self, width: usize) -> usize {
        self.measure(width);
        self.ends.1.last().copied().unwrap_or(0)
    }

    /// About how many lines the block has, without laying anything out.
    pub fn estimate(&self, width: usize) -> usize {
        self.parts.iter().map(|part| part.content.estimate(width)).sum()
    }

    /// Adds the lines of `range` to `lines`.
    pub fn lines(&mut self, width: usize, range: Range<usize>, lines: &mut Vec<Line>) {
        self.measure(width);
        let mut part = self.ends.1.partition_point(|end| *end <= range.start);
        let mut start = if part == 0 { 0 } else { self.ends.1[part - 1] };
        while start < range.end && part < self.parts.len() {
            let laid = self.parts[part].lines(width);
            let from = range.start.saturating_sub(start);
            let to = (range.end - start).min(laid.len());
            lines.extend_from_slice(laid.get(from..to).unwrap_or_default());
            start += laid.len();
            part += 1;
        }
    }

    /// The lines at another width than the one of the screen. Nothing of them is kept.
    pub(super) fn lines_at(&self, width: usize) -> Vec<Line> {
        self.parts.iter().flat_map(|part| part.content.lines(width)).collect()
    }

    /// The line where a part begins.
    pub(super) fn part_start(&mut self, width: usize, part: usize) -> usize {
        self.measure(width);
        if part == 0 { 0 } else { self.ends.1.get(part - 1).copied().unwrap_or(0) }
    }

    /// The lines of one part.
    pub(super) fn part_lines(&mut self, part: usize, width: usize) -> &[Line] {
        self.parts.get_mut(part).map(|part| part.lines(width)).unwrap_or_default()
    }

    /// Replaces everything, settled or not. Lines that are in the scrollback stay there as they are.
    pub(super) fn reshape(&mut self, parts: Vec<Box<dyn Content>>) {
        let settled = self.finished;
        self.parts = parts.into_iter().map(|content| Part { content, settled, laid: None }).collect();
        self.forget_ends(0);
    }

    fn measure(&mut self, width: usize) {
        let (measured, ends) = &mut self.ends;
        if *measured != width {
            *measured = width;
            ends.clear();
        }
        let mut end = ends.last().copied().unwrap_or(0);
        for part in &mut self.parts[ends.len()..] {
            end += part.lines(width).len();
            ends.push(end);
        }
    }

    fn forget_ends(&mut self, from: usize) {
        self.ends.1.truncate(from);
    }
}

impl Default for Block {
    fn default() -> Block {
        Block::new()
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block")
            .field("parts", &self.parts.len())
            .field("settled", &self.settled())
            .field("finished", &self.finished)
            .finish_non_exhaustive()
    }
}
