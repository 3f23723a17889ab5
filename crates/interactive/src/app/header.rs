//! What stands at the top: the header of tau, or one of an extension.
//!
//! On the main screen a header stays where it is once the conversation begins. One of an extension that comes later is
//! appended there. In the full-screen mode it always stands at the top.

use tau_agent::extensions::is_builtin_name;
use tau_tui::screen::{Block, BlockId, Content, Fixed, Line};

use super::App;
use crate::mounts::Slot;
use crate::screen::Mode;

/// How many blocks may wait behind it.
const MOST_BLOCKS: usize = 8;
/// How many lines a header has at most.
const MOST_LINES: usize = 200;

/// Where the header stands.
#[derive(Default)]
pub(super) struct HeaderPlace {
    block: Option<BlockId>,
    /// It can still change where it stands, because nothing of the conversation waits behind it.
    is_open: bool,
    /// The component that was appended, by its number.
    appended: Option<u64>,
}

impl App {
    /// The header of an extension, if there is one that was made.
    fn own_header(&self) -> Option<Slot> {
        self.standing.header.clone().filter(Slot::is_mounted)
    }

    /// Puts the header where it belongs.
    pub(super) fn begin_header(&mut self) {
        if self.standing.header.is_some() {
            self.header.block = Some(self.screen.transcript.push(Block::new()));
            self.header.is_open = true;
            return self.header_changed();
        }
        let extensions = self.session.as_ref().map(|session| session.hooks().extensions()).unwrap_or_default();
        let has_extensions = extensions.iter().any(|owner| !is_builtin_name(&owner.path));
        let block = self.push_header();
        self.header.block = Some(block);
        // One of them may be about to bring its own.
        if has_extensions && let Some(block) = self.screen.transcript.edit(block) {
            block.reopen();
            self.header.is_open = true;
        }
    }

    /// The header is another, or looks different.
    pub(super) fn header_changed(&mut self) {
        let Some(block) = self.header.block else { return };
        let Some(slot) = self.own_header() else {
            if self.standing.header.is_some() {
                return;
            }
            let had_own = self.header.appended.take().is_some();
            if self.header.is_open || had_own && self.screen.mode() == Mode::Full {
                self.restore_header(block);
            } else if had_own {
                self.header.block = Some(self.push_header());
            }
            return;
        };
        let width = self.screen.size().columns;
        let lines = slot.start_rows(MOST_LINES).lines;
        let lines: Vec<Line> = lines.iter().map(|line| Line::new(line, width)).collect();
        if lines.is_empty() {
            return;
        }
        let content = || Box::new(Fixed::new(lines.clone())) as Box<dyn Content>;
        if self.header.is_open {
            self.chat.remove_fold(block);
            if let Some(block) = self.screen.transcript.edit(block) {
                block.replace(0, vec![content()]);
            }
            self.header.appended = Some(slot.id());
            return;
        }
        if self.header.appended.replace(slot.id()) == Some(slot.id()) || self.screen.mode() == Mode::Full {
            self.chat.remove_fold(block);
            self.screen.transcript.reshape(block, vec![content()]);
        } else {
            self.header.block = Some(self.screen.transcript.push(Block::finished(Fixed::new(lines))));
        }
    }

    /// The header stays as it is from now on, where what comes behind it goes into the scrollback.
    pub(super) fn settle_header(&mut self) {
        if std::mem::take(&mut self.header.is_open)
            && let Some(block) = self.header.block
            && let Some(block) = self.screen.transcript.edit(block)
        {
            block.finish();
        }
    }

    /// Asks for the lines of a header, as long as little waits behind it. Called for each frame.
    pub(super) fn follow_header(&mut self) {
        let size = self.screen.size();
        if let Some(slot) = &self.standing.header {
            slot.stands(size.columns, size);
        }
        if self.header.is_open && self.screen.transcript.len() > MOST_BLOCKS {
            self.settle_header();
        }
    }
}
