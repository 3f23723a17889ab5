/** `stream.compose`: several streams as one duplex that writes to the first and reads from the last. */

import { invalidArgValue, missingArgs } from "../errors.ts";
import { isNodeStream, isReadable, isWritable } from "./common.ts";
import { destroyer } from "./destroy.ts";
import { Duplex } from "./duplex.ts";
import { duplexify } from "./duplexify.ts";
import { runPipeline } from "./pipeline.ts";

export function compose(...streams: any[]): any {
  if (streams.length === 0) throw missingArgs("streams");
  if (streams.length === 1) return duplexify(streams[0], "streams[0]");
  const parts = [...streams];
  if (typeof parts[0] === "function") parts[0] = duplexify(parts[0], "streams[0]");
  const lastIndex = parts.length - 1;
  if (typeof parts[lastIndex] === "function") parts[lastIndex] = duplexify(parts[lastIndex], `streams[${lastIndex}]`);
  parts.forEach((part, index) => {
    if (!isNodeStream(part)) return;
    if (index < lastIndex && !isReadable(part)) throw invalidArgValue(`streams[${index}]`, streams[index], "must be readable");
    if (index > 0 && !isWritable(part)) throw invalidArgValue(`streams[${index}]`, streams[index], "must be writable");
  });

  let onFinish: ((error?: unknown) => void) | undefined;
  let onDrain: ((error?: unknown) => void) | undefined;
  let onClose: ((error?: unknown) => void) | undefined;
  let wantsRead = false;
  const head = parts[0];
  const tail = runPipeline(parts, (error: unknown) => {
    const callback = onClose;
    onClose = undefined;
    if (callback) callback(error);
    else if (error) duplex.destroy(error);
    else if (!canRead && !canWrite) duplex.destroy();
  });
  const canWrite = Boolean(isWritable(head));
  const canRead = Boolean(isReadable(tail));
  const duplex: any = new (Duplex as any)({
    writableObjectMode: Boolean(head?.writableObjectMode),
    readableObjectMode: Boolean(tail?.readableObjectMode),
    writable: canWrite,
    readable: canRead,
  });
  if (canWrite) {
    duplex._write = (chunk: any, encoding: string, callback: any) => {
      if (head.write(chunk, encoding)) callback();
      else onDrain = callback;
    };
    duplex._final = (callback: any) => {
      onFinish = callback;
      head.end();
    };
    head.on("drain", () => {
      const callback = onDrain;
      onDrain = undefined;
      callback?.();
    });
    const writeEnd = () => {
      const callback = onFinish;
      onFinish = undefined;
      callback?.();
    };
    head.on("finish", writeEnd);
  }
  if (canRead) {
    const pull = () => {
      while (wantsRead) {
        const chunk = tail.read();
        if (chunk === null) return;
        if (!duplex.push(chunk)) wantsRead = false;
      }
    };
    tail.on("readable", pull);
    tail.on("end", () => duplex.push(null));
    duplex._read = () => {
      wantsRead = true;
      pull();
    };
  }
  duplex._destroy = (error: any, callback: any) => {
    wantsRead = false;
    onFinish = onDrain = undefined;
    if (error || !isNodeStream(tail) || tail.destroyed) {
      destroyer(tail, error);
      callback(error);
    } else {
      onClose = () => callback(error);
      destroyer(tail, error);
    }
  };
  return duplex;
}
