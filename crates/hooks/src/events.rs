//! The event table: every event, what its handlers get and return, and by which rules.
//!
//! A row reads: *name*, what it is for; payload → result; then columns by their names. Every row has `fold`, how results
//! add up, by the name of a function in [`table::fold`](crate::table::fold); `on_failure`, what a failing handler means;
//! `deadline`, how long a handler may take; and `since`, which version of the published extension API introduced it. Columns
//! behind those are for what is special about an event; [`EventRow`](crate::EventRow) says what they mean.
//!
//! Everything that knows events is made from this table: the typed entry points, the names extensions may use, the
//! generated reference in `docs/`, and the test that every event fires. A rule that holds for one event only belongs here,
//! not in an `if` elsewhere. A column that does not exist, and a fold that does not fit the result, do not compile.

use crate::payload::*;
use crate::table::rows::events;

events! {
    // ---- The session begins -------------------------------------------------------------------------------

    /// A directory for session files is needed; not asked with `--session-dir` or `--no-session`.
    SessionDirectory = "session_directory": SessionDirectoryEvent => SessionDirectoryResult;
    fold: last, on_failure: Report, deadline: Decide, since: "0.55";

    /// A project has resources that need the user's trust; only extensions of the user and of the command line are
    /// asked. When one of them fails the project is not trusted.
    ProjectTrust = "project_trust": ProjectTrustEvent => ProjectTrustResult;
    fold: first, on_failure: Block, deadline: Decide, since: "0.79";

    /// A session is ready: at start-up, after `/new`, `/resume` and `/fork`, and after a reload.
    SessionStart = "session_start" | "session" | "SessionStart": SessionStartEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55", occasion: FromPayload;

    /// Extensions may bring skills, prompt templates and themes; asked after every `session_start`.
    ResourcesDiscover = "resources_discover": ResourcesDiscoverEvent => ResourcesDiscoverResult;
    fold: collect, on_failure: Report, deadline: Decide, since: "0.55";

    // ---- A prompt -----------------------------------------------------------------------------------------

    /// Text was submitted. Handlers may rewrite it, pass it on or swallow it; skills and templates are expanded
    /// after this, and built-in commands are looked up in what comes out.
    Input = "input" | "UserPromptSubmit": InputEvent => InputResult;
    fold: transform, on_failure: Report, deadline: Decide, since: "0.55";

    /// A prompt, or a message of an extension with `triggerTurn`, is about to start a run: once a run, not once a turn.
    /// Messages of all handlers are kept; the system prompt is passed along, and the standard one comes back when nobody
    /// returns another.
    BeforeAgentStart = "before_agent_start": BeforeAgentStartEvent => BeforeAgentStartResult;
    fold: merge, on_failure: Report, deadline: Decide, since: "0.55",
    in_place: ["systemPromptOptions"], occasion: FromPayload;

    /// A run begins.
    AgentStart = "agent_start": Empty => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// A run ended.
    AgentEnd = "agent_end": AgentEndEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// Retries, compaction and queues are done and the session is about to become idle. Handlers may append
    /// entries and ask to go on.
    AgentBeforeSettle = "agent_before_settle" | "Stop": AgentBeforeSettleEvent => BoundaryResult;
    fold: merge, on_failure: Report, deadline: Decide, since: "0.87", render: Late;

    /// The session is idle.
    AgentSettled = "agent_settled": AgentSettledEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.80";

    // ---- A turn -------------------------------------------------------------------------------------------

    /// A turn begins: one request and the tools it leads to.
    TurnStart = "turn_start": TurnStartEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// A turn is complete. Handlers may append entries and ask for another request.
    TurnEnd = "turn_end": TurnEndEvent => BoundaryResult;
    fold: merge, on_failure: Report, deadline: Decide, since: "0.55", render: Late;

    /// The messages of the next request. Handlers get a copy: changes hold for this request only.
    Context = "context": ContextEvent => ContextResult;
    fold: transform, on_failure: Report, deadline: Decide, since: "0.55", in_place: ["messages"], render: Messages;

    /// The messages of the next request with the system prompt as their first message.
    ContextWithSystem = "context_with_system": ContextEvent => ContextResult;
    fold: transform, on_failure: Report, deadline: Decide, since: "0.87", in_place: ["messages"], render: Messages;

    /// The HTTP headers of the next request, that for a summary included.
    BeforeProviderHeaders = "before_provider_headers": BeforeProviderHeadersEvent => BeforeProviderHeadersResult;
    fold: transform, on_failure: Report, deadline: Decide, since: "0.80", in_place: ["headers"], returned: Ignored,
    about: Request;

    /// The body of the next request, in the provider's own form.
    BeforeProviderRequest = "before_provider_request": BeforeProviderRequestEvent => BeforeProviderRequestResult;
    fold: transform, on_failure: Report, deadline: Decide, since: "0.55", in_place: ["payload"], about: Request;

    /// The provider answered; its body has not been read yet.
    AfterProviderResponse = "after_provider_response": AfterProviderResponseEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.67", about: Request;

    /// The provider sent an event of its answer: parsed, before tau normalises it. It is not saved or sent to
    /// clients.
    ProviderStreamEvent = "provider_stream_event": ProviderStreamEventEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "1.5", delivery: Queued, about: Request;

    /// A message begins.
    MessageStart = "message_start": MessageStartEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// An assistant message grew.
    MessageUpdate = "message_update": MessageUpdateEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55", delivery: Queued, render: Late;

    /// A message is complete; it is kept in the session right after. A handler may replace it by one of the
    /// same role.
    MessageEnd = "message_end": MessageEndEvent => MessageEndResult;
    fold: merge, on_failure: Report, deadline: Decide, since: "0.55", about: Message;

    // ---- Tools --------------------------------------------------------------------------------------------

    /// A call was taken up, before it is validated or allowed.
    ToolExecutionStart = "tool_execution_start": ToolExecutionStartEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// The model wants to run a tool: the gate. It stays shut when a handler fails in any way.
    ToolCall = "tool_call": ToolCallEvent => ToolCallResult;
    fold: transform, on_failure: Block, deadline: Decide, since: "0.55", in_place: ["input"], inherited: UnlessStopped,
    about: ToolArguments;

    /// A running tool reported a partial result.
    ToolExecutionUpdate = "tool_execution_update": ToolExecutionUpdateEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55", delivery: Queued;

    /// A tool returned or failed. Handlers may replace any field, also of a failure. When tau ends a handler before it
    /// answers, nobody gets the result.
    ToolResult = "tool_result": ToolResultEvent => ToolResultResult;
    fold: merge, on_failure: Report, deadline: Decide, since: "0.55",
    nesting: Outward, occasion: FromPayload, on_cut_off: Withhold, about: ToolResult;

    /// A call is over.
    ToolExecutionEnd = "tool_execution_end": ToolExecutionEndEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// The user runs a shell command with `!`: a gate, and a way to run the command elsewhere.
    UserBash = "user_bash": UserBashEvent => UserBashResult;
    fold: first, on_failure: Block, deadline: Decide, since: "0.55", live: ["operations"], inherited: Always;

    // ---- Choices ------------------------------------------------------------------------------------------

    /// Another model was chosen.
    ModelSelect = "model_select": ModelSelectEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// Another thinking level was chosen.
    ThinkingLevelSelect = "thinking_level_select": ThinkingLevelSelectEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.71";

    /// The session got another name.
    SessionInfoChanged = "session_info_changed": SessionInfoChangedEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.80";

    /// An extension registered an MCP server, or removed one, after the session began.
    McpServersChange = "mcp_servers_change": McpServersChangeEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "1.5";

    /// The first blocking dialog opened.
    UiPromptStart = "ui_prompt_start": UiPromptEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.84";

    /// The last blocking dialog closed.
    UiPromptEnd = "ui_prompt_end": UiPromptEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.84";

    /// The prompt of the last request is about to leave the provider's cache, while a run is under way or nothing runs.
    CacheWarmingDecision = "cache_warming_decision": CacheWarmingDecisionEvent => CacheWarmingDecisionResult;
    fold: last, on_failure: Report, deadline: Decide, since: "0.86";

    // ---- The session changes or ends ----------------------------------------------------------------------

    /// Another session is about to replace this one.
    SessionBeforeSwitch = "session_before_switch": SessionBeforeSwitchEvent => CancelResult;
    fold: last_whole, on_failure: Report, deadline: Decide, since: "0.55";

    /// Another session replaced the one before; derived from `session_start` with reason `new` or `resume`.
    SessionSwitch = "session_switch": SessionSwitchEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// The session is about to be forked.
    SessionBeforeFork = "session_before_fork" | "session_before_branch" | "branch":
    SessionBeforeForkEvent => SessionBeforeForkResult;
    fold: last_whole, on_failure: Report, deadline: Decide, since: "0.55";

    /// The session was forked; derived from `session_start` with reason `fork`.
    SessionFork = "session_fork" | "session_branch": SessionForkEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// The conversation is about to be compacted.
    SessionBeforeCompact = "session_before_compact" | "PreCompact": SessionBeforeCompactEvent => SessionBeforeCompactResult;
    fold: last_whole, on_failure: Report, deadline: Decide, since: "0.55", signal: Shown;

    /// The conversation was compacted.
    SessionCompact = "session_compact" | "PostCompact": SessionCompactEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// The conversation was not compacted.
    SessionCompactFailed = "session_compact_failed": SessionCompactFailedEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.84";

    /// The user is about to move to another place of the tree.
    SessionBeforeTree = "session_before_tree": SessionBeforeTreeEvent => SessionBeforeTreeResult;
    fold: last_whole, on_failure: Report, deadline: Decide, since: "0.55", signal: Shown;

    /// The user moved to another place of the tree.
    SessionTree = "session_tree": SessionTreeEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "0.55";

    /// The session is about to end: exactly once, however it ends. All handlers together get a few seconds.
    SessionShutdown = "session_shutdown" | "SessionEnd": SessionShutdownEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Shutdown, since: "0.55", occasion: FromPayload;

    // ---- Events of the older dialects ---------------------------------------------------------------------

    /// A summary is about to be asked of the model.
    SessionCompacting = "session.compacting": SessionCompactingEvent => SessionCompactingResult;
    fold: last_whole, on_failure: Report, deadline: Decide, since: "oh-my-pi";

    /// Compaction began by itself.
    AutoCompactionStart = "auto_compaction_start": AutoCompactionStartEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "oh-my-pi";

    /// Compaction that began by itself is over.
    AutoCompactionEnd = "auto_compaction_end": AutoCompactionEndEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "oh-my-pi";

    /// A failed request will be repeated.
    AutoRetryStart = "auto_retry_start": AutoRetryStartEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "oh-my-pi";

    /// A failed request was repeated for the last time.
    AutoRetryEnd = "auto_retry_end": AutoRetryEndEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "oh-my-pi";

    /// A rule matched what the model was writing.
    TtsrTriggered = "ttsr_triggered": TtsrTriggeredEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "oh-my-pi", delivery: Queued;

    /// The model stopped with open items on its list.
    TodoReminder = "todo_reminder": TodoReminderEvent => Nothing;
    fold: observe, on_failure: Report, deadline: Observe, since: "oh-my-pi";
}
