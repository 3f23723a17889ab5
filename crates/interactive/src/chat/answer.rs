//! An answer that is arriving: text, thinking, and calls of tools, each a block of its own.

use std::collections::BTreeMap;

use tau_agent::Update;
use tau_ai::{AssistantMessage, ContentBlock, StreamEvent};
use tau_tui::blocks::{Growing, HiddenThinking, Kind, Message};
use tau_tui::screen::{Block, BlockId, Transcript};

use super::Chat;
use super::calls::Call;

/// The answer that is arriving.
#[derive(Default)]
pub(super) struct Answer {
    parts: BTreeMap<usize, Part>,
    /// The texts of it that are complete.
    texts: BTreeMap<usize, String>,
    pub(super) is_dirty: bool,
}

/// A part of it.
enum Part {
    /// Text or thinking that grows.
    Growing { block: BlockId, kind: Kind, growing: Option<Box<Growing>> },
    /// Thinking that is hidden.
    Hidden,
    /// A call, by its id; with the last update, until its arguments are complete.
    Call(String),
}

impl Answer {
    pub(super) fn update(&mut self, transcript: &mut Transcript, width: usize) {
        for part in self.parts.values_mut() {
            if let Part::Growing { block, growing: Some(growing), .. } = part
                && growing.is_dirty(width)
                && let Some(block) = transcript.edit(*block)
            {
                growing.update(block, width);
            }
        }
        self.is_dirty = false;
    }

    /// What it says; nothing as long as a part of that is not complete.
    pub(super) fn text(&self) -> Option<String> {
        let is_text = |part: &&Part| matches!(part, Part::Growing { kind: Kind::Answer, .. });
        let all = self.parts.values().filter(is_text).count();
        (all > 0 && all == self.texts.len()).then(|| self.texts.values().map(String::as_str).collect())
    }

    /// Nothing of it changes any more.
    pub(super) fn finish(&mut self, transcript: &mut Transcript, width: usize) {
        for part in self.parts.values_mut() {
            part.finish(transcript, width);
        }
    }
}

impl Part {
    fn finish(&mut self, transcript: &mut Transcript, width: usize) {
        if let Self::Growing { block, growing, .. } = self
            && let Some(growing) = growing.take()
            && let Some(open) = transcript.edit(*block)
        {
            let whole = growing.finish(open, width);
            transcript.reshape(*block, vec![whole]);
        }
    }
}

impl Chat {
    /// An answer has grown.
    pub(crate) fn message_update(&mut self, transcript: &mut Transcript, update: &Update, width: usize) {
        let item = &update.0;
        match &item.event {
            StreamEvent::TextDelta { index, delta } => self.grow(transcript, *index, Kind::Answer, delta),
            StreamEvent::ThinkingDelta { index, delta } => self.grow(transcript, *index, Kind::Thinking, delta),
            StreamEvent::TextEnd { index, content } | StreamEvent::ThinkingEnd { index, content } => {
                // A provider that sends no pieces sends all of it at the end.
                let is_known = self.answer.as_ref().is_some_and(|answer| answer.parts.contains_key(index));
                if !is_known {
                    let is_text = matches!(item.event, StreamEvent::TextEnd { .. });
                    let kind = if is_text { Kind::Answer } else { Kind::Thinking };
                    self.grow(transcript, *index, kind, content);
                }
                if let Some(answer) = &mut self.answer {
                    if let Some(part) = answer.parts.get_mut(index) {
                        part.finish(transcript, width);
                    }
                    if matches!(item.event, StreamEvent::TextEnd { .. }) {
                        answer.texts.insert(*index, content.clone());
                    }
                }
            }
            StreamEvent::ToolCallStart { index } | StreamEvent::ToolCallDelta { index, .. } => {
                let known = self.answer.as_ref().and_then(|answer| answer.parts.get(index));
                if let Some(Part::Call(id)) = known {
                    if let Some(call) = self.calls.get_mut(id) {
                        call.arguments_grow(item.partial.clone(), *index);
                    }
                } else if let Some(ContentBlock::ToolCall(call)) = item.partial.block(*index) {
                    self.begin_call(transcript, &call.id, &call.name);
                    self.add_part(*index, Part::Call(call.id));
                }
            }
            StreamEvent::ToolCallEnd { index, tool_call } => {
                self.begin_call(transcript, &tool_call.id, &tool_call.name);
                self.add_part(*index, Part::Call(tool_call.id.clone()));
                if let Some(call) = self.calls.get_mut(&tool_call.id) {
                    call.arguments(tool_call.arguments.clone());
                }
            }
            _ => {}
        }
    }

    fn add_part(&mut self, index: usize, part: Part) {
        self.answer.get_or_insert_default().parts.insert(index, part);
    }

    fn grow(&mut self, transcript: &mut Transcript, index: usize, kind: Kind, delta: &str) {
        let is_known = self.answer.as_ref().is_some_and(|answer| answer.parts.contains_key(&index));
        if !is_known {
            let part = match kind {
                Kind::Thinking if self.hides_thinking => {
                    self.hidden_thinking(transcript);
                    Part::Hidden
                }
                kind => {
                    let label = if kind == Kind::Answer { "Answer" } else { "Thinking" };
                    let block = transcript.push(Block::new().labelled(label));
                    Part::Growing { block, kind, growing: Some(Box::new(Growing::new(self.look.clone(), kind))) }
                }
            };
            self.add_part(index, part);
        }
        let part = self.answer.as_mut().and_then(|answer| answer.parts.get_mut(&index));
        if let Some(Part::Growing { growing: Some(growing), .. }) = part {
            growing.push(delta);
        }
    }

    /// Thinking that is hidden has a line; one for several in a row.
    fn hidden_thinking(&self, transcript: &mut Transcript) {
        let answer = self.answer.as_ref();
        let follows =
            answer.and_then(|answer| answer.parts.values().last()).is_some_and(|part| matches!(part, Part::Hidden));
        if !follows {
            transcript.push(Block::finished(HiddenThinking::new(self.look.clone(), &*self.label)));
        }
    }

    /// Shows an answer that is complete.
    pub(super) fn show_answer(&mut self, transcript: &mut Transcript, answer: &AssistantMessage) {
        self.show_content(transcript, answer.content.iter());
        self.end_note(transcript, answer);
    }

    /// Shows parts of an answer that is complete.
    pub(super) fn show_content<'a>(
        &mut self,
        transcript: &mut Transcript,
        content: impl Iterator<Item = &'a ContentBlock>,
    ) {
        let mut is_hidden = false;
        for block in content {
            let was_hidden = std::mem::take(&mut is_hidden);
            match block {
                ContentBlock::Text(text) if !text.text.trim().is_empty() => {
                    let content = Message::new(self.look.clone(), Kind::Answer, &text.text);
                    transcript.push(Block::finished(content).labelled("Answer"));
                }
                ContentBlock::Thinking(_) if self.hides_thinking => {
                    is_hidden = true;
                    if !was_hidden {
                        transcript.push(Block::finished(HiddenThinking::new(self.look.clone(), &*self.label)));
                    }
                }
                ContentBlock::Thinking(thinking) if !thinking.thinking.trim().is_empty() => {
                    let content = Message::new(self.look.clone(), Kind::Thinking, &thinking.thinking);
                    transcript.push(Block::finished(content).labelled("Thinking"));
                }
                ContentBlock::ToolCall(call) => {
                    self.begin_call(transcript, &call.id, &call.name);
                    if let Some(open) = self.calls.get_mut(&call.id) {
                        open.arguments(call.arguments.clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// No more comes of the calls of an answer than what it has.
    pub(super) fn end_calls_of(&mut self, answer: &AssistantMessage) {
        for block in &answer.content {
            if let ContentBlock::ToolCall(call) = block
                && let Some(open) = self.calls.get_mut(&call.id)
            {
                open.arguments(call.arguments.clone());
            }
        }
    }

    pub(super) fn begin_call(&mut self, transcript: &mut Transcript, id: &str, name: &str) {
        if self.calls.contains_key(id) {
            return;
        }
        let block = transcript.push(Block::new().labelled(format!("Tool {name}")));
        let call = Call::new(block, name, self.places.clone(), self.expands, &self.expand_key);
        self.calls.insert(id.to_owned(), call);
    }
}
