//! What waits and what works: the lines above the editor.

use std::time::Duration;

use tau_view::truncate::truncate_to_width;

use super::notes::rule;
use super::paint::{Margin, one_line, tinted};
use crate::look::Look;
use crate::screen::Line;

/// How long nothing is said about a handler that a prompt waits for.
const PATIENCE: Duration = Duration::from_secs(1);

/// Messages that wait for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pending {
    /// For its next request.
    pub steering: Vec<String>,
    /// For the end of the run.
    pub follow_up: Vec<String>,
    /// The name of the key that takes them back; empty when there is none.
    pub edit_key: String,
    /// The key that shows them one by one.
    pub list_key: String,
}

impl Pending {
    /// The lines: one for each message.
    pub fn lines(&self, look: &Look, width: usize) -> Vec<Line> {
        let message = |name: &str, text: &String| line(look, &format!("{name}: {}", one_line(text)), width);
        let mut lines: Vec<Line> = self.steering.iter().map(|text| message("Steering", text)).collect();
        lines.extend(self.follow_up.iter().map(|text| message("Follow-up", text)));
        if !lines.is_empty() && !self.edit_key.is_empty() {
            let mut hint = format!("↳ {} to edit all queued messages", one_line(&self.edit_key));
            if !self.list_key.is_empty() {
                hint.push_str(&format!(", {} to edit one", one_line(&self.list_key)));
            }
            lines.push(line(look, &hint, width));
        }
        lines
    }
}

/// A prompt that was sent and is not part of the conversation yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// The prompt.
    pub prompt: String,
    /// The handler that it waits for, if it waits for one.
    pub handler: Option<String>,
    /// How long it has waited for it.
    pub waited: Duration,
    /// The name of the key that goes on without the handler, when there is one.
    pub skip_key: Option<String>,
}

impl Waiting {
    /// The lines: the prompt, and who keeps it.
    pub fn lines(&self, look: &Look, width: usize) -> Vec<Line> {
        let mut lines = vec![line(look, &format!("> {}", one_line(&self.prompt)), width)];
        if let Some(handler) = &self.handler {
            let time = match self.waited {
                waited if waited >= PATIENCE => format!(" ({}s)", waited.as_secs()),
                _ => String::new(),
            };
            let key = self.skip_key.as_deref().filter(|key| !key.is_empty());
            let key = key.map(|key| format!(", {} to continue without it", one_line(key))).unwrap_or_default();
            lines.push(line(look, &format!("↳ waiting for {}{time}{key}", one_line(handler)), width));
        }
        lines
    }
}

fn line(look: &Look, text: &str, width: usize) -> Line {
    let margin = Margin::new(look.padding, width);
    margin.line(&look.styles.fg("dim", &truncate_to_width(text, margin.inner, "…", false)))
}

/// What is under way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Working {
    /// What is done, such as `Working` or `Retrying (1/3) in 2s`; extensions can say something else.
    pub message: String,
    /// The frames of an indicator of an extension, which may have colours; without them there are the usual ones. An empty
    /// list is no indicator.
    pub frames: Option<Vec<String>>,
    /// What a key does now, such as `escape to interrupt`.
    pub hint: Option<String>,
}

impl Working {
    /// The frames of the usual indicator.
    pub const FRAMES: [&'static str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
    /// How long each of them shows.
    pub const INTERVAL: Duration = Duration::from_millis(80);

    /// Whether the indicator moves. If it does not, one frame is enough.
    pub fn moves(&self) -> bool {
        self.frames.as_ref().is_none_or(|frames| frames.len() > 1)
    }

    /// The text with the frame of that number, styled.
    pub fn text(&self, look: &Look, frame: usize) -> String {
        let (frame, words) = self.parts(look, frame);
        [frame, words].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The frame of that number and the words behind it, styled.
    pub fn parts(&self, look: &Look, frame: usize) -> (String, String) {
        let frame = match &self.frames {
            None => look.styles.fg("accent", Self::FRAMES[frame % Self::FRAMES.len()]),
            Some(frames) if frames.is_empty() => String::new(),
            Some(frames) => {
                let own = tau_view::untrusted::output(&frames[frame % frames.len()]).replace(['\n', '\t'], " ");
                tinted(look, "accent", &own)
            }
        };
        let message = look.styles.fg("muted", &one_line(&self.message));
        let hint = self.hint.as_deref().map(|hint| look.styles.fg("dim", &format!("({})", one_line(hint))));
        let words = [message, hint.unwrap_or_default()];
        (frame, words.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
    }

    /// The text in a rule, such as the one above the editor, in the colour of a token.
    pub fn rule(&self, look: &Look, token: &str, frame: usize, width: usize) -> Line {
        rule(look, token, &self.text(look, frame), width)
    }

    /// The text as a line of its own.
    pub fn line(&self, look: &Look, frame: usize, width: usize) -> Line {
        let margin = Margin::new(look.padding, width);
        margin.line(&truncate_to_width(&self.text(look, frame), margin.inner, "…", false))
    }
}
