// `ctx`: what handlers, tools and commands get. Plain objects with live getters; made for every call.
import { ops, type Replaced } from "tau:ops";
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
      ops.ctxHasUi(id, call);
      return (ui ??= uiFor(id, call));
    },
    set ui(value) {
      ui = value;
    },
    get hasUI() {
      return ops.ctxHasUi(id, call);
    },
    /** What the session is called and how many stand above it, when an extension of another one opened it. */
    get child() {
      return ops.ctxChild(id, call);
    },
    get mode() {
      return ops.ctxMode(id, call);
    },
    get cwd() {
      return ops.ctxCwd(id, call);
    },
    get sessionManager() {
      return managerIn();
    },
    get modelRegistry() {
      return modelRegistry(id);
    },
    get model() {
      return ops.ctxModel(id, call);
    },
    get thinkingLevel() {
      return ops.ctxThinkingLevel(id, call);
    },
    get scopedModels() {
      return ops.ctxScopedModels(id, call);
    },
    get signal() {
      return ops.ctxIsIdle(id, call) ? undefined : ops.ctxSignal(id, call);
    },
    [SIGNAL]: () => ops.ctxSignal(id, call),
    isIdle: () => ops.ctxIsIdle(id, call),
    abort: () => ops.ctxAbort(id, call),
    hasPendingMessages: () => ops.ctxHasPendingMessages(id, call),
    hasQueuedMessages: () => ops.ctxHasPendingMessages(id, call),
    get sessionFile() {
      return managerIn().getSessionFile() ?? null;
    },
    shutdown: () => ops.ctxShutdown(id, call),
    getContextUsage: () => ops.ctxContextUsage(id, call),
    compact: (options?: any) => {
      whenSettled(
        ops.ctxCompact(id, call, undefined, { customInstructions: options?.customInstructions }),
        (result) => options?.onComplete?.(result),
        (error: any) => options?.onError?.(error),
      );
    },
    getSystemPrompt: () => ops.ctxSystemPrompt(id, call),
    isProjectTrusted: () => ops.ctxIsProjectTrusted(id, call),
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
async function replace(id: number, withSession: any, replaced: Promise<Replaced>): Promise<Replaced> {
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
  const handler = (): number | undefined => holding(currentHandler());
  return defineProperties(ctx, getOwnPropertyDescriptors({
    waitForIdle: async () => {
      await safe(ops.ctxWaitForIdle(id, call, handler()));
    },
    newSession: ({ parentSession, setup, withSession }: any = {}) => {
      const fill = setup && keep((session: number, cwd: string, dir: string) => setup(managerOf(session, cwd, dir)));
      return replace(id, withSession, ops.ctxNewSession(id, call, handler(), { parentSession, setup: fill }));
    },
    fork: (entryId: string, { position, withSession }: any = {}) =>
      replace(id, withSession, ops.ctxFork(id, call, handler(), { entryId: String(entryId), position })),
    branch: async (entryId: string) => {
      const { cancelled } = await safe(ops.ctxFork(id, call, handler(), { entryId: String(entryId), position: undefined }));
      return { cancelled };
    },
    navigateTree: (targetId: string, options: any = {}) => {
      const { summarize, customInstructions, replaceInstructions, label } = options;
      const how = { summarize, customInstructions, replaceInstructions, label };
      return ops.ctxNavigateTree(id, call, handler(), { targetId: String(targetId), ...how });
    },
    switchSession: (path: string, { withSession }: any = {}) =>
      replace(id, withSession, ops.ctxSwitchSession(id, call, handler(), String(path))),
    reload: async () => {
      await safe(ops.ctxReload(id, call, handler()));
    },
    getSystemPromptOptions: () => ops.ctxSystemPromptOptions(id, call),
  }));
}
