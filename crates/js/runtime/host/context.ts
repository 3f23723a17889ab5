// `ctx`: what handlers, tools and commands get. Plain objects with live getters; made for every call.
import { ops } from "tau:ops";
import { modelRegistry } from "./models.ts";
import { sessionManager } from "./session.ts";
import { uiFor } from "./ui.ts";

/** The context of a call; it stays usable when the call has come back. */
export function eventContext(id: number, call: number): any {
  let ui: any;
  return {
    get ui() {
      return (ui ??= uiFor(id, call));
    },
    set ui(value) {
      ui = value;
    },
    get hasUI() {
      return ops.ctxGet(id, call, "hasUI");
    },
    get mode() {
      return ops.ctxGet(id, call, "mode");
    },
    get cwd() {
      return ops.ctxGet(id, call, "cwd");
    },
    get sessionManager() {
      return sessionManager(id);
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
    isIdle: () => ops.ctxGet(id, call, "isIdle"),
    abort: () => ops.ctxDo(id, call, "abort"),
    hasPendingMessages: () => ops.ctxGet(id, call, "hasPendingMessages"),
    shutdown: () => ops.ctxDo(id, call, "shutdown"),
    getContextUsage: () => ops.ctxGet(id, call, "contextUsage"),
    compact: (options?: any) => {
      ops.ctxCommand(id, call, "compact", true, { customInstructions: options?.customInstructions }).then(
        (result: any) => options?.onComplete?.(result),
        (error: any) => options?.onError?.(error),
      );
    },
    getSystemPrompt: () => ops.ctxGet(id, call, "systemPrompt"),
    isProjectTrusted: () => ops.ctxGet(id, call, "isProjectTrusted"),
    exec: (command: string, args: string[] = [], options: any = {}) =>
      ops.exec(String(command), args.map(String), { cwd: options.cwd, timeout: options.timeout }),
  };
}

/** The context of a command: it can also wait for the session and replace it. */
export function commandContext(id: number, call: number): any {
  const ctx = eventContext(id, call);
  const run = (name: string, args: any = {}) => ops.ctxCommand(id, call, name, true, args);
  return Object.defineProperties(ctx, Object.getOwnPropertyDescriptors({
    waitForIdle: async () => {
      await run("waitForIdle");
    },
    newSession: (options: any = {}) => run("newSession", { parentSession: options.parentSession }),
    fork: (entryId: string, options: any = {}) => run("fork", { entryId, position: options.position }),
    navigateTree: (targetId: string, options: any = {}) => run("navigateTree", { targetId, ...options }),
    switchSession: (path: string) => run("switchSession", { path }),
    reload: async () => {
      await run("reload");
    },
    getSystemPromptOptions: () => ops.ctxGet(id, call, "systemPromptOptions"),
  }));
}
