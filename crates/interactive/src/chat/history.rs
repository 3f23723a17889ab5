//! The conversation of a session that is opened.

use tau_hooks::Messages;
use tau_tui::blocks::earlier_messages;
use tau_tui::screen::Transcript;

use super::Chat;

/// How many lines of it are written above the editor. The pager has all of it.
const LINES: usize = 200;

impl Chat {
    /// Shows all messages, the last of them above the editor. Only those are laid out. `pager` is the key that shows the rest.
    pub(crate) fn show_history(&mut self, transcript: &mut Transcript, history: &Messages, width: usize, pager: &str) {
        let from = transcript.len();
        for message in history.iter() {
            self.show(transcript, message);
        }
        self.finish_all(transcript);
        let look = self.look.get();
        transcript.begin_with_last(from, LINES, width, |count| earlier_messages(&look, count, pager, width));
    }
}
