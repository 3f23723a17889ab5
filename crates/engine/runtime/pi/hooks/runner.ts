// Runs hooks that were loaded by path: one after another, in the order in which they were loaded and registered.
import { execCommand } from "../coding-agent/shell.ts";
import { noUI } from "./no_ui.ts";
import type { LoadedHook } from "./load.ts";
import { Decision, OH_MY_PI, originalRules, type Rules } from "./rules.ts";

/** What went wrong in which hook, at which event. */
export type HookError = { hookPath: string; event: string; error: string };

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Calls hooks. With a session manager as its third argument it is oh-my-pi's; otherwise it is that of the original hooks,
 * and the third argument is how long a handler may take.
 */
export class HookRunner {
  /** By which rules it works. */
  readonly rules: Rules;
  #hooks: LoadedHook[];
  #cwd: string;
  #sessionManager: any;
  #modelRegistry: any;
  #ui: any;
  #hasUI = false;
  #sessionFile: string | null = null;
  #listeners = new Set<(error: HookError) => void>();
  #session: any = {};

  constructor(hooks: LoadedHook[], cwd: string, third?: any, modelRegistry?: any) {
    this.#hooks = hooks;
    this.#cwd = cwd;
    this.rules = third !== null && typeof third === "object" ? OH_MY_PI : originalRules(third);
    if (this.rules === OH_MY_PI) this.#sessionManager = third;
    this.#modelRegistry = modelRegistry;
    this.#ui = noUI(this.rules.closed);
  }

  /** Connects the hooks to a session. */
  initialize(options: any = {}): void {
    this.#session = options;
    for (const hook of this.#hooks) {
      if (options.sendMessageHandler) hook.setSendMessageHandler?.(options.sendMessageHandler);
      if (options.appendEntryHandler) hook.setAppendEntryHandler?.(options.appendEntryHandler);
    }
    this.setUIContext(options.uiContext, options.hasUI ?? false);
  }

  setUIContext(ui: any, hasUI: boolean): void {
    this.#ui = ui ?? noUI(this.rules.closed);
    this.#hasUI = hasUI;
  }

  getUIContext(): any {
    return this.#ui;
  }

  getHasUI(): boolean {
    return this.#hasUI;
  }

  /** The file of the session; null when it has none. */
  setSessionFile(path: string | null): void {
    this.#sessionFile = path;
  }

  /** Says what sends text of hooks to the model. */
  setSendHandler(send: (text: string, attachments?: any[]) => void): void {
    for (const hook of this.#hooks) hook.setSendHandler?.(send);
  }

  getHookPaths(): string[] {
    return this.#hooks.map((hook) => hook.path);
  }

  /** Listens to errors of handlers; gives what ends that. */
  onError(listener: (error: HookError) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells the listeners of an error. */
  emitError(error: HookError): void {
    for (const listener of [...this.#listeners]) listener(error);
  }

  hasHandlers(eventType: string): boolean {
    return this.#hooks.some((hook) => (hook.handlers.get(eventType)?.length ?? 0) > 0);
  }

  /** The command of a name, of the hook that was loaded first. */
  getCommand(name: string): any {
    for (const hook of this.#hooks) {
      const command = hook.commands?.get(name);
      if (command) return command;
    }
    return undefined;
  }

  /** The commands of all hooks, also those that another one stands before. */
  getRegisteredCommands(): any[] {
    return this.#hooks.flatMap((hook) => [...(hook.commands?.values() ?? [])]);
  }

  /** What shows messages of a type, of the hook that was loaded first. */
  getMessageRenderer(customType: string): any {
    for (const hook of this.#hooks) {
      const renderer = hook.messageRenderers?.get(customType);
      if (renderer) return renderer;
    }
    return undefined;
  }

  /** Tells handlers of an event; gives what they decided. What one throws is told to the listeners. */
  async emit(event: any): Promise<any> {
    const decision = new Decision(event.type);
    await this.#each(event.type, async (handler, ctx) => {
      decision.take(await this.#inTime(handler(event, ctx)));
      return decision.stopped;
    });
    return decision.result;
  }

  /** Asks about a tool call. What a handler throws is thrown: the tool must not run. */
  async emitToolCall(event: any): Promise<any> {
    const ctx = this.#context();
    let result: any;
    for (const hook of this.#hooks) {
      for (const handler of [...(hook.handlers.get("tool_call") ?? [])]) {
        const said: any = await handler(event, ctx);
        if (!said) continue;
        result = said;
        if (said.block) return result;
      }
    }
    return result;
  }

  /** The messages of a request as handlers leave them; those that were given stay as they are. */
  async emitContext(messages: any[]): Promise<any[]> {
    let current = structuredClone(messages);
    await this.#each("context", async (handler, ctx) => {
      const said: any = await this.#inTime(handler({ type: "context", messages: current }, ctx));
      if (said?.messages) current = said.messages;
    });
    return current;
  }

  /** The first message that a handler has for a prompt; the others are asked all the same. */
  async emitBeforeAgentStart(prompt: string, images?: any[]): Promise<any> {
    let result: any;
    await this.#each("before_agent_start", async (handler, ctx) => {
      const said: any = await this.#inTime(handler({ type: "before_agent_start", prompt, images }, ctx));
      if (said?.message && !result) result = { message: said.message };
    });
    return result;
  }

  /** The context of a command. */
  createCommandContext(): any {
    const session = this.#session;
    const context = this.#context();
    return Object.defineProperties(context, Object.getOwnPropertyDescriptors({
      waitForIdle: async () => void (await session.waitForIdle?.()),
      newSession: async (options?: any) => (await session.newSessionHandler?.(options)) ?? { cancelled: false },
      branch: async (entryId: string) => (await session.branchHandler?.(entryId)) ?? { cancelled: false },
      navigateTree: async (targetId: string, options?: any) =>
        (await session.navigateTreeHandler?.(targetId, options)) ?? { cancelled: false },
    }));
  }

  /** Calls handlers until one ends the round; all of an event share a context. */
  async #each(event: string, call: (handler: any, ctx: any) => Promise<boolean | void>): Promise<void> {
    const ctx = this.#context();
    for (const hook of this.#hooks) {
      for (const handler of [...(hook.handlers.get(event) ?? [])]) {
        try {
          if (await call(handler, ctx)) return;
        } catch (error) {
          this.emitError({ hookPath: hook.path, event, error: message(error) });
        }
      }
    }
  }

  /** What a handler answers, if it does in time. It is not stopped: what it says later is not heard. */
  async #inTime(answer: unknown): Promise<any> {
    const { timeout } = this.rules;
    if (timeout === undefined) return answer;
    let timer: any;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Hook timed out after ${timeout}ms`)), timeout);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #context(): any {
    const session = this.#session;
    const cwd = this.#cwd;
    return {
      ui: this.#ui,
      hasUI: this.#hasUI,
      cwd,
      sessionFile: this.#sessionFile,
      sessionManager: this.#sessionManager,
      modelRegistry: this.#modelRegistry,
      model: session.getModel?.(),
      exec: async (command: string, args: string[]) => {
        const { stdout, stderr, code } = await execCommand(command, args ?? [], cwd);
        return { stdout, stderr, code };
      },
      isIdle: () => session.isIdle?.() ?? true,
      abort: () => void session.abort?.(),
      hasQueuedMessages: () => (session.hasQueuedMessages ?? session.hasPendingMessages)?.() ?? false,
    };
  }
}
