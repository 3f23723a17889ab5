// An agent with a state: its conversation, its tools, and messages that wait for their turn.
import { convertToLlm } from "../coding-agent/messages.ts";
import { runAgentLoop, runAgentLoopContinue } from "./loop.ts";

type Mode = "all" | "one-at-a-time";
type Run = { abort: AbortController; done: Promise<void> };

/** Messages that wait. */
class Queue {
  mode: Mode = "one-at-a-time";
  waiting: any[] = [];

  next(): any[] {
    return this.mode === "all" ? [...this.waiting] : this.waiting.slice(0, 1);
  }

  take(): any[] {
    return this.waiting.splice(0, this.next().length);
  }
}

const state = (initial: any) => ({
  systemPrompt: "",
  model: undefined,
  thinkingLevel: "off",
  tools: [],
  isStreaming: false,
  streamingMessage: undefined,
  pendingToolCalls: new Set<string>(),
  errorMessage: undefined,
  ...initial,
  messages: [...(initial?.messages ?? [])],
});

/** Runs prompts one at a time and tells listeners what happens. */
export class Agent {
  #state: any;
  #options: any;
  #listeners = new Set<(event: any, signal: AbortSignal) => unknown>();
  #steering = new Queue();
  #followUps = new Queue();
  #run: Run | undefined;
  streamFn: any;
  convertToLlm: any;
  transformContext: any;
  getApiKey: any;
  beforeToolCall: any;
  afterToolCall: any;
  sessionId: string | undefined;
  thinkingBudgets: any;
  transport: any;
  maxRetryDelayMs: number | undefined;
  toolExecution: "parallel" | "sequential";

  constructor(options: any = {}) {
    this.#options = options;
    this.#state = state(options.initialState);
    this.streamFn = options.streamFn;
    this.convertToLlm = options.convertToLlm ?? convertToLlm;
    this.transformContext = options.transformContext;
    this.getApiKey = options.getApiKey;
    this.beforeToolCall = options.beforeToolCall;
    this.afterToolCall = options.afterToolCall;
    this.sessionId = options.sessionId;
    this.thinkingBudgets = options.thinkingBudgets;
    this.transport = options.transport ?? "auto";
    this.maxRetryDelayMs = options.maxRetryDelayMs;
    this.toolExecution = options.toolExecution ?? "parallel";
    if (options.steeringMode) this.#steering.mode = options.steeringMode;
    if (options.followUpMode) this.#followUps.mode = options.followUpMode;
  }

  /** Conversation, model and tools; they may be changed between runs. */
  get state(): any {
    return this.#state;
  }

  get signal(): AbortSignal | undefined {
    return this.#run?.abort.signal;
  }

  get steeringMode(): Mode {
    return this.#steering.mode;
  }

  set steeringMode(mode: Mode) {
    this.#steering.mode = mode;
  }

  get followUpMode(): Mode {
    return this.#followUps.mode;
  }

  set followUpMode(mode: Mode) {
    this.#followUps.mode = mode;
  }

  /** Adds a listener, which is awaited; gives what takes it back. */
  subscribe(listener: (event: any, signal: AbortSignal) => unknown): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  // The older way to change the state.
  setSystemPrompt(systemPrompt: string): void {
    this.#state.systemPrompt = systemPrompt;
  }

  setModel(model: any): void {
    this.#state.model = model;
  }

  setThinkingLevel(level: string): void {
    this.#state.thinkingLevel = level;
  }

  setTools(tools: any[]): void {
    this.#state.tools = [...tools];
  }

  replaceMessages(messages: any[]): void {
    this.#state.messages = [...messages];
  }

  appendMessage(message: any): void {
    this.#state.messages = [...this.#state.messages, message];
  }

  clearMessages(): void {
    this.#state.messages = [];
  }

  getSteeringMode(): Mode {
    return this.#steering.mode;
  }

  setSteeringMode(mode: Mode): void {
    this.#steering.mode = mode;
  }

  getFollowUpMode(): Mode {
    return this.#followUps.mode;
  }

  setFollowUpMode(mode: Mode): void {
    this.#followUps.mode = mode;
  }

  /** A message for the model as soon as the turn under way is over. */
  steer(message: any): void {
    this.#steering.waiting.push(message);
  }

  /** A message for when the agent would otherwise stop. */
  followUp(message: any): void {
    this.#followUps.waiting.push(message);
  }

  clearSteeringQueue(): void {
    this.#steering.waiting = [];
  }

  clearFollowUpQueue(): void {
    this.#followUps.waiting = [];
  }

  clearAllQueues(): void {
    this.clearSteeringQueue();
    this.clearFollowUpQueue();
  }

  hasQueuedMessages(): boolean {
    return this.#steering.waiting.length + this.#followUps.waiting.length > 0;
  }

  peekQueuedMessages(): any[] {
    return this.#steering.waiting.length > 0 ? this.#steering.next() : this.#followUps.next();
  }

  /** Stops the run under way. */
  abort(): void {
    this.#run?.abort.abort();
  }

  /** Waits until nothing runs any more, listeners included. */
  async waitForIdle(): Promise<void> {
    await this.#run?.done;
  }

  /** Forgets the conversation and what waits. */
  reset(): void {
    this.#state.messages = [];
    this.#state.streamingMessage = undefined;
    this.#state.pendingToolCalls = new Set();
    this.#state.errorMessage = undefined;
    this.clearAllQueues();
  }

  /** Says something to the model and runs until it is done: text with pictures, a message, or several. */
  async prompt(input: any, images: any[] = []): Promise<void> {
    if (this.#run) {
      throw new Error(
        "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
      );
    }
    const text = { type: "text", text: input };
    const said = { role: "user", content: [text, ...images], timestamp: Date.now() };
    const messages = typeof input === "string" ? [said] : [input].flat();
    await this.#start((context, config, emit, signal) =>
      runAgentLoop(messages, context, config, emit, signal, this.streamFn),
    );
  }

  /** Goes on from the conversation as it stands. */
  async continue(): Promise<void> {
    if (this.#run) throw new Error("Agent is already processing. Wait for completion before continuing.");
    const last = this.#state.messages.at(-1);
    if (!last) throw new Error("No messages to continue from");
    if (last.role === "assistant") {
      const waiting = this.#steering.waiting.length ? this.#steering.take() : this.#followUps.take();
      if (waiting.length === 0) throw new Error("Cannot continue from message role: assistant");
      return this.prompt(waiting);
    }
    await this.#start((context, config, emit, signal) =>
      runAgentLoopContinue(context, config, emit, signal, this.streamFn),
    );
  }

  async #start(work: (context: any, config: any, emit: any, signal: AbortSignal) => Promise<unknown>): Promise<void> {
    if (!this.#state.model) throw new Error("No model configured");
    const abort = new AbortController();
    const finished = Promise.withResolvers<void>();
    this.#run = { abort, done: finished.promise };
    this.#state.isStreaming = true;
    this.#state.errorMessage = undefined;
    const { systemPrompt, messages, tools } = this.#state;
    const emit = (event: any) => this.#happened(event, abort.signal);
    try {
      await work({ systemPrompt, messages: [...messages], tools: [...tools] }, this.#config(), emit, abort.signal);
    } catch (error) {
      await this.#failed(error, emit, abort.signal.aborted);
    } finally {
      this.#state.isStreaming = false;
      this.#state.streamingMessage = undefined;
      this.#state.pendingToolCalls = new Set();
      this.#run = undefined;
      finished.resolve();
    }
  }

  #config(): any {
    const { model, thinkingLevel } = this.#state;
    const { onPayload, onResponse } = this.#options;
    const { sessionId, thinkingBudgets, transport, maxRetryDelayMs, toolExecution } = this;
    const { convertToLlm, transformContext, getApiKey, beforeToolCall, afterToolCall } = this;
    return {
      model,
      reasoning: thinkingLevel === "off" ? undefined : thinkingLevel,
      ...{ sessionId, thinkingBudgets, transport, maxRetryDelayMs, toolExecution, onPayload, onResponse },
      ...{ convertToLlm, transformContext, getApiKey, beforeToolCall, afterToolCall },
      getSteeringMessages: async () => this.#steering.take(),
      getFollowUpMessages: async () => this.#followUps.take(),
    };
  }

  /** A failure outside the model's answer becomes an answer that failed. */
  async #failed(error: any, emit: (event: any) => Promise<void>, aborted: boolean): Promise<void> {
    const { failedMessage } = await import("../ai/event_stream.ts");
    const message = failedMessage(this.#state.model, error, aborted ? "aborted" : "error");
    await emit({ type: "message_start", message });
    await emit({ type: "message_end", message });
    await emit({ type: "agent_end", messages: [message] });
  }

  async #happened(event: any, signal: AbortSignal): Promise<void> {
    const now = this.#state;
    switch (event.type) {
      case "message_start":
      case "message_update":
        now.streamingMessage = event.message;
        break;
      case "message_end":
        now.streamingMessage = undefined;
        now.messages = [...now.messages, event.message];
        if (event.message.errorMessage) now.errorMessage = event.message.errorMessage;
        break;
      case "tool_execution_start":
        now.pendingToolCalls = new Set([...now.pendingToolCalls, event.toolCallId]);
        break;
      case "tool_execution_end":
        now.pendingToolCalls = new Set([...now.pendingToolCalls].filter((id) => id !== event.toolCallId));
        break;
    }
    for (const listener of [...this.#listeners]) await listener(event, signal);
  }
}
