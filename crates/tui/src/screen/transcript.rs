//! The blocks of a session in order, and how far they are in the scrollback.

use std::collections::{HashMap, VecDeque};

use super::block::{Block, BlockId, Shown};
use super::content::{Content, Fixed};
use super::line::Line;

/// How many changes are remembered for a reader that wants to know which blocks changed.
const REMEMBERED: usize = 4096;

/// The blocks of a session.
///
/// Blocks are committed to the scrollback in their order, as soon as they are finished; one behind an unfinished block
/// waits for it. A committed line is handed out once and never again. The lines that are not committed are live.
#[derive(Debug, Default)]
pub struct Transcript {
    blocks: Vec<(BlockId, Block)>,
    places: HashMap<BlockId, usize>,
    next: u64,
    /// The first block that is not committed as a whole, and its first part that is not on its way.
    front: usize,
    part: usize,
    /// Lines that are on their way: they cannot change any more, and have been laid out at `pending_width`.
    pending: VecDeque<Line>,
    pending_width: usize,
    /// Whether the next line that is taken is the first of its block.
    starts: bool,
    revision: u64,
    changes: VecDeque<usize>,
}

/// What a frame is made of.
#[derive(Debug, Default)]
pub(super) struct Composed {
    pub(super) committed: Vec<Line>,
    pub(super) live: Vec<Line>,
    /// Whether more lines could be committed than were asked for.
    pub(super) more: bool,
}

/// A line that is committed.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) line: Line,
    /// The block that begins with this line.
    pub(super) begins: Option<usize>,
}

impl Transcript {
    /// A transcript without blocks.
    pub fn new() -> Transcript {
        Transcript::default()
    }

    /// Adds a block at the end.
    pub fn push(&mut self, block: Block) -> BlockId {
        let id = BlockId(self.next);
        self.next += 1;
        self.places.insert(id, self.blocks.len());
        self.blocks.push((id, block));
        self.changed(self.blocks.len() - 1);
        id
    }

    /// A block, to look at.
    pub fn get(&self, id: BlockId) -> Option<&Block> {
        self.places.get(&id).map(|place| &self.blocks[*place].1)
    }

    /// A block, to change it.
    pub fn edit(&mut self, id: BlockId) -> Option<&mut Block> {
        let place = *self.places.get(&id)?;
        self.changed(place);
        Some(&mut self.blocks[place].1)
    }

    /// Gives a block other parts, finished or not: for the pager, where old blocks can be expanded. What is in the
    /// scrollback stays there, and what is on its way there arrives as it was.
    pub fn reshape(&mut self, id: BlockId, parts: Vec<Box<dyn Content>>) {
        let Some(place) = self.places.get(&id).copied() else { return };
        let block = &mut self.blocks[place].1;
        if place == self.front && self.part > 0 {
            for part in self.part..block.settled() {
                self.pending.extend(block.part_lines(part, self.pending_width).iter().cloned());
            }
            // Parts that are not settled have not been promised to anyone.
            self.part = parts.len();
        }
        block.reshape(parts);
        self.changed(place);
    }

    /// Whether some of the lines of a block are in the scrollback, or on their way there.
    pub fn has_begun(&self, id: BlockId) -> bool {
        let part = self.part;
        self.place(id).is_some_and(|place| place < self.front || (place == self.front && part > 0))
    }

    /// Removes a block. Its lines that are committed stay in the scrollback.
    pub fn remove(&mut self, id: BlockId) -> Option<Block> {
        let place = self.places.remove(&id)?;
        let (_, block) = self.blocks.remove(place);
        if place < self.front {
            self.front -= 1;
        } else if place == self.front && self.part > 0 {
            self.part = 0;
            self.pending.clear();
        }
        self.moved(place);
        Some(block)
    }

    /// Gives up all lines that were laid out, because the theme changed.
    pub fn release(&mut self) {
        for (_, block) in &mut self.blocks {
            block.release();
        }
        self.changes.clear();
        self.revision += 1;
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The name of a block at a place.
    pub fn id(&self, place: usize) -> Option<BlockId> {
        self.blocks.get(place).map(|(id, _)| *id)
    }

    /// Where a block stands.
    pub fn place(&self, id: BlockId) -> Option<usize> {
        self.places.get(&id).copied()
    }

    pub(super) fn at(&mut self, place: usize) -> Option<&mut Block> {
        self.blocks.get_mut(place).map(|(_, block)| block)
    }

    /// Gives up the lines of a block, unless it is still changing: that one is on the screen, or soon is.
    pub(super) fn forget_lines(&mut self, place: usize) {
        if let Some((_, block)) =
            self.blocks.get_mut(place).filter(|(_, block)| place < self.front || block.is_finished())
        {
            block.release();
        }
    }

    pub(super) fn look_at(&self, place: usize) -> Option<&Block> {
        self.blocks.get(place).map(|(_, block)| block)
    }

    /// Brings of the blocks from the place `from` on only the last `lines` lines into the scrollback, under a line that
    /// `note` makes of the number of blocks left out, if there are any; the pager has all of them. Nothing is laid out that
    /// is not near the end. Blocks that are on their way already, and those before them, stay as they are.
    pub fn begin_with_last(&mut self, from: usize, lines: usize, width: usize, note: impl FnOnce(usize) -> Line) {
        let from = from.max(self.front + usize::from(self.part > 0));
        let (mut front, mut counted) = (self.blocks.len(), 0);
        while front > from && counted < lines {
            front -= 1;
            let block = &mut self.blocks[front].1;
            if block.in_scrollback() {
                counted += block.height(width);
            }
        }
        let excess = counted.saturating_sub(lines);
        let mut head = Vec::new();
        if let Some((_, block)) = self.blocks.get_mut(front).filter(|(_, block)| excess > 0 && block.is_finished()) {
            let height = block.height(width);
            block.lines(width, excess..height, &mut head);
            front += 1;
        }
        if front <= from {
            return;
        }
        for (_, block) in &mut self.blocks[from..front] {
            block.leave_scrollback();
        }
        head.insert(0, note(front - from).clamped(width));
        self.insert(from, Block::finished(Fixed::new(head)).shown(Shown::Scrollback));
    }

    /// Adds a block at a place.
    fn insert(&mut self, place: usize, block: Block) {
        let id = BlockId(self.next);
        self.next += 1;
        self.blocks.insert(place, (id, block));
        self.moved(place);
    }

    /// Every block from this place on has another one: readers look at everything again.
    fn moved(&mut self, place: usize) {
        for (moved, (id, _)) in self.blocks.iter().enumerate().skip(place) {
            self.places.insert(*id, moved);
        }
        self.changes.clear();
        self.revision += 1;
    }

    /// The next line for the scrollback: of finished blocks, and if `needed` of settled parts too.
    pub(super) fn take(&mut self, width: usize, needed: bool) -> Option<Taken> {
        self.rewrap(width);
        loop {
            if let Some(line) = self.pending.pop_front() {
                let begins = std::mem::take(&mut self.starts).then_some(self.front);
                return Some(Taken { line, begins });
            }
            let (_, block) = self.blocks.get_mut(self.front)?;
            let ready = match (block.in_scrollback(), block.is_finished()) {
                (false, _) => 0,
                (true, true) => block.parts(),
                (true, false) if needed => block.settled(),
                (true, false) => 0,
            };
            if self.part < ready {
                self.starts = self.starts || self.part == 0;
                self.pending.extend(block.part_lines(self.part, width).iter().cloned());
                self.part += 1;
            } else if block.is_finished() || !block.in_scrollback() {
                block.release();
                self.front += 1;
                (self.part, self.starts) = (0, false);
            } else {
                return None;
            }
        }
    }

    /// Lines on their way that are too wide by now are broken, so that nothing of them is lost.
    fn rewrap(&mut self, width: usize) {
        if self.pending_width != width {
            if self.pending.iter().any(|line| line.reach() > width) {
                self.pending = self.pending.iter().flat_map(|line| line.broken(width)).collect();
            }
            self.pending_width = width;
        }
    }

    /// How many lines are not committed.
    fn waiting(&mut self, width: usize) -> usize {
        let mut waiting = self.pending.len();
        for (place, (_, block)) in self.blocks.iter_mut().enumerate().skip(self.front) {
            if block.in_scrollback() {
                let skipped = if place == self.front { block.part_start(width, self.part) } else { 0 };
                waiting += block.height(width) - skipped;
            }
        }
        waiting
    }

    /// The lines for a frame: at most `budget` that are committed with it, and at most `room` that are live. What can be
    /// committed before its block is finished is, if there is no room for it.
    pub(super) fn compose(&mut self, width: usize, room: usize, budget: usize) -> Composed {
        let mut committed = Vec::new();
        while committed.len() < budget {
            let Some(taken) = self.take(width, false) else { break };
            committed.push(taken.line);
        }
        let mut waiting = self.waiting(width);
        while waiting > room && committed.len() < budget {
            let Some(taken) = self.take(width, true) else { break };
            committed.push(taken.line);
            waiting -= 1;
        }
        // A picture is drawn when all of its rows are final.
        while committed.last().is_some_and(Line::is_followed_by_picture) {
            let Some(taken) = self.take(width, true) else { break };
            committed.push(taken.line);
            waiting = waiting.saturating_sub(1);
        }
        let more = committed.len() >= budget && waiting > 0;
        let mut live = Vec::with_capacity(waiting.min(room));
        let tail = if waiting <= room { waiting } else { room.saturating_sub(1) };
        if waiting > room && room > 0 {
            live.push(Line::new(&format!("\x1b[2m↑ {} lines", waiting - tail), width));
        }
        self.last_lines(width, waiting - tail, tail, &mut live);
        Composed { committed, live, more }
    }

    /// Adds `count` of the lines that are not committed, after the first `skip`.
    fn last_lines(&mut self, width: usize, mut skip: usize, mut count: usize, lines: &mut Vec<Line>) {
        let from = skip.min(self.pending.len());
        lines.extend(self.pending.iter().skip(from).take(count).cloned());
        count -= (self.pending.len() - from).min(count);
        skip -= from;
        for (place, (_, block)) in self.blocks.iter_mut().enumerate().skip(self.front) {
            if count == 0 {
                return;
            }
            if !block.in_scrollback() {
                continue;
            }
            let start = if place == self.front { block.part_start(width, self.part) } else { 0 };
            let height = block.height(width) - start;
            let from = skip.min(height);
            let taken = (height - from).min(count);
            block.lines(width, start + from..start + from + taken, lines);
            (skip, count) = (skip - from, count - taken);
        }
    }

    fn changed(&mut self, place: usize) {
        self.revision += 1;
        if self.changes.len() == REMEMBERED {
            self.changes.pop_front();
        }
        self.changes.push_back(place);
    }

    /// The number of changes so far.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// The places of the blocks that changed after `revision`; none if that is too long ago.
    pub(super) fn changed_since(&self, revision: u64) -> Option<impl Iterator<Item = usize>> {
        let count = usize::try_from(self.revision - revision).ok()?;
        (count <= self.changes.len()).then(|| self.changes.iter().rev().take(count).copied())
    }
}
