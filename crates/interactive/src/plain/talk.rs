//! What happens in the session, in words.

use std::fmt::Write as _;

use serde_json::Value;
use tau_agent::SessionEvent;
use tau_ai::{ContentBlock, Message, StopReason, StreamEvent};
use tau_hooks::TraceOutcome;
use tau_hooks::dialogs::{NotifyLevel, UiCall, UiEvent, WidgetContent};
use tau_hooks::table::About;

use super::Plain;
use super::page::one_line;
use crate::chat::text_of;
use crate::paths::short_owner;
use crate::told::Told;

/// What the model says.
const ANSWER: &str = "tau";
/// What it thinks.
const THINKING: &str = "Thinking";
/// How many lines of a result are said.
const LINES: usize = 20;
/// How long what a call is about may be to stand in its label.
const LABEL: usize = 200;
/// The arguments that say what a call is about.
const ABOUT: [&str; 5] = ["path", "command", "pattern", "query", "url"];

impl Plain {
    /// Something happened in the session.
    pub(super) fn happened(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Session { .. } if self.is_ready => self.say_history(),
            SessionEvent::AgentStart => self.runs = true,
            SessionEvent::MessageStart { message } => self.message_start(&message),
            SessionEvent::MessageUpdate(update) => self.message_update(&update.0.event),
            SessionEvent::MessageEnd { message } => self.message_end(&message),
            SessionEvent::ToolExecutionStart { tool_call_id, parent_tool_call_id: None, tool_name, args } => {
                let (label, text) = call(&tool_name, &args);
                self.page.say(&label, &text);
                self.last_call = Some(tool_call_id.clone());
                self.calls.insert(tool_call_id, label);
            }
            SessionEvent::ToolExecutionEnd { tool_call_id, parent_tool_call_id: None, result, is_error, .. } => {
                self.call_end(&tool_call_id, &result, is_error);
            }
            SessionEvent::AgentEnd { will_retry: false, .. } => self.explain(),
            SessionEvent::AgentSettled { aborted } => self.run_settled(aborted),
            SessionEvent::CompactionStart { .. } => self.page.say("Note", "The conversation is being compacted."),
            SessionEvent::CompactionEnd { result, aborted, error_message, .. } => match (result, error_message) {
                (Some(_), _) => self.page.say("Note", "The conversation is compacted."),
                (None, _) if aborted => self.page.say("Note", "Compaction cancelled."),
                (None, Some(why)) => self.page.say("Error", &format!("the conversation could not be compacted: {why}")),
                (None, None) => {}
            },
            SessionEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                let seconds = delay_ms.div_ceil(1000);
                let text = format!("{error_message}. Attempt {attempt} of {max_attempts} in {seconds} s.");
                self.page.say("Retry", &text);
            }
            SessionEvent::AutoRetryEnd { success: false, attempt, final_error: Some(why) } => {
                self.page.say("Error", &format!("Retry failed after {attempt} attempts: {why}"));
            }
            SessionEvent::TtsrTriggered { rules } => {
                let names: Vec<String> = rules.iter().map(|rule| rule.name.clone()).collect();
                self.page.say("Note", &format!("Interrupted by the rule {}", names.join(", ")));
            }
            SessionEvent::TodoReminder { attempt, max_attempts, .. } => {
                self.page.say("Note", &format!("Reminded of open items ({attempt}/{max_attempts})"));
            }
            _ => {}
        }
    }

    fn message_start(&mut self, message: &Message) {
        match message {
            Message::Assistant(_) => self.parts.clear(),
            Message::User(user) => {
                let text = text_of(&user.content);
                // What was typed at the prompt stands there already.
                if self.typed.take().is_none_or(|typed| typed != text.trim()) {
                    self.page.say("You", &text);
                }
            }
            Message::Custom(custom) if custom.display => self.page.say(&custom.custom_type, &text_of(&custom.content)),
            _ => {}
        }
    }

    fn message_update(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::TextDelta { index, delta } => {
                self.parts.insert(*index);
                self.page.grow(ANSWER, delta);
            }
            StreamEvent::ThinkingDelta { index, delta } => {
                self.parts.insert(*index);
                if !self.hides_thinking {
                    self.page.grow(THINKING, delta);
                }
            }
            StreamEvent::TextEnd { index, content } => {
                // A provider that sends no pieces sends all of it at the end.
                if self.parts.insert(*index) {
                    self.page.grow(ANSWER, content);
                }
                self.page.grown_up(ANSWER);
            }
            StreamEvent::ThinkingEnd { index, content } => {
                if self.hides_thinking {
                    return;
                }
                if self.parts.insert(*index) {
                    self.page.grow(THINKING, content);
                }
                self.page.grown_up(THINKING);
            }
            _ => {}
        }
    }

    fn message_end(&mut self, message: &Message) {
        let Message::Assistant(answer) = message else { return };
        self.page.grown_up(ANSWER);
        match answer.stop_reason {
            StopReason::Length => self.page.say("Note", "Response was truncated before completion."),
            StopReason::Aborted => self.page.say("Note", "Operation aborted"),
            _ => {}
        }
    }

    fn call_end(&mut self, id: &str, result: &Value, is_error: bool) {
        let Some(call) = self.calls.remove(id) else { return };
        let kind = if is_error { "Error" } else { "Result" };
        // Where other calls came between, it says whose it is.
        let label = if self.last_call.as_deref() == Some(id) { kind.to_owned() } else { format!("{kind} of {call}") };
        let blocked = is_error.then(|| self.blocked_by(id)).flatten();
        let by = blocked.map(|by| format!("Blocked by {by}: ")).unwrap_or_default();
        self.page.say(&label, &(by + &shortened(&texts(result))));
        self.last_call = None;
    }

    /// The extension whose gate stopped a call.
    fn blocked_by(&self, id: &str) -> Option<String> {
        let records = self.hooks.dispatcher.trace.of_tool_call(id);
        let stop = records.into_iter().find(|record| {
            record.event.row().about == About::ToolArguments
                && matches!(record.outcome, TraceOutcome::Stopped | TraceOutcome::Failed(_))
        });
        Some(short_owner(&stop?.extension))
    }

    /// A run is over and nothing follows.
    fn run_settled(&mut self, aborted: bool) {
        self.runs = false;
        self.calls.clear();
        if aborted && self.typed.take().is_some() {
            self.page.say("Note", "The prompt was not sent.");
        }
        let Some(session) = self.session.clone() else { return };
        let teller = self.teller.clone();
        self.tasks.spawn(async move {
            session.wait_until_idle().await;
            teller.tell(Told::Idle);
        });
    }

    /// Says why the request failed that a run ended with, and what to do next.
    fn explain(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let answer = session.last_answer();
        let Some(answer) = answer.as_deref().and_then(|message| message.as_assistant()) else { return };
        if answer.stop_reason == StopReason::Error {
            let why = session.explain_failure(answer).or_else(|| answer.error_message.clone());
            self.page.say("Error", &why.unwrap_or_else(|| "the request failed".to_owned()));
        }
    }

    /// Says where the conversation is: its last prompt, and what was answered.
    pub(super) fn say_history(&mut self) {
        let Some(session) = self.session.clone() else { return };
        let messages = session.history().to_arcs();
        let Some(from) = messages.iter().rposition(|message| matches!(&**message, Message::User(_))) else { return };
        self.page.say("Note", &format!("The session has {} messages. The last ones are:", messages.len()));
        for message in &messages[from..] {
            match &**message {
                Message::User(user) => self.page.say("You", &text_of(&user.content)),
                Message::Assistant(answer) => self.say_answer(&answer.content),
                _ => {}
            }
        }
    }

    fn say_answer(&mut self, content: &[ContentBlock]) {
        for block in content {
            match block {
                ContentBlock::Text(text) if !text.text.trim().is_empty() => self.page.say(ANSWER, text.text.trim()),
                ContentBlock::ToolCall(tool) => {
                    let (label, text) = call(&tool.name, &tool.arguments);
                    self.page.say(&label, &text);
                }
                _ => {}
            }
        }
    }

    /// An extension shows something.
    pub(super) fn call(&mut self, event: &UiEvent) {
        match &event.call {
            UiCall::Notify { message, level } => match level {
                Some(NotifyLevel::Warning) => self.page.say("Warning", message),
                Some(NotifyLevel::Error) => self.page.say("Error", message),
                _ => self.page.say("Note", message),
            },
            UiCall::SetStatus { key, text } => self.status(format!("status {key}"), text.clone()),
            UiCall::SetWidget { key, content, .. } => match content {
                Some(WidgetContent::Lines(lines)) => self.status(format!("widget {key}"), Some(lines.join("\n"))),
                Some(WidgetContent::Handle(_)) => self.no_components(),
                None => self.status(format!("widget {key}"), None),
            },
            UiCall::SetEditorText(text) | UiCall::PasteToEditor(text) if !text.is_empty() => {
                self.page.say("Suggested prompt", text);
            }
            UiCall::SetFooter(Some(_))
            | UiCall::SetHeader(Some(_))
            | UiCall::SetEditorComponent(Some(_))
            | UiCall::AddAutocompleteProvider(_)
            | UiCall::OnTerminalInput(_) => self.no_components(),
            _ => {}
        }
    }

    /// What an extension shows all the time is said before the next prompt, when it is new.
    fn status(&mut self, key: String, text: Option<String>) {
        match text.filter(|text| !text.trim().is_empty()) {
            Some(text) if self.statuses.get(&key) != Some(&text) => {
                self.statuses.insert(key.clone(), text);
                self.new_statuses.insert(key);
            }
            Some(_) => {}
            None => {
                self.statuses.remove(&key);
                self.new_statuses.remove(&key);
            }
        }
    }

    /// Says what is new of that.
    pub(super) fn say_statuses(&mut self) {
        for key in std::mem::take(&mut self.new_statuses) {
            if let Some(text) = self.statuses.get(&key) {
                self.page.say("Status", text);
            }
        }
    }

    /// Says once that components of extensions are not shown.
    pub(super) fn no_components(&mut self) {
        if !std::mem::replace(&mut self.said_no_components, true) {
            let text =
                "An extension wants to draw on the screen itself, which is not possible here; it continues without";
            self.page.say("Warning", text);
        }
    }
}

/// A call as label and text.
fn call(name: &str, args: &Value) -> (String, String) {
    let about = ABOUT.iter().find_map(|about| args.get(about)?.as_str());
    match about {
        Some(about) if about.len() <= LABEL && !about.contains('\n') => {
            (format!("Tool {name} {}", one_line(about)), String::new())
        }
        Some(about) => (format!("Tool {name}"), about.to_owned()),
        None if args.as_object().is_none_or(|args| args.is_empty()) => (format!("Tool {name}"), String::new()),
        None => (format!("Tool {name}"), args.to_string()),
    }
}

/// The texts of a result.
fn texts(result: &Value) -> String {
    let Some(blocks) = result.get("content").and_then(Value::as_array) else {
        return result.get("content").unwrap_or(result).as_str().unwrap_or_default().to_owned();
    };
    let text = |block: &Value| match block.get("text").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => format!("[{}]", block.get("type").and_then(Value::as_str).unwrap_or("something else")),
    };
    blocks.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// The beginning of a text, with how much more there is.
pub(super) fn shortened(text: &str) -> String {
    let text = text.trim_end();
    let mut lines = text.split('\n');
    let mut shown: String = lines.by_ref().take(LINES).collect::<Vec<_>>().join("\n");
    let more = lines.count();
    if more > 0 && write!(shown, "\n({more} more lines)").is_err() {
        tracing::debug!("a text takes everything");
    }
    shown
}
