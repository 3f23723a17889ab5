// `ctx`: what handlers, tools and commands get. Plain objects with live getters; made for every call.
import { ops } from "tau:ops";
import { currentHandler } from "../internal/async_context.ts";
import { maxBufferOf } from "../internal/max_buffer.ts";
import {
  defineProperties, getOwnPropertyDescriptors, mapped, resolved, safe, String, Symbol, whenSettled,
} from "../internal/primordials.ts";
import { keep, withToken } from "./calls.ts";
import { dialectOf } from "./dialect.ts";
import { modelRegistry } from "./models.ts";
import { sending } from "./sending.ts";
import { managerOf, sessionManager } from "./session.ts";
import { uiFor } from "./ui.ts";

/** The signal of what is under way, also when that is no run. */
export const SIGNAL = Symbol("signal");

/** The context of a call; it stays usable when the call has come back. */
export function eventContext(id: number, call: number): any {
  let ui: any;
  let manager: any;
  /** The session that the context is about: a child's, when the gate of its parent is asked. */
  const managerIn = () => {
    if (manager) return manager;
    const other = ops.ctxSession(id, call);
    return other ? (manager = managerOf(other[0], other[1], other[2])) : sessionManager(id);
  };
  return {
    get ui() {
      // The context of a session that was replaced throws; a user interface that was kept does not.
      ops.ctxGet(id, call, "hasUI");
      return (ui ??= uiFor(id, call));
    },
    set ui(value) {
      ui = value;
    },
    get hasUI() {
      return ops.ctxGet(id, call, "hasUI");
    },
    /** What the session is called and how many stand above it, when an extension of another one opened it. */
    get child() {
      return ops.ctxGet(id, call, "child");
    },
    get mode() {
      return ops.ctxGet(id, call, "mode");
    },
    get cwd() {
      return ops.ctxGet(id, call, "cwd");
    },
    get sessionManager() {
      return managerIn();
    },
    get modelRegistry() {
      return modelRegistry(id);
    },
    get model() {
      return ops.ctxGet(id, call, "model");
    },
    get thinkingLevel() {
      return ops.ctxGet(id, call, "thinkingLevel");
    },
    get scopedModels() {
      return ops.ctxGet(id, call, "scopedModels");
    },
    get signal() {
      return ops.ctxGet(id, call, "running") ? ops.ctxSignal(id, call) : undefined;
    },
    [SIGNAL]: () => ops.ctxSignal(id, call),
    isIdle: () => ops.ctxGet(id, call, "isIdle"),
    abort: () => ops.ctxDo(id, call, "abort"),
    hasPendingMessages: () => ops.ctxGet(id, call, "hasPendingMessages"),
    hasQueuedMessages: () => ops.ctxGet(id, call, "hasPendingMessages"),
    get sessionFile() {
      return managerIn().getSessionFile() ?? null;
    },
    shutdown: () => ops.ctxDo(id, call, "shutdown"),
    getContextUsage: () => ops.ctxGet(id, call, "contextUsage"),
    compact: (options?: any) => {
      whenSettled(
        ops.ctxCommand(id, call, "compact", { customInstructions: options?.customInstructions }, undefined),
        (result: any) => options?.onComplete?.(result),
        (error: any) => options?.onError?.(error),
      );
    },
    getSystemPrompt: () => ops.ctxGet(id, call, "systemPrompt"),
    isProjectTrusted: () => ops.ctxGet(id, call, "isProjectTrusted"),
    exec: async (command: string, args: string[] = [], options: any = {}) => {
      const run = (token?: number) => {
        const { cwd, timeout } = options ?? {};
        const maxBuffer = maxBufferOf(options);
        return ops.exec(id, String(command), mapped(args, String), { cwd, timeout, maxBuffer, token });
      };
      const { stdout, stderr, code, killed } = await safe(withToken(options?.signal, run));
      return dialectOf(id).tellsKilled ? { stdout, stderr, code, killed } : { stdout, stderr, code };
    },
  };
}

/** Waits until the session was replaced; then `withSession` goes on in the new one, with a context of its own. */
async function replace(id: number, withSession: any, replaced: Promise<any>): Promise<any> {
  const result = await safe(replaced);
  if (!result.cancelled && typeof withSession === "function") {
    const now = ops.extSuccessor(id);
    const ctx = commandContext(now, 0);
    const { sendMessage, sendUserMessage } = sending(now);
    ctx.sendMessage = async (message: any, options?: any) => sendMessage(message, options);
    ctx.sendUserMessage = async (content: any, options?: any) => sendUserMessage(content, options);
    await resolved(withSession(ctx));
  }
  return result;
}

/** The context of a command: it can also wait for the session and replace it, unless a handler kept it for itself. */
export function commandContext(id: number, call: number): any {
  const ctx = eventContext(id, call);
  // While somebody holds it, handlers know across `await` that they are handlers.
  const holding = ops.ctxHold();
  const run = (name: string, args: any = {}) => ops.ctxCommand(id, call, name, args, holding(currentHandler()));
  return defineProperties(ctx, getOwnPropertyDescriptors({
    waitForIdle: async () => {
      await safe(run("waitForIdle"));
    },
    newSession: ({ parentSession, setup, withSession }: any = {}) => {
      const fill = setup && keep((session: number, cwd: string, dir: string) => setup(managerOf(session, cwd, dir)));
      return replace(id, withSession, run("newSession", { parentSession, setup: fill }));
    },
    fork: (entryId: string, { position, withSession }: any = {}) =>
      replace(id, withSession, run("fork", { entryId: String(entryId), position })),
    branch: async (entryId: string) => {
      const { cancelled } = await safe(run("fork", { entryId: String(entryId) }));
      return { cancelled };
    },
    navigateTree: (targetId: string, options: any = {}) => {
      const { summarize, customInstructions, replaceInstructions, label } = options;
      const how = { summarize, customInstructions, replaceInstructions, label };
      return run("navigateTree", { targetId: String(targetId), ...how });
    },
    switchSession: (path: string, { withSession }: any = {}) =>
      replace(id, withSession, run("switchSession", { path: String(path) })),
    reload: async () => {
      await safe(run("reload"));
    },
    getSystemPromptOptions: () => ops.ctxGet(id, call, "systemPromptOptions"),
  }));
}
