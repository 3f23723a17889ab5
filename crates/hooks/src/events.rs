//! The event table: every event, what its handlers get and return, and by which rules.
//!
//! A row reads: *name*, what it is for; payload → result; fold, failure, deadline; since which version of the
//! published extension API; when tau fires it. Everything that knows events is made from this table: the typed
//! entry points, the names extensions may use, the generated reference in `docs/`, and the test that every event
//! fires. A rule that holds for one event only belongs here, not in an `if` elsewhere.

use std::any::TypeId;

use crate::occasion::occasion_of;
use crate::payload::*;
use crate::table::{Deadline, Delivery, Event, EventRow, Failure, Fires, Fold, Nesting, take_apart, with_live};

macro_rules! events {
    ($(
        #[doc = $doc:literal]
        $(#[doc = $more:literal])*
        $event:ident = $name:literal $(| $projected:literal)*:
        $payload:ty => $output:ty;
        $fold:ident, $failure:ident, $deadline:ident $(, $option:ident)*;
        since $since:literal; $fires:expr;
    )*) => {
        /// Names an event; the number is its place in [`TABLE`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum EventId { $(#[doc = $doc] $event,)* }

        /// All events.
        pub static TABLE: &[EventRow] = &[$(EventRow {
            id: EventId::$event,
            name: $name,
            projected: &[$($projected),*],
            fold: Fold::$fold,
            failure: Failure::$failure,
            deadline: Deadline::$deadline,
            delivery: events!(@delivery $($option)*),
            nesting: events!(@nesting $($option)*),
            in_place: events!(@in_place $($option)*),
            late: events!(@late [$payload] $($option)*),
            occasion: events!(@occasion [$payload] $($option)*),
            signal: events!(@signal $($option)*),
            withholds: events!(@withholds $($option)*),
            inherited: events!(@inherited $($option)*),
            live: events!(@live $($option)*),
            with_live: with_live::<$event>,
            since: $since,
            fires: $fires,
            doc: concat!($doc $(, $more)*),
            payload_schema: |generator| generator.subschema_for::<$payload>(),
            output_schema: <$output as schemars::JsonSchema>::json_schema,
            output_type: TypeId::of::<$output>,
        },)*];

        $(
            #[doc = $doc]
            #[derive(Debug, Clone, Copy)]
            pub struct $event;

            impl Event for $event {
                const ID: EventId = EventId::$event;
                type Payload = $payload;
                type Output = $output;
            }
        )*
    };
    (@delivery Queued $($rest:ident)*) => { Delivery::Queued };
    (@delivery $first:ident $($rest:ident)*) => { events!(@delivery $($rest)*) };
    (@delivery) => { Delivery::Awaited };
    (@nesting Outward $($rest:ident)*) => { Nesting::Outward };
    (@nesting $first:ident $($rest:ident)*) => { events!(@nesting $($rest)*) };
    (@nesting) => { Nesting::Inward };
    (@signal Signal $($rest:ident)*) => { true };
    (@signal $first:ident $($rest:ident)*) => { events!(@signal $($rest)*) };
    (@signal) => { false };
    (@in_place PromptOptions $($rest:ident)*) => { &["systemPromptOptions"] };
    (@in_place Input $($rest:ident)*) => { &["input"] };
    (@in_place Headers $($rest:ident)*) => { &["headers"] };
    (@in_place Messages $($rest:ident)*) => { &["messages"] };
    (@in_place Payload $($rest:ident)*) => { &["payload"] };
    (@in_place $first:ident $($rest:ident)*) => { events!(@in_place $($rest)*) };
    (@in_place) => { &[] };
    (@late [$payload:ty] Late $($rest:ident)*) => { Some(take_apart::<$payload>) };
    (@late [$payload:ty] $first:ident $($rest:ident)*) => { events!(@late [$payload] $($rest)*) };
    (@late [$payload:ty]) => { None };
    (@occasion [$payload:ty] Occasion $($rest:ident)*) => { Some(occasion_of::<$payload>) };
    (@occasion [$payload:ty] $first:ident $($rest:ident)*) => { events!(@occasion [$payload] $($rest)*) };
    (@occasion [$payload:ty]) => { None };
    (@withholds Withholds $($rest:ident)*) => { true };
    (@withholds $first:ident $($rest:ident)*) => { events!(@withholds $($rest)*) };
    (@withholds) => { false };
    (@inherited Inherited $($rest:ident)*) => { true };
    (@inherited $first:ident $($rest:ident)*) => { events!(@inherited $($rest)*) };
    (@inherited) => { false };
    (@live Operations $($rest:ident)*) => { &["operations"] };
    (@live $first:ident $($rest:ident)*) => { events!(@live $($rest)*) };
    (@live) => { &[] };
}

use Fires::{Now, With};

events! {
    // ---- The session begins -------------------------------------------------------------------------------

    /// A directory for session files is needed; not asked with `--session-dir` or `--no-session`.
    SessionDirectory = "session_directory": SessionDirectoryEvent => SessionDirectoryResult;
    Last, Report, Decide; since "0.55"; Now;

    /// A project has resources that need the user's trust; only extensions of the user and of the command line are
    /// asked. When one of them fails the project is not trusted.
    ProjectTrust = "project_trust": ProjectTrustEvent => ProjectTrustResult;
    FirstResult, Block, Decide; since "0.79"; Now;

    /// A session is ready: at start-up, after `/new`, `/resume` and `/fork`, and after a reload.
    SessionStart = "session_start" | "session" | "SessionStart": SessionStartEvent => Nothing;
    Observe, Report, Observe, Occasion; since "0.55"; Now;

    /// Extensions may bring skills, prompt templates and themes; asked after every `session_start`.
    ResourcesDiscover = "resources_discover": ResourcesDiscoverEvent => ResourcesDiscoverResult;
    Collect, Report, Decide; since "0.55"; Now;

    // ---- A prompt -----------------------------------------------------------------------------------------

    /// Text was submitted. Handlers may rewrite it, pass it on or swallow it; skills and templates are expanded
    /// after this, and built-in commands are looked up in what comes out.
    Input = "input" | "UserPromptSubmit": InputEvent => InputResult;
    Transform, Report, Decide; since "0.55"; Now;

    /// A prompt, or a message of an extension with `triggerTurn`, is about to start a run: once a run, not once a turn.
    /// Messages of all handlers are kept; the system prompt is passed along, and the standard one comes back when nobody
    /// returns another.
    BeforeAgentStart = "before_agent_start": BeforeAgentStartEvent => BeforeAgentStartResult;
    AccumulateAndChain, Report, Decide, PromptOptions, Occasion; since "0.55"; Now;

    /// A run begins.
    AgentStart = "agent_start": Empty => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// A run ended.
    AgentEnd = "agent_end": AgentEndEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// Retries, compaction and queues are done and the session is about to become idle. Handlers may append
    /// entries and ask to go on.
    AgentBeforeSettle = "agent_before_settle" | "Stop": AgentBeforeSettleEvent => BoundaryResult;
    Boundary, Report, Decide, Late; since "0.87"; Now;

    /// The session is idle.
    AgentSettled = "agent_settled": AgentSettledEvent => Nothing;
    Observe, Report, Observe; since "0.80"; Now;

    // ---- A turn -------------------------------------------------------------------------------------------

    /// A turn begins: one request and the tools it leads to.
    TurnStart = "turn_start": TurnStartEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// A turn is complete. Handlers may append entries and ask for another request.
    TurnEnd = "turn_end": TurnEndEvent => BoundaryResult;
    Boundary, Report, Decide, Late; since "0.55"; Now;

    /// The messages of the next request. Handlers get a copy: changes hold for this request only.
    Context = "context": ContextEvent => ContextResult;
    Transform, Report, Decide, Messages; since "0.55"; Now;

    /// The messages of the next request with the system prompt as their first message.
    ContextWithSystem = "context_with_system": ContextEvent => ContextResult;
    Transform, Report, Decide, Messages; since "0.87"; Now;

    /// The HTTP headers of the next request, that for a summary included.
    BeforeProviderHeaders = "before_provider_headers": BeforeProviderHeadersEvent => BeforeProviderHeadersResult;
    Mutate, Report, Decide, Headers; since "0.80"; Now;

    /// The body of the next request, in the provider's own form.
    BeforeProviderRequest = "before_provider_request": BeforeProviderRequestEvent => BeforeProviderRequestResult;
    Transform, Report, Decide, Payload; since "0.55"; Now;

    /// The provider answered; its body has not been read yet.
    AfterProviderResponse = "after_provider_response": AfterProviderResponseEvent => Nothing;
    Observe, Report, Observe; since "0.67"; Now;

    /// The provider sent an event of its answer: parsed, before tau normalises it. It is not saved or sent to
    /// clients.
    ProviderStreamEvent = "provider_stream_event": ProviderStreamEventEvent => Nothing;
    Observe, Report, Observe, Queued; since "1.5"; Now;

    /// A message begins.
    MessageStart = "message_start": MessageStartEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// An assistant message grew.
    MessageUpdate = "message_update": MessageUpdateEvent => Nothing;
    Observe, Report, Observe, Queued, Late; since "0.55"; Now;

    /// A message is complete; it is kept in the session right after. A handler may replace it by one of the
    /// same role.
    MessageEnd = "message_end": MessageEndEvent => MessageEndResult;
    MergeFields, Report, Decide; since "0.55"; Now;

    // ---- Tools --------------------------------------------------------------------------------------------

    /// A call was taken up, before it is validated or allowed.
    ToolExecutionStart = "tool_execution_start": ToolExecutionStartEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// The model wants to run a tool: the gate. It stays shut when a handler fails in any way.
    ToolCall = "tool_call": ToolCallEvent => ToolCallResult;
    FirstBlock, Block, Decide, Input, Inherited; since "0.55"; Now;

    /// A running tool reported a partial result.
    ToolExecutionUpdate = "tool_execution_update": ToolExecutionUpdateEvent => Nothing;
    Observe, Report, Observe, Queued; since "0.55"; Now;

    /// A tool returned or failed. Handlers may replace any field, also of a failure. When tau ends a handler before it
    /// answers, nobody gets the result.
    ToolResult = "tool_result": ToolResultEvent => ToolResultResult;
    MergeFields, Report, Decide, Outward, Occasion, Withholds; since "0.55"; Now;

    /// A call is over.
    ToolExecutionEnd = "tool_execution_end": ToolExecutionEndEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// The user runs a shell command with `!`: a gate, and a way to run the command elsewhere.
    UserBash = "user_bash": UserBashEvent => UserBashResult;
    FirstResult, Block, Decide, Operations, Inherited; since "0.55"; Now;

    // ---- Choices ------------------------------------------------------------------------------------------

    /// Another model was chosen.
    ModelSelect = "model_select": ModelSelectEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// Another thinking level was chosen.
    ThinkingLevelSelect = "thinking_level_select": ThinkingLevelSelectEvent => Nothing;
    Observe, Report, Observe; since "0.71"; Now;

    /// The session got another name.
    SessionInfoChanged = "session_info_changed": SessionInfoChangedEvent => Nothing;
    Observe, Report, Observe; since "0.80"; Now;

    /// An extension registered an MCP server, or removed one, after the session began.
    McpServersChange = "mcp_servers_change": McpServersChangeEvent => Nothing;
    Observe, Report, Observe; since "1.5"; Now;

    /// The first blocking dialog opened.
    UiPromptStart = "ui_prompt_start": UiPromptEvent => Nothing;
    Observe, Report, Observe; since "0.84"; Now;

    /// The last blocking dialog closed.
    UiPromptEnd = "ui_prompt_end": UiPromptEvent => Nothing;
    Observe, Report, Observe; since "0.84"; Now;

    /// The provider's cache is about to expire while the session is idle.
    CacheWarmingDecision = "cache_warming_decision": CacheWarmingDecisionEvent => CacheWarmingDecisionResult;
    Last, Report, Decide; since "0.86"; With("cache warming");

    // ---- The session changes or ends ----------------------------------------------------------------------

    /// Another session is about to replace this one.
    SessionBeforeSwitch = "session_before_switch": SessionBeforeSwitchEvent => CancelResult;
    LastWithCancel, Report, Decide; since "0.55"; Now;

    /// Another session replaced the one before; derived from `session_start` with reason `new` or `resume`.
    SessionSwitch = "session_switch": SessionSwitchEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// The session is about to be forked.
    SessionBeforeFork = "session_before_fork" | "session_before_branch" | "branch":
    SessionBeforeForkEvent => SessionBeforeForkResult;
    LastWithCancel, Report, Decide; since "0.55"; Now;

    /// The session was forked; derived from `session_start` with reason `fork`.
    SessionFork = "session_fork" | "session_branch": SessionForkEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// The conversation is about to be compacted.
    SessionBeforeCompact = "session_before_compact" | "PreCompact": SessionBeforeCompactEvent => SessionBeforeCompactResult;
    LastWithCancel, Report, Decide, Signal; since "0.55"; Now;

    /// The conversation was compacted.
    SessionCompact = "session_compact" | "PostCompact": SessionCompactEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// The conversation was not compacted.
    SessionCompactFailed = "session_compact_failed": SessionCompactFailedEvent => Nothing;
    Observe, Report, Observe; since "0.84"; Now;

    /// The user is about to move to another place of the tree.
    SessionBeforeTree = "session_before_tree": SessionBeforeTreeEvent => SessionBeforeTreeResult;
    LastWithCancel, Report, Decide, Signal; since "0.55"; Now;

    /// The user moved to another place of the tree.
    SessionTree = "session_tree": SessionTreeEvent => Nothing;
    Observe, Report, Observe; since "0.55"; Now;

    /// The session is about to end: exactly once, however it ends. All handlers together get a few seconds.
    SessionShutdown = "session_shutdown" | "SessionEnd": SessionShutdownEvent => Nothing;
    Observe, Report, Shutdown, Occasion; since "0.55"; Now;

    // ---- Events of the older dialects ---------------------------------------------------------------------

    /// A summary is about to be asked of the model.
    SessionCompacting = "session.compacting": SessionCompactingEvent => SessionCompactingResult;
    LastObject, Report, Decide; since "oh-my-pi"; Now;

    /// Compaction began by itself.
    AutoCompactionStart = "auto_compaction_start": AutoCompactionStartEvent => Nothing;
    Observe, Report, Observe; since "oh-my-pi"; Now;

    /// Compaction that began by itself is over.
    AutoCompactionEnd = "auto_compaction_end": AutoCompactionEndEvent => Nothing;
    Observe, Report, Observe; since "oh-my-pi"; Now;

    /// A failed request will be repeated.
    AutoRetryStart = "auto_retry_start": AutoRetryStartEvent => Nothing;
    Observe, Report, Observe; since "oh-my-pi"; Now;

    /// A failed request was repeated for the last time.
    AutoRetryEnd = "auto_retry_end": AutoRetryEndEvent => Nothing;
    Observe, Report, Observe; since "oh-my-pi"; Now;

    /// A rule matched what the model was writing.
    TtsrTriggered = "ttsr_triggered": TtsrTriggeredEvent => Nothing;
    Observe, Report, Observe, Queued; since "oh-my-pi"; Now;

    /// The model stopped with open items on its list.
    TodoReminder = "todo_reminder": TodoReminderEvent => Nothing;
    Observe, Report, Observe; since "oh-my-pi"; Now;
}
