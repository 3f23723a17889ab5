// Live objects in the results of handlers: in their place Rust gets the number of a function that does their work.
import { ops } from "tau:ops";
import { apply, isBuffer, isView, resolved, TypeError } from "../internal/primordials.ts";
import { keep } from "./calls.ts";

type Send = (data: Uint8Array) => void;
/** `place` is where the handler was registered, for errors. */
type Exec = (
  command: string, cwd: string, options: any, signal: AbortSignal, send: Send, place: string,
) => Promise<number | null>;

const FIELDS: Record<string, (own: any) => ((...args: any[]) => any) | undefined> = {
  __proto__: null as any,
  operations: (own) => bash(own),
};

/** The number of a function that does the work of a live object; none for what is no such object. */
export function keepLive(field: string, own: any): number | undefined {
  const work = FIELDS[field](own);
  return work && keep(work);
}

const isBytes = (value: any): boolean => isView(value) || isBuffer(value);
const bytes = (data: any): Uint8Array => (typeof data === "string" ? ops.utf8Encode(data) : data);

/** Shell operations in either of their shapes: `exec`, which sends its output, and `execute`, which returns it. */
function bash(own: any): Exec | undefined {
  const { exec, execute } = own ?? {};
  if (typeof exec === "function") {
    return async (command, cwd, { timeout, env }, signal, send, place) => {
      const onData = (data: any) => {
        if (typeof data !== "string" && !isBytes(data)) throw new TypeError(`onData of ${place} takes text or bytes`);
        send(bytes(data));
      };
      const options = { onData, signal, timeout: timeout ?? undefined, env: env ?? undefined };
      const done = await resolved(apply(exec, own, [command, cwd, options]));
      const wrong = `operations.exec of ${place} must return an object with an exitCode`;
      if (done === null || typeof done !== "object") throw new TypeError(wrong);
      return exitCode(done.exitCode ?? null, wrong);
    };
  }
  if (typeof execute === "function") {
    return async (command, _cwd, _options, _signal, send, place) => {
      const done = await resolved(apply(execute, own, [command]));
      return returned(done, send, place);
    };
  }
  return undefined;
}

/** Sends what a command returned; its exit code. */
function returned(done: any, send: Send, place: string): number | null {
  const wrong = `operations.execute of ${place} must return text, bytes or an object with output (or stdout and stderr) and exitCode (or code)`;
  if (typeof done === "string" || isBytes(done)) {
    send(bytes(done));
    return 0;
  }
  if (done === null || typeof done !== "object") throw new TypeError(wrong);
  const { output, stdout, stderr, exitCode: exit, code = exit } = done;
  const parts = output === undefined ? [stdout, stderr] : [output];
  let known = code !== undefined;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined || part === null) continue;
    if (typeof part !== "string" && !isBytes(part)) throw new TypeError(wrong);
    known = true;
    send(bytes(part));
  }
  if (!known) throw new TypeError(wrong);
  return code === undefined ? 0 : exitCode(code, wrong);
}

/** `null` is the exit code of a command that was ended. */
function exitCode(code: any, wrong: string): number | null {
  if (code === null || (typeof code === "number" && code % 1 === 0)) return code;
  throw new TypeError(wrong);
}
