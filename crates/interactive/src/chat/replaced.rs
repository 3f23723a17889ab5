//! Messages that hooks replaced after they were shown.

use tau_ai::{ContentBlock, Message};
use tau_hooks::table::About;
use tau_hooks::{Hooks, TraceRecord};
use tau_tui::blocks::NoteKind;
use tau_tui::screen::Transcript;

use super::{Chat, text_of};

/// The text of a message that is shown as soon as it begins.
pub(super) fn shown(message: &Message) -> Option<String> {
    match message {
        Message::User(user) => Some(text_of(&user.content)),
        Message::Custom(custom) if custom.display => Some(text_of(&custom.content)),
        _ => None,
    }
}

/// The text of a message.
fn text(message: &Message) -> Option<String> {
    match message {
        Message::Assistant(answer) => {
            let texts = answer.content.iter().filter_map(|block| match block {
                ContentBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            });
            Some(texts.collect())
        }
        other => shown(other),
    }
}

impl Chat {
    /// Shows the text that handlers gave a message in place of the one that is on the screen, and says whose it is. What is
    /// on the screen stays: it may have scrolled away.
    pub(super) fn show_replaced(
        &mut self,
        transcript: &mut Transcript,
        message: &Message,
        shown: Option<String>,
        hooks: &Hooks,
    ) {
        let (Some(shown), Some(now)) = (shown, text(message)) else { return };
        if shown.trim() == now.trim() {
            return;
        }
        let who = authors(&hooks.dispatcher.trace.records());
        let who = if who.is_empty() { "a hook".to_owned() } else { who };
        self.note(transcript, NoteKind::Warning, &format!("The message above was changed by {who}. It is now:"));
        match message {
            Message::Assistant(answer) => {
                let texts = answer.content.iter().filter(|block| matches!(block, ContentBlock::Text(_)));
                self.show_content(transcript, texts);
            }
            other => self.show(transcript, other),
        }
    }
}

/// Who changed the last message that was changed.
fn authors(records: &[TraceRecord]) -> String {
    let changed = |record: &&TraceRecord| record.event.row().about == About::Message && record.changes.any();
    let Some(last) = records.iter().rfind(|record| changed(record)) else { return String::new() };
    let of_last = records.iter().filter(|record| changed(record) && record.ids == last.ids);
    let mut names: Vec<String> = of_last.map(|record| crate::paths::short_owner(&record.extension)).collect();
    names.dedup();
    names.join(", ")
}
