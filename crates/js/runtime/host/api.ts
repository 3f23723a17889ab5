// The `pi` object that an extension's factory gets: plain and writable, because extensions replace its methods.
import { ops } from "tau:ops";
import { emit, on } from "./bus.ts";
import { keep, withToken } from "./calls.ts";
import { commandContext, eventContext } from "./context.ts";
import { dialectOf } from "./dialect.ts";
import { hooksApi } from "./hooks_api.ts";
import { registerProvider, unregisterProvider } from "./providers.ts";
import { reviving } from "./revive.ts";
import { schemaOf } from "./schema.ts";
import { momentsOf } from "./session_reasons.ts";
import { sending } from "./sending.ts";
import { signalling } from "./signalling.ts";

const here = () => {
  ops.nextStackIsOwn();
  return new Error().stack ?? "";
};
const optional = (fn: unknown) => (typeof fn === "function" ? keep(fn as any) : undefined);

/** Runs the modules that most extensions need while they load: a module runs when one of its names is looked at. */
export function getReady(): void {
  const needed = [on, keep, reviving, schemaOf, sending];
  void needed;
}

export function makeApi(id: number, path: string): any {
  const onEvent = (event: string, handler: (event: any, ctx: any) => unknown) => {
    if (typeof handler !== "function") throw new TypeError(`pi.on("${event}"): the handler is not a function`);
    const name = String(event);
    const special = ops.extEvent(id, name);
    const moments = name === "session" ? momentsOf(dialectOf(id).mentioned, handler) : undefined;
    let run = reviving(name, moments?.session ?? handler);
    if (special?.signal) run = signalling(run);
    const number = ops.extOn(id, name, run, here());
    const numbers = number === undefined ? [] : [number];
    // Where the dialect has this event, it may stand for others.
    if (moments && number !== undefined) {
      for (const [moment, run] of moments.others) {
        const special = ops.extEvent(id, moment);
        numbers.push(ops.extOn(id, moment, special?.signal ? signalling(run) : run, here()));
      }
    }
    return () => numbers.forEach((number) => ops.extOff(number));
  };

  const registerTool = (tool: any) => {
    const spec = {
      name: tool.name,
      label: tool.label ?? tool.name,
      description: tool.description ?? "",
      parameters: schemaOf(tool.parameters),
      promptSnippet: tool.promptSnippet,
      promptGuidelines: tool.promptGuidelines,
      executionMode: tool.executionMode,
    };
    const execute = keep((call: number, toolCallId: string, params: any, signal: AbortSignal, update: any) => {
      let open = true;
      const onUpdate = (partial: any) => {
        if (open) update(partial);
      };
      const close = () => {
        open = false;
      };
      const ctx = eventContext(id, call);
      let result: any;
      try {
        result = tool.execute(toolCallId, params, signal, onUpdate, ctx);
      } catch (error) {
        close();
        throw error;
      }
      if (result && typeof result.then === "function") result.then(close, close);
      else close();
      return result;
    });
    const prepare = typeof tool.prepareArguments === "function" ? (raw: any) => tool.prepareArguments(raw) : undefined;
    const functions = {
      execute,
      prepareArguments: optional(prepare),
      renderCall: optional(tool.renderCall && ((...args: any[]) => tool.renderCall(...args))),
      renderResult: optional(tool.renderResult && ((...args: any[]) => tool.renderResult(...args))),
    };
    ops.extTool(id, spec, functions, here());
  };

  const registerCommand = (name: string, options: any) => {
    const spec = {
      description: options.description,
      handler: optional(
        typeof options.handler === "function"
          ? (args: string, call: number) => options.handler(args, commandContext(id, call))
          : undefined,
      ),
      complete: optional(options.getArgumentCompletions && ((prefix: string) => options.getArgumentCompletions(prefix))),
    };
    ops.extCommand(id, String(name), spec, here());
  };

  const pi: any = {
    on: onEvent,
    registerTool,
    registerCommand,
    registerShortcut: (key: string, options: any) => {
      const run = keep((call: number) => options.handler(commandContext(id, call)));
      ops.extShortcut(id, String(key), options.description, run);
    },
    registerFlag: (name: string, options: any) => {
      const { description = "", type, default: value } = options;
      ops.extFlag(id, { name, description, type, default: value });
    },
    getFlag: (name: string) => {
      ops.extCheck(id);
      return ops.extGetFlag(id, String(name));
    },
    registerMessageRenderer: (type: string, render: any) =>
      ops.extMessageRenderer(id, String(type), keep((...args: any[]) => render(...args))),
    registerEntryRenderer: (type: string, render: any) =>
      ops.extEntryRenderer(id, String(type), keep((...args: any[]) => render(...args))),
    registerMarkdownTransformer: (transform: any) =>
      ops.extMarkdownTransformer(id, keep((...args: any[]) => transform(...args))),
    ...sending(id),
    appendEntry: (type: string, data?: any) => {
      ops.appendEntry(id, String(type), data);
    },
    setSessionName: (name: string) => ops.setSessionName(id, String(name ?? "")),
    getSessionName: () => ops.getSessionName(id) ?? undefined,
    setLabel: (entry: string, label?: string) => ops.setLabel(id, String(entry), label ?? undefined),
    exec: (command: string, args: string[] = [], options: any = {}) =>
      withToken(options.signal, (token) =>
        ops.exec(id, String(command), args.map(String), { cwd: options.cwd, timeout: options.timeout, token }),
      ),
    getActiveTools: () => ops.getActiveTools(id),
    getAllTools: () => ops.getAllTools(id),
    setActiveTools: (names: string[]) => ops.setActiveTools(id, [...names]),
    getCommands: () => ops.getCommands(id),
    setModel: async (model: any) => ops.setModel(id, model),
    getThinkingLevel: () => ops.getThinkingLevel(id),
    setThinkingLevel: (level: string) => ops.setThinkingLevel(id, level),
    registerProvider: (nameOrProvider: any, config?: any) => registerProvider(id, nameOrProvider, config),
    unregisterProvider: (name: string) => unregisterProvider(id, String(name)),
    events: {
      emit: (channel: string, data: any) => emit(id, String(channel), data),
      on: (channel: string, listener: any) => on(id, String(channel), listener),
    },
  };
  void path;
  return hooksApi(id, pi);
}
