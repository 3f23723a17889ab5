//! An answer that is arriving: text, thinking, and calls of tools, each a block of its own.

use std::collections::BTreeMap;

use tau_agent::Update;
use tau_ai::{AssistantMessage, ContentBlock, StreamEvent};
use tau_hooks::MarkdownKind;
use tau_tui::blocks::{Growing, Kind, Message};
use tau_tui::screen::{Block, BlockId, Content, Transcript};

use super::Chat;
use super::calls::Call;
use super::thinking::Thoughts;

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
    /// Text that grows.
    Growing { block: BlockId, growing: Option<Box<Growing>> },
    /// Thinking, by its block.
    Thinking(BlockId),
    /// Text that extensions change before it is drawn: its number, and what has arrived.
    Changed { number: u64, text: String, is_answer: bool },
    /// A call, by its id; with the last update, until its arguments are complete.
    Call(String),
}

impl Answer {
    pub(super) fn update(&mut self, transcript: &mut Transcript, thoughts: &mut Thoughts, width: usize) {
        for part in self.parts.values_mut() {
            match part {
                Part::Growing { block, growing: Some(growing) } if growing.is_dirty(width) => {
                    if let Some(block) = transcript.edit(*block) {
                        growing.update(block, width);
                    }
                }
                Part::Thinking(block) => thoughts.update(transcript, *block, width),
                Part::Growing { .. } | Part::Changed { .. } | Part::Call(_) => {}
            }
        }
        self.is_dirty = false;
    }

    /// What it says; nothing as long as a part of that is not complete.
    pub(super) fn text(&self) -> Option<String> {
        let is_text = |part: &&Part| matches!(part, Part::Growing { .. } | Part::Changed { is_answer: true, .. });
        let all = self.parts.values().filter(is_text).count();
        (all > 0 && all == self.texts.len()).then(|| self.texts.values().map(String::as_str).collect())
    }

    /// The texts of it that extensions change, by their numbers.
    pub(super) fn changed(&self) -> Vec<(u64, String)> {
        let changed = |part: &Part| match part {
            Part::Changed { number, text, .. } => Some((*number, text.clone())),
            _ => None,
        };
        self.parts.values().filter_map(changed).collect()
    }

    /// Nothing of it changes any more.
    pub(super) fn finish(&mut self, transcript: &mut Transcript, thoughts: &mut Thoughts, width: usize) {
        for part in self.parts.values_mut() {
            part.finish(transcript, thoughts, width);
        }
    }
}

impl Part {
    fn finish(&mut self, transcript: &mut Transcript, thoughts: &mut Thoughts, width: usize) {
        match self {
            Self::Growing { block, growing } => {
                if let Some(growing) = growing.take()
                    && let Some(open) = transcript.edit(*block)
                {
                    let whole = growing.finish(open, width);
                    transcript.reshape(*block, vec![whole]);
                }
            }
            Self::Thinking(block) => thoughts.finish(transcript, *block, width),
            Self::Changed { .. } | Self::Call(_) => {}
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
                        part.finish(transcript, &mut self.thoughts, width);
                    }
                    if matches!(item.event, StreamEvent::TextEnd { .. }) {
                        answer.texts.insert(*index, content.clone());
                    }
                }
                let part = self.answer.as_ref().and_then(|answer| answer.parts.get(index));
                if let Some(Part::Changed { number, .. }) = part {
                    let number = *number;
                    self.markdown_is(number, content, false);
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
                _ if let Some(number) = self.begin_changed(transcript, kind, "") => {
                    Part::Changed { number, text: String::new(), is_answer: kind == Kind::Answer }
                }
                Kind::Thinking => {
                    let before = self.answer.as_ref().and_then(|answer| answer.parts.values().last());
                    let follows = matches!(before, Some(Part::Thinking(_)));
                    Part::Thinking(self.thoughts.begin(transcript, follows))
                }
                Kind::Answer => {
                    let block = transcript.push(Block::new().labelled("Answer"));
                    Part::Growing { block, growing: Some(Box::new(Growing::new(self.look.clone(), kind))) }
                }
            };
            self.add_part(index, part);
        }
        match self.answer.as_mut().and_then(|answer| answer.parts.get_mut(&index)) {
            Some(Part::Growing { growing: Some(growing), .. }) => growing.push(delta),
            Some(Part::Thinking(block)) => self.thoughts.push(*block, delta),
            Some(Part::Changed { number, text, .. }) => {
                text.push_str(delta);
                let (number, text) = (*number, text.clone());
                self.markdown_is(number, &text, true);
            }
            _ => {}
        }
    }

    /// Begins a text that extensions change before it is drawn, if any do; its number.
    fn begin_changed(&mut self, transcript: &mut Transcript, kind: Kind, text: &str) -> Option<u64> {
        let (of, label) = match kind {
            Kind::Answer => (MarkdownKind::Assistant, "Answer"),
            // What is hidden need not be changed.
            Kind::Thinking if self.thoughts.hides() => return None,
            Kind::Thinking => (MarkdownKind::AssistantThinking, "Thinking"),
        };
        let look = self.look.clone();
        let draw = move |text: &str| Box::new(Message::new(look.clone(), kind, text)) as Box<dyn Content>;
        self.push_markdown(transcript, Block::new().labelled(label), of, text, draw)
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
        let mut is_thinking = false;
        for block in content {
            let was_thinking = std::mem::take(&mut is_thinking);
            match block {
                ContentBlock::Text(text) if !text.text.trim().is_empty() => {
                    if self.begin_changed(transcript, Kind::Answer, &text.text).is_some() {
                        continue;
                    }
                    let content = Message::new(self.look.clone(), Kind::Answer, &text.text);
                    transcript.push(Block::finished(content).labelled("Answer"));
                }
                ContentBlock::Thinking(thinking)
                    if self.begin_changed(transcript, Kind::Thinking, &thinking.thinking).is_some() => {}
                ContentBlock::Thinking(thinking) => {
                    is_thinking = true;
                    self.thoughts.show(transcript, &thinking.thinking, was_thinking);
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
        let mut call = Call::new(block, name, self.places.clone(), self.expands, &self.expand_key);
        if let Some(painter) = &self.painter {
            self.own_blocks += 1;
            call.drawn_by(id, format!("call {}", self.own_blocks).into(), painter.of_tool(name));
        }
        self.calls.insert(id.to_owned(), call);
    }
}
