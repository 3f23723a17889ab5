//! What is going on, and what there is.

use tau_agent::AgentSession;
use tau_rpc::{CommandList, SessionStats, SlashCommand, State, TokenTotals};

use super::choices::told_mode;

pub(in crate::rpc) fn state(session: &AgentSession) -> State {
    let tree = session.session();
    State {
        model: session.model(),
        thinking_level: session.thinking_level(),
        is_streaming: session.is_streaming(),
        is_compacting: session.is_compacting(),
        steering_mode: told_mode(session.steering_mode()),
        follow_up_mode: told_mode(session.follow_up_mode()),
        session_file: tree.file().map(|file| file.display().to_string()),
        session_id: tree.id().to_owned(),
        session_name: tree.session_name(),
        auto_compaction_enabled: session.compacts_by_itself(),
        message_count: session.history().len(),
        pending_message_count: session.pending_messages(),
    }
}

pub(in crate::rpc) fn commands(session: &AgentSession) -> CommandList {
    let told = |info: tau_hooks::CommandInfo| SlashCommand {
        name: info.name,
        description: info.description,
        source: info.source,
        source_info: info.source_info,
    };
    CommandList { commands: session.slash_commands().into_iter().map(told).collect() }
}

pub(in crate::rpc) fn stats(session: &AgentSession) -> SessionStats {
    let stats = session.stats();
    let tokens = stats.tokens;
    SessionStats {
        session_file: stats.session_file,
        session_id: stats.session_id,
        user_messages: stats.user_messages,
        assistant_messages: stats.assistant_messages,
        tool_calls: stats.tool_calls,
        tool_results: stats.tool_results,
        total_messages: stats.total_messages,
        tokens: TokenTotals {
            input: tokens.input,
            output: tokens.output,
            cache_read: tokens.cache_read,
            cache_write: tokens.cache_write,
            total: tokens.total,
        },
        cost: stats.cost,
        context_usage: stats.context_usage,
    }
}
