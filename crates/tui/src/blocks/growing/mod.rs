//! A message that is still arriving.

mod resume;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tau_view::columns::slice_by_column;
use tau_view::markdown::MarkdownStream;

use super::message::{Kind, Message};
use super::paint::{Fences, Margin};
use crate::look::{Look, SharedLook};
use crate::screen::{Block, Content, Line};

/// How many lines a part holds that may still change.
const PART: usize = 16;

/// Feeds a [`Block`] with the lines of a message that is still arriving.
///
/// Lines that no later text changes become settled parts, which can go to the scrollback. The others are in parts of a
/// few lines, and of these only those are made anew that changed, so that an update costs what it brings, however long the
/// message is. Call [`push`](Self::push) for what arrives, and [`update`](Self::update) once for each frame.
///
/// When the width changes, settled lines stay as they are and break where they do not fit any more; the text after them
/// is laid out for the new width. When the message is complete, [`finish`](Self::finish) gives content that lays out the
/// whole text, for a block that can be shown again.
pub struct Growing {
    shared: SharedLook,
    look: Arc<Look>,
    kind: Kind,
    stream: MarkdownStream,
    /// What has arrived since the last update.
    arrived: String,
    /// White space at the end of that; it is part of the message only if something follows.
    spaces: String,
    begun: bool,
    margin: Margin,
    /// A width for which the settled lines were not found again.
    unmatched: Option<usize>,
    /// How many lines of the stream are in settled parts, and how many columns of the line after them.
    settled: usize,
    cut: usize,
    /// Whether the first line after the settled ones is one of a code block.
    fences: Fences,
    /// The lines of the stream after the settled ones, and as they are in the block.
    open: Vec<(String, Line)>,
    /// How many of these each part holds.
    parts: Vec<usize>,
    /// Whether the empty line above the message is settled.
    led: bool,
    /// How many lines were made for the block.
    #[cfg(test)]
    made: usize,
}

impl Growing {
    /// A message without text.
    pub fn new(look: SharedLook, kind: Kind) -> Self {
        let now = look.get();
        let margin = Margin::new(now.padding, 80);
        Self {
            stream: MarkdownStream::new(margin.inner, kind.options(&now)),
            shared: look,
            look: now,
            kind,
            arrived: String::new(),
            spaces: String::new(),
            begun: false,
            margin,
            unmatched: None,
            settled: 0,
            cut: 0,
            fences: Fences::default(),
            open: Vec::new(),
            parts: Vec::new(),
            led: false,
            #[cfg(test)]
            made: 0,
        }
    }

    /// Adds text at the end.
    pub fn push(&mut self, delta: &str) {
        let delta = if self.begun { delta } else { delta.trim_start() };
        let (text, spaces) = delta.split_at(delta.trim_end().len());
        if !text.is_empty() {
            self.begun = true;
            self.arrived.push_str(&std::mem::take(&mut self.spaces));
            self.arrived.push_str(text);
        }
        self.spaces.push_str(spaces);
    }

    /// Whether the block would change in [`update`](Self::update) for this width.
    pub fn is_dirty(&self, width: usize) -> bool {
        let look = self.shared.get();
        !self.arrived.is_empty() || !Arc::ptr_eq(&look, &self.look) || Margin::new(look.padding, width) != self.margin
    }

    /// Brings the block up to date. All parts of the block that are not settled are replaced: it holds this message only.
    pub fn update(&mut self, block: &mut Block, width: usize) {
        self.follow(width);
        let arrived = std::mem::take(&mut self.arrived);
        // Where a line ends, the stream sees best what it need not read again, however much arrived at once.
        let (lines, rest) = arrived.split_at(arrived.rfind('\n').map_or(0, |end| end + 1));
        for part in [lines, rest] {
            self.stream.push(part);
            self.lay_out();
        }
        self.show(block);
    }

    /// Settles and finishes the block, and gives content that is the whole message at any width.
    pub fn finish(mut self, block: &mut Block, width: usize) -> Box<dyn Content> {
        self.update(block, width);
        self.stream.finish();
        self.lay_out();
        self.show(block);
        block.finish();
        Box::new(Message::exactly(self.shared, self.kind, self.stream.text().to_owned()))
    }

    fn lay_out(&mut self) {
        let Ok(()) = self.stream.lay_out(&mut self.kind.theme(&self.look));
    }

    /// Takes another width and look into account.
    fn follow(&mut self, width: usize) {
        let look = self.shared.get();
        let restyled = !Arc::ptr_eq(&look, &self.look);
        let margin = Margin::new(look.padding, width);
        if !restyled && margin == self.margin {
            return;
        }
        (self.look, self.margin) = (look, margin);
        if restyled {
            self.stream.restyle();
        }
        self.open.clear();
        if margin.inner != self.stream.width() && self.unmatched != Some(margin.inner) {
            self.resize(margin.inner);
        }
    }

    /// Lays out the text for another width, and finds the place there up to which it is settled. Where that cannot be
    /// found, such as in a table that looks different now, everything stays at the old width, and lines break.
    fn resize(&mut self, inner: usize) {
        self.unmatched = None;
        if self.settled == 0 && self.cut == 0 {
            self.stream.set_width(inner);
            return;
        }
        self.lay_out();
        let mut above: Vec<String> = self.stream.lines(0..self.settled).map(str::to_owned).collect();
        if self.cut > 0 {
            let line = self.stream.lines(self.settled..self.settled + 1).next().unwrap_or_default();
            above.push(slice_by_column(line, 0, self.cut, false));
        }
        let old = self.stream.width();
        self.stream.set_width(inner);
        self.lay_out();
        match resume::place(&above, self.stream.lines(0..self.stream.line_count())) {
            Some((lines, columns)) => {
                (self.settled, self.cut) = (lines, columns);
                self.fences = Fences::default();
                self.stream.lines(0..lines).for_each(|line| _ = self.fences.is_code(line));
            }
            None => {
                self.stream.set_width(old);
                self.lay_out();
                self.unmatched = Some(inner);
            }
        }
    }

    /// Puts what changed into the block.
    fn show(&mut self, block: &mut Block) {
        let count = self.stream.line_count().saturating_sub(self.settled);
        let settled = self.stream.final_lines().saturating_sub(self.settled).min(count);
        let mut now: Vec<&str> = self.stream.lines(self.settled..self.settled + count).collect();
        let rest = now.first().filter(|_| self.cut > 0).map(|line| slice_by_column(line, self.cut, usize::MAX, false));
        if let Some(rest) = &rest {
            now[0] = rest.trim_start_matches(' ');
        }
        let same = now.iter().zip(&self.open).take_while(|(new, (old, _))| *new == old).count();
        let margin = Margin { inner: self.stream.width(), ..self.margin };
        let mut fences = self.fences;
        now[..same].iter().for_each(|line| _ = fences.is_code(line));
        let made: Vec<(String, Line)> =
            now[same..].iter().map(|line| ((*line).to_owned(), fences.line(line, margin))).collect();
        #[cfg(test)]
        {
            self.made += made.len();
        }
        self.open.truncate(same);
        self.open.extend(made);
        let (kept, from) = self.kept_parts(same, settled, count);
        self.parts.truncate(kept);
        let mut parts: Vec<Box<dyn Content>> = Vec::new();
        let mut at = from;
        while at < count {
            let limit = if at < settled { settled } else { count };
            let end = (at + PART).min(limit);
            let above = (at == 0 && !self.led && self.cut == 0).then(Line::empty);
            let lines = above.into_iter().chain(self.open[at..end].iter().map(|(_, line)| line.clone())).collect();
            parts.push(Box::new(Laid { lines }));
            self.parts.push(end - at);
            at = end;
        }
        let before = block.settled();
        if !parts.is_empty() || kept < block.parts() - before {
            block.replace(before + kept, parts);
        }
        self.settle(block, settled);
    }

    /// How many of the open parts stay as they are, and how many lines these hold.
    fn kept_parts(&self, same: usize, settled: usize, count: usize) -> (usize, usize) {
        let (mut kept, mut at) = (0, 0);
        for lines in &self.parts {
            let end = at + lines;
            let parted = at < settled && settled < end;
            // A part that has room takes the lines that follow.
            let room = *lines < PART && end < count && end != settled;
            if end > same || parted || room {
                break;
            }
            (kept, at) = (kept + 1, end);
        }
        (kept, at)
    }

    fn settle(&mut self, block: &mut Block, lines: usize) {
        if lines == 0 {
            return;
        }
        let (mut parts, mut held) = (0, 0);
        while held < lines && parts < self.parts.len() {
            held += self.parts[parts];
            parts += 1;
        }
        block.settle(block.settled() + parts);
        self.parts.drain(..parts);
        for (line, _) in self.open.drain(..lines.min(self.open.len())) {
            self.fences.is_code(&line);
        }
        self.settled += lines;
        (self.cut, self.led) = (0, true);
    }
}

/// Lines that were laid out for some width. Where they do not fit they break, so that nothing of them is lost.
struct Laid {
    lines: Vec<Line>,
}

impl Content for Laid {
    fn lines(&self, width: usize) -> Vec<Line> {
        self.lines.iter().flat_map(|line| line.broken(width)).collect()
    }

    fn estimate(&self, width: usize) -> usize {
        self.lines.iter().map(|line| line.width().div_ceil(width.max(1)).max(1)).sum()
    }
}
