// Live objects in the results of handlers: in their place Rust gets the number of a function that does their work.
import { ops } from "tau:ops";
import { apply, resolved } from "../internal/primordials.ts";
import { keep } from "./calls.ts";

type Send = (data: Uint8Array) => void;
type Exec = (command: string, cwd: string, options: any, signal: AbortSignal, send: Send) => Promise<number | null>;

const FIELDS: Record<string, (own: any) => ((...args: any[]) => any) | undefined> = {
  __proto__: null as any,
  operations: (own) => bash(own),
};

/** The number of a function that does the work of a live object; none for what is no such object. */
export function keepLive(field: string, own: any): number | undefined {
  const work = FIELDS[field](own);
  return work && keep(work);
}

const bytes = (data: any): Uint8Array => (typeof data === "string" ? ops.utf8Encode(data) : data);

/** Shell operations in either of their shapes: `exec`, which sends its output, and `execute`, which returns it. */
function bash(own: any): Exec | undefined {
  const { exec, execute } = own ?? {};
  if (typeof exec === "function") {
    return async (command, cwd, { timeout, env }, signal, send) => {
      const onData = (data: any) => send(bytes(data));
      const options = { onData, signal, timeout: timeout ?? undefined, env: env ?? undefined };
      const done = await resolved(apply(exec, own, [command, cwd, options]));
      return done?.exitCode ?? null;
    };
  }
  if (typeof execute === "function") {
    return async (command, _cwd, _options, _signal, send) => {
      const done = await resolved(apply(execute, own, [command]));
      if (typeof done === "string") {
        send(bytes(done));
        return 0;
      }
      const output = done?.output ?? `${done?.stdout ?? ""}${done?.stderr ?? ""}`;
      if (output) send(bytes(output));
      const code = done?.exitCode ?? done?.code;
      return code === undefined ? 0 : code;
    };
  }
  return undefined;
}
