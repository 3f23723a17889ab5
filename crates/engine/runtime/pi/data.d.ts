// Types of the data that ops of extensions take and give: models, messages, entries of sessions, tools. Rows of their
// tables name them, and modules import them from `tau:ops`. Data may have fields and kinds beyond these: of tau alone, or
// of a newer version.

declare module "tau:ops" {
  /** Data as JSON holds it. */
  export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

  /** An object of JSON. */
  export type JsonObject = { [name: string]: Json };

  // ---- Models -----------------------------------------------------------------------------------------------

  /** How much a model thinks before it answers. */
  export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

  /** Prices in US dollars per million tokens. */
  export interface Prices {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
  }

  /** A model of a provider. */
  export interface Model {
    id: string;
    name: string;
    /** The wire format. */
    api: string;
    provider: string;
    baseUrl: string;
    reasoning: boolean;
    /** Level names that the provider uses; null marks a level that the model does not have. */
    thinkingLevelMap?: Partial<Record<ThinkingLevel, string | null>>;
    input: ("text" | "image")[];
    cost: Prices & { tiers?: (Prices & { inputTokensAbove: number })[] };
    contextWindow: number;
    maxTokens: number;
    headers?: Record<string, string>;
  }

  /** A model that cycling goes through. */
  export interface ScopedModel {
    model: Model;
    thinkingLevel?: ThinkingLevel;
  }

  /** The model that cycling came to. */
  export interface CycledModel {
    model: Model;
    thinkingLevel: ThinkingLevel;
    /** Whether the user chose which models to go through. */
    isScoped: boolean;
  }

  /** The credentials of a model, or why there are none. */
  export type ModelAuth =
    | { ok: true; apiKey: string | null; headers: Record<string, string>; env: Record<string, string> }
    | { ok: false; error: string; apiKey?: undefined; headers?: undefined; env?: undefined };

  /** Whether there are credentials for a provider, and where they come from. */
  export interface AuthStatus {
    configured: boolean;
    source?: "environment" | "runtime" | "stored" | "models_json_command" | "models_json_key" | "fallback";
    /** The variables of the environment that they come from. */
    label?: string;
  }

  // ---- Messages ---------------------------------------------------------------------------------------------

  /** Plain text. */
  export interface TextBlock {
    type: "text";
    text: string;
    textSignature?: string;
  }

  /** Reasoning of a model. */
  export interface ThinkingBlock {
    type: "thinking";
    thinking: string;
    thinkingSignature?: string;
    redacted?: boolean;
  }

  /** A picture, in base64. */
  export interface ImageBlock {
    type: "image";
    data: string;
    mimeType: string;
  }

  /** A request of a model to run a tool. */
  export interface ToolCallBlock {
    type: "toolCall";
    id: string;
    name: string;
    arguments: JsonObject;
    /** Why the arguments cannot be used. */
    argumentsError?: string;
    thoughtSignature?: string;
  }

  /** A part of a message. */
  export type ContentBlock = TextBlock | ThinkingBlock | ImageBlock | ToolCallBlock;

  /** Tokens of a request, and what they cost in US dollars. */
  export interface Usage {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    /** The part of `cacheWrite` that lives for an hour. */
    cacheWrite1h?: number;
    /** The part of `output` that was reasoning. */
    reasoning?: number;
    totalTokens: number;
    cost: Prices & { total: number; totalFromProvider?: boolean };
  }

  /** What the user said. */
  export interface UserMessage {
    role: "user";
    content: string | (TextBlock | ImageBlock)[];
    timestamp: number;
  }

  /** What a model answered. */
  export interface AssistantMessage {
    role: "assistant";
    content: (TextBlock | ThinkingBlock | ToolCallBlock)[];
    api: string;
    provider: string;
    model: string;
    usage: Usage;
    stopReason: "stop" | "length" | "toolUse" | "error" | "aborted" | "pending" | "deferred";
    errorMessage?: string;
    timestamp: number;
  }

  /** What a tool returned. */
  export interface ToolResultMessage {
    role: "toolResult";
    toolCallId: string;
    toolName: string;
    content: (TextBlock | ImageBlock)[];
    details?: Json;
    usage?: Usage;
    isError: boolean;
    timestamp: number;
  }

  /** A message of an extension. */
  export interface CustomMessage {
    role: "custom";
    customType: string;
    content: string | (TextBlock | ImageBlock)[];
    display: boolean;
    details?: unknown;
    timestamp: number;
  }

  /** A shell command that the user ran. */
  export interface BashExecutionMessage {
    role: "bashExecution";
    command: string;
    output: string;
    /** Missing when it was killed. */
    exitCode: number | undefined;
    cancelled: boolean;
    truncated: boolean;
    fullOutputPath?: string;
    timestamp: number;
    excludeFromContext?: boolean;
  }

  /** Stands for messages that were compacted away. */
  export interface CompactionSummaryMessage {
    role: "compactionSummary";
    summary: string;
    tokensBefore: number;
    timestamp: number;
  }

  /** Stands for a branch that was left. */
  export interface BranchSummaryMessage {
    role: "branchSummary";
    summary: string;
    fromId: string | null;
    timestamp: number;
  }

  /** A system prompt in a transcript of another program. */
  export interface SystemMessage {
    role: "system";
    content: string | TextBlock[];
    timestamp: number;
  }

  /** A message of a conversation. */
  export type Message =
    | UserMessage
    | AssistantMessage
    | ToolResultMessage
    | CustomMessage
    | BashExecutionMessage
    | CompactionSummaryMessage
    | BranchSummaryMessage
    | SystemMessage;

  // ---- Sessions ---------------------------------------------------------------------------------------------

  /** The first line of a session file. */
  export interface SessionHeader {
    type: "session";
    version: number;
    id: string;
    timestamp: string;
    cwd: string;
    parentSession?: string;
  }

  /** What every entry of a session has. */
  export interface EntryBase {
    id: string;
    parentId: string | null;
    timestamp: string;
  }

  /** A message of the conversation. */
  export interface MessageEntry extends EntryBase {
    type: "message";
    message: Message;
  }

  /** Another thinking level was chosen. */
  export interface ThinkingLevelChangeEntry extends EntryBase {
    type: "thinking_level_change";
    thinkingLevel: string;
  }

  /** Another model was chosen. */
  export interface ModelChangeEntry extends EntryBase {
    type: "model_change";
    provider: string;
    modelId: string;
  }

  /** A summary stands for everything before an entry. */
  export interface CompactionEntry extends EntryBase {
    type: "compaction";
    summary: string;
    firstKeptEntryId: string;
    tokensBefore: number;
    details?: unknown;
    usage?: Usage;
    fromHook?: boolean;
    preserveData?: unknown;
  }

  /** A summary of a branch that was left. */
  export interface BranchSummaryEntry extends EntryBase {
    type: "branch_summary";
    fromId: string;
    summary: string;
    details?: unknown;
    usage?: Usage;
    fromHook?: boolean;
  }

  /** State of an extension. */
  export interface CustomEntry extends EntryBase {
    type: "custom";
    customType: string;
    data?: unknown;
  }

  /** A message of an extension. */
  export interface CustomMessageEntry extends EntryBase {
    type: "custom_message";
    customType: string;
    content: string | (TextBlock | ImageBlock)[];
    display: boolean;
    details?: unknown;
  }

  /** A bookmark was set or cleared. */
  export interface LabelEntry extends EntryBase {
    type: "label";
    targetId: string;
    label: string | undefined;
  }

  /** The session was named. */
  export interface SessionInfoEntry extends EntryBase {
    type: "session_info";
    name?: string;
  }

  /** Tokens that were spent beside the conversation. */
  export interface UsageEntry extends EntryBase {
    type: "usage";
    kind: string;
    provider: string;
    model: string;
    usage: Usage;
    note?: string;
  }

  /** The model sees an earlier entry changed, or not at all. */
  export interface ContextEditEntry extends EntryBase {
    type: "context_edit";
    targetId: string;
    replacement: { content: Exclude<Message, BashExecutionMessage | CompactionSummaryMessage | BranchSummaryMessage>["content"] } | null;
  }

  /** An entry of a session, of the kinds that something in the runtime reads or hands to extensions of pi. */
  export type SessionEntry =
    | MessageEntry
    | ThinkingLevelChangeEntry
    | ModelChangeEntry
    | CompactionEntry
    | BranchSummaryEntry
    | CustomEntry
    | CustomMessageEntry
    | LabelEntry
    | SessionInfoEntry
    | UsageEntry
    | ContextEditEntry;

  /** An entry to append. */
  export type EntryDraft =
    | { type: "message"; message: unknown }
    | { type: "thinking_level_change"; thinkingLevel: string }
    | { type: "model_change"; provider: string; modelId: string }
    | { type: "usage"; kind: string; provider: string; model: string; usage: Usage; note?: string }
    | {
        type: "compaction";
        summary: string;
        /** Null keeps none. */
        firstKeptEntryId: string | null;
        tokensBefore: number;
        details?: unknown;
        usage?: Usage;
        fromHook?: boolean;
      }
    | { type: "branch_summary"; fromId?: string; summary: string; details?: unknown; usage?: Usage; fromHook?: boolean }
    | { type: "custom"; customType: string; data?: unknown }
    | { type: "custom_message"; customType: string; content: unknown; display: boolean; details?: unknown }
    | { type: "session_info"; name: string }
    | { type: "label"; targetId: string; label?: string }
    /** Null hides the entry. */
    | { type: "context_edit"; targetId: string; content: unknown };

  /** How a new session begins. */
  export interface NewSessionOptions {
    id?: string;
    parentSession?: string;
    /** The file that it becomes. */
    file?: string;
  }

  /** A session in a folder; times are milliseconds since 1970. */
  export interface ListedSession {
    path: string;
    id: string;
    cwd: string;
    name: string | null;
    parentSessionPath: string | null;
    created: number | null;
    modified: number;
    messageCount: number;
    firstMessage: string | null;
  }

  /** The conversation as the model gets it. */
  export interface SessionContext {
    messages: Message[];
    thinkingLevel: string;
    model: { provider: string; modelId: string } | null;
  }

  /** What there is to count in a session. */
  export interface SessionStats {
    /** Missing for a session in memory. */
    sessionFile?: string;
    sessionId: string;
    userMessages: number;
    assistantMessages: number;
    toolCalls: number;
    toolResults: number;
    totalMessages: number;
    tokens: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
    /** In US dollars. */
    cost: number;
    contextUsage?: ContextUsage;
  }

  /** How full the context is; unknown after a compaction. */
  export interface ContextUsage {
    tokens: number | null;
    contextWindow: number;
    percent: number | null;
  }

  /** A compaction that took place. */
  export interface CompactionDone {
    summary: string;
    firstKeptEntryId: string;
    tokensBefore: number;
    estimatedTokensAfter: number;
    usage?: Usage;
    details?: unknown;
    preserveData?: unknown;
  }

  /** Whether a session was not replaced, and the text that was taken out of it. */
  export interface Replaced {
    cancelled: boolean;
    selectedText?: string;
  }

  /** What came of moving in the tree of a session. */
  export interface Navigated {
    cancelled: boolean;
    aborted?: true;
    editorText?: string;
    summaryEntry?: SessionEntry;
  }

  // ---- Tools and commands -----------------------------------------------------------------------------------

  /** Where something that can be used comes from. */
  export interface SourceInfo {
    path: string;
    source: string;
    scope: "user" | "project" | "temporary";
    origin: "top-level" | "package";
    baseDir?: string;
  }

  /** Who can call a tool. */
  export type Exposure = "direct" | "model-only" | "codemode" | "deferred" | "hidden";

  /** A group of tools that belong together. */
  export interface ToolNamespace {
    name: string;
    aliases?: string[];
    description?: string;
    instructions?: string;
  }

  /** What the author of a tool says that it does. */
  export interface ToolAnnotations {
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  }

  /** How a tool presents itself. */
  export interface ToolSpec {
    name: string;
    label: string;
    description: string;
    /** JSON Schema of the arguments. */
    parameters: object;
    promptSnippet?: string;
    promptGuidelines?: string[];
    executionMode: "parallel" | "sequential";
    exposure: Exposure;
    defaultActive: boolean;
    namespace?: ToolNamespace;
    annotations?: ToolAnnotations;
    /** JSON Schema of the structured part of its results. */
    outputSchema?: object;
    /** What the provider holds the arguments to, where it can. */
    constrainedSampling?:
      | { type: "json_schema"; strict: "prefer" | "require" }
      | { type: "grammar"; variants: { openai_lark?: string; openai_regex?: string } };
  }

  /** A tool, as extensions see it. */
  export interface ToolInfo extends Pick<ToolSpec, "name" | "description" | "parameters" | "exposure" | "namespace" | "annotations"> {
    promptGuidelines: string[];
    sourceInfo: SourceInfo | null;
  }

  /** What a tool returns. */
  export interface ToolOutput {
    content: ContentBlock[];
    details?: unknown;
    usage?: Usage;
    structuredContent?: unknown;
    isError?: true;
    terminate?: true;
  }

  /** How a built-in tool is set up for a call. */
  export interface ToolOptions {
    cwd: string;
    /** Whether operations are those of JavaScript. */
    operations?: boolean;
    /** Whether those operations tell pictures from text. */
    sniffs?: boolean;
    /** Whether those operations hand out texts in pieces. */
    streams?: boolean;
    autoResizeImages?: boolean;
    shellPath?: string;
    /** What runs in place of the command of the arguments. */
    spawn?: { command: string; cwd: string; env: Record<string, string> };
  }

  /** The numbers of the functions of a tool. */
  export interface ToolFunctions {
    execute: number;
    prepareLoadout?: number;
    prepareArguments?: number;
    renderCall?: number;
    renderResult?: number;
  }

  /** What came of a call that a tool made. */
  export interface NestedOutcome {
    toolCall: { type: "toolCall"; id: string; name: string; arguments: unknown };
    /** The result, with everything else that the tool returned. */
    result: { content: ContentBlock[]; [further: string]: unknown };
    isError: boolean;
    /** Missing when the tool did not run. */
    durationMs?: number;
  }

  /** A command that somebody can type. */
  export interface CommandInfo {
    name: string;
    description?: string;
    source: "extension" | "prompt" | "skill" | "builtin";
    path?: string;
    sourceInfo?: SourceInfo;
  }

  /** An MCP server that an extension registered. */
  export interface McpServer {
    name: string;
    /** Its entry, in the form of `mcp.json`. */
    config: unknown;
    extensionPath: string;
  }

  // ---- Programs, texts, pictures ----------------------------------------------------------------------------

  /** How a program is run. */
  export interface ExecOptions {
    cwd?: string;
    /** Milliseconds; zero is no limit. */
    timeout?: number;
    /** The most output that is kept, in bytes. */
    maxBuffer?: number;
    /** What ends it. */
    token?: number;
  }

  /** A command of the shell. */
  export interface ShellCommand {
    command: string;
    cwd: string;
    /** Seconds. */
    timeout?: number;
    env?: Record<string, string | null | undefined>;
    shell?: string;
  }

  /** What a program left behind. */
  export interface ExecOutput {
    stdout: string;
    stderr: string;
    code: number;
    killed: boolean;
    truncated: boolean;
  }

  /** What a shell command of the user gave. */
  export interface BashResult {
    output: string;
    /** Null when it was killed. */
    exitCode: number | null;
    cancelled: boolean;
    truncated: boolean;
    fullOutputPath?: string;
  }

  /** Text that met the limits, and what was cut. */
  export interface TruncationResult {
    content: string;
    truncated: boolean;
    truncatedBy: "lines" | "bytes" | null;
    totalLines: number;
    totalBytes: number;
    outputLines: number;
    outputBytes: number;
    lastLinePartial: boolean;
    firstLineExceedsLimit: boolean;
    maxLines: number;
    maxBytes: number;
  }

  /** A picture that was made small enough, in base64. */
  export interface ResizedImage {
    data: string;
    mimeType: string;
    originalWidth: number;
    originalHeight: number;
    width: number;
    height: number;
    wasResized: boolean;
  }

  // ---- Settings, themes, dialects ---------------------------------------------------------------------------

  /** The value of a setting, and whose it is. */
  export interface SettingValue {
    value: unknown;
    source: { layer: "default"; path?: undefined } | { layer: "user" | "project"; path: string };
  }

  /** What a theme is made of. */
  export interface ThemeData {
    /** The number that tau knows it by. */
    serial: number;
    name: string;
    appearance: "dark" | "light" | null;
    path: string | null;
    sourceInfo: SourceInfo | null;
    fg: Record<string, string | number>;
    bg: Record<string, string | number>;
  }

  /** The rules of a dialect that scripts follow. */
  export interface Dialect {
    /** Whether the factory must be the default export. */
    defaultOnly: boolean;
    /** What is wrong with a module without a factory. */
    noFactory: string;
    /** Whether components for dialogs get the keybindings only when they take four arguments. */
    keybindingsIfAsked: boolean;
    /** Whether programs that were run tell whether they were killed. */
    tellsKilled: boolean;
    /** Whether its modules see `Bun`. */
    bun: boolean;
    /** Reasons of `session` events that the source mentions and that only some hooks know. */
    mentioned: string[];
    /** What a dialog gives that was closed without an answer. */
    closed?: null;
  }

  /** What the system prompt is made of. */
  export interface SystemPromptOptions {
    customPrompt?: string;
    selectedTools: string[];
    hiddenTools: string[];
    toolSnippets: Record<string, string>;
    toolGuidelines: Record<string, string[]>;
    promptGuidelines: string[];
    appendSystemPrompt: string;
    /** The sections by their names. */
    sections: Record<string, string>;
    cwd: string;
    contextFiles: { path: string; content: string }[];
    skills: object[];
  }

  // ---- Editors ----------------------------------------------------------------------------------------------

  /** Text, cursor, pastes, history, kills and undo of an editor; programs can only hand it around. */
  export interface EditorModel {
    readonly [model: symbol]: never;
  }

  /** What is done to a model and needs no more than its name. */
  export type EditorAction =
    | "newLine" | "deleteBackward" | "deleteForward" | "killWordBackward" | "killWordForward" | "killToLineStart"
    | "killToLineEnd" | "yank" | "yankPop" | "undo" | "moveLeft" | "moveRight" | "moveWordLeft" | "moveWordRight"
    | "moveToLineStart" | "moveToLineEnd" | "historyPrevious" | "historyNext" | "leaveHistory" | "beginStep"
    | "forgetSteps" | "submit";

  /** The rows of a text: what they show, the line that each belongs to, and where in that it starts. */
  export interface EditorRows {
    texts: string[];
    lines: number[];
    starts: number[];
    /** The row of the cursor. */
    row: number;
    /** Where the cursor stands in its row. */
    column: number;
    /** The character that it stands on; empty at the end of the row. */
    under: string;
  }
}
