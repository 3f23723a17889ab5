// Live objects in the results of handlers: in their place Rust gets the number of a function that does their work.
import { keep } from "./calls.ts";

type Send = (data: Uint8Array) => void;
type Exec = (command: string, cwd: string, options: any, signal: AbortSignal, send: Send) => Promise<number | null>;

const FIELDS: Record<string, (own: any) => unknown> = {
  operations: (own) => {
    const exec = bash(own);
    return exec ? keep(exec as any) : "nothing to call";
  },
};

/** The result with numbers for its live objects; what is none stays, to be judged like any malformed result. */
export function withLive(fields: string[], result: any): any {
  if (typeof result?.then === "function") return result.then((value: any) => withLive(fields, value));
  if (result === null || typeof result !== "object") return result;
  const copy: any = { ...result };
  for (const field of fields) if (copy[field] !== undefined) copy[field] = FIELDS[field](copy[field]);
  return copy;
}

const bytes = (data: any): Uint8Array => (typeof data === "string" ? new TextEncoder().encode(data) : data);

/** Shell operations in either of their shapes: `exec`, which sends its output, and `execute`, which returns it. */
function bash(own: any): Exec | undefined {
  if (typeof own?.exec === "function") {
    return async (command, cwd, { timeout, env }, signal, send) => {
      const onData = (data: any) => send(bytes(data));
      const done = await own.exec(command, cwd, { onData, signal, timeout: timeout ?? undefined, env: env ?? undefined });
      return done?.exitCode ?? null;
    };
  }
  if (typeof own?.execute === "function") {
    return async (command, _cwd, _options, _signal, send) => {
      const done = await own.execute(command);
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
