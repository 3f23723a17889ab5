//! What a child session answers at once.

use rquickjs::Ctx;

use super::OfChild;
use crate::bridge::extract::Bridged;
use crate::ops::table::{Typed, ops, record};
use crate::ops::{Json, List};
use crate::pi::Numbered;

ops! {
    /// What a child session answers.
    pub(in crate::bridge) static OPS: always;

    /// The tree that is open now.
    fn childSession(number) = tree, Recorded;
    /// Whether a run is under way.
    fn childIsStreaming(number) = is_streaming, Recorded;
    /// Whether the conversation is being compacted.
    fn childIsCompacting(number) = is_compacting, Recorded;
    /// Whether a command of the user runs.
    fn childIsBashRunning(number) = is_bash_running, Recorded;
    /// The model.
    fn childModel(number) -> "Model | undefined" = model, Recorded;
    /// The thinking level.
    fn childThinkingLevel(number) -> "ThinkingLevel" = thinking_level, Recorded;
    /// The thinking levels that the model has.
    fn childThinkingLevels(number) -> "ThinkingLevel[]" = thinking_levels, Recorded;
    /// The models that the session is limited to.
    fn childScopedModels(number) -> "ScopedModel[]" = scoped_models, Recorded;
    /// The system prompt.
    fn childSystemPrompt(number) = system_prompt, Recorded;
    /// The tools that the model may call.
    fn childActiveTools(number) = active_tools, Recorded;
    /// All tools, as they present themselves.
    fn childAllTools(number) -> "ToolSpec[]" = all_tools, Recorded;
    /// How full the context is.
    fn childContextUsage(number) -> "ContextUsage | undefined" = context_usage, Recorded;
    /// The conversation.
    fn childMessages(number) -> "Message[]" = messages, Recorded;
    /// What the model said last.
    fn childLastText(number) = last_text, Recorded;
    /// The texts that wait in queues.
    fn childQueued(number) = queued, Recorded;
    /// How steering messages are taken from their queue.
    fn childSteeringMode(number) -> "\"all\" | \"one-at-a-time\"" = steering_mode, Recorded;
    /// How follow-up messages are taken from their queue.
    fn childFollowUpMode(number) -> "\"all\" | \"one-at-a-time\"" = follow_up_mode, Recorded;
    /// Whether the session compacts by itself.
    fn childAutoCompaction(number) = auto_compaction, Recorded;
    /// Whether the session repeats failed requests by itself.
    fn childAutoRetry(number) = auto_retry, Recorded;
    /// The commands that a user can give.
    fn childCommands(number) -> "CommandInfo[]" = commands, Recorded;
    /// The files of its extensions.
    fn childExtensions(number) = extensions, Recorded;
    /// What it has used.
    fn childUsage(number) -> "Usage" = usage, Recorded;
    /// What there is to count.
    fn childStats(number) -> "SessionStats" = stats, Recorded;
}

record! {
    /// The texts that wait in queues.
    pub(super) struct Queued {
        pub(super) steering: Vec<String>,
        pub(super) follow_up: Vec<String>,
    }
}

fn tree<'js>(js: Ctx<'js>, Bridged(bridge): Bridged, OfChild(handle): OfChild) -> rquickjs::Result<Numbered> {
    Ok(Numbered::add(bridge.core(&js)?.host().resources(), handle.session.session()))
}

fn is_streaming(OfChild(handle): OfChild) -> bool {
    handle.session.is_streaming()
}

fn is_compacting(OfChild(handle): OfChild) -> bool {
    handle.session.is_compacting()
}

fn is_bash_running(OfChild(handle): OfChild) -> bool {
    handle.session.is_bash_running()
}

fn model(OfChild(handle): OfChild) -> Option<Json> {
    handle.session.model().map(|model| Json(tau_ai::to_json(&*model)))
}

fn thinking_level(OfChild(handle): OfChild) -> &'static str {
    handle.session.thinking_level().as_str()
}

fn thinking_levels(OfChild(handle): OfChild) -> List<&'static str> {
    List(handle.session.thinking_levels().into_iter().map(|level| level.as_str()).collect())
}

fn scoped_models(OfChild(handle): OfChild) -> Json {
    Json(tau_ai::to_json(&*handle.session.scoped_models()))
}

fn system_prompt(OfChild(handle): OfChild) -> String {
    handle.session.system_prompt()
}

fn active_tools(OfChild(handle): OfChild) -> List<String> {
    List(handle.session.active_tools())
}

fn all_tools(OfChild(handle): OfChild) -> Json {
    Json(tau_ai::to_json(handle.session.all_tools()))
}

fn context_usage(OfChild(handle): OfChild) -> Option<Json> {
    handle.session.context_usage().map(|usage| Json(tau_ai::to_json(usage)))
}

fn messages(OfChild(handle): OfChild) -> Json {
    Json(handle.child.messages().iter().map(|message| tau_ai::to_json(message)).collect())
}

fn last_text(OfChild(handle): OfChild) -> Option<String> {
    handle.child.last_text()
}

fn queued(OfChild(handle): OfChild) -> Typed<Queued> {
    let queued = handle.session.queued_texts();
    Typed(Queued { steering: queued.steering, follow_up: queued.follow_up })
}

fn steering_mode(OfChild(handle): OfChild) -> &'static str {
    handle.session.steering_mode().as_str()
}

fn follow_up_mode(OfChild(handle): OfChild) -> &'static str {
    handle.session.follow_up_mode().as_str()
}

fn auto_compaction(OfChild(handle): OfChild) -> bool {
    handle.session.compacts_by_itself()
}

fn auto_retry(OfChild(handle): OfChild) -> bool {
    handle.session.retries_by_itself()
}

fn commands(OfChild(handle): OfChild) -> Json {
    Json(tau_ai::to_json(handle.session.commands()))
}

fn extensions(OfChild(handle): OfChild) -> List<String> {
    List(handle.session.extensions().iter().map(|owner| owner.path.to_string()).collect())
}

fn usage(OfChild(handle): OfChild) -> Json {
    Json(tau_ai::to_json(handle.child.usage()))
}

fn stats(OfChild(handle): OfChild) -> Json {
    Json(tau_ai::to_json(handle.session.stats()))
}
