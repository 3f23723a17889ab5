// What a socket moves its bytes with: the system's sockets, or any duplex stream.
import { ops } from "tau:ops";
import type { NodeError } from "../errors.ts";

/** Bytes there and back; `read` gives null at the end. */
export interface Transport {
  read(max: number): Promise<Uint8Array | null>;
  write(bytes: Uint8Array): Promise<void>;
  shutdown(): Promise<void>;
  close(): void;
}

/** An op's error in the form that sockets report: `read ECONNRESET`. */
export function socketError(error: any, syscall: string): NodeError {
  if (typeof error?.code !== "string" || error.syscall === undefined) return error;
  const own: any = new Error(`${syscall} ${error.code}`);
  return Object.assign(own, { errno: error.errno, code: error.code, syscall });
}

/** A socket of the system. */
export function systemTransport(rid: number): Transport {
  const failing = (syscall: string) => (error: any) => {
    throw socketError(error, syscall);
  };
  return {
    read: (max) => ops.streamRead(rid, max).then((bytes: any) => bytes ?? null, failing("read")),
    write: (bytes) => ops.streamWrite(rid, bytes).catch(failing("write")),
    shutdown: () => ops.streamShutdown(rid).catch(failing("shutdown")),
    close: () => ops.resourceClose(rid),
  };
}

/** Any duplex stream. */
export function streamTransport(stream: any): Transport {
  let ended = false;
  let failure: any;
  let wake = () => {};
  stream.on("readable", () => wake());
  stream.on("end", () => ((ended = true), wake()));
  stream.on("close", () => ((ended = true), wake()));
  stream.on("error", (error: any) => ((failure = error), wake()));
  return {
    async read() {
      for (;;) {
        const chunk = stream.read();
        if (chunk !== null) return chunk;
        if (failure) throw failure;
        if (ended || stream.readableEnded || stream.destroyed) return null;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (bytes.length === 0) resolve();
        else stream.write(bytes, (error: any) => (error ? reject(error) : resolve()));
      }),
    shutdown: () => new Promise((resolve) => stream.end(resolve)),
    close: () => stream.destroy(),
  };
}

