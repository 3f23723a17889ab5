// Events of tau, generated from the event table: do not edit.
// `…Input` types are what tau takes from an extension; fields it can fill in itself are optional there.

/** A directory for session files is needed; not asked with `--session-dir` or `--no-session`. */
export interface SessionDirectoryEvent {
    type: "session_directory";
    /** The working directory. */
    cwd: string;
}

/** Where session files go. */
export interface SessionDirectoryResult {
    /** The directory. */
    sessionDir?: string;
}

/** A project has resources that need the user's trust; only extensions of the user and of the command line are asked. When one of them fails the project is not trusted. */
export interface ProjectTrustEvent {
    type: "project_trust";
    /** The project's directory. */
    cwd: string;
}

/** Whether the project is trusted. */
export interface ProjectTrustResult {
    /** The decision. */
    trusted: TrustDecision;
    /** Keep the decision for later sessions. */
    remember?: boolean;
}

/** A session is ready: at start-up, after `/new`, `/resume` and `/fork`, and after a reload. */
export interface SessionStartEvent {
    type: "session_start";
    /** Why. */
    reason: SessionStartReason;
    /** The session file before. */
    previousSessionFile?: string;
}

/** Extensions may bring skills, prompt templates and themes; asked after every `session_start`. */
export interface ResourcesDiscoverEvent {
    type: "resources_discover";
    /** The working directory. */
    cwd: string;
    /** Why resources are collected. */
    reason: DiscoverReason;
}

/** Files and folders with resources. */
export interface ResourcesDiscoverResult {
    /** Skills. */
    skillPaths?: string[];
    /** Prompt templates. */
    promptPaths?: string[];
    /** Themes. */
    themePaths?: string[];
}

/** Text was submitted. Handlers may rewrite it, pass it on or swallow it; skills and templates are expanded after this, and built-in commands are looked up in what comes out. */
export interface InputEvent {
    type: "input";
    /** The text, as earlier handlers left it. */
    text: string;
    /** Attached images, as image content blocks. */
    images?: ContentBlock[];
    /** Where the text comes from. */
    source: InputSource;
    /** How the text would be queued, when a run is under way. */
    streamingBehavior?: StreamingBehavior;
}

/** What to do with the text. */
export type InputResult =
    /** Leave it as it is. */
    | {
        action: "continue";
    }
    /** Replace it. */
    | {
        action: "transform";
        /** The new text. */
        text: string;
        /** The new images; absent keeps them, an empty list removes them. */
        images?: ContentBlock[];
    }
    /** Swallow it: no later handler and no model sees it. */
    | {
        action: "handled";
    };

/** A prompt, or a message of an extension with `triggerTurn`, is about to start a run: once a run, not once a turn. Messages of all handlers are kept; the system prompt is passed along, and the standard one comes back when nobody returns another. */
export interface BeforeAgentStartEvent {
    type: "before_agent_start";
    /** `user` for a prompt, `custom` for a message of an extension that starts a run. */
    messageType: StartedBy;
    /** The message of the extension; absent for a prompt. */
    message?: Message;
    /** The user's text after expansion; empty when a message of an extension starts the run. */
    prompt: string;
    /** Attached images, as image content blocks. */
    images?: ContentBlock[];
    /** The system prompt, as earlier handlers left it. */
    systemPrompt: string;
    /** What the system prompt was built from. */
    systemPromptOptions: unknown;
}

/** What to add to the run. */
export interface BeforeAgentStartResult {
    /** A message for the model, kept in the session. */
    message?: CustomDraft;
    /** The system prompt of this run; an empty text is a real, empty prompt. */
    systemPrompt?: string;
    /** Text to stand behind whatever system prompt this run has; the older way to add to it. */
    systemPromptAppend?: string;
}

/** A run begins. */
export interface AgentStartEvent {
    type: "agent_start";
}

/** A run ended. */
export interface AgentEndEvent {
    type: "agent_end";
    /** The messages of this run alone. */
    messages: Message[];
}

/** Retries, compaction and queues are done and the session is about to become idle. Handlers may append entries and ask to go on. */
export interface AgentBeforeSettleEvent {
    type: "agent_before_settle";
    /** Entries to append, in order. */
    entries: EntryDraft[];
    /** Ask for one more request. */
    continue: boolean;
    /** What that request would look like. */
    context: BoundaryPreview;
    /** How the turn or run went. */
    outcome: Outcome;
}

/** What an extension proposes at a boundary. */
export interface AgentBeforeSettleResult {
    /** Replaces the whole list of proposed entries. */
    entries?: EntryDraftInput[];
    /** Replaces the wish to go on. */
    continue?: boolean;
}

/** The session is idle. */
export interface AgentSettledEvent {
    type: "agent_settled";
    /** The run was aborted, including when another session replaces this one. */
    aborted: boolean;
}

/** A turn begins: one request and the tools it leads to. */
export interface TurnStartEvent {
    type: "turn_start";
    /** Counts the turns of the run from 0. */
    turnIndex: number;
    /** Milliseconds since the Unix epoch. */
    timestamp: number;
}

/** A turn is complete. Handlers may append entries and ask for another request. */
export interface TurnEndEvent {
    type: "turn_end";
    /** Counts the turns of the run from 0. */
    turnIndex: number;
    /** The model's answer. */
    message: Message;
    /** The model's answer, under the name some extensions use. */
    response: Message;
    /** The results of its tool calls. */
    toolResults: Message[];
    /** The answer's session entry. */
    messageEntryId: string;
    /** The results' session entries. */
    toolResultEntryIds: string[];
    /** Entries to append, in order. */
    entries: EntryDraft[];
    /** Ask for one more request. */
    continue: boolean;
    /** What that request would look like. */
    context: BoundaryPreview;
    /** How the turn or run went. */
    outcome: Outcome;
}

/** What an extension proposes at a boundary. */
export interface TurnEndResult {
    /** Replaces the whole list of proposed entries. */
    entries?: EntryDraftInput[];
    /** Replaces the wish to go on. */
    continue?: boolean;
}

/** The messages of the next request. Handlers get a copy: changes hold for this request only. */
export interface ContextEvent {
    type: "context";
    /** A copy of the conversation: changing it changes this request only. */
    messages: Message[];
}

/** Other messages for the next request. */
export interface ContextResult {
    /** Replaces the list. */
    messages?: MessageInput[];
}

/** The messages of the next request with the system prompt as their first message. */
export interface ContextWithSystemEvent {
    type: "context_with_system";
    /** A copy of the conversation: changing it changes this request only. */
    messages: Message[];
}

/** Other messages for the next request. */
export interface ContextWithSystemResult {
    /** Replaces the list. */
    messages?: MessageInput[];
}

/** The HTTP headers of the next request, that for a summary included. */
export interface BeforeProviderHeadersEvent {
    type: "before_provider_headers";
    /** Header names and values; `null` removes a header. */
    headers: Record<string, string | null>;
}

/** The body of the next request, in the provider's own form. */
export interface BeforeProviderRequestEvent {
    type: "before_provider_request";
    /** The provider's native JSON, as earlier handlers left it. */
    payload: unknown;
}

/** Another body. Any JSON value is one. */
export type BeforeProviderRequestResult = unknown;

/** The provider answered; its body has not been read yet. */
export interface AfterProviderResponseEvent {
    type: "after_provider_response";
    /** HTTP status code. */
    status: number;
    /** Headers, names in lower case. */
    headers: Record<string, string>;
}

/** The provider sent an event of its answer: parsed, before tau normalises it. It is not saved or sent to clients. */
export interface ProviderStreamEventEvent {
    type: "provider_stream_event";
    /** The provider. */
    provider: string;
    /** The wire format. */
    api: string;
    /** The model that is asked. */
    model: string;
    /** The event as the provider sent it, parsed. */
    data: unknown;
}

/** A message begins. */
export interface MessageStartEvent {
    type: "message_start";
    /** The message as far as it is known. */
    message: Message;
}

/** An assistant message grew. */
export interface MessageUpdateEvent {
    type: "message_update";
    /** The message as it stands at this event. */
    message: Message;
    /** What arrived. */
    assistantMessageEvent: StreamUpdate;
}

/** A message is complete; it is kept in the session right after. A handler may replace it by one of the same role. */
export interface MessageEndEvent {
    type: "message_end";
    /** The message, as earlier handlers left it. */
    message: Message;
}

/** Another message in its place. */
export interface MessageEndResult {
    /** Replaces the message; the role must stay the same. */
    message?: MessageInput;
}

/** A call was taken up, before it is validated or allowed. */
export interface ToolExecutionStartEvent {
    type: "tool_execution_start";
    /** The id the model gave the call. */
    toolCallId: string;
    /** The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`. */
    parentToolCallId?: string;
    /** The tool's name. */
    toolName: string;
    /** The arguments as the model sent them. */
    args: unknown;
}

/** The model wants to run a tool: the gate. It stays shut when a handler fails in any way. */
export interface ToolCallEvent {
    type: "tool_call";
    /** The tool's name. */
    toolName: string;
    /** The id the model gave the call. */
    toolCallId: string;
    /** The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`. */
    parentToolCallId?: string;
    /** The validated arguments, as earlier handlers left them. */
    input: unknown;
}

/** Whether the call may run. */
export interface ToolCallResult {
    /** `true` keeps the tool from running. `null` is no decision: a result that says it is malformed. */
    block?: boolean;
    /** What the model reads instead of a result. */
    reason?: string;
    /** With `block`: ask to end the run after this batch of calls. */
    terminate?: boolean;
}

/** A running tool reported a partial result. */
export interface ToolExecutionUpdateEvent {
    type: "tool_execution_update";
    /** The id the model gave the call. */
    toolCallId: string;
    /** The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`. */
    parentToolCallId?: string;
    /** The tool's name. */
    toolName: string;
    /** The arguments as the model sent them. */
    args: unknown;
    /** Everything so far. */
    partialResult: unknown;
}

/** A tool returned or failed. Handlers may replace any field, also of a failure. When tau ends a handler before it answers, nobody gets the result. */
export interface ToolResultEvent {
    type: "tool_result";
    /** The tool's name. */
    toolName: string;
    /** The id the model gave the call. */
    toolCallId: string;
    /** The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`. */
    parentToolCallId?: string;
    /** The arguments the tool ran with. */
    input: unknown;
    /** What the model will see, as earlier handlers left it. */
    content: ContentBlock[];
    /** What renderers will see, as earlier handlers left it. */
    details?: unknown;
    /** The result as data, for programs that call the tool, as earlier handlers left it. A handler that takes something out of `content` takes it out of this too, or drops it by saying nothing about it. */
    structuredContent?: unknown;
    /** Whether the call counts as failed, as earlier handlers left it. */
    isError: boolean;
    /** Tokens the tool itself spent. */
    usage?: Usage;
}

/** Fields to replace in the result. */
export interface ToolResultResult {
    /** What the model sees. Without `structuredContent` beside it, the result as data is dropped. */
    content?: ContentBlock[];
    /** What renderers see. */
    details?: unknown;
    /** The result as data, for programs that call the tool. */
    structuredContent?: unknown;
    /** Whether the call counts as failed. A change drops the result as data, unless `structuredContent` is beside it. */
    isError?: boolean;
    /** Tokens the tool itself spent. */
    usage?: UsageInput;
}

/** A call is over. */
export interface ToolExecutionEndEvent {
    type: "tool_execution_end";
    /** The id the model gave the call. */
    toolCallId: string;
    /** The id of the call that made this one, when a tool called a tool; such a call has the id `<parent>/<n>`. */
    parentToolCallId?: string;
    /** The tool's name. */
    toolName: string;
    /** Content and details as the model and renderers will see them, and the result as data. */
    result: unknown;
    /** Whether the call counts as failed. */
    isError: boolean;
    /** How long the tool ran, in milliseconds; absent when it did not run. */
    durationMs?: number;
}

/** The user runs a shell command with `!`: a gate, and a way to run the command elsewhere. */
export interface UserBashEvent {
    type: "user_bash";
    /** The command line. */
    command: string;
    /** `!!`: the model will not see the output. */
    excludeFromContext: boolean;
    /** The working directory. */
    cwd: string;
}

/** What happens in place of running the command: `operations`, an object whose `exec(command, cwd, options)` runs it, or `result`, which is shown as what it gave. Exactly one of them is given. To block the command, throw an error: its message is shown. */
export interface UserBashResult {
    /** What running it gave. */
    result?: BashResult;
}

/** Another model was chosen. */
export interface ModelSelectEvent {
    type: "model_select";
    /** The new model. */
    model: Model;
    /** The model before. */
    previousModel?: Model;
    /** How it was chosen. */
    source: ModelSelectSource;
}

/** Another thinking level was chosen. */
export interface ThinkingLevelSelectEvent {
    type: "thinking_level_select";
    /** The new level. */
    level: ThinkingLevel;
    /** The level before. */
    previousLevel: ThinkingLevel;
}

/** The session got another name. */
export interface SessionInfoChangedEvent {
    type: "session_info_changed";
    /** The name; absent when it was cleared. */
    name?: string;
}

/** An extension registered an MCP server, or removed one, after the session began. */
export interface McpServersChangeEvent {
    type: "mcp_servers_change";
    /** All of them, in the order in which they were registered. */
    servers: RegisteredMcpServer[];
}

/** The first blocking dialog opened. */
export interface UiPromptStartEvent {
    type: "ui_prompt_start";
    /** Always `ui_prompt`. */
    reason: string;
    /** The kind of dialog. */
    kind: PromptKind;
    /** Its title. */
    title?: string;
}

/** The last blocking dialog closed. */
export interface UiPromptEndEvent {
    type: "ui_prompt_end";
    /** Always `ui_prompt`. */
    reason: string;
    /** The kind of dialog. */
    kind: PromptKind;
    /** Its title. */
    title?: string;
}

/** The prompt of the last request is about to leave the provider's cache, while a run is under way or nothing runs. */
export interface CacheWarmingDecisionEvent {
    type: "cache_warming_decision";
    /** What the refresh costs, in US dollars. */
    warmCost: number;
    /** What the next request costs more without it, in US dollars. */
    missCost: number;
    /** How likely the next request comes in time, 0 to 1. During a run it is 1. */
    continuationProbability: number;
    /** What tau would do. */
    action: CacheWarmingAction;
}

/** A decision on the cache. */
export interface CacheWarmingDecisionResult {
    /** What to do. */
    action?: CacheWarmingAction;
}

/** Another session is about to replace this one. */
export interface SessionBeforeSwitchEvent {
    type: "session_before_switch";
    /** `new` or `resume`. */
    reason: SwitchReason;
    /** The session file to open, for `resume`. */
    targetSessionFile?: string;
}

/** Whether to go on, for `session_before_switch`. */
export interface SessionBeforeSwitchResult {
    /** `true` stops it. */
    cancel?: boolean;
}

/** Another session replaced the one before; derived from `session_start` with reason `new` or `resume`. */
export interface SessionSwitchEvent {
    type: "session_switch";
    /** `new` or `resume`. */
    reason: SwitchReason;
    /** The session file before. */
    previousSessionFile?: string;
}

/** The session is about to be forked. */
export interface SessionBeforeForkEvent {
    type: "session_before_fork";
    /** The entry to fork at. */
    entryId: string;
    /** Whether that entry is left out (`before`) or kept (`at`). */
    position: ForkPosition;
}

/** Whether and how to fork. */
export interface SessionBeforeForkResult {
    /** `true` stops it. */
    cancel?: boolean;
    /** `true` forks without taking the conversation back. */
    skipConversationRestore?: boolean;
}

/** The session was forked; derived from `session_start` with reason `fork`. */
export interface SessionForkEvent {
    type: "session_fork";
    /** The session file before. */
    previousSessionFile?: string;
}

/** The conversation is about to be compacted. */
export interface SessionBeforeCompactEvent {
    type: "session_before_compact";
    /** What would be summarised and what kept. */
    preparation: CompactionPreparation;
    /** The entries of the branch. */
    branchEntries: unknown[];
    /** What the user asked the summary to look at. */
    customInstructions?: string;
    /** Why. */
    reason: CompactReason;
    /** Whether a failed request is repeated afterwards. */
    willRetry: boolean;
}

/** Whether and how to compact. */
export interface SessionBeforeCompactResult {
    /** `true` stops it. */
    cancel?: boolean;
    /** A summary to use instead of asking the model. */
    compaction?: CompactionResult;
}

/** The conversation was compacted. */
export interface SessionCompactEvent {
    type: "session_compact";
    /** The new entry. */
    compactionEntry: unknown;
    /** Whether the summary is an extension's. */
    fromExtension: boolean;
    /** Why. */
    reason: CompactReason;
    /** Whether a failed request is repeated now. */
    willRetry: boolean;
}

/** The conversation was not compacted. */
export interface SessionCompactFailedEvent {
    type: "session_compact_failed";
    /** Why it was tried. */
    reason: CompactReason;
    /** What went wrong. */
    errorMessage?: string;
    /** Somebody stopped it. */
    aborted: boolean;
    /** Whether a failed request would have been repeated. */
    willRetry: boolean;
    /** Whether an extension was at it. */
    fromExtension: boolean;
}

/** The user is about to move to another place of the tree. */
export interface SessionBeforeTreeEvent {
    type: "session_before_tree";
    /** Where from, where to, and what would be summarised. */
    preparation: TreePreparation;
}

/** Whether and how to move in the tree. */
export interface SessionBeforeTreeResult {
    /** `true` stops it. */
    cancel?: boolean;
    /** A summary of the branch that is left. */
    summary?: TreeSummary;
    /** What the summary should look at. */
    customInstructions?: string;
    /** Whether that replaces the standard instructions. */
    replaceInstructions?: boolean;
    /** A bookmark for the summary, or for the target when there is none. */
    label?: string;
}

/** The user moved to another place of the tree. */
export interface SessionTreeEvent {
    type: "session_tree";
    /** The leaf now. */
    newLeafId: string | null;
    /** The leaf before. */
    oldLeafId: string | null;
    /** The summary of the branch that was left. */
    summaryEntry?: unknown;
    /** Whether the summary is an extension's. */
    fromExtension?: boolean;
}

/** The session is about to end: exactly once, however it ends. All handlers together get a few seconds. */
export interface SessionShutdownEvent {
    type: "session_shutdown";
    /** Why. */
    reason: SessionShutdownReason;
    /** The session file that comes next. */
    targetSessionFile?: string;
}

/** A summary is about to be asked of the model. */
export interface SessionCompactingEvent {
    type: "session.compacting";
    /** The session's id. */
    sessionId: string;
    /** What will be summarised. */
    messages: Message[];
}

/** How to ask for the summary. */
export interface SessionCompactingResult {
    /** Facts the summary should keep. */
    context?: string[];
    /** Replaces the standard instructions. */
    prompt?: string;
    /** Data to keep with the compaction. */
    preserveData?: unknown;
}

/** Compaction began by itself. */
export interface AutoCompactionStartEvent {
    type: "auto_compaction_start";
    /** Why. */
    reason: CompactReason;
    /** What is done about it. */
    action: string;
}

/** Compaction that began by itself is over. */
export interface AutoCompactionEndEvent {
    type: "auto_compaction_end";
    /** What was done. */
    action: string;
    /** The summary. */
    result?: unknown;
    /** Somebody stopped it. */
    aborted: boolean;
    /** Whether a failed request is repeated now. */
    willRetry: boolean;
    /** What went wrong. */
    errorMessage?: string;
    /** There was nothing to do. */
    skipped?: boolean;
}

/** A failed request will be repeated. */
export interface AutoRetryStartEvent {
    type: "auto_retry_start";
    /** Counts from 1. */
    attempt: number;
    /** How many there will be. */
    maxAttempts: number;
    /** Milliseconds until the request. */
    delayMs: number;
    /** Why the last one failed. */
    errorMessage: string;
}

/** A failed request was repeated for the last time. */
export interface AutoRetryEndEvent {
    type: "auto_retry_end";
    /** Whether it worked. */
    success: boolean;
    /** How many attempts it took. */
    attempt: number;
    /** Why it did not. */
    finalError?: string;
}

/** A rule matched what the model was writing. */
export interface TtsrTriggeredEvent {
    type: "ttsr_triggered";
    /** The rules that the model is told now. */
    rules: StreamRule[];
}

/** The model stopped with open items on its list. */
export interface TodoReminderEvent {
    type: "todo_reminder";
    /** The open items. */
    todos: TodoItem[];
    /** Counts from 1. */
    attempt: number;
    /** How many reminders there will be. */
    maxAttempts: number;
}

/** What the model answered. */
export interface AssistantMessage {
    /** Text, thinking and tool calls, in the order they were generated. */
    content: ContentBlock[];
    /** The wire format, for example `anthropic-messages`. */
    api: string;
    /** The provider's name. */
    provider: string;
    /** The model's id. */
    model: string;
    /** Tokens and cost of the request that produced this message. */
    usage: Usage;
    /** Why generation ended. */
    stopReason: StopReason;
    /** What went wrong, when `stop_reason` is `error` or `aborted`. */
    errorMessage?: string;
    /** Milliseconds since the Unix epoch. */
    timestamp: number;
    [key: string]: unknown;
}

/** What the model answered. */
export interface AssistantMessageInput {
    /** Text, thinking and tool calls, in the order they were generated. */
    content?: ContentBlock[];
    /** The wire format, for example `anthropic-messages`. */
    api?: string;
    /** The provider's name. */
    provider?: string;
    /** The model's id. */
    model?: string;
    /** Tokens and cost of the request that produced this message. */
    usage?: UsageInput;
    /** Why generation ended. */
    stopReason?: StopReason;
    /** What went wrong, when `stop_reason` is `error` or `aborted`. */
    errorMessage?: string;
    /** Milliseconds since the Unix epoch. */
    timestamp?: number;
    [key: string]: unknown;
}

/** A shell command the user ran with `!`. */
export interface BashExecutionMessage {
    /** The command line. */
    command: string;
    /** Sanitised, possibly truncated output. */
    output: string;
    /** Exit code; absent when the command was killed. */
    exitCode?: number;
    /** The user stopped it. */
    cancelled: boolean;
    /** `output` is not all of it. */
    truncated: boolean;
    /** Where all of it is. */
    fullOutputPath?: string;
    /** Milliseconds since the Unix epoch. */
    timestamp: number;
    /** `!!`: the model never sees it. */
    excludeFromContext?: boolean;
    [key: string]: unknown;
}

/** A shell command the user ran with `!`. */
export interface BashExecutionMessageInput {
    /** The command line. */
    command: string;
    /** Sanitised, possibly truncated output. */
    output?: string;
    /** Exit code; absent when the command was killed. */
    exitCode?: number;
    /** The user stopped it. */
    cancelled?: boolean;
    /** `output` is not all of it. */
    truncated?: boolean;
    /** Where all of it is. */
    fullOutputPath?: string;
    /** Milliseconds since the Unix epoch. */
    timestamp?: number;
    /** `!!`: the model never sees it. */
    excludeFromContext?: boolean;
    [key: string]: unknown;
}

/** What a shell command gave. */
export interface BashResult {
    /** Its output. */
    output: string;
    /** Its exit code; absent when it was killed. */
    exitCode?: number;
    /** The user stopped it. */
    cancelled: boolean;
    /** `output` is not all of it. */
    truncated: boolean;
    /** Where all of it is. */
    fullOutputPath?: string;
}

/** What the next request would look like if the proposed entries were appended. */
export interface BoundaryPreview {
    /** The session's entries that count for the model, with the proposed ones, and the messages each contributes. */
    contextEntries: ContextEntries;
    /** The conversation with the proposed entries. */
    contextMessages: Message[];
    /** The same as the model would see it. */
    llmMessages: Message[];
    /** Queued messages. */
    pendingMessages: Message[];
    /** Whether another request could be made. */
    canContinue: boolean;
}

/** Stands for a branch that was left. */
export interface BranchSummaryMessage {
    /** The summary. */
    summary: string;
    /** The entry the branch is named by. */
    fromId: string;
    /** Milliseconds since the Unix epoch. */
    timestamp: number;
    [key: string]: unknown;
}

/** Stands for a branch that was left. */
export interface BranchSummaryMessageInput {
    /** The summary. */
    summary: string;
    /** The entry the branch is named by. */
    fromId?: string;
    /** Milliseconds since the Unix epoch. */
    timestamp?: number;
    [key: string]: unknown;
}

/** Whether to refresh the provider's cache. */
export type CacheWarmingAction =
    /** Refresh it. */
    | "warm"
    /** Let it expire, until the next request. */
    | "stop";

/** Why a conversation is compacted. */
export type CompactReason =
    /** The user asked. */
    | "manual"
    /** The context is nearly full. */
    | "threshold"
    /** The provider refused the context as too large. */
    | "overflow";

/** When a conversation is compacted and how much of it stays. */
export interface CompactionNumbers {
    /** Whether it happens by itself. */
    enabled: boolean;
    /** Tokens kept free for the answer. */
    reserveTokens: number;
    /** Tokens of recent history left as they are. */
    keepRecentTokens: number;
}

/** What a compaction would summarise and what it would keep. */
export interface CompactionPreparation {
    /** The first entry that is kept. */
    firstKeptEntryId: string;
    /** The messages that a summary will stand for. */
    messagesToSummarize: Message[];
    /** The beginning of a turn whose end is kept; summarised by itself. */
    turnPrefixMessages: Message[];
    /** Whether the cut lies within a turn. */
    isSplitTurn: boolean;
    /** Size of the context now, in tokens. */
    tokensBefore: number;
    /** The summary of the compaction before, which the new one will go on from. */
    previousSummary?: string;
    /** What extensions kept beside the summary before. */
    previousPreserveData?: unknown;
    /** The files that tools touched in what is summarised. */
    fileOps: FileOps;
    /** The settings that apply. */
    settings: CompactionNumbers;
}

/** A summary that stands for compacted messages. */
export interface CompactionResult {
    /** The summary. */
    summary: string;
    /** The first entry that is kept; empty to keep none. */
    firstKeptEntryId: string;
    /** Size of the context before, in tokens. Estimates of extensions may have fractions, which are cut off. */
    tokensBefore?: number;
    /** Data of the extension. */
    details?: unknown;
    /** Tokens spent on the summary. */
    usage?: UsageInput;
    /** Data that is kept beside the summary; handlers of the next compaction get it. */
    preserveData?: unknown;
}

/** Stands for messages that were compacted away. */
export interface CompactionSummaryMessage {
    /** The summary. */
    summary: string;
    /** Size of the context before compaction, in tokens. */
    tokensBefore: number;
    /** Milliseconds since the Unix epoch. */
    timestamp: number;
    [key: string]: unknown;
}

/** Stands for messages that were compacted away. */
export interface CompactionSummaryMessageInput {
    /** The summary. */
    summary: string;
    /** Size of the context before compaction, in tokens. */
    tokensBefore?: number;
    /** Milliseconds since the Unix epoch. */
    timestamp?: number;
    [key: string]: unknown;
}

/** One block of message content. A block of a type this version does not know is kept verbatim, so that a session written by a newer program survives a round trip. */
export type ContentBlock =
    /** Plain text. */
    | TextBlock & {
        type: "text";
    }
    /** Reasoning of the model. */
    | ThinkingBlock & {
        type: "thinking";
    }
    /** A picture. */
    | ImageBlock & {
        type: "image";
    }
    /** A request of the model to run a tool. */
    | ToolCallBlock & {
        type: "toolCall";
    };

/** Entries of a branch and the messages they contribute. */
export type ContextEntries = {
    /** The entry as it is in the file. */
    sourceEntry: Record<string, unknown>;
    /** Its message, or none. */
    messages: Message[];
}[];

/** Money, in US dollars. */
export interface Cost {
    /** For prompt tokens outside the cache. */
    input: number;
    /** For generated tokens. */
    output: number;
    /** For prompt tokens read from the cache. */
    cacheRead: number;
    /** For prompt tokens written to the cache. */
    cacheWrite: number;
    /** The sum, or what the provider says it charged. */
    total: number;
    /** Whether `total` is the provider's; absent where nobody knows the price. */
    totalFromProvider?: boolean;
}

/** Money, in US dollars. */
export interface CostInput {
    /** For prompt tokens outside the cache. */
    input?: number;
    /** For generated tokens. */
    output?: number;
    /** For prompt tokens read from the cache. */
    cacheRead?: number;
    /** For prompt tokens written to the cache. */
    cacheWrite?: number;
    /** The sum, or what the provider says it charged. */
    total?: number;
    /** Whether `total` is the provider's; absent where nobody knows the price. */
    totalFromProvider?: boolean;
}

/** Prices of long prompts, in US dollars per million tokens. */
export interface CostTier {
    /** The tier applies to prompts of more tokens than this, cached ones included. */
    inputTokensAbove: number;
    /** Prompt tokens. */
    input: number;
    /** Generated tokens. */
    output: number;
    /** Prompt tokens read from the cache. */
    cacheRead: number;
    /** Prompt tokens written to the cache. */
    cacheWrite: number;
}

/** A message of an extension that is not in the session yet. */
export interface CustomDraft {
    /** Names the kind of message. */
    customType?: string;
    /** What the model sees. */
    content?: MessageContent;
    /** Whether a user interface shows it. */
    display?: boolean;
    /** Data for renderers and for restoring state. */
    details?: unknown;
}

/** A message of an extension. */
export interface CustomMessage {
    /** Names the kind of message; chooses the renderer. */
    customType: string;
    /** What the model sees. */
    content: MessageContent;
    /** Whether a user interface shows it. The model sees it either way. */
    display: boolean;
    /** Data for renderers and for restoring state. */
    details?: unknown;
    /** Milliseconds since the Unix epoch. */
    timestamp: number;
    [key: string]: unknown;
}

/** A message of an extension. */
export interface CustomMessageInput {
    /** Names the kind of message; chooses the renderer. */
    customType: string;
    /** What the model sees. */
    content?: MessageContent;
    /** Whether a user interface shows it. The model sees it either way. */
    display?: boolean;
    /** Data for renderers and for restoring state. */
    details?: unknown;
    /** Milliseconds since the Unix epoch. */
    timestamp?: number;
    [key: string]: unknown;
}

/** Why resources are collected. */
export type DiscoverReason =
    /** A session begins. */
    | "startup"
    /** The user asked to reload. */
    | "reload";

/** An entry an extension proposes to append. */
export type EntryDraft =
    /** State that the model never sees. */
    | {
        type: "custom";
        /** Names the kind of entry. */
        customType: string;
        /** The state. */
        data?: unknown;
    }
    /** A message for the model. */
    | {
        type: "custom_message";
        /** Names the kind of message. */
        customType: string;
        /** What the model sees. */
        content: MessageContent;
        /** Whether a user interface shows it. */
        display: boolean;
        /** Data for renderers. */
        details?: unknown;
    }
    /** Replaces or removes the content of an earlier message for the model; the file keeps the original. */
    | {
        type: "context_edit";
        /** The entry. */
        targetId: string;
        /** `null` removes the message, `{content}` replaces its content. */
        replacement: Replacement | null;
    }
    /** Replaces everything before an entry by a summary. */
    | {
        type: "compaction";
        /** The summary. */
        summary: string;
        /** The first entry that stays; `null` keeps none. */
        firstKeptEntryId: string | null;
        /** Data of the extension. */
        details?: unknown;
        /** Tokens spent on the summary. */
        usage?: Usage;
    };

/** An entry an extension proposes to append. */
export type EntryDraftInput =
    /** State that the model never sees. */
    | {
        type: "custom";
        /** Names the kind of entry. */
        customType?: string;
        /** The state. */
        data?: unknown;
    }
    /** A message for the model. */
    | {
        type: "custom_message";
        /** Names the kind of message. */
        customType?: string;
        /** What the model sees. */
        content: MessageContent;
        /** Whether a user interface shows it. */
        display?: boolean;
        /** Data for renderers. */
        details?: unknown;
    }
    /** Replaces or removes the content of an earlier message for the model; the file keeps the original. */
    | {
        type: "context_edit";
        /** The entry. */
        targetId: string;
        /** `null` removes the message, `{content}` replaces its content. */
        replacement?: Replacement | null;
    }
    /** Replaces everything before an entry by a summary. */
    | {
        type: "compaction";
        /** The summary. */
        summary: string;
        /** The first entry that stays; `null` keeps none. */
        firstKeptEntryId?: string | null;
        /** Data of the extension. */
        details?: unknown;
        /** Tokens spent on the summary. */
        usage?: UsageInput;
    };

/** Files that tools touched, each once, in the order of the first touch. */
export interface FileOps {
    /** Files that were read. */
    read: string[];
    /** Files that were written. */
    written: string[];
    /** Files that were edited. */
    edited: string[];
}

/** Whether the entry at which a session is forked is kept. */
export type ForkPosition =
    /** Left out. */
    | "before"
    /** Kept. */
    | "at";

/** A picture. */
export interface ImageBlock {
    /** The file's bytes, base64 (standard alphabet, padded). */
    data: string;
    /** For example `image/png`. */
    mimeType: string;
    [key: string]: unknown;
}

/** What a prompt may contain. */
export type InputKind =
    /** Text. */
    | "text"
    /** Pictures. */
    | "image";

/** Where text comes from. */
export type InputSource =
    /** A person: the terminal, or the prompt of print and JSON mode. */
    | "interactive"
    /** A client over RPC. */
    | "rpc"
    /** An extension. */
    | "extension";

/** One message of a conversation. The first three roles are what a provider understands; the others are turned into those before a request. A message of an unknown role is kept verbatim. */
export type Message =
    /** What the user said. */
    | UserMessage & {
        role: "user";
    }
    /** What the model answered. */
    | AssistantMessage & {
        role: "assistant";
    }
    /** What a tool returned. */
    | ToolResultMessage & {
        role: "toolResult";
    }
    /** A message of an extension; the model sees it as a user message. */
    | CustomMessage & {
        role: "custom";
    }
    /** A shell command the user ran with `!`. */
    | BashExecutionMessage & {
        role: "bashExecution";
    }
    /** Stands for messages that were compacted away. */
    | CompactionSummaryMessage & {
        role: "compactionSummary";
    }
    /** Stands for a branch that was left. */
    | BranchSummaryMessage & {
        role: "branchSummary";
    }
    /** A system prompt in a transcript of another program; tau reads but never writes these. */
    | SystemMessage & {
        role: "system";
    };

/** Message content: a bare string or a list of blocks. */
export type MessageContent =
    /** A bare string. */
    | string
    /** Blocks. */
    | ContentBlock[];

/** One message of a conversation. The first three roles are what a provider understands; the others are turned into those before a request. A message of an unknown role is kept verbatim. */
export type MessageInput =
    /** What the user said. */
    | UserMessageInput & {
        role: "user";
    }
    /** What the model answered. */
    | AssistantMessageInput & {
        role: "assistant";
    }
    /** What a tool returned. */
    | ToolResultMessageInput & {
        role: "toolResult";
    }
    /** A message of an extension; the model sees it as a user message. */
    | CustomMessageInput & {
        role: "custom";
    }
    /** A shell command the user ran with `!`. */
    | BashExecutionMessageInput & {
        role: "bashExecution";
    }
    /** Stands for messages that were compacted away. */
    | CompactionSummaryMessageInput & {
        role: "compactionSummary";
    }
    /** Stands for a branch that was left. */
    | BranchSummaryMessageInput & {
        role: "branchSummary";
    }
    /** A system prompt in a transcript of another program; tau reads but never writes these. */
    | SystemMessageInput & {
        role: "system";
    };

/** A model of a provider. */
export interface Model {
    /** The id sent to the provider. */
    id: string;
    /** The name shown to people. */
    name: string;
    /** The wire format, for example `anthropic-messages`. */
    api: string;
    /** The provider's name. */
    provider: string;
    /** Root of the provider's HTTP interface. */
    baseUrl: string;
    /** The model can think before it answers. */
    reasoning: boolean;
    /** Level names the provider uses; `null` marks a level it does not have. */
    thinkingLevelMap?: Record<string, string | null>;
    /** What a prompt may contain. */
    input: InputKind[];
    /** Prices. */
    cost: ModelCost;
    /** Size of the context, in tokens. */
    contextWindow: number;
    /** Most tokens of one answer. */
    maxTokens: number;
    /** Headers sent with every request to this model. */
    headers?: Record<string, string>;
    [key: string]: unknown;
}

/** Prices in US dollars per million tokens. */
export interface ModelCost {
    /** Prompt tokens. */
    input: number;
    /** Generated tokens. */
    output: number;
    /** Prompt tokens read from the cache. */
    cacheRead: number;
    /** Prompt tokens written to the cache. */
    cacheWrite: number;
    /** Prices that replace the ones above once a prompt grows past a size. */
    tiers?: CostTier[];
}

/** How a model was chosen. */
export type ModelSelectSource =
    /** By name. */
    | "set"
    /** By cycling. */
    | "cycle"
    /** From a session. */
    | "restore";

/** How a run or turn went. */
export type Outcome =
    /** As it should. */
    | "completed"
    /** The user stopped it. */
    | "aborted"
    /** The request failed. */
    | "error";

/** What is asked of the user. */
export type PromptKind =
    /** A choice of several options. */
    | "select"
    /** Yes or no. */
    | "confirm"
    /** A line of text. */
    | "input"
    /** A longer text. */
    | "editor"
    /** A component of an extension. */
    | "custom";

/** A server that an extension registered. */
export interface RegisteredMcpServer {
    /** Its name. */
    name: string;
    /** How it is reached, as an entry of `mcp.json`. */
    config: unknown;
    /** The file of the extension. */
    extensionPath: string;
}

/** The content that replaces a message's own. */
export interface Replacement {
    /** The content. */
    content: MessageContent;
}

/** Why a session ends. */
export type SessionShutdownReason =
    /** The program ends. */
    | "quit"
    /** Extensions are reloaded. */
    | "reload"
    /** A new session begins. */
    | "new"
    /** Another session is opened. */
    | "resume"
    /** The session is forked. */
    | "fork";

/** Why a session started. */
export type SessionStartReason =
    /** The program started. */
    | "startup"
    /** Extensions were reloaded. */
    | "reload"
    /** The user began a new session. */
    | "new"
    /** The user went back to an old session. */
    | "resume"
    /** The user forked a session. */
    | "fork";

/** What a run begins with. */
export type StartedBy =
    /** A prompt. */
    | "user"
    /** A message of an extension that asked for a run. */
    | "custom";

/** Why a model stopped. */
export type StopReason =
    /** The answer is complete. */
    | "stop"
    /** The output limit was reached. */
    | "length"
    /** The model waits for tool results. */
    | "toolUse"
    /** The request failed; see `errorMessage`. */
    | "error"
    /** The user stopped the request. */
    | "aborted"
    /** A reason this version does not know. */
    | (string & {});

/** A rule that costs nothing until the model writes something it is about. */
export interface StreamRule {
    /** The name of its file, without extension. */
    name: string;
    /** Its file. */
    path: string;
    /** What the model is told. */
    content: string;
    /** It is only about these files. */
    globs?: string[];
    /** The field `alwaysApply` of its file. */
    alwaysApply?: boolean;
    /** What it is for. */
    description?: string;
    /** The first expression that calls it up; the older spelling. */
    ttsrTrigger: string;
    /** The expressions that call it up. */
    condition: string[];
    /** Where the expressions are looked for. */
    scope?: string[];
    /** When it interrupts the model: `never`, `prose-only`, `tool-only` or `always`. */
    interruptMode?: string;
    /** Where it was found. */
    _source: StreamRuleSource;
}

/** Where a rule was found. */
export interface StreamRuleSource {
    /** Whose folder it was found in. */
    provider: string;
    /** The same for people. */
    providerName: string;
    /** Its file. */
    path: string;
    /** `user` or `project`. */
    level: string;
}

/** One event of a growing message. */
export interface StreamUpdate {
    type: "text_start" | "text_delta" | "text_end" | "thinking_start" | "thinking_delta" | "thinking_end" | "toolcall_start" | "toolcall_delta" | "toolcall_end";
    /** The content block, from 0. */
    contentIndex: number;
    /** What arrived. */
    delta?: string;
    /** All of a finished block. */
    content?: string;
    /** The id of a tool call that began. */
    id?: string;
    /** The tool of a call that began. */
    toolName?: string;
    /** A finished tool call. */
    toolCall?: unknown;
    partial: Message;
}

/** What happens to text that arrives while a run is under way. */
export type StreamingBehavior =
    /** The model sees it before its next request. */
    | "steer"
    /** The model sees it when it would otherwise stop. */
    | "followUp";

/** Why a session is replaced. */
export type SwitchReason =
    /** A new session. */
    | "new"
    /** An old session. */
    | "resume";

/** A system prompt in a transcript of another program. */
export interface SystemMessage {
    /** The prompt. */
    content: MessageContent;
    /** Milliseconds since the Unix epoch. */
    timestamp: number;
    [key: string]: unknown;
}

/** A system prompt in a transcript of another program. */
export interface SystemMessageInput {
    /** The prompt. */
    content?: MessageContent;
    /** Milliseconds since the Unix epoch. */
    timestamp?: number;
    [key: string]: unknown;
}

/** Plain text. */
export interface TextBlock {
    /** The text. */
    text: string;
    /** Opaque provider token that must be sent back with this block. */
    textSignature?: string;
    [key: string]: unknown;
}

/** Reasoning of the model. */
export interface ThinkingBlock {
    /** The reasoning as text; may be a summary or empty. */
    thinking: string;
    /** Opaque provider token that must be sent back with this block. */
    thinkingSignature?: string;
    /** The provider withheld the text; only the signature carries meaning. */
    redacted?: boolean;
    [key: string]: unknown;
}

/** How much a model thinks before it answers. */
export type ThinkingLevel =
    /** Not at all. */
    | "off"
    /** Barely. */
    | "minimal"
    /** A little. */
    | "low"
    /** Some. */
    | "medium"
    /** Much. */
    | "high"
    /** Very much. */
    | "xhigh"
    /** As much as the model can. */
    | "max";

/** An item of the model's list. */
export interface TodoItem {
    /** Names it within the list. */
    id: string;
    /** What is to be done. */
    content: string;
    /** `pending`, `in_progress` or `completed`. */
    status: string;
    /** How the work is called while it goes on. */
    activeForm?: string;
    /** Remarks. */
    notes?: string;
    /** More about it. */
    details?: string;
}

/** A request of the model to run a tool. */
export interface ToolCallBlock {
    /** The call's id; the result names it. */
    id: string;
    /** The tool's name. */
    name: string;
    /** The arguments as the model sent them; an empty object when `argumentsError` is there. */
    arguments: unknown;
    /** Why the arguments cannot be used, followed by their text. Such a call never runs. */
    argumentsError?: string;
    /** Opaque provider token that must be sent back with this block. */
    thoughtSignature?: string;
    [key: string]: unknown;
}

/** What a tool returned. */
export interface ToolResultMessage {
    /** The id of the call this answers. */
    toolCallId: string;
    /** The tool's name. */
    toolName: string;
    /** What the model sees. */
    content: ContentBlock[];
    /** What renderers and extensions see; tool-specific. */
    details?: unknown;
    /** Tokens the tool itself spent. */
    usage?: Usage;
    /** The tool failed, was blocked or was skipped. */
    isError: boolean;
    /** Milliseconds since the Unix epoch. */
    timestamp: number;
    [key: string]: unknown;
}

/** What a tool returned. */
export interface ToolResultMessageInput {
    /** The id of the call this answers. */
    toolCallId: string;
    /** The tool's name. */
    toolName: string;
    /** What the model sees. */
    content?: ContentBlock[];
    /** What renderers and extensions see; tool-specific. */
    details?: unknown;
    /** Tokens the tool itself spent. */
    usage?: UsageInput;
    /** The tool failed, was blocked or was skipped. */
    isError?: boolean;
    /** Milliseconds since the Unix epoch. */
    timestamp?: number;
    [key: string]: unknown;
}

/** What a move in the tree would be. */
export interface TreePreparation {
    /** The entry that was chosen. */
    targetId: string;
    /** The leaf now. */
    oldLeafId: string | null;
    /** The last entry that both places have behind them. */
    commonAncestorId: string | null;
    /** The entries of the branch that is left, oldest first. */
    entriesToSummarize: unknown[];
    /** Whether the user asked for a summary of them. */
    userWantsSummary: boolean;
    /** What the user asked the summary to look at. */
    customInstructions?: string;
    /** Whether that replaces the standard instructions. */
    replaceInstructions?: boolean;
    /** The bookmark the user wants. */
    label?: string;
}

/** A summary of a branch. */
export interface TreeSummary {
    /** The summary. */
    summary: string;
    /** Data of the extension. */
    details?: unknown;
    /** Tokens spent on the summary. */
    usage?: UsageInput;
}

/** A decision on trust. */
export type TrustDecision =
    /** Trusted. */
    | "yes"
    /** Not trusted. */
    | "no"
    /** Somebody else shall decide. */
    | "undecided";

/** Tokens of one request, as the provider counted them. */
export interface Usage {
    /** Prompt tokens that were neither read from nor written to the cache. */
    input: number;
    /** Generated tokens, reasoning included. */
    output: number;
    /** Prompt tokens read from the provider's cache. */
    cacheRead: number;
    /** Prompt tokens written to the provider's cache. */
    cacheWrite: number;
    /** Generated tokens that were reasoning, where the provider counts them; part of `output`. */
    reasoning?: number;
    /** All tokens of the request. */
    totalTokens: number;
    /** What they cost, in US dollars. */
    cost: Cost;
    [key: string]: unknown;
}

/** Tokens of one request, as the provider counted them. */
export interface UsageInput {
    /** Prompt tokens that were neither read from nor written to the cache. */
    input?: number;
    /** Generated tokens, reasoning included. */
    output?: number;
    /** Prompt tokens read from the provider's cache. */
    cacheRead?: number;
    /** Prompt tokens written to the provider's cache. */
    cacheWrite?: number;
    /** Generated tokens that were reasoning, where the provider counts them; part of `output`. */
    reasoning?: number;
    /** All tokens of the request. */
    totalTokens?: number;
    /** What they cost, in US dollars. */
    cost?: CostInput;
    [key: string]: unknown;
}

/** What the user said. */
export interface UserMessage {
    /** Text and images. */
    content: MessageContent;
    /** Milliseconds since the Unix epoch. */
    timestamp: number;
    [key: string]: unknown;
}

/** What the user said. */
export interface UserMessageInput {
    /** Text and images. */
    content?: MessageContent;
    /** Milliseconds since the Unix epoch. */
    timestamp?: number;
    [key: string]: unknown;
}

/** All events by name: what a handler gets and what it may return. */
export interface TauEvents {
    session_directory: { event: SessionDirectoryEvent; result: SessionDirectoryResult };
    project_trust: { event: ProjectTrustEvent; result: ProjectTrustResult };
    session_start: { event: SessionStartEvent; result: void };
    resources_discover: { event: ResourcesDiscoverEvent; result: ResourcesDiscoverResult };
    input: { event: InputEvent; result: InputResult };
    before_agent_start: { event: BeforeAgentStartEvent; result: BeforeAgentStartResult };
    agent_start: { event: AgentStartEvent; result: void };
    agent_end: { event: AgentEndEvent; result: void };
    agent_before_settle: { event: AgentBeforeSettleEvent; result: AgentBeforeSettleResult };
    agent_settled: { event: AgentSettledEvent; result: void };
    turn_start: { event: TurnStartEvent; result: void };
    turn_end: { event: TurnEndEvent; result: TurnEndResult };
    context: { event: ContextEvent; result: ContextResult };
    context_with_system: { event: ContextWithSystemEvent; result: ContextWithSystemResult };
    before_provider_headers: { event: BeforeProviderHeadersEvent; result: void };
    before_provider_request: { event: BeforeProviderRequestEvent; result: BeforeProviderRequestResult };
    after_provider_response: { event: AfterProviderResponseEvent; result: void };
    provider_stream_event: { event: ProviderStreamEventEvent; result: void };
    message_start: { event: MessageStartEvent; result: void };
    message_update: { event: MessageUpdateEvent; result: void };
    message_end: { event: MessageEndEvent; result: MessageEndResult };
    tool_execution_start: { event: ToolExecutionStartEvent; result: void };
    tool_call: { event: ToolCallEvent; result: ToolCallResult };
    tool_execution_update: { event: ToolExecutionUpdateEvent; result: void };
    tool_result: { event: ToolResultEvent; result: ToolResultResult };
    tool_execution_end: { event: ToolExecutionEndEvent; result: void };
    user_bash: { event: UserBashEvent; result: UserBashResult };
    model_select: { event: ModelSelectEvent; result: void };
    thinking_level_select: { event: ThinkingLevelSelectEvent; result: void };
    session_info_changed: { event: SessionInfoChangedEvent; result: void };
    mcp_servers_change: { event: McpServersChangeEvent; result: void };
    ui_prompt_start: { event: UiPromptStartEvent; result: void };
    ui_prompt_end: { event: UiPromptEndEvent; result: void };
    cache_warming_decision: { event: CacheWarmingDecisionEvent; result: CacheWarmingDecisionResult };
    session_before_switch: { event: SessionBeforeSwitchEvent; result: SessionBeforeSwitchResult };
    session_switch: { event: SessionSwitchEvent; result: void };
    session_before_fork: { event: SessionBeforeForkEvent; result: SessionBeforeForkResult };
    session_fork: { event: SessionForkEvent; result: void };
    session_before_compact: { event: SessionBeforeCompactEvent & { signal: AbortSignal }; result: SessionBeforeCompactResult };
    session_compact: { event: SessionCompactEvent; result: void };
    session_compact_failed: { event: SessionCompactFailedEvent; result: void };
    session_before_tree: { event: SessionBeforeTreeEvent & { signal: AbortSignal }; result: SessionBeforeTreeResult };
    session_tree: { event: SessionTreeEvent; result: void };
    session_shutdown: { event: SessionShutdownEvent; result: void };
    "session.compacting": { event: SessionCompactingEvent; result: SessionCompactingResult };
    auto_compaction_start: { event: AutoCompactionStartEvent; result: void };
    auto_compaction_end: { event: AutoCompactionEndEvent; result: void };
    auto_retry_start: { event: AutoRetryStartEvent; result: void };
    auto_retry_end: { event: AutoRetryEndEvent; result: void };
    ttsr_triggered: { event: TtsrTriggeredEvent; result: void };
    todo_reminder: { event: TodoReminderEvent; result: void };
}

/** Any event. */
export type TauEvent = TauEvents[keyof TauEvents]["event"];

/** A handler of one event; returning nothing changes nothing. */
export type TauHandler<Name extends keyof TauEvents, Context = unknown> = (
    event: TauEvents[Name]["event"],
    ctx: Context,
) => TauEvents[Name]["result"] | null | undefined | void
    | Promise<TauEvents[Name]["result"] | null | undefined | void>;
