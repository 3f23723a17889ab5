// `AgentSession` of the SDK: a session that an extension opened. It is a child of the extension's own session, which tau
// runs; this class asks and hears about it.
import {
  type BashResult, type CommandInfo, type CompactionDone, type ContextUsage, type CycledModel, type Message, type Model,
  ops, type ScopedModel, type SessionStats, type ThinkingLevel, type ToolSpec, type Usage,
} from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { keep } from "../../host/calls.ts";

type Listener = (event: any) => unknown;

/** What only `createAgentSession` can make: the number of the child, that of the `pi` that asks, and what it was made of. */
type Parts = { child: number; pi: number; options: any };

const texts = (content: any): string =>
  typeof content === "string" ? content : content.filter((block: any) => block.type === "text").map((block: any) => block.text).join("");
const imagesOf = (content: any): any[] =>
  typeof content === "string" ? [] : content.filter((block: any) => block.type === "image");

/** What a shell command gave, as extensions see it. */
type ShownResult = Omit<BashResult, "exitCode"> & { exitCode: number | undefined };

/** A session with its conversation, its tools and its extensions. */
export class AgentSession {
  #child: number;
  #pi: number;
  #options: any;
  #listeners = new Set<Listener>();
  #listening = false;
  #disposed = false;
  #manager: any;
  #managed: string | undefined;
  #streaming: any;
  #pending = new Set<string>();
  #state: any;
  #agent: any;

  constructor(parts: Parts) {
    if (typeof parts?.child !== "number") throw new Error("an AgentSession is made by createAgentSession()");
    this.#child = parts.child;
    this.#pi = parts.pi;
    this.#options = parts.options ?? {};
    this.#manager = this.#options.sessionManager;
    this.#managed = this.#manager?.getSessionId?.();
  }

  /** What is refused at once is a rejection, too. */
  async #later<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  #listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    ops.childListen(this.#pi, this.#child, keep((event: any) => this.#happened(event)));
  }

  #happened(event: any): void {
    if (event.type === "message_start" || event.type === "message_update") this.#streaming = event.message;
    if (event.type === "message_end" || event.type === "agent_end") this.#streaming = undefined;
    if (event.type === "tool_execution_start") this.#pending.add(event.toolCallId);
    if (event.type === "tool_execution_end") this.#pending.delete(event.toolCallId);
    if (event.type === "agent_end") this.#pending.clear();
    if (this.#disposed) return;
    const failed: any[] = [];
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        failed.push(error);
      }
    }
    // The others have heard it; what went wrong is reported.
    if (failed.length > 0) throw failed[0];
  }

  /** Calls a listener for everything that happens; gives what takes it back. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#listen();
    return () => void this.#listeners.delete(listener);
  }

  /** Ends the session. What was said stays readable. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#listeners.clear();
    this.#later(() => ops.childClose(this.#pi, this.#child)).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#listeners.clear();
    await ops.childClose(this.#pi, this.#child);
  }

  // ---- What it is ---------------------------------------------------------------------------------------

  /** The agent as programs without sessions know it. */
  get agent(): any {
    const session = this;
    return (this.#agent ??= {
      get state() {
        return session.state;
      },
      get signal() {
        return undefined;
      },
      subscribe: (listener: Listener) => session.subscribe(listener),
      prompt: (input: any, images?: any[]) =>
        typeof input === "string" ? session.prompt(input, { images }) : session.sendUserMessage(input.content ?? input),
      steer: (message: any) => session.steer(texts(message.content ?? message), imagesOf(message.content ?? message)),
      followUp: (message: any) => session.followUp(texts(message.content ?? message), imagesOf(message.content ?? message)),
      abort: () => ops.childAbort(session.#child),
      waitForIdle: async () => ops.childWaitForIdle(session.#pi, session.#child),
      setModel: (model: any) => void session.setModel(model),
      setThinkingLevel: (level: string) => session.setThinkingLevel(level),
      clearAllQueues: () => void session.clearQueue(),
      hasQueuedMessages: () => session.pendingMessageCount > 0,
      get sessionId() {
        return session.sessionId;
      },
    });
  }

  /** Conversation, model and tools as they are now. */
  get state(): any {
    const session = this;
    return (this.#state ??= {
      get systemPrompt() {
        return session.systemPrompt;
      },
      get model() {
        return session.model;
      },
      get thinkingLevel() {
        return session.thinkingLevel;
      },
      get tools() {
        const active = session.getActiveToolNames();
        return session.getAllTools().filter(({ name }: any) => active.includes(name));
      },
      get messages() {
        return session.messages;
      },
      get isStreaming() {
        return session.isStreaming;
      },
      get streamingMessage() {
        session.#listen();
        return session.#streaming;
      },
      get streamMessage() {
        session.#listen();
        return session.#streaming ?? null;
      },
      get pendingToolCalls() {
        session.#listen();
        return new Set(session.#pending);
      },
      get errorMessage() {
        return session.messages.findLast((message) => message.role === "assistant")?.errorMessage;
      },
      get error() {
        return session.messages.findLast((message) => message.role === "assistant")?.errorMessage;
      },
    });
  }

  get messages(): Message[] {
    return ops.childMessages(this.#child);
  }

  get model(): Model | undefined {
    return ops.childModel(this.#child);
  }

  get thinkingLevel(): ThinkingLevel {
    return ops.childThinkingLevel(this.#child);
  }

  get isStreaming(): boolean {
    return ops.childIsStreaming(this.#child);
  }

  get isIdle(): boolean {
    return !this.isStreaming;
  }

  get isCompacting(): boolean {
    return ops.childIsCompacting(this.#child);
  }

  get isBashRunning(): boolean {
    return ops.childIsBashRunning(this.#child);
  }

  get hasPendingBashMessages(): boolean {
    return false;
  }

  get isRetrying(): boolean {
    return false;
  }

  get retryAttempt(): number {
    return 0;
  }

  get systemPrompt(): string {
    return ops.childSystemPrompt(this.#child);
  }

  get scopedModels(): ScopedModel[] {
    return ops.childScopedModels(this.#child);
  }

  get steeringMode(): "all" | "one-at-a-time" {
    return ops.childSteeringMode(this.#child);
  }

  get followUpMode(): "all" | "one-at-a-time" {
    return ops.childFollowUpMode(this.#child);
  }

  get autoCompactionEnabled(): boolean {
    return ops.childAutoCompaction(this.#child);
  }

  get autoRetryEnabled(): boolean {
    return ops.childAutoRetry(this.#child);
  }

  get settingsManager(): any {
    return this.#options.settingsManager;
  }

  get modelRegistry(): any {
    return this.#options.modelRegistry;
  }

  get resourceLoader(): any {
    return this.#options.resourceLoader;
  }

  get extensionRunner(): any {
    return undefined;
  }

  get promptTemplates(): CommandInfo[] {
    return ops.childCommands(this.#child).filter(({ source }) => source === "prompt");
  }

  /** The tree of the session that is open now. */
  get sessionManager(): any {
    const [number, cwd, dir, id] = ops.childSession(this.#child);
    if (this.#manager && this.#managed === id) {
      ops.resourceClose(number);
      return this.#manager;
    }
    this.#managed = id;
    return (this.#manager = importNow("tau:pi/coding-agent/session_manager.ts").managerOf(number, cwd, dir));
  }

  get sessionFile(): string | undefined {
    return this.sessionManager.getSessionFile();
  }

  get sessionId(): string {
    return this.sessionManager.getSessionId();
  }

  get sessionName(): string | undefined {
    return this.sessionManager.getSessionName();
  }

  setSessionName(name: string): void {
    ops.childSetSessionName(this.#child, String(name));
  }

  getSessionStats(): SessionStats {
    return ops.childStats(this.#child);
  }

  /** What was used so far and what it cost, as one sum: a tool that returns it as its `usage` adds it to its caller's. */
  getUsage(): Usage {
    return ops.childUsage(this.#child);
  }

  getContextUsage(): ContextUsage | undefined {
    return ops.childContextUsage(this.#child);
  }

  getLastAssistantText(): string | undefined {
    return ops.childLastText(this.#child);
  }

  getAvailableThinkingLevels(): ThinkingLevel[] {
    return ops.childThinkingLevels(this.#child);
  }

  supportsThinking(): boolean {
    return Boolean(this.model?.reasoning);
  }

  supportsXhighThinking(): boolean {
    return this.getAvailableThinkingLevels().includes("xhigh");
  }

  getUserMessagesForForking(): any[] {
    const entries = this.sessionManager.getBranch().filter(({ type, message }: any) => type === "message" && message.role === "user");
    return entries.map(({ id, message }: any) => ({ entryId: id, text: texts(message.content) }));
  }

  // ---- Tools --------------------------------------------------------------------------------------------

  getActiveToolNames(): string[] {
    return ops.childActiveTools(this.#child);
  }

  getAllTools(): ToolSpec[] {
    return ops.childAllTools(this.#child);
  }

  getToolDefinition(name: string): ToolSpec | undefined {
    return this.getAllTools().find((tool) => tool.name === name);
  }

  setActiveToolsByName(names: string[]): void {
    ops.childSetActiveTools(this.#child, names.map(String));
  }

  // ---- What it does -------------------------------------------------------------------------------------

  /** Says something to the model and waits until it is done. */
  async prompt(text: string, options: any = {}): Promise<void> {
    const { images = [], streamingBehavior, expandPromptTemplates = true, preflightResult } = options ?? {};
    const asked = { text: String(text), images: images ?? [], expand: expandPromptTemplates !== false };
    const work = ops.childPrompt(this.#pi, this.#child, { ...asked, streamingBehavior: streamingBehavior || undefined });
    preflightResult?.(true);
    await work;
  }

  /** Text that the model reads before its next request. */
  async steer(text: string, images: any[] = []): Promise<void> {
    await ops.childEnqueue(this.#pi, this.#child, { text: String(text), images: images ?? [], streamingBehavior: "steer" });
  }

  /** Text for when the model would otherwise stop. */
  async followUp(text: string, images: any[] = []): Promise<void> {
    await ops.childEnqueue(this.#pi, this.#child, { text: String(text), images: images ?? [], streamingBehavior: "followUp" });
  }

  /** The same for content in parts; while a run is under way it says which queue is meant. */
  async sendUserMessage(content: any, options: any = {}): Promise<void> {
    const asked = { text: texts(content), images: imagesOf(content), expand: false };
    const streamingBehavior = options?.deliverAs;
    await ops.childPrompt(this.#pi, this.#child, { ...asked, streamingBehavior: streamingBehavior || undefined });
  }

  /** Adds a message of a kind of its own. */
  async sendCustomMessage(message: any, options: any = {}): Promise<void> {
    const { customType, content, display, details } = message;
    const { triggerTurn, deliverAs } = options ?? {};
    const given: any = {};
    if (triggerTurn !== undefined) given.triggerTurn = triggerTurn;
    if (deliverAs !== undefined) given.deliverAs = deliverAs;
    ops.childSendMessage(this.#child, { message: { customType, content: content ?? "", display, details }, options: given });
  }

  get pendingMessageCount(): number {
    const { steering, followUp } = ops.childQueued(this.#child);
    return steering.length + followUp.length;
  }

  getSteeringMessages(): string[] {
    return ops.childQueued(this.#child).steering;
  }

  getFollowUpMessages(): string[] {
    return ops.childQueued(this.#child).followUp;
  }

  clearQueue(): { steering: string[]; followUp: string[] } {
    return ops.childClearQueue(this.#child);
  }

  /** Stops what is under way and waits until it has stopped. */
  async abort(): Promise<void> {
    ops.childAbort(this.#child);
    await ops.childWaitForRun(this.#pi, this.#child);
  }

  abortRetry(): void {
    ops.childAbort(this.#child);
  }

  abortCompaction(): void {
    ops.childAbort(this.#child);
  }

  abortBranchSummary(): void {
    ops.childAbort(this.#child);
  }

  async waitForIdle(): Promise<void> {
    await ops.childWaitForIdle(this.#pi, this.#child);
  }

  async compact(customInstructions?: string): Promise<CompactionDone> {
    return ops.childCompact(this.#pi, this.#child, customInstructions);
  }

  async setModel(model: any): Promise<void> {
    await ops.childSetModel(this.#pi, this.#child, model);
  }

  async cycleModel(direction: "forward" | "backward" = "forward"): Promise<CycledModel | undefined> {
    return ops.childCycleModel(this.#pi, this.#child, direction);
  }

  setThinkingLevel(level: string): void {
    ops.childSetThinkingLevel(this.#child, level);
  }

  cycleThinkingLevel(): ThinkingLevel | undefined {
    const levels = this.getAvailableThinkingLevels();
    if (levels.length < 2) return undefined;
    const next = levels[(levels.indexOf(this.thinkingLevel) + 1) % levels.length];
    this.setThinkingLevel(next);
    return next;
  }

  setSteeringMode(mode: string): void {
    void this.#later(() => ops.childSetSteeringMode(this.#pi, this.#child, mode));
  }

  setFollowUpMode(mode: string): void {
    void this.#later(() => ops.childSetFollowUpMode(this.#pi, this.#child, mode));
  }

  setAutoCompactionEnabled(on: boolean): void {
    void this.#later(() => ops.childSetAutoCompaction(this.#pi, this.#child, on));
  }

  setAutoRetryEnabled(on: boolean): void {
    void this.#later(() => ops.childSetAutoRetry(this.#pi, this.#child, on));
  }

  /** Runs a shell command as a user would with `!`. */
  async executeBash(command: string, onChunk?: (text: string) => void, options: any = {}): Promise<ShownResult> {
    const { excludeFromContext = false } = options ?? {};
    const done = await ops.childBash(this.#pi, this.#child, String(command), excludeFromContext);
    onChunk?.(done.output);
    return { ...done, exitCode: done.exitCode ?? undefined };
  }

  abortBash(): void {
    ops.childAbortBash(this.#child);
  }

  /** Loads the session's extensions and resources again. */
  async reload(): Promise<void> {
    await ops.childReload(this.#pi, this.#child);
  }

  /** Its extensions were told when it was opened. */
  async bindExtensions(_bindings?: any): Promise<void> {}

  async newSession(options: any = {}): Promise<boolean> {
    return !(await ops.childNewSession(this.#pi, this.#child, options?.parentSession)).cancelled;
  }

  async switchSession(path: string): Promise<boolean> {
    return !(await ops.childSwitchSession(this.#pi, this.#child, String(path))).cancelled;
  }

  async fork(entryId: string): Promise<any> {
    return ops.childFork(this.#pi, this.#child, String(entryId));
  }

  async exportToHtml(path?: string): Promise<string> {
    return ops.childExport(this.#pi, this.#child, path);
  }
}
