// Loading hooks by path: each is called with an API of its own, which notes what it registers.
import { ops } from "tau:ops";
import { importFile, importNow } from "../../internal/loader.ts";
import { execCommand } from "../coding-agent/shell.ts";
import { logger } from "../utils/logger.ts";
import { resolveHookPath } from "./paths.ts";

type Handler = (event: unknown, ctx: unknown) => unknown;

/** A hook that was loaded, with what it registered. */
export type LoadedHook = {
  path: string;
  resolvedPath: string;
  handlers: Map<string, Handler[]>;
  commands: Map<string, any>;
  messageRenderers: Map<string, any>;
  setSendHandler: (send: (text: string, attachments?: any[]) => void) => void;
  setSendMessageHandler: (send: (message: unknown, options?: unknown) => void) => void;
  setAppendEntryHandler: (append: (customType: string, data?: unknown) => void) => void;
};

/** What became of several paths. */
export type Loaded = { hooks: LoadedHook[]; errors: { path: string; error: string }[] };

/** Loads hooks one after another; one that cannot be loaded keeps no other from it. */
export function loadHooks(paths: string[], cwd: string): Promise<Loaded> {
  return loadFor(ops.currentExtension(), paths, cwd);
}

/** As `loadHooks`, with the modules of an extension. */
export async function loadFor(extension: number, paths: string[], cwd: string): Promise<Loaded> {
  const loaded: Loaded = { hooks: [], errors: [] };
  for (const path of paths) {
    try {
      loaded.hooks.push(await load(extension, path, cwd));
    } catch (error: any) {
      loaded.errors.push({ path, error: error instanceof NoFactory ? error.message : `Failed to load hook: ${error?.message ?? error}` });
    }
  }
  return loaded;
}

class NoFactory extends Error {}

async function load(extension: number, path: string, cwd: string): Promise<LoadedHook> {
  const resolvedPath = resolveHookPath(path, cwd);
  const { default: exported } = await importFile(extension, resolvedPath);
  // A module that was compiled to CommonJS wraps its default once more.
  const factory = typeof exported === "function" ? exported : exported?.default;
  if (typeof factory !== "function") throw new NoFactory("Hook must export a default function");
  const [hook, api] = make(path, resolvedPath, cwd);
  await factory(api);
  return hook;
}

function make(path: string, resolvedPath: string, cwd: string): [LoadedHook, any] {
  const handlers = new Map<string, Handler[]>();
  const commands = new Map<string, any>();
  const messageRenderers = new Map<string, any>();
  const missing = (name: string) => (): void => {
    throw new Error(`${name} handler not initialized`);
  };
  // Text that is sent before anybody listens is lost; messages and entries are not lost without a word.
  let send: (text: string, attachments?: any[]) => void = () => {};
  let sendMessage: (message: unknown, options?: unknown) => void = missing("sendMessage");
  let appendEntry: (customType: string, data?: unknown) => void = missing("appendEntry");
  const api = {
    on(event: string, handler: Handler): void {
      const known = handlers.get(event);
      if (known) known.push(handler);
      else handlers.set(event, [handler]);
    },
    send: (text: string, attachments?: any[]): void => send(text, attachments),
    sendMessage: (message: unknown, options?: unknown): void =>
      sendMessage(message, typeof options === "boolean" ? { triggerTurn: options } : options),
    appendEntry: (customType: string, data?: unknown): void => appendEntry(customType, data),
    registerCommand: (name: string, options: any): void => void commands.set(name, { name, ...options }),
    registerMessageRenderer: (customType: string, renderer: unknown): void => void messageRenderers.set(customType, renderer),
    exec: (command: string, args: string[], options?: unknown) => execCommand(command, args ?? [], cwd, options),
    logger,
    get typebox() {
      return importNow("tau:typebox/index.ts");
    },
    get pi() {
      return importNow("tau:pi/coding-agent.ts");
    },
  };
  const hook: LoadedHook = {
    path,
    resolvedPath,
    handlers,
    commands,
    messageRenderers,
    setSendHandler: (handler) => void (send = handler),
    setSendMessageHandler: (handler) => void (sendMessage = handler),
    setAppendEntryHandler: (handler) => void (appendEntry = handler),
  };
  return [hook, api];
}
