//! Blocks that are over and that extensions draw: they are asked again when such a block is in sight and looks different.

use tau_tui::screen::{BlockId, Transcript};

use super::Chat;

/// Where a block stands that an extension draws.
pub(super) enum Drawn {
    /// The place of a call among those that are over.
    Call(usize),
    /// The place among the blocks that are drawn as a whole.
    Own(usize),
}

impl Chat {
    /// Asks extensions for what is new of the blocks that the alternate screen shows.
    pub(crate) fn follow_in_view(&mut self, transcript: &mut Transcript, in_view: &[BlockId]) {
        self.is_behind = false;
        let Some(painter) = &self.painter else { return };
        for block in in_view {
            let is_settled = match self.drawn.get(block) {
                Some(Drawn::Call(at)) => {
                    let call = &mut self.done[*at];
                    call.follow(Some(painter), self.width);
                    call.is_settled()
                }
                Some(Drawn::Own(at)) => {
                    let own = &mut self.own[*at];
                    own.follow(transcript, painter, &mut self.images, self.width);
                    own.is_settled()
                }
                None => true,
            };
            self.is_behind |= !is_settled;
        }
    }

    /// Everything that extensions draw looks different now.
    pub(crate) fn restyled(&mut self) {
        self.calls.values_mut().chain(&mut self.ending).chain(&mut self.done).for_each(|call| call.redraw());
        self.own.iter_mut().for_each(|own| own.redraw());
    }
}
