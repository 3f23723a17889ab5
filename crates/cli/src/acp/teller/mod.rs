//! Tells the client what happens in a session.

mod calls;
mod compactions;
mod hear;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_client_protocol::schema::MaybeUndefined;
use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandsUpdate, ClientCapabilities, ConfigOptionUpdate, ContentBlock, ContentChunk,
    Cost, CurrentModeUpdate, ImageContent, MessageId, Notice, NoticeSeverity, SessionConfigOption, SessionInfoUpdate,
    SessionModeState, SessionUpdate, TextContent, ToolCall, UsageUpdate,
};
use parking_lot::Mutex;
use tau_agent::{AgentSession, context_usage};
use tau_ai::{ContentBlock as Block, StopReason};
use tau_hooks::Report;
use tau_hooks::dialogs::NotifyLevel;

pub(in crate::acp) use self::calls::{finished, label};
use super::outbox::Outbox;
use super::{commands, options};
use crate::diagnostics;

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
    pub(super) fn notify(&self, level: &NotifyLevel, text: &str, session: Option<&AgentSession>) {
        if text.trim().is_empty() {
            return;
        }
        let in_command = || self.turns.load(Ordering::Acquire) > 0 && session.is_some_and(AgentSession::is_idle);
        if self.client.notices {
            let severity = match level {
                NotifyLevel::Info | NotifyLevel::Other(_) => NoticeSeverity::Info,
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
