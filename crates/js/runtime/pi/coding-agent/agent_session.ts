// `AgentSession` of the SDK: a session that an extension opened. It is a child of the extension's own session, which tau
// runs; this class asks and hears about it.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { keep } from "../../host/calls.ts";

type Listener = (event: any) => unknown;

/** What only `createAgentSession` can make: the number of the child, that of the `pi` that asks, and what it was made of. */
type Parts = { child: number; pi: number; options: any };

const texts = (content: any): string =>
  typeof content === "string" ? content : content.filter((block: any) => block.type === "text").map((block: any) => block.text).join("");
const imagesOf = (content: any): any[] =>
  typeof content === "string" ? [] : content.filter((block: any) => block.type === "image");

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

  #get(name: string): any {
    return ops.childGet(this.#child, name) ?? undefined;
  }

  #do(name: string, args: any = null): any {
    return ops.childDo(this.#child, name, args);
  }

  async #call(name: string, args: any = null): Promise<any> {
    return (await ops.childCall(this.#pi, this.#child, name, args)) ?? undefined;
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
    this.#call("close").catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#listeners.clear();
    await this.#call("close");
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
      abort: () => session.#do("abort"),
      waitForIdle: () => session.#call("waitForIdle"),
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
        return session.messages.findLast(({ role }: any) => role === "assistant")?.errorMessage;
      },
      get error() {
        return session.messages.findLast(({ role }: any) => role === "assistant")?.errorMessage;
      },
    });
  }

  get messages(): any[] {
    return this.#get("messages");
  }

  get model(): any {
    return this.#get("model");
  }

  get thinkingLevel(): string {
    return this.#get("thinkingLevel");
  }

  get isStreaming(): boolean {
    return this.#get("isStreaming");
  }

  get isIdle(): boolean {
    return !this.isStreaming;
  }

  get isCompacting(): boolean {
    return this.#get("isCompacting");
  }

  get isBashRunning(): boolean {
    return this.#get("isBashRunning");
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
    return this.#get("systemPrompt");
  }

  get scopedModels(): any[] {
    return this.#get("scopedModels");
  }

  get steeringMode(): string {
    return this.#get("steeringMode");
  }

  get followUpMode(): string {
    return this.#get("followUpMode");
  }

  get autoCompactionEnabled(): boolean {
    return this.#get("autoCompaction");
  }

  get autoRetryEnabled(): boolean {
    return this.#get("autoRetry");
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

  get promptTemplates(): any[] {
    return this.#get("commands").filter(({ source }: any) => source === "prompt");
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
    this.#do("setSessionName", String(name));
  }

  getSessionStats(): any {
    return this.#get("stats");
  }

  /** What was used so far and what it cost, as one sum: a tool that returns it as its `usage` adds it to its caller's. */
  getUsage(): any {
    return this.#get("usage");
  }

  getContextUsage(): any {
    return this.#get("contextUsage");
  }

  getLastAssistantText(): string | undefined {
    return this.#get("lastText");
  }

  getAvailableThinkingLevels(): string[] {
    return this.#get("thinkingLevels");
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
    return this.#get("activeTools");
  }

  getAllTools(): any[] {
    return this.#get("allTools");
  }

  getToolDefinition(name: string): any {
    return this.getAllTools().find((tool) => tool.name === name);
  }

  setActiveToolsByName(names: string[]): void {
    this.#do("setActiveTools", names.map(String));
  }

  // ---- What it does -------------------------------------------------------------------------------------

  /** Says something to the model and waits until it is done. */
  async prompt(text: string, options: any = {}): Promise<void> {
    const { images = [], streamingBehavior, expandPromptTemplates = true, preflightResult } = options ?? {};
    const asked = { text: String(text), images: images ?? [], expand: expandPromptTemplates !== false };
    const work = this.#call("prompt", streamingBehavior ? { ...asked, streamingBehavior } : asked);
    preflightResult?.(true);
    await work;
  }

  /** Text that the model reads before its next request. */
  async steer(text: string, images: any[] = []): Promise<void> {
    await this.#call("enqueue", { text: String(text), images: images ?? [], streamingBehavior: "steer" });
  }

  /** Text for when the model would otherwise stop. */
  async followUp(text: string, images: any[] = []): Promise<void> {
    await this.#call("enqueue", { text: String(text), images: images ?? [], streamingBehavior: "followUp" });
  }

  /** The same for content in parts; while a run is under way it says which queue is meant. */
  async sendUserMessage(content: any, options: any = {}): Promise<void> {
    const asked = { text: texts(content), images: imagesOf(content), expand: false };
    const streamingBehavior = options?.deliverAs;
    await this.#call("prompt", streamingBehavior ? { ...asked, streamingBehavior } : asked);
  }

  /** Adds a message of a kind of its own. */
  async sendCustomMessage(message: any, options: any = {}): Promise<void> {
    const { customType, content, display, details } = message;
    const { triggerTurn, deliverAs } = options ?? {};
    const given: any = {};
    if (triggerTurn !== undefined) given.triggerTurn = triggerTurn;
    if (deliverAs !== undefined) given.deliverAs = deliverAs;
    this.#do("sendMessage", { message: { customType, content: content ?? "", display, details }, options: given });
  }

  get pendingMessageCount(): number {
    const { steering, followUp } = this.#get("queued");
    return steering.length + followUp.length;
  }

  getSteeringMessages(): string[] {
    return this.#get("queued").steering;
  }

  getFollowUpMessages(): string[] {
    return this.#get("queued").followUp;
  }

  clearQueue(): { steering: string[]; followUp: string[] } {
    return this.#do("clearQueue");
  }

  /** Stops what is under way and waits until it has stopped. */
  async abort(): Promise<void> {
    this.#do("abort");
    await this.#call("waitForRun");
  }

  abortRetry(): void {
    this.#do("abort");
  }

  abortCompaction(): void {
    this.#do("abort");
  }

  abortBranchSummary(): void {
    this.#do("abort");
  }

  async waitForIdle(): Promise<void> {
    await this.#call("waitForIdle");
  }

  async compact(customInstructions?: string): Promise<any> {
    return this.#call("compact", { instructions: customInstructions });
  }

  async setModel(model: any): Promise<void> {
    await this.#call("setModel", model);
  }

  async cycleModel(direction: "forward" | "backward" = "forward"): Promise<any> {
    return this.#call("cycleModel", { direction });
  }

  setThinkingLevel(level: string): void {
    this.#do("setThinkingLevel", level);
  }

  cycleThinkingLevel(): string | undefined {
    const levels = this.getAvailableThinkingLevels();
    if (levels.length < 2) return undefined;
    const next = levels[(levels.indexOf(this.thinkingLevel) + 1) % levels.length];
    this.setThinkingLevel(next);
    return next;
  }

  setSteeringMode(mode: string): void {
    void this.#call("setSteeringMode", { mode });
  }

  setFollowUpMode(mode: string): void {
    void this.#call("setFollowUpMode", { mode });
  }

  setAutoCompactionEnabled(on: boolean): void {
    void this.#call("setAutoCompaction", { on });
  }

  setAutoRetryEnabled(on: boolean): void {
    void this.#call("setAutoRetry", { on });
  }

  /** Runs a shell command as a user would with `!`. */
  async executeBash(command: string, onChunk?: (text: string) => void, options: any = {}): Promise<any> {
    const { excludeFromContext = false } = options ?? {};
    const done = await this.#call("bash", { command: String(command), excludeFromContext });
    onChunk?.(done.output);
    return done;
  }

  abortBash(): void {
    this.#do("abortBash");
  }

  /** Loads the session's extensions and resources again. */
  async reload(): Promise<void> {
    await this.#call("reload");
  }

  /** Its extensions were told when it was opened. */
  async bindExtensions(_bindings?: any): Promise<void> {}

  async newSession(options: any = {}): Promise<boolean> {
    return !(await this.#call("newSession", { parentSession: options?.parentSession })).cancelled;
  }

  async switchSession(path: string): Promise<boolean> {
    return !(await this.#call("switchSession", { path: String(path) })).cancelled;
  }

  async fork(entryId: string): Promise<any> {
    return this.#call("fork", { entryId: String(entryId) });
  }

  async exportToHtml(path?: string): Promise<string> {
    return this.#call("export", { path });
  }
}
