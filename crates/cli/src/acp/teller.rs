//! Tells the client what happens in a session.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_client_protocol::schema::MaybeUndefined;
use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandsUpdate, ClientCapabilities, CompactionStatus, CompactionUpdate,
    ConfigOptionUpdate, ContentBlock, ContentChunk, Cost, CurrentModeUpdate, ImageContent, MessageId, Notice,
    NoticeSeverity, SessionConfigOption, SessionInfoUpdate, SessionModeState, SessionUpdate, TextContent, ToolCall,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, UsageUpdate,
};
use parking_lot::Mutex;
use serde_json::Value;
use tau_agent::{AgentSession, SessionEvent, context_usage};
use tau_ai::{ContentBlock as Block, Message, StopReason, StreamEvent, StreamItem};
use tau_hooks::dialogs::NotifyLevel;
use tau_hooks::payload::CompactionDone;
use tau_hooks::{Host, Report};

use super::outbox::Outbox;
use super::{commands, options, tools};
use crate::run::diagnostics;

/// What a client can show besides what every client can.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Abilities {
    /// Forms, to ask the user something outside of tool calls.
    pub(super) forms: bool,
    pub(super) notices: bool,
    pub(super) compactions: bool,
}

impl Abilities {
    pub(super) fn of(client: &ClientCapabilities) -> Self {
        let session = client.session.as_ref();
        Self {
            forms: client.elicitation.as_ref().is_some_and(|elicitation| elicitation.supports_form()),
            notices: session.is_some_and(|session| session.notices.is_some()),
            compactions: session.is_some_and(|session| session.compaction.is_some()),
        }
    }
}

/// One session's voice.
pub(super) struct Teller {
    outbox: Arc<Outbox>,
    client: Abilities,
    /// Prompts of the client that are at work.
    turns: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Messages of the client that it has shown itself and is not told of.
    own: usize,
    /// Counts messages, to name them.
    messages: u64,
    /// Whether something of the current answer was told.
    streamed: bool,
    /// The calls that are not over, as the client knows them.
    calls: HashMap<String, ToolCall>,
    /// How the last answer ended.
    ended: Option<(StopReason, Option<String>)>,
    compactions: u64,
    cost: f64,
    /// What the client was told last.
    mode: String,
    options: Vec<SessionConfigOption>,
    commands: Vec<AvailableCommand>,
}

/// A prompt of the client, while it is at work.
pub(super) struct Turn<'a>(&'a Teller);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.turns.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A message's part with its name.
pub(super) fn chunk(content: ContentBlock, message: &str) -> ContentChunk {
    ContentChunk::new(content).message_id(MessageId::new(message))
}

fn text_block(text: &str) -> ContentBlock {
    ContentBlock::Text(TextContent::new(text))
}

/// What a client can show of a block of a message.
pub(super) fn shown(block: &Block) -> Option<ContentBlock> {
    match block {
        Block::Text(block) if !block.text.is_empty() => Some(text_block(&block.text)),
        Block::Image(image) => Some(ContentBlock::Image(ImageContent::new(&*image.data, &*image.mime_type))),
        _ => None,
    }
}

impl Teller {
    pub(super) fn new(outbox: Arc<Outbox>, client: Abilities) -> Arc<Self> {
        Arc::new(Self { outbox, client, turns: AtomicUsize::new(0), state: Mutex::default() })
    }

    /// What the client is told of a session when it opens it; from here on it is told of changes.
    pub(super) fn introduce(&self, session: &AgentSession) -> (SessionModeState, Vec<SessionConfigOption>) {
        let (modes, options) = (options::modes(session), options::options(session));
        let mut state = self.state.lock();
        state.mode = modes.current_mode_id.to_string();
        state.options.clone_from(&options);
        state.cost = cost_of(session);
        (modes, options)
    }

    /// Tells of what has changed without an event: options and commands.
    pub(super) fn catch_up(&self, session: &AgentSession) {
        let mode = session.thinking_level().as_str();
        let (options, commands) = (options::options(session), commands::available(session));
        let mut state = self.state.lock();
        if state.mode != mode {
            state.mode = mode.to_owned();
            self.outbox.push(SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(mode)));
        }
        if state.options != options {
            state.options.clone_from(&options);
            self.outbox.push(SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(options)));
        }
        if state.commands != commands {
            state.commands.clone_from(&commands);
            self.outbox.push(SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands)));
        }
    }

    /// A prompt of the client begins; forgets how an earlier one ended.
    pub(super) fn begin_turn(&self) -> Turn<'_> {
        if self.turns.fetch_add(1, Ordering::AcqRel) == 0 {
            let mut state = self.state.lock();
            (state.ended, state.own) = (None, 0);
        }
        Turn(self)
    }

    /// A message of the client is on its way into the session: it shows it already.
    pub(super) fn expect_own(&self) {
        self.state.lock().own += 1;
    }

    /// It did not become a message.
    pub(super) fn forget_own(&self) {
        let mut state = self.state.lock();
        state.own = state.own.saturating_sub(1);
    }

    /// How the last answer ended.
    pub(super) fn ended(&self) -> Option<(StopReason, Option<String>)> {
        self.state.lock().ended.clone()
    }

    /// Says something in tau's own name.
    pub(super) fn say(&self, text: &str) {
        let message = self.state.lock().next_message();
        self.outbox.push(SessionUpdate::AgentMessageChunk(chunk(text_block(text), &message)));
    }

    /// Says something that is no part of the conversation.
    fn remark(&self, text: &str) {
        let message = self.state.lock().next_message();
        self.outbox.push(SessionUpdate::AgentThoughtChunk(chunk(text_block(text), &message)));
    }

    /// A notice of an extension. A client without notices shows what a command has to say as its answer; otherwise the
    /// log keeps it, because it would stand in the middle of an answer of the model.
    pub(super) fn notify(&self, level: NotifyLevel, text: &str, session: Option<&AgentSession>) {
        if text.trim().is_empty() {
            return;
        }
        let in_command = || self.turns.load(Ordering::Acquire) > 0 && session.is_some_and(AgentSession::is_idle);
        if self.client.notices {
            let severity = match level {
                NotifyLevel::Info => NoticeSeverity::Info,
                NotifyLevel::Warning => NoticeSeverity::Warning,
                NotifyLevel::Error => NoticeSeverity::Error,
            };
            self.outbox.push(SessionUpdate::Notice(notice(severity, text)));
        } else if in_command() {
            self.say(&format!("{text}\n"));
        } else {
            diagnostics::line(text);
        }
    }

    /// Something the user should know, also afterwards.
    pub(super) fn warn(&self, text: &str) {
        diagnostics::warning(text);
        if self.client.notices {
            self.outbox.push(SessionUpdate::Notice(notice(NoticeSeverity::Warning, text)));
        }
    }

    /// What is reported about extensions: standard error has it already.
    pub(super) fn report(&self, report: &Report) {
        if self.client.notices {
            self.outbox.push(SessionUpdate::Notice(notice(NoticeSeverity::Warning, &report.to_string())));
        }
    }

    /// A tool call as the client knows it.
    pub(super) fn call(&self, id: &str) -> Option<ToolCall> {
        self.state.lock().calls.get(id).cloned()
    }

    /// Tells of a change to a tool call.
    pub(super) fn update_call(&self, id: &str, fields: ToolCallUpdateFields) {
        let mut state = self.state.lock();
        if let Some(call) = state.calls.get_mut(id) {
            call.update(fields.clone());
        }
        self.outbox.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.to_owned(), fields)));
    }

    /// Takes an event of the session.
    pub(super) fn hear(&self, session: &AgentSession, event: &SessionEvent) {
        match event {
            SessionEvent::MessageStart { message } if message.as_assistant().is_some() => {
                let mut state = self.state.lock();
                state.streamed = false;
                state.next_message();
            }
            SessionEvent::MessageUpdate(update) => self.grow(session, &update.0),
            SessionEvent::MessageEnd { message } => self.message(message),
            SessionEvent::ToolExecutionStart { tool_call_id, tool_name, args } => {
                self.announce(session, tool_call_id, tool_name, Some(args));
                let changes = tools::changes(tool_name, args, &session.cwd());
                let mut fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
                fields.content = Some(changes).filter(|changes| !changes.is_empty());
                self.update_call(tool_call_id, fields);
            }
            SessionEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result, .. } => {
                let content = tools::result_content(tool_name, partial_result);
                if !content.is_empty() {
                    self.update_call(tool_call_id, ToolCallUpdateFields::new().content(content));
                }
            }
            SessionEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error } => {
                let fields = finished(tool_name, result, *is_error, self.call(tool_call_id).as_ref());
                self.update_call(tool_call_id, fields);
                self.state.lock().calls.remove(tool_call_id);
            }
            SessionEvent::TurnEnd { .. } => self.usage(session),
            SessionEvent::AgentEnd { .. } => self.drop_calls(),
            SessionEvent::CompactionStart { .. } => self.compaction_begins(),
            SessionEvent::CompactionEnd { result, aborted, error_message, .. } => {
                self.compaction_ends(result.as_ref(), *aborted, error_message.as_deref());
                self.usage(session);
            }
            SessionEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                let seconds = *delay_ms as f64 / 1000.0;
                let text = format!("{error_message}\nTrying again in {seconds} s ({attempt} of {max_attempts}).\n");
                match self.client.notices {
                    true => self.notify(NotifyLevel::Warning, &text, None),
                    false => self.remark(&text),
                }
            }
            SessionEvent::SessionInfoChanged { name } => self.named(name.clone()),
            SessionEvent::ThinkingLevelChanged { .. } => self.catch_up(session),
            SessionEvent::Session { .. } => {
                self.named(session.session().session_name());
                self.state.lock().cost = cost_of(session);
            }
            _ => {}
        }
    }

    /// The model's answer grows.
    fn grow(&self, session: &AgentSession, item: &StreamItem) {
        match &item.event {
            StreamEvent::TextDelta { delta, .. } if !delta.is_empty() => {
                let message = self.state.lock().stream();
                self.outbox.push(SessionUpdate::AgentMessageChunk(chunk(text_block(delta), &message)));
            }
            StreamEvent::ThinkingDelta { delta, .. } if !delta.is_empty() => {
                let message = self.state.lock().stream();
                self.outbox.push(SessionUpdate::AgentThoughtChunk(chunk(text_block(delta), &message)));
            }
            StreamEvent::ToolCallStart { index } => {
                if let Some(Block::ToolCall(call)) = item.partial.block(*index)
                    && !call.id.is_empty()
                    && !call.name.is_empty()
                {
                    self.announce(session, &call.id, &call.name, None);
                }
            }
            StreamEvent::ToolCallEnd { tool_call, .. } => {
                self.announce(session, &tool_call.id, &tool_call.name, Some(&tool_call.arguments));
            }
            _ => {}
        }
    }

    /// A message is complete.
    fn message(&self, message: &Message) {
        let mut state = self.state.lock();
        match message {
            Message::User(user) => {
                if state.own > 0 {
                    state.own -= 1;
                    return;
                }
                let id = state.next_message();
                let blocks = user.content.to_blocks();
                let shown = blocks.iter().filter_map(shown);
                shown.for_each(|block| self.outbox.push(SessionUpdate::UserMessageChunk(chunk(block, &id))));
            }
            Message::Assistant(answer) => {
                // A provider may give its answer in one piece; pictures always come so.
                let (whole, id) = (!state.streamed, state.current_message());
                for block in answer.content.iter().filter(|block| whole || matches!(block, Block::Image(_))) {
                    if let Block::Thinking(thinking) = block
                        && !thinking.thinking.is_empty()
                    {
                        let thought = chunk(text_block(&thinking.thinking), &id);
                        self.outbox.push(SessionUpdate::AgentThoughtChunk(thought));
                    }
                    if let Some(block) = shown(block) {
                        self.outbox.push(SessionUpdate::AgentMessageChunk(chunk(block, &id)));
                    }
                }
                state.ended = Some((answer.stop_reason.clone(), answer.error_message.clone()));
                state.cost += answer.usage.cost.total;
            }
            Message::Custom(custom) if custom.display => {
                let id = state.next_message();
                let blocks = custom.content.to_blocks();
                let shown = blocks.iter().filter_map(shown);
                shown.for_each(|block| self.outbox.push(SessionUpdate::AgentMessageChunk(chunk(block, &id))));
            }
            _ => {}
        }
    }

    /// Makes a call known, or what is known of it more.
    fn announce(&self, session: &AgentSession, id: &str, name: &str, args: Option<&Value>) {
        let (none, cwd) = (Value::Null, session.cwd());
        let title = tools::title(name, &label(session, name), args.unwrap_or(&none));
        let locations = args.map(|args| tools::locations(name, args, &cwd)).unwrap_or_default();
        let mut state = self.state.lock();
        let Some(known) = state.calls.get_mut(id) else {
            let mut call = ToolCall::new(id.to_owned(), title).name(name.to_owned()).kind(tools::kind(name));
            call.status = ToolCallStatus::Pending;
            call.locations = locations;
            call.raw_input = args.cloned();
            state.calls.insert(id.to_owned(), call.clone());
            self.outbox.push(SessionUpdate::ToolCall(call));
            return;
        };
        let Some(args) = args.filter(|args| known.raw_input.as_ref() != Some(args)) else { return };
        let fields = ToolCallUpdateFields::new().title(title).locations(locations).raw_input(args.clone());
        known.update(fields.clone());
        self.outbox.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.to_owned(), fields)));
    }

    /// Calls that were announced and never came to their end: the answer was cut off.
    fn drop_calls(&self) {
        let left: Vec<String> = self.state.lock().calls.drain().map(|(id, _)| id).collect();
        for id in left {
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            self.outbox.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)));
        }
    }

    /// How full the context is, and what the session has cost.
    pub(super) fn usage(&self, session: &AgentSession) {
        let Some(model) = session.model() else { return };
        let usage = context_usage(&session.history(), &session.session(), &model);
        let Some(used) = usage.tokens else { return };
        let cost = Some(self.state.lock().cost).filter(|cost| *cost > 0.0).map(|cost| Cost::new(cost, "USD"));
        self.outbox.push(SessionUpdate::UsageUpdate(UsageUpdate::new(used, usage.context_window).cost(cost)));
    }

    fn named(&self, name: Option<String>) {
        let title = name.map_or(MaybeUndefined::Null, MaybeUndefined::Value);
        self.outbox.push(SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(title)));
    }

    fn compaction_begins(&self) {
        let number = {
            let mut state = self.state.lock();
            state.compactions += 1;
            state.compactions
        };
        match self.client.compactions {
            true => self.compaction(number, CompactionStatus::InProgress, |update| update),
            false => self.remark("The conversation is being compacted.\n"),
        }
    }

    fn compaction_ends(&self, done: Option<&CompactionDone>, aborted: bool, error: Option<&str>) {
        let number = self.state.lock().compactions;
        match (self.client.compactions, done) {
            (true, Some(done)) => self.compaction(number, CompactionStatus::Completed, |update| {
                update.summary(vec![text_block(&done.summary)])
            }),
            (true, None) if aborted => self.compaction(number, CompactionStatus::Cancelled, |update| update),
            (true, None) => self.compaction(number, CompactionStatus::Failed, |update| match error {
                Some(error) => update.error(error.to_owned()),
                None => update,
            }),
            (false, Some(done)) => self.remark(&format!("The conversation was compacted:\n\n{}\n", done.summary)),
            (false, None) => {
                let why = error.map(|error| format!(": {error}")).unwrap_or_default();
                self.remark(&format!("The conversation was not compacted{why}\n"));
            }
        }
    }

    fn compaction(
        &self,
        number: u64,
        status: CompactionStatus,
        with: impl FnOnce(CompactionUpdate) -> CompactionUpdate,
    ) {
        let update = with(CompactionUpdate::new(format!("compaction-{number}"), status));
        self.outbox.push(SessionUpdate::CompactionUpdate(update));
    }
}

impl State {
    fn next_message(&mut self) -> String {
        self.messages += 1;
        self.current_message()
    }

    fn current_message(&self) -> String {
        format!("message-{}", self.messages)
    }

    fn stream(&mut self) -> String {
        self.streamed = true;
        self.current_message()
    }
}

/// What a call that is over is like. What was shown of a change stays, unless the change failed.
pub(super) fn finished(name: &str, result: &Value, is_error: bool, known: Option<&ToolCall>) -> ToolCallUpdateFields {
    let status = if is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
    let fields = ToolCallUpdateFields::new().status(status).raw_output(tools::raw_output(result));
    let shows_change = || known.is_some_and(|call| call.content.iter().any(tools::is_diff));
    match !is_error && shows_change() {
        true => fields,
        false => fields.content(tools::result_content(name, result)),
    }
}

/// The tool's name for people.
pub(super) fn label(session: &AgentSession, name: &str) -> String {
    let spec = session.all_tools().into_iter().find(|spec| spec.name == name);
    spec.map(|spec| spec.label).filter(|label| !label.is_empty()).unwrap_or_else(|| name.to_owned())
}

/// The first line is the notice, the rest its description.
fn notice(severity: NoticeSeverity, text: &str) -> Notice {
    let text = text.trim();
    let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
    let rest = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    Notice::new(severity, title.trim()).description(rest)
}

fn cost_of(session: &AgentSession) -> f64 {
    let history = session.history();
    history.iter().filter_map(|message| message.as_assistant()).map(|answer| answer.usage.cost.total).sum()
}
