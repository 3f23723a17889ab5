//! The conversation of a session that is opened.

use tau_hooks::Messages;
use tau_tui::blocks::earlier_messages;
use tau_tui::screen::Transcript;

use super::Chat;

/// The entry of a session that a message is from.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) id: String,
    /// When it was written, as it stands in the file.
    pub(super) timestamp: String,
}

/// How many lines of it are written above the editor. The pager has all of it.
const LINES: usize = 200;

/// How many of the last messages wait for their images.
const RECENT: usize = 16;

impl Chat {
    /// Shows all messages. None of them is laid out before it is near the screen. `timestamp` gives that of an entry.
    pub(crate) fn show_history(
        &mut self,
        transcript: &mut Transcript,
        history: &Messages,
        timestamp: impl Fn(&str) -> Option<String>,
    ) {
        for (at, item) in history.items().enumerate() {
            let origin = |id: &String| Some(Origin { id: id.clone(), timestamp: timestamp(id)? });
            self.origin = item.entry_id.as_ref().and_then(origin);
            self.images.set_lazy(at + RECENT < history.len());
            // Each message has a line at least.
            self.is_far = at + LINES < history.len();
            self.show(transcript, item.message());
        }
        self.origin = None;
        self.images.set_lazy(false);
        self.is_far = false;
        self.finish_all(transcript);
    }

    /// Of the blocks from one on only the last lines are for the scrollback. `pager` is the key that shows the rest.
    pub(crate) fn begin_with_last(&self, transcript: &mut Transcript, from: usize, width: usize, pager: &str) {
        let look = self.look.get();
        transcript.begin_with_last(from, LINES, width, |count| earlier_messages(&look, count, pager, width));
    }
}
