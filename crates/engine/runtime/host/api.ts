// The `pi` object that an extension's factory gets: plain and writable, because extensions replace its methods.
import { ops } from "tau:ops";
import { maxBufferOf } from "../internal/max_buffer.ts";
import { emit, on } from "./bus.ts";
import { keep, withToken } from "./calls.ts";
import { commandContext } from "./context.ts";
import { dialectOf } from "./dialect.ts";
import { hooksApi } from "./hooks_api.ts";
import { noteReach, prepareLoadout, withReach } from "./loadout.ts";
import { toolContext } from "./nested.ts";
import { registerProvider, unregisterProvider } from "./providers.ts";
import { reviving } from "./revive.ts";
import { schemaOf } from "./schema.ts";
import { momentsOf } from "./session_reasons.ts";
import { registerVirtualModel, unregisterVirtualModel } from "./routing.ts";
import { sending } from "./sending.ts";
import { signalling } from "./signalling.ts";
import { tauApi } from "./tau.ts";

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
        const number = ops.extOn(id, moment, special?.signal ? signalling(run) : run, here());
        if (number !== undefined) numbers.push(number);
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
      exposure: tool.exposure ?? undefined,
      defaultActive: tool.defaultActive,
      namespace: tool.namespace ?? undefined,
      annotations: tool.annotations ?? undefined,
      outputSchema: schemaOf(tool.outputSchema) ?? undefined,
      constrainedSampling: tool.constrainedSampling || undefined,
    };
    const execute = keep((call: number, toolCallId: string, params: any, signal: AbortSignal, update: any) => {
      let open = true;
      const onUpdate = (partial: any) => {
        if (open) update(partial);
      };
      const close = () => {
        open = false;
      };
      const ctx = toolContext(id, call);
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
    const loadout =
      typeof tool.prepareLoadout === "function" ? (loadout: any) => prepareLoadout(tool, loadout) : undefined;
    const functions = {
      execute,
      prepareLoadout: optional(loadout),
      prepareArguments: optional(prepare),
      renderCall: optional(tool.renderCall && ((...args: any[]) => tool.renderCall(...args))),
      renderResult: optional(tool.renderResult && ((...args: any[]) => tool.renderResult(...args))),
    };
    ops.extTool(id, spec, functions, here());
    noteReach(path, tool);
  };

  const registerCommand = (name: string, options: any) => {
    if (typeof name !== "string" || name === "") {
      throw new Error(
        `Command registered by extension "${path}" must have a non-empty string name. Use pi.registerCommand("name", { description, handler }).`,
      );
    }
    if (typeof options?.handler !== "function") {
      throw new Error(`Command "/${name}" registered by extension "${path}" must define handler().`);
    }
    const spec = {
      description: options.description,
      handler: keep((args: string, call: number) => options.handler(args, commandContext(id, call))),
      complete: optional(options.getArgumentCompletions && ((prefix: string) => options.getArgumentCompletions(prefix))),
    };
    ops.extCommand(id, name, spec, here());
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
    registerToolRenderer: (resolve: any) => ops.extToolResolver(id, keep((...args: any[]) => resolve(...args))),
    registerMarkdownTransformer: (transform: any, options?: any) => {
      const types = options?.messageTypes;
      ops.extMarkdownTransformer(id, keep((...args: any[]) => transform(...args)), types && [...types]);
    },
    ...sending(id),
    appendEntry: (type: string, data?: any) => {
      ops.appendEntry(id, String(type), data);
    },
    setSessionName: (name: string) => ops.setSessionName(id, String(name ?? "")),
    getSessionName: () => ops.getSessionName(id) ?? undefined,
    setLabel: (entry: string, label?: string) => ops.setLabel(id, String(entry), label ?? undefined),
    exec: (command: string, args: string[] = [], options: any = {}) => {
      const run = async (token?: number) => {
        const { cwd, timeout } = options ?? {};
        const maxBuffer = maxBufferOf(options);
        return ops.exec(id, String(command), args.map(String), { cwd, timeout, maxBuffer, token });
      };
      // That the session is over is thrown at once.
      ops.extCheck(id);
      return withToken(options?.signal, run);
    },
    getActiveTools: () => ops.getActiveTools(id),
    getAllTools: () => withReach(id, ops.getAllTools(id)),
    setActiveTools: (names: string[]) => {
      const list: unknown[] = typeof names === "string" ? [undefined] : [...names];
      if (!list.every((name) => typeof name === "string")) {
        throw new TypeError("pi.setActiveTools(): names must be a list of texts");
      }
      ops.setActiveTools(id, list);
    },
    getCommands: () => ops.getCommands(id),
    getSettings: () => ops.getSettings(id),
    registerMcpServer: (name: string, config: any) => ops.extMcpServer(id, String(name), config ?? {}),
    unregisterMcpServer: (name: string) => ops.extUnregisterMcpServer(id, String(name)),
    getMcpServers: () => ops.getMcpServers(id),
    setModel: async (model: any) => ops.setModel(id, model),
    getThinkingLevel: () => ops.getThinkingLevel(id),
    setThinkingLevel: (level: string) => ops.setThinkingLevel(id, level),
    registerProvider: (nameOrProvider: any, config?: any) => registerProvider(id, nameOrProvider, config),
    unregisterProvider: (name: string) => unregisterProvider(id, String(name)),
    registerVirtualModel: (definition: any) => registerVirtualModel(id, definition),
    unregisterVirtualModel: (provider: string, model: string) => unregisterVirtualModel(id, provider, model),
    events: {
      emit: (channel: string, data: any) => emit(id, String(channel), data),
      on: (channel: string, listener: any) => on(id, String(channel), listener),
    },
  };
  return tauApi(id, hooksApi(id, pi));
}
