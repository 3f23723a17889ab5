//! What a session is made of and what it cost.

use tau_ai::{Message, ThinkingLevel, Usage};
use tau_hooks::{HostView as _, SessionStats};
use tau_session::{Entry, EntryBody, EntryKind, MessageRole, Paid};

use super::AgentSession;
use crate::parts::WarmingStatus;
use crate::pipeline::warming::CACHE_WARM;

fn spend(stats: &mut SessionStats, paid: &Paid) {
    let tokens = &mut stats.tokens;
    // A session file may hold any numbers.
    let counts = [
        (&mut tokens.input, paid.input),
        (&mut tokens.output, paid.output),
        (&mut tokens.cache_read, paid.cache_read),
        (&mut tokens.cache_write, paid.cache_write),
    ];
    for (sum, count) in counts {
        *sum = sum.saturating_add(count);
        tokens.total = tokens.total.saturating_add(count);
    }
    stats.cost += paid.cost;
}

fn count(stats: &mut SessionStats, entry: &Entry) {
    entry.paid().into_iter().for_each(|paid| spend(stats, paid));
    let Some(role) = entry.role() else { return };
    // Prompts and changes of tools are no messages of the conversation.
    stats.total_messages += u64::from(role != MessageRole::System);
    match role {
        MessageRole::User => stats.user_messages += 1,
        MessageRole::ToolResult => stats.tool_results += 1,
        MessageRole::Assistant => {
            stats.assistant_messages += 1;
            stats.tool_calls += u64::from(entry.tool_calls());
        }
        _ => {}
    }
}

/// Counts a session while it grows: each entry is read once, however often the sums are asked for.
#[derive(Debug, Default)]
pub struct Tally {
    session_id: String,
    /// How many entries are in the sums.
    entries: usize,
    stats: SessionStats,
}

impl Tally {
    /// The sums of the session that is open now. [`SessionStats::context_usage`] and the names of the session are left out.
    pub fn of(&mut self, session: &AgentSession) -> &SessionStats {
        let open = session.session();
        let entries = open.entries();
        if self.session_id != open.id() || entries.len() < self.entries {
            *self = Self { session_id: open.id().to_owned(), ..Self::default() };
        }
        let len = entries.len();
        entries.skip(self.entries).iter().for_each(|entry| count(&mut self.stats, entry));
        self.entries = len;
        &self.stats
    }
}

impl AgentSession {
    /// Counts what is in the session.
    pub fn stats(&self) -> SessionStats {
        let session = self.parts.conversation.session();
        let mut stats = SessionStats {
            session_file: session.file().map(|file| file.display().to_string()),
            session_id: session.id().to_owned(),
            context_usage: self.context_usage().filter(|usage| usage.context_window > 0),
            ..SessionStats::default()
        };
        session.entries().iter().for_each(|entry| count(&mut stats, entry));
        stats
    }

    /// What each model cost, in US dollars, on all branches: first the one that cost most. What no answer says the model of,
    /// such as summaries, comes last.
    pub(crate) fn costs_by_model(&self) -> Vec<(String, f64)> {
        let mut costs: Vec<(Option<String>, f64)> = Vec::new();
        for entry in self.session().entries().iter() {
            let Some(usage) = usage_of(entry) else { continue };
            let model = match &*entry.body() {
                EntryBody::Message(entry) => {
                    entry.message.as_assistant().map(|answer| format!("{}/{}", answer.provider, answer.model))
                }
                EntryBody::Usage(entry) => Some(format!("{}/{}", entry.provider, entry.model)),
                _ => None,
            };
            match costs.iter_mut().find(|(other, _)| *other == model) {
                Some((_, cost)) => *cost += usage.cost.total,
                None => costs.push((model, usage.cost.total)),
            }
        }
        costs.sort_by(|(one, a), (other, b)| one.is_none().cmp(&other.is_none()).then(b.total_cmp(a)));
        costs.into_iter().map(|(model, cost)| (model.unwrap_or_else(|| "other".to_owned()), cost)).collect()
    }

    /// Whether the prompt of the last request is kept in the cache of its provider.
    pub fn cache_warming(&self) -> WarmingStatus {
        self.parts.warming.status()
    }

    /// How often caches were kept warm on all branches, and what that cost, in US dollars.
    pub fn cache_warmings(&self) -> (usize, f64) {
        let entries = self.session().entries();
        let bodies = entries.iter().filter(|entry| entry.kind() == EntryKind::Usage).map(|entry| entry.body());
        let costs = bodies.filter_map(|body| match &*body {
            EntryBody::Usage(entry) if entry.kind == CACHE_WARM => Some(entry.usage.cost.total),
            _ => None,
        });
        costs.fold((0, 0.0), |(count, sum), cost| (count + 1, sum + cost))
    }

    /// What was paid for in this session, as one sum.
    pub(crate) fn spent(&self) -> Usage {
        let entries = self.session().entries();
        entries.iter().filter_map(|entry| usage_of(entry)).fold(Usage::default(), |sum, usage| sum.plus(&usage))
    }

    /// The text of the last answer in the conversation, trimmed; an answer that was stopped before it said anything does
    /// not count. `None` when there is no text.
    pub fn last_answer_text(&self) -> Option<String> {
        let history = self.parts.conversation.history();
        let said = |message: &&Message| {
            message
                .as_assistant()
                .is_some_and(|answer| answer.stop_reason != tau_ai::StopReason::Aborted || !answer.content.is_empty())
        };
        let answer = history.iter().rev().find(said)?.as_assistant()?;
        let text: String = answer.texts().collect();
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The thinking levels of the model in use; all there are without one.
    pub fn thinking_levels(&self) -> Vec<ThinkingLevel> {
        self.parts.choices.model().map_or_else(|| ThinkingLevel::ALL.to_vec(), |model| model.thinking_levels())
    }

    /// How many texts of the user are queued.
    pub fn pending_messages(&self) -> usize {
        let queued = self.parts.activity.queued_texts();
        queued.steering.len() + queued.follow_up.len()
    }

    /// The slash commands of extensions, templates and skills, as somebody can type them.
    pub fn slash_commands(&self) -> Vec<tau_hooks::CommandInfo> {
        self.commands()
    }
}

/// What an entry says was paid for.
fn usage_of(entry: &Entry) -> Option<Usage> {
    // The others need not be read for this.
    entry.paid()?;
    match &*entry.body() {
        EntryBody::Usage(entry) => Some(entry.usage.clone()),
        EntryBody::Compaction(entry) => entry.usage.clone(),
        EntryBody::BranchSummary(entry) => entry.usage.clone(),
        EntryBody::Message(entry) => match &*entry.message {
            Message::ToolResult(result) => result.usage.clone(),
            Message::Assistant(answer) => Some(answer.usage.clone()),
            _ => None,
        },
        _ => None,
    }
}
