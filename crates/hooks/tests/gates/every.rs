//! Every event of the table, with a payload.

use std::sync::Arc;

use serde_json::json;
use tau_ai::{ContentBlock, Message, MessageBuilder, ThinkingLevel, UserMessage};
use tau_hooks::dialogs::PromptKind;
use tau_hooks::payload::*;
use tau_hooks::{Event, Messages, events as e};
use tau_testkit::host::model;

/// Something that is done with every event.
pub trait Visitor {
    /// Does it with one.
    async fn visit<E: Event>(&mut self, payload: E::Payload);
}

/// Does it with all events, in the order of the table.
pub async fn visit_all(visitor: &mut impl Visitor) {
    let v = visitor;
    let text = || "text".to_owned();
    let user = || Arc::new(Message::User(UserMessage::new("hello")));
    let messages = || [Message::User(UserMessage::new("hello"))].into_iter().collect::<Messages>();
    let args = || Arc::new(json!({ "command": "ls" }));
    let (name, id) = (|| "bash".to_owned(), || "c1".to_owned());

    v.visit::<e::SessionDirectory>(SessionDirectoryEvent { cwd: text() }).await;
    v.visit::<e::ProjectTrust>(ProjectTrustEvent { cwd: text() }).await;
    let reason = SessionStartReason::Startup;
    v.visit::<e::SessionStart>(SessionStartEvent { reason, previous_session_file: None }).await;
    v.visit::<e::ResourcesDiscover>(ResourcesDiscoverEvent { cwd: text(), reason: DiscoverReason::Reload }).await;

    let input = InputEvent { text: text(), images: None, source: InputSource::Rpc, streaming_behavior: None };
    v.visit::<e::Input>(input).await;
    v.visit::<e::BeforeAgentStart>(BeforeAgentStartEvent {
        message_type: StartedBy::User,
        message: None,
        prompt: text(),
        images: None,
        system_prompt: text(),
        system_prompt_options: json!({}),
    })
    .await;
    v.visit::<e::AgentStart>(Empty {}).await;
    v.visit::<e::AgentEnd>(AgentEndEvent { messages: messages() }).await;
    v.visit::<e::AgentBeforeSettle>(AgentBeforeSettleEvent { boundary: BoundaryState::default() }).await;
    v.visit::<e::AgentSettled>(AgentSettledEvent { aborted: false }).await;

    v.visit::<e::TurnStart>(TurnStartEvent { turn_index: 0, timestamp: 1 }).await;
    v.visit::<e::TurnEnd>(TurnEndEvent {
        turn_index: 0,
        message: user(),
        response: user(),
        tool_results: messages(),
        message_entry_id: id(),
        tool_result_entry_ids: vec![],
        boundary: BoundaryState::default(),
    })
    .await;
    v.visit::<e::Context>(ContextEvent { messages: messages() }).await;
    v.visit::<e::ContextWithSystem>(ContextEvent { messages: messages() }).await;
    v.visit::<e::BeforeProviderHeaders>(BeforeProviderHeadersEvent { headers: Default::default() }).await;
    v.visit::<e::BeforeProviderRequest>(BeforeProviderRequestEvent { payload: json!({}) }).await;
    v.visit::<e::AfterProviderResponse>(AfterProviderResponseEvent { status: 200, headers: Default::default() }).await;
    let event = ProviderStreamEventEvent { provider: text(), api: text(), model: text(), data: json!({"type": "x"}) };
    v.visit::<e::ProviderStreamEvent>(event).await;
    v.visit::<e::MessageStart>(MessageStartEvent { message: user() }).await;
    let builder = MessageBuilder::new(MessageBuilder::head_for(&model("p", "m")));
    let (_, item) = builder.text_start();
    let message = Snapshot(item.partial.clone());
    v.visit::<e::MessageUpdate>(MessageUpdateEvent { message, assistant_message_event: StreamUpdate(item) }).await;
    v.visit::<e::MessageEnd>(MessageEndEvent { message: user() }).await;

    v.visit::<e::ToolExecutionStart>(ToolExecutionStartEvent {
        tool_call_id: id(),
        parent_tool_call_id: None,
        tool_name: name(),
        args: args(),
    })
    .await;
    let input = json!({ "command": "ls" });
    v.visit::<e::ToolCall>(ToolCallEvent {
        tool_name: name(),
        tool_call_id: id(),
        parent_tool_call_id: None,
        input: input.clone(),
    })
    .await;
    v.visit::<e::ToolExecutionUpdate>(ToolExecutionUpdateEvent {
        tool_call_id: id(),
        parent_tool_call_id: None,
        tool_name: name(),
        args: args(),
        partial_result: Arc::new(json!({})),
    })
    .await;
    v.visit::<e::ToolResult>(ToolResultEvent {
        tool_name: name(),
        tool_call_id: id(),
        parent_tool_call_id: None,
        input,
        content: vec![ContentBlock::text("out")],
        details: None,
        structured_content: None,
        is_error: false,
        usage: None,
    })
    .await;
    v.visit::<e::ToolExecutionEnd>(ToolExecutionEndEvent {
        tool_call_id: id(),
        parent_tool_call_id: None,
        tool_name: name(),
        result: Arc::new(json!({})),
        is_error: false,
        duration_ms: None,
    })
    .await;
    v.visit::<e::UserBash>(UserBashEvent { command: text(), exclude_from_context: false, cwd: text() }).await;

    let chosen = Arc::new(model("p", "m"));
    let source = ModelSelectSource::Set;
    v.visit::<e::ModelSelect>(ModelSelectEvent { model: chosen, previous_model: None, source }).await;
    let (level, previous_level) = (ThinkingLevel::High, ThinkingLevel::Off);
    v.visit::<e::ThinkingLevelSelect>(ThinkingLevelSelectEvent { level, previous_level }).await;
    v.visit::<e::SessionInfoChanged>(SessionInfoChangedEvent { name: None }).await;
    let prompt = || UiPromptEvent { reason: "ui_prompt".into(), kind: PromptKind::Select, title: None };
    let server = RegisteredMcpServer { name: text(), config: json!({"command": "x"}), extension_path: text() };
    v.visit::<e::McpServersChange>(McpServersChangeEvent { servers: vec![server] }).await;
    v.visit::<e::UiPromptStart>(prompt()).await;
    v.visit::<e::UiPromptEnd>(prompt()).await;
    v.visit::<e::CacheWarmingDecision>(CacheWarmingDecisionEvent {
        warm_cost: 0.1,
        miss_cost: 0.2,
        continuation_probability: 0.5,
        action: CacheWarmingAction::Warm,
    })
    .await;

    let reason = SwitchReason::New;
    v.visit::<e::SessionBeforeSwitch>(SessionBeforeSwitchEvent { reason, target_session_file: None }).await;
    v.visit::<e::SessionSwitch>(SessionSwitchEvent { reason, previous_session_file: None }).await;
    let position = ForkPosition::At;
    v.visit::<e::SessionBeforeFork>(SessionBeforeForkEvent { entry_id: id(), position }).await;
    v.visit::<e::SessionFork>(SessionForkEvent { previous_session_file: None }).await;
    let reason = CompactReason::Manual;
    v.visit::<e::SessionBeforeCompact>(SessionBeforeCompactEvent {
        preparation: CompactionPreparation::default(),
        branch_entries: vec![],
        custom_instructions: None,
        reason,
        will_retry: false,
    })
    .await;
    v.visit::<e::SessionCompact>(SessionCompactEvent {
        compaction_entry: json!({}),
        from_extension: false,
        reason,
        will_retry: false,
    })
    .await;
    v.visit::<e::SessionCompactFailed>(SessionCompactFailedEvent {
        reason,
        error_message: None,
        aborted: true,
        will_retry: false,
        from_extension: false,
    })
    .await;
    v.visit::<e::SessionBeforeTree>(SessionBeforeTreeEvent { preparation: TreePreparation::default() }).await;
    v.visit::<e::SessionTree>(SessionTreeEvent {
        new_leaf_id: None,
        old_leaf_id: None,
        summary_entry: None,
        from_extension: None,
    })
    .await;
    let reason = SessionShutdownReason::Quit;
    v.visit::<e::SessionShutdown>(SessionShutdownEvent { reason, target_session_file: None }).await;

    v.visit::<e::SessionCompacting>(SessionCompactingEvent { session_id: id(), messages: messages() }).await;
    let reason = CompactReason::Overflow;
    v.visit::<e::AutoCompactionStart>(AutoCompactionStartEvent { reason, action: text() }).await;
    v.visit::<e::AutoCompactionEnd>(AutoCompactionEndEvent {
        action: text(),
        result: None,
        aborted: false,
        will_retry: false,
        error_message: None,
        skipped: None,
    })
    .await;
    v.visit::<e::AutoRetryStart>(AutoRetryStartEvent {
        attempt: 1,
        max_attempts: 3,
        delay_ms: 10,
        error_message: text(),
    })
    .await;
    v.visit::<e::AutoRetryEnd>(AutoRetryEndEvent { success: true, attempt: 1, final_error: None }).await;
    v.visit::<e::TtsrTriggered>(TtsrTriggeredEvent { rules: vec![] }).await;
    v.visit::<e::TodoReminder>(TodoReminderEvent { todos: vec![], attempt: 1, max_attempts: 3 }).await;
}
