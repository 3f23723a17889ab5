//! What comes from the terminal.

use tau_tui::terminal::Incoming;
use tau_tui::terminal::input::{Event, Reply};

use super::App;

impl App {
    /// Takes it; false at the end of the terminal.
    pub(super) async fn incoming(&mut self, incoming: Incoming) -> bool {
        match incoming {
            Incoming::Event(event) => {
                let goes_on = self.event(event);
                self.lend_if_wanted().await;
                return goes_on;
            }
            Incoming::Answered { differs } => {
                self.screen.answered();
                if differs {
                    let answers = self.screen.terminal.answers().clone();
                    self.keys.set_modes(self.capabilities.key_modes(answers.kitty == Some(true)));
                    self.known.write_soon(&answers, &self.tasks);
                    self.theme_changed();
                }
            }
            Incoming::Resized(size) => {
                self.screen.resized(size);
                self.chat.resized();
            }
            Incoming::Suspend => self.suspend().await,
            Incoming::Continued => self.begin_again(),
        }
        true
    }

    fn event(&mut self, event: Event) -> bool {
        match event {
            Event::Key(data) => {
                self.screen.changed_by_key();
                if self.leaves_for_good(&data) {
                    return true;
                }
                if self.holds_keys() {
                    self.hear(&data);
                    return true;
                }
                match self.writes().then(|| self.screen.terminal.take_text(&data)).flatten() {
                    Some(text) => self.types(&text),
                    None => self.key(&data),
                }
            }
            Event::Paste(paste) => {
                self.screen.changed_by_key();
                if self.holds_keys() {
                    self.hear(&format!("\x1b[200~{}\x1b[201~", paste.text));
                    return true;
                }
                self.paste(&paste.text);
            }
            Event::Mouse(mouse) => {
                self.mouse(&mouse);
            }
            Event::Focus(has_focus) => {
                self.has_focus = has_focus;
                if !has_focus {
                    self.screen.lost_focus();
                    self.screen.changed();
                }
            }
            Event::Reply(Reply::Cursor { row, column }) => self.screen.cursor_is(row, column),
            Event::Reply(Reply::Appearance(appearance)) => self.appearance_is(appearance),
            Event::Reply(_) => {}
            Event::Other(sequence) => tracing::debug!(length = sequence.len(), "an unknown sequence of the terminal"),
            Event::End(end) => {
                tracing::info!(%end, "the terminal is gone");
                return false;
            }
        }
        true
    }
}
