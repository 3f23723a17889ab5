//! A conversation in the shape that providers insist on.
//!
//! Sessions hold what happened; providers demand alternation, a result for every call, ids in a narrow
//! alphabet, and no reasoning of other models. Nothing is copied here that a payload does not need anyway.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::written::StepKey;
use crate::{
    AssistantMessage, ContentBlock, ImageBlock, Message, MessageContent, Model, StopReason, TextBlock, ThinkingBlock,
    ToolCallBlock, ToolResultMessage, provider_name,
};

const NO_IMAGES_USER: &str = "(image omitted: model does not support images)";
const NO_IMAGES_TOOL: &str = "(tool image omitted: model does not support images)";
const NO_RESULT: &str = "No result provided";

/// A step of the conversation with what it is made of: nothing else has a part in it but the model.
#[derive(Debug, PartialEq)]
pub(super) struct Step<'a> {
    pub turn: Turn<'a>,
    /// Its messages; for results from their answer on.
    pub from: &'a [Arc<Message>],
    /// Where the first of them stands.
    pub at: usize,
}

impl<'a> Step<'a> {
    /// What it is known by.
    pub fn key(&self) -> StepKey<'a> {
        StepKey { from: self.from, is_results: matches!(self.turn, Turn::Results(_)) }
    }

    /// Whether it begins with an answer of this very model.
    pub fn is_of(&self, model: &Model) -> bool {
        self.from.first().and_then(|message| message.as_assistant()).is_some_and(|answer| is_of(answer, model))
    }
}

/// What a step is.
#[derive(Debug, PartialEq)]
pub(super) enum Turn<'a> {
    /// What the user said, where it is stored as a bare string; never empty. It stays one on the wire, so that
    /// what a provider has cached of an old session still fits.
    UserText(&'a str),
    /// What the user said; never empty.
    User(Vec<Part<'a>>),
    /// What the model answered; never empty.
    Assistant(Vec<Said<'a>>),
    /// The results of all calls of the answer before it.
    Results(Vec<Reply<'a>>),
}

/// A piece of user or tool content.
#[derive(Debug, PartialEq)]
pub(super) enum Part<'a> {
    Text(&'a str),
    Image(&'a ImageBlock),
}

/// A piece of an answer.
#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Text(&'a str),
    /// Text that this very model signed. It may be empty: the signature alone means something.
    Signed(&'a TextBlock),
    /// Reasoning of this very model: that of another one is left out.
    Thinking(&'a ThinkingBlock),
    Call {
        id: Cow<'a, str>,
        call: &'a ToolCallBlock,
    },
}

/// A tool result.
#[derive(Debug, PartialEq)]
pub(super) struct Reply<'a> {
    pub id: Cow<'a, str>,
    pub name: &'a str,
    pub parts: Vec<Part<'a>>,
    pub is_error: bool,
}

/// Stands in the result of a failed call where a picture was, for providers that take none there.
pub(super) const IMAGES_FOLLOW: &str = "(images: see after the results)";

impl Reply<'_> {
    /// What introduces the pictures of a failed call, which follow the results.
    pub fn caption(&self) -> String {
        format!("Images of the failed call {} of {}:", self.id, self.name)
    }
}

/// Brings a conversation into shape for `model`. `clean_id` maps a tool-call id to one the provider takes.
pub(super) fn turns<'a>(
    messages: &'a [Arc<Message>],
    model: &Model,
    clean_id: impl Fn(&'a str) -> Cow<'a, str>,
) -> Vec<Step<'a>> {
    let mut shaper =
        Shaper { model, clean_id, messages, steps: Vec::new(), open: Vec::new(), results: Vec::new(), answer: 0 };
    for (at, message) in messages.iter().enumerate() {
        match &**message {
            Message::User(user) => {
                shaper.close_calls(at);
                match &user.content {
                    MessageContent::Text(text) if text.trim().is_empty() => {}
                    MessageContent::Text(text) => shaper.push(Turn::UserText(text), at..at + 1),
                    MessageContent::Blocks(blocks) => {
                        let parts = shaper.parts(blocks, NO_IMAGES_USER);
                        if !parts.is_empty() {
                            shaper.push(Turn::User(parts), at..at + 1);
                        }
                    }
                }
            }
            Message::Assistant(answer) => {
                shaper.close_calls(at);
                shaper.assistant(answer, at);
            }
            Message::ToolResult(result) => shaper.result(result),
            _ => {}
        }
    }
    shaper.close_calls(messages.len());
    shaper.steps
}

struct Shaper<'a, 'm, F> {
    model: &'m Model,
    clean_id: F,
    messages: &'a [Arc<Message>],
    steps: Vec<Step<'a>>,
    /// Where the last answer stands.
    answer: usize,
    /// Calls of the last answer, each with whether it was answered.
    open: Vec<(&'a ToolCallBlock, bool)>,
    results: Vec<Reply<'a>>,
}

impl<'a, F: Fn(&'a str) -> Cow<'a, str>> Shaper<'a, '_, F> {
    fn push(&mut self, turn: Turn<'a>, from: Range<usize>) {
        self.steps.push(Step { turn, at: from.start, from: &self.messages[from] });
    }

    fn parts(&self, blocks: &'a [ContentBlock], no_images: &'static str) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        for block in blocks {
            match block {
                ContentBlock::Text(text) => parts.extend(text_part(&text.text)),
                ContentBlock::Image(image) if self.model.accepts_images() => parts.push(Part::Image(image)),
                // One notice stands for a row of pictures.
                ContentBlock::Image(_) if parts.last() != Some(&Part::Text(no_images)) => {
                    parts.push(Part::Text(no_images));
                }
                _ => {}
            }
        }
        parts
    }

    fn assistant(&mut self, answer: &'a AssistantMessage, at: usize) {
        self.answer = at;
        // Half an answer is no good example, and half a call no call.
        if matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) {
            return;
        }
        let same = is_of(answer, self.model);
        let mut said = Vec::new();
        for block in &answer.content {
            match block {
                ContentBlock::Text(text)
                    if same && text.text_signature.as_ref().is_some_and(|text| !text.is_empty()) =>
                {
                    said.push(Said::Signed(text));
                }
                ContentBlock::Text(text) if !text.text.trim().is_empty() => said.push(Said::Text(&text.text)),
                ContentBlock::Thinking(thinking) if same => said.extend(reasoning(thinking)),
                ContentBlock::ToolCall(call) => {
                    said.push(Said::Call { id: (self.clean_id)(&call.id), call });
                    self.open.push((call, false));
                }
                _ => {}
            }
        }
        if !said.is_empty() {
            self.push(Turn::Assistant(said), at..at + 1);
        }
    }

    /// A result without a waiting call is dropped: its call went with a failed answer, and every provider
    /// refuses a conversation that contains it.
    fn result(&mut self, result: &'a ToolResultMessage) {
        let Some(slot) = self.open.iter_mut().find(|(call, done)| !done && call.id == result.tool_call_id) else {
            return;
        };
        slot.1 = true;
        let reply = Reply {
            id: (self.clean_id)(&result.tool_call_id),
            name: &result.tool_name,
            parts: self.parts(&result.content, NO_IMAGES_TOOL),
            is_error: result.is_error,
        };
        self.results.push(reply);
    }

    /// Ends the results of the last answer before the message of this number.
    fn close_calls(&mut self, at: usize) {
        for (call, done) in std::mem::take(&mut self.open) {
            if !done {
                self.results.push(Reply {
                    id: (self.clean_id)(&call.id),
                    name: &call.name,
                    parts: vec![Part::Text(NO_RESULT)],
                    is_error: true,
                });
            }
        }
        if !self.results.is_empty() {
            let results = Turn::Results(std::mem::take(&mut self.results));
            self.push(results, self.answer..at);
        }
    }
}

fn is_of(answer: &AssistantMessage, model: &Model) -> bool {
    provider_name(&answer.provider) == model.provider && answer.api == model.api && answer.model == model.id
}

fn text_part(text: &str) -> Option<Part<'_>> {
    (!text.trim().is_empty()).then_some(Part::Text(text))
}

/// Reasoning that says something, or that its signature stands for.
fn reasoning(thinking: &ThinkingBlock) -> Option<Said<'_>> {
    let signed = thinking.thinking_signature.as_ref().is_some_and(|signature| !signature.trim().is_empty());
    (signed || !thinking.thinking.trim().is_empty()).then_some(Said::Thinking(thinking))
}

/// An id of at most `limit` characters out of `[A-Za-z0-9_-]`. What was too long keeps its beginning and
/// gets a hash, so that two long ids with the same beginning stay apart.
pub(super) fn narrow_id(id: &str, limit: usize) -> Cow<'_, str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let clean: Cow<'_, str> = if !id.is_empty() && id.chars().all(allowed) {
        Cow::Borrowed(id)
    } else if id.is_empty() {
        Cow::Borrowed("call")
    } else {
        Cow::Owned(id.chars().map(|c| if allowed(c) { c } else { '_' }).collect())
    };
    if clean.len() <= limit {
        return clean;
    }
    let hash = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(id.as_bytes()));
    Cow::Owned(format!("{}_{hash}", &clean[..limit - hash.len() - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InputKind, WrittenMessages};
    use serde_json::{Value, json};

    fn model(images: bool) -> Model {
        let mut model: Model =
            serde_json::from_value(json!({"id": "m", "api": "a", "provider": "p"})).expect("a model");
        model.input = if images { vec![InputKind::Text, InputKind::Image] } else { vec![InputKind::Text] };
        model
    }

    fn messages(list: Value) -> Vec<Arc<Message>> {
        serde_json::from_value::<Vec<Message>>(list).expect("messages").into_iter().map(Arc::new).collect()
    }

    /// The turns as short lines.
    fn shape(list: Value, model: &Model) -> Vec<String> {
        fn parts(parts: &[Part<'_>]) -> String {
            let part = |part: &Part<'_>| match part {
                Part::Text(text) => (*text).to_owned(),
                Part::Image(image) => format!("<{}>", image.mime_type),
            };
            parts.iter().map(part).collect::<Vec<_>>().join("|")
        }
        let messages = messages(list);
        let turn = |step: &Step<'_>| match &step.turn {
            Turn::UserText(text) => format!("user text {text}"),
            Turn::User(said) => format!("user {}", parts(said)),
            Turn::Assistant(said) => {
                let said = said.iter().map(|said| match said {
                    Said::Text(text) => (*text).to_owned(),
                    Said::Signed(block) => format!("signed:{}", block.text),
                    Said::Thinking(thinking) => format!("thinking:{}", thinking.thinking),
                    Said::Call { id, call } => format!("call:{id}:{}", call.name),
                });
                format!("assistant {}", said.collect::<Vec<_>>().join("|"))
            }
            Turn::Results(replies) => {
                let replies = replies.iter().map(|reply| {
                    format!("{}:{}{}", reply.id, parts(&reply.parts), if reply.is_error { "!" } else { "" })
                });
                format!("results {}", replies.collect::<Vec<_>>().join(" "))
            }
        };
        turns(&messages, model, |id| narrow_id(id, 40)).iter().map(turn).collect()
    }

    fn call(id: &str) -> Value {
        json!({"type": "toolCall", "id": id, "name": "read", "arguments": {}})
    }

    fn result(id: &str, text: &str) -> Value {
        json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": [{"type": "text", "text": text}]})
    }

    #[test]
    fn every_call_gets_exactly_one_result() {
        let list = json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [call("a"), call("b"), call("c")], "stopReason": "toolUse"},
            result("b", "two"), result("a", "one"), result("a", "again"), result("zzz", "stray"),
            {"role": "user", "content": "next"},
            result("c", "too late"),
            {"role": "assistant", "content": [call("d")], "stopReason": "toolUse"},
        ]);
        assert_eq!(
            shape(list, &model(true)),
            [
                "user text go",
                "assistant call:a:read|call:b:read|call:c:read",
                "results b:two a:one c:No result provided!",
                "user text next",
                "assistant call:d:read",
                "results d:No result provided!",
            ]
        );
    }

    #[test]
    fn failed_answers_leave_with_their_results() {
        let list = json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "text", "text": "half"}, call("a")], "stopReason": "aborted"},
            result("a", "one"),
            {"role": "assistant", "content": [{"type": "text", "text": "oops"}], "stopReason": "error"},
            {"role": "assistant", "content": [], "stopReason": "stop"},
            {"role": "user", "content": " \n"},
            {"role": "custom", "customType": "x", "content": "skipped"},
            {"role": "user", "content": [{"type": "text", "text": ""}, {"type": "text", "text": "again"}]},
        ]);
        assert_eq!(shape(list, &model(true)), ["user text go", "user again"]);
    }

    #[test]
    fn reasoning_stays_with_its_model() {
        let blocks = json!([
            {"type": "thinking", "thinking": "signed", "thinkingSignature": "s"},
            {"type": "thinking", "thinking": "", "thinkingSignature": "s"},
            {"type": "thinking", "thinking": "plain"},
            {"type": "thinking", "thinking": ""},
            {"type": "thinking", "thinking": "[hidden]", "thinkingSignature": "x", "redacted": true},
            {"type": "text", "text": "answer"},
        ]);
        let own = json!([{"role": "assistant", "api": "a", "provider": "p", "model": "m", "content": blocks}]);
        assert_eq!(
            shape(own, &model(true)),
            ["assistant thinking:signed|thinking:|thinking:plain|thinking:[hidden]|answer"]
        );
        let other = json!([{"role": "assistant", "api": "a", "provider": "p", "model": "other", "content": blocks}]);
        assert_eq!(shape(other, &model(true)), ["assistant answer"]);
    }

    #[test]
    fn pictures_become_one_notice_for_models_without_eyes() {
        let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
        let list = json!([
            {"role": "user", "content": [{"type": "text", "text": "see"}, image, image]},
            {"role": "assistant", "content": [call("a")], "stopReason": "toolUse"},
            {"role": "toolResult", "toolCallId": "a", "toolName": "read", "content": [image]},
        ]);
        assert_eq!(
            shape(list.clone(), &model(true)),
            ["user see|<image/png>|<image/png>", "assistant call:a:read", "results a:<image/png>"]
        );
        assert_eq!(
            shape(list, &model(false)),
            [
                "user see|(image omitted: model does not support images)",
                "assistant call:a:read",
                "results a:(tool image omitted: model does not support images)",
            ]
        );
    }

    #[test]
    fn ids_are_narrowed_but_stay_apart() {
        assert_eq!(narrow_id("toolu_01-A", 40), "toolu_01-A");
        assert_eq!(narrow_id("call|äx+/=", 40), "call__x___");
        assert_eq!(narrow_id("", 40), "call");
        let long = "x".repeat(80);
        let (one, two) = (format!("{long}1"), format!("{long}2"));
        let (one, two) = (narrow_id(&one, 40), narrow_id(&two, 40));
        assert_eq!((one.len(), two.len()), (40, 40));
        assert_ne!(one, two);
    }

    /// How many steps of a request had to be written.
    fn new_steps(written: &WrittenMessages, model: &Model, messages: &[Arc<Message>]) -> usize {
        let mut count = 0;
        let mut writing = written.begin(model).expect("a model");
        for step in turns(messages, model, Into::into) {
            let write = || {
                count += 1;
                vec![json!({"role": "user", "content": "text"})]
            };
            writing.step(step.key(), write).expect("JSON");
        }
        writing.finish();
        count
    }

    #[test]
    fn only_what_is_new_is_written() {
        let model: Model = serde_json::from_value(json!({"id": "m", "api": "a", "provider": "p"})).expect("a model");
        let call = json!({"type": "toolCall", "id": "c", "name": "read", "arguments": {}});
        let result = json!({"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": []});
        let list = json!([{"role": "user", "content": "1"}, {"role": "assistant", "content": [call]}, result,
            {"role": "user", "content": "2"}]);
        let all: Vec<Arc<Message>> =
            serde_json::from_value::<Vec<Message>>(list).expect("messages").into_iter().map(Arc::new).collect();
        let written = WrittenMessages::default();
        // Without its result the call gets another one.
        let requests = [
            (&all[..1], 1),
            (&all[..2], 2),
            (&all[..3], 1),
            (&all[..], 1),
            (&all[..], 0),
            (&all[1..], 0),
            (&all[..], 1),
        ];
        for (at, (messages, new)) in requests.into_iter().enumerate() {
            assert_eq!(new_steps(&written, &model, messages), new, "request {at}");
        }
        let other = Model { id: "other".to_owned(), ..model };
        assert_eq!(new_steps(&written, &other, &all), 4);
        // The same text in another message is another message.
        let copies: Vec<Arc<Message>> = all.iter().map(|message| Arc::new(Message::clone(message))).collect();
        assert_eq!(new_steps(&written, &other, &copies), 4);
    }
}
