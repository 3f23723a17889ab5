/** Whole files: `readFile`, `writeFile`, `appendFile`. */

import { ops } from "tau:ops";
import { abortError } from "../aborted.ts";
import { validateAbortSignal, validateBoolean } from "../validators.ts";
import { decode, toData, toFlags, toMode, toOptions, toPath, wantsText } from "./args.ts";

/** A descriptor, also that of a `FileHandle`; `undefined` when a file is meant by name. */
function descriptor(file: any): number | undefined {
  if (typeof file === "number") return file;
  return typeof file === "object" && file !== null && typeof file.fd === "number" ? file.fd : undefined;
}

export function readFileSync(path: any, options?: any): any {
  const { encoding, flag } = toOptions(options, { encoding: null, flag: "r" });
  const text = wantsText(encoding);
  const data = typeof path === "number" ? ops.fsReadRest(path, text) : ops.fsReadFile(toPath(path), toFlags(flag), text);
  return decode(data, encoding);
}

/** Fails with the reason of a signal that aborts before the work is done. */
function abortable<T>(work: () => Promise<T>, signal: any): Promise<T> {
  if (!signal) return work();
  if (signal.aborted) return Promise.reject(abortError(signal.reason));
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Checks now, reads later. */
export function readFileLater(path: any, options?: any): () => Promise<any> {
  const { encoding, flag, signal } = toOptions(options, { encoding: null, flag: "r" });
  validateAbortSignal(signal, "options.signal");
  const text = wantsText(encoding);
  const fd = descriptor(path);
  if (fd !== undefined) {
    return async () => decode(await abortable(() => ops.fsReadRestAsync(fd, text), signal), encoding);
  }
  const [name, flags] = [toPath(path), toFlags(flag)];
  return async () => decode(await abortable(() => ops.fsReadFileAsync(name, flags, text), signal), encoding);
}

function writeOptions(options: any, flag: string): any {
  const given = toOptions(options, { encoding: "utf8", mode: 0o666, flag, flush: false });
  if (given.flush != null) validateBoolean(given.flush, "options.flush");
  return { ...given, mode: toMode(given.mode, "mode", 0o666), flush: Boolean(given.flush) };
}

export function writeFileSync(path: unknown, data: unknown, options?: unknown): void {
  write(path, data, writeOptions(options, "w"));
}

export function appendFileSync(path: unknown, data: unknown, options?: unknown): void {
  write(path, data, writeOptions(options, "a"));
}

function write(path: unknown, data: any, { encoding, mode, flag, flush }: any): void {
  const bytes = toData(data, encoding);
  if (typeof path !== "number") return ops.fsWriteFile(toPath(path), bytes, toFlags(flag), mode, flush);
  ops.fsWriteAll(path, bytes, null);
  if (flush) ops.fsFsync(path, false);
}

function isStreamOfChunks(data: any): boolean {
  return (
    typeof data === "object" && data !== null && !ArrayBuffer.isView(data) &&
    (typeof data[Symbol.asyncIterator] === "function" || typeof data[Symbol.iterator] === "function")
  );
}

/** Writes chunk by chunk what arrives over time. */
async function writeChunks(path: unknown, chunks: any, { encoding, mode, flag, flush, signal }: any): Promise<void> {
  const given = descriptor(path);
  const fd = given ?? (await ops.fsOpenAsync(toPath(path), toFlags(flag), mode));
  try {
    for await (const chunk of chunks) {
      if (signal?.aborted) throw abortError(signal.reason);
      await ops.fsWriteAllAsync(fd, toData(chunk, encoding), null);
    }
    if (flush) await ops.fsFsyncAsync(fd, false);
  } finally {
    if (given === undefined) ops.fsClose(fd);
  }
}

/** Checks now, writes later. `chunks` says whether iterables are taken. */
export function writeFileLater(path: unknown, data: unknown, options: unknown, flag: string, chunks: boolean): () => Promise<void> {
  const given = writeOptions(options, flag);
  validateAbortSignal(given.signal, "options.signal");
  if (chunks && isStreamOfChunks(data)) {
    if (given.signal?.aborted) return () => Promise.reject(abortError(given.signal.reason));
    return () => writeChunks(path, data, given);
  }
  const bytes = toData(data, given.encoding);
  const fd = descriptor(path);
  if (fd === undefined) {
    const args = [toPath(path), bytes, toFlags(given.flag), given.mode, given.flush] as const;
    return () => abortable(() => ops.fsWriteFileAsync(...args), given.signal);
  }
  return () =>
    abortable(async () => {
      await ops.fsWriteAllAsync(fd, bytes, null);
      if (given.flush) await ops.fsFsyncAsync(fd, false);
    }, given.signal);
}
