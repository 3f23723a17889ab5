//! What the model thinks: shown, or hidden behind a label. Either can be changed later, for all of it or by a click.

use tau_tui::blocks::{Growing, HiddenThinking, Kind, Message};
use tau_tui::look::SharedLook;
use tau_tui::screen::{Block, BlockId, Content, Fixed, Transcript};

const LABEL: &str = "Thinking...";

/// Thinking of an answer, in a block of its own.
struct Thought {
    block: BlockId,
    /// What has arrived of it.
    text: String,
    is_open: bool,
    /// Lays it out while it arrives and is shown.
    growing: Option<Box<Growing>>,
    /// It follows other thinking: hidden, both have one label.
    follows: bool,
    is_hidden: bool,
    /// What the user wants of this one.
    wanted: Option<bool>,
}

/// All thinking that is shown or hidden.
pub(super) struct Thoughts {
    look: SharedLook,
    all: Vec<Thought>,
    hides: bool,
    label: String,
}

impl Thoughts {
    pub(super) fn new(look: SharedLook) -> Self {
        Self { look, all: Vec::new(), hides: false, label: LABEL.to_owned() }
    }

    pub(super) fn hides(&self) -> bool {
        self.hides
    }

    /// Thinking begins to arrive.
    pub(super) fn begin(&mut self, transcript: &mut Transcript, follows: bool) -> BlockId {
        let block = transcript.push(Block::new().labelled("Thinking"));
        let mut thought = self.thought(block, follows, true);
        self.lay_out(transcript, &mut thought);
        self.all.push(thought);
        block
    }

    /// More of it has arrived.
    pub(super) fn push(&mut self, block: BlockId, delta: &str) {
        let Some(thought) = self.find(block) else { return };
        thought.text.push_str(delta);
        if let Some(growing) = &mut thought.growing {
            growing.push(delta);
        }
    }

    /// Brings the block up to date.
    pub(super) fn update(&mut self, transcript: &mut Transcript, block: BlockId, width: usize) {
        if let Some(growing) = self.find(block).and_then(|thought| thought.growing.as_mut())
            && growing.is_dirty(width)
            && let Some(block) = transcript.edit(block)
        {
            growing.update(block, width);
        }
    }

    /// No more of it comes.
    pub(super) fn finish(&mut self, transcript: &mut Transcript, block: BlockId, width: usize) {
        let Some(thought) = self.find(block).filter(|thought| thought.is_open) else { return };
        thought.is_open = false;
        let whole = match (thought.growing.take(), transcript.edit(block)) {
            (Some(growing), Some(open)) => Some(growing.finish(open, width)),
            (None, Some(open)) => {
                open.finish();
                None
            }
            (_, None) => None,
        };
        if let Some(whole) = whole {
            transcript.reshape(block, vec![whole]);
        }
    }

    /// Shows thinking that is complete.
    pub(super) fn show(&mut self, transcript: &mut Transcript, text: &str, follows: bool) {
        let mut block = Block::new().labelled("Thinking");
        block.finish();
        let block = transcript.push(block);
        let mut thought = self.thought(block, follows, false);
        text.clone_into(&mut thought.text);
        self.lay_out(transcript, &mut thought);
        self.all.push(thought);
    }

    /// Hides all of it, or shows it. What of an arriving one is in the scrollback already is not taken back.
    pub(super) fn hide(&mut self, transcript: &mut Transcript, hides: bool) {
        if std::mem::replace(&mut self.hides, hides) == hides {
            return;
        }
        self.change(transcript, |thought| {
            thought.wanted = None;
            thought.is_hidden != hides
        });
    }

    /// What stands for thinking that is hidden.
    pub(super) fn set_label(&mut self, transcript: &mut Transcript, label: Option<String>) {
        self.label = label.unwrap_or_else(|| LABEL.to_owned());
        self.change(transcript, |thought| thought.is_hidden);
    }

    /// Shows the thinking of a block, or hides it, with what follows under the same label; whether there is any.
    pub(super) fn toggle(&mut self, transcript: &mut Transcript, block: BlockId) -> bool {
        let Some(at) = self.all.iter().position(|thought| thought.block == block) else { return false };
        let first = (0..=at).rev().find(|at| !self.all[*at].follows).unwrap_or(0);
        let rest = self.all[first + 1..].iter().take_while(|thought| thought.follows).count();
        let (last, hides) = (first + rest, !self.all[first].is_hidden);
        let group: Vec<BlockId> = self.all[first..=last].iter().map(|thought| thought.block).collect();
        self.change(transcript, |thought| {
            let is_meant = group.contains(&thought.block);
            if is_meant {
                thought.wanted = Some(hides);
            }
            is_meant
        });
        true
    }

    fn thought(&self, block: BlockId, follows: bool, is_open: bool) -> Thought {
        let (text, growing) = (String::new(), None);
        Thought { block, text, is_open, growing, follows, is_hidden: self.hides, wanted: None }
    }

    fn find(&mut self, block: BlockId) -> Option<&mut Thought> {
        // It is one of the last.
        self.all.iter_mut().rev().find(|thought| thought.block == block)
    }

    /// Lays out anew those that `is_other` says look different now.
    fn change(&mut self, transcript: &mut Transcript, mut is_other: impl FnMut(&mut Thought) -> bool) {
        let mut all = std::mem::take(&mut self.all);
        for thought in &mut all {
            let is_settled = transcript.get(thought.block).is_none_or(|block| block.settled() > 0);
            if is_other(thought) && !(thought.is_open && is_settled && transcript.has_begun(thought.block)) {
                thought.is_hidden = thought.wanted.unwrap_or(self.hides);
                self.lay_out(transcript, thought);
            }
        }
        self.all = all;
    }

    fn lay_out(&self, transcript: &mut Transcript, thought: &mut Thought) {
        thought.growing = None;
        let look = || self.look.clone();
        let parts: Vec<Box<dyn Content>> = match (thought.is_hidden, thought.follows) {
            (true, true) => vec![Box::new(Fixed::new(Vec::new()))],
            (true, false) => vec![Box::new(HiddenThinking::new(look(), &*self.label))],
            (false, _) if thought.is_open => {
                let mut growing = Growing::new(look(), Kind::Thinking);
                growing.push(&thought.text);
                thought.growing = Some(Box::new(growing));
                Vec::new()
            }
            (false, _) => vec![Box::new(Message::new(look(), Kind::Thinking, &thought.text))],
        };
        transcript.reshape(thought.block, parts);
    }
}
