// Loading an extension: import the file, call its factory with a `pi` of its own.
import { ops } from "tau:ops";
import { forgetExtension, importFile, nameExtension } from "../internal/loader.ts";
import { showBun } from "../internal/bun.ts";
import { install } from "../internal/globals.ts";
import { getReady as getApiReady, makeApi } from "./api.ts";
import { dropListeners } from "./bus.ts";
import { keptFunction } from "./calls.ts";
import { dialectOf } from "./dialect.ts";
import { begin, piOf } from "./generations.ts";
import { forgetReplaced } from "./ui.ts";

/** Runs what every extension needs, for those who have time before there is one. */
export function getReady(): void {
  install();
  getApiReady();
}

/**
 * Loads a file as the extension of that number; the call settles when the factory is done. Modules that are there
 * already are not evaluated again: a factory that runs once more over them finds the state they have.
 */
export function loadExtension(call: number, id: number, path: string, name: string, modules: number): void {
  install();
  nameExtension(modules, name);
  // What it listened to for the session before is over.
  const before = begin(modules, id);
  if (before !== undefined) {
    dropListeners(before);
    forgetReplaced();
  }
  load(id, path, modules).then(
    () => ops.callDone(call, undefined),
    (error) => ops.callFailed(call, error),
  );
}

/** Lets a function of an extension register with a `pi` of its own, for a child session. */
export function loadInline(call: number, id: number, factory: number): void {
  const register = async () => {
    await keptFunction(factory)?.(makeApi(id, `<inline:${id}>`));
  };
  register().then(
    () => ops.callDone(call, undefined),
    (error) => ops.callFailed(call, error),
  );
}

/** Forgets what is left of an extension that could not be loaded. */
export function dropExtension(modules: number): void {
  forgetExtension(modules);
  dropListeners(piOf(modules));
}

async function load(id: number, path: string, modules: number): Promise<void> {
  const { bun, defaultOnly, noFactory } = dialectOf(id);
  if (bun) showBun(modules);
  const exports = await importFile(modules, path);
  const factory = factoryOf(exports, defaultOnly);
  if (!factory) throw new Error(noFactory);
  ops.extFactory(id, factory);
  await factory(makeApi(id, path));
}

/** The default export; a module that was compiled to CommonJS wraps it once more, and some are the factory. */
function factoryOf(exports: any, defaultOnly: boolean): ((pi: any) => unknown) | undefined {
  const whole = defaultOnly ? undefined : exports;
  for (const candidate of [exports.default, exports.default?.default, whole]) {
    if (typeof candidate === "function") return candidate;
  }
  return undefined;
}
