/** `fs.ReadStream` and `fs.WriteStream`. */

import { ops } from "tau:ops";
import { Readable, Writable } from "../../node/stream.ts";
import { codeTypeError, invalidArgType, outOfRange } from "../errors.ts";
import { validateFunction, validateInteger } from "../validators.ts";
import { toBuffer, toFlags, toMode, toOptions, toPath } from "./args.ts";

/** A descriptor or a `FileHandle` that options name; `null` when the stream opens the file itself. */
function takeFd(stream: any, fd: any): number | null {
  if (fd === undefined || fd === null) return null;
  if (typeof fd === "number") return fd;
  if (typeof fd !== "object" || typeof fd.fd !== "number") throw invalidArgType("options.fd", ["number", "FileHandle"], fd);
  stream._handle = fd;
  return fd.fd;
}

function openFile(stream: any, done: (error?: any) => void): void {
  if (typeof stream.fd === "number") return done();
  ops.fsOpenAsync(stream.path, toFlags(stream.flags), stream.mode).then(
    (fd: number) => {
      stream.fd = fd;
      done();
      stream.emit("open", fd);
      stream.emit("ready");
    },
    (error: any) => done(error),
  );
}

function closeFile(stream: any, error: any, done: (error?: any) => void): void {
  const { fd, _handle } = stream;
  if (typeof fd !== "number" || !stream.autoClose && !stream._wantsClose) return done(error);
  stream.fd = null;
  const closing = _handle ? _handle.close() : ops.fsCloseAsync(fd);
  closing.then(
    () => done(error),
    (failure: any) => done(error ?? failure),
  );
}

function closeMethod(stream: any, callback: any): void {
  stream._wantsClose = true;
  if (callback !== undefined) {
    validateFunction(callback, "callback");
    if (stream.closed) return void process.nextTick(callback);
    stream.once("close", callback);
  }
  stream.destroy();
}

/** Where a part of a file begins and ends. */
function checkPart(start: any, end: any): void {
  if (start !== undefined) validateInteger(start, "start", 0);
  if (end !== undefined && end !== Infinity) {
    validateInteger(end, "end", 0);
    if (start !== undefined && start > end) {
      throw outOfRange("start", `<= "end" (here: ${end})`, start);
    }
  }
}

/** The content of a file, or of a part of it. */
export class ReadStream extends Readable {
  [field: string]: any;
  constructor(path: any, options?: any) {
    const given = toOptions(options);
    checkPart(given.start, given.end);
    super({
      highWaterMark: given.highWaterMark ?? 64 * 1024,
      encoding: given.encoding ?? undefined,
      emitClose: given.emitClose ?? true,
      autoDestroy: given.autoClose ?? true,
      signal: given.signal,
      construct: openFirst,
    });
    this.path = path === undefined || path === null ? path : toPath(path);
    this.fd = takeFd(this, given.fd);
    if (this.fd === null) toPath(path);
    this.flags = given.flags ?? "r";
    this.mode = toMode(given.mode, "mode", 0o666);
    this.autoClose = given.autoClose ?? true;
    this.start = given.start;
    this.end = given.end ?? Infinity;
    this.pos = given.start;
    this.bytesRead = 0;
  }

  get pending(): boolean {
    return this.fd === null;
  }

  _read(size: number): void {
    const left = this.end - (this.pos ?? this.bytesRead) + 1;
    const wanted = Math.min(size, left);
    if (wanted <= 0) return void this.push(null);
    ops.fsReadAsync(this.fd, wanted, this.pos ?? null).then(
      (bytes: Uint8Array) => {
        if (this.destroyed) return;
        if (bytes.length === 0) return this.push(null);
        this.bytesRead += bytes.length;
        if (this.pos !== undefined) this.pos += bytes.length;
        this.push(toBuffer(bytes));
      },
      (error: any) => this.destroy(error),
    );
  }

  _destroy(error: any, done: (error?: any) => void): void {
    closeFile(this, error, done);
  }

  close(callback?: any): void {
    closeMethod(this, callback);
  }
}

/** Writes a file. */
export class WriteStream extends Writable {
  [field: string]: any;
  constructor(path: any, options?: any) {
    const given = toOptions(options);
    checkPart(given.start, undefined);
    super({
      highWaterMark: given.highWaterMark,
      decodeStrings: true,
      defaultEncoding: given.encoding ?? "utf8",
      emitClose: given.emitClose ?? true,
      autoDestroy: given.autoClose ?? true,
      signal: given.signal,
      construct: openFirst,
    });
    this.path = path === undefined || path === null ? path : toPath(path);
    this.fd = takeFd(this, given.fd);
    if (this.fd === null) toPath(path);
    this.flags = given.flags ?? (given.start === undefined ? "w" : "r+");
    this.mode = toMode(given.mode, "mode", 0o666);
    this.autoClose = given.autoClose ?? true;
    this.flush = given.flush ?? false;
    if (typeof this.flush !== "boolean") throw invalidArgType("options.flush", "boolean", given.flush);
    this.start = given.start;
    this.pos = given.start;
    this.bytesWritten = 0;
  }

  get pending(): boolean {
    return this.fd === null;
  }

  _write(chunk: any, _encoding: string, done: (error?: any) => void): void {
    if (!(chunk instanceof Uint8Array)) {
      return done(codeTypeError("ERR_INVALID_ARG_TYPE", "The chunk must be a string or bytes."));
    }
    ops.fsWriteAllAsync(this.fd, chunk, this.pos ?? null).then(() => {
      this.bytesWritten += chunk.length;
      if (this.pos !== undefined) this.pos += chunk.length;
      done();
    }, done);
  }

  _writev(items: { chunk: Uint8Array }[], done: (error?: any) => void): void {
    const size = items.reduce((sum, { chunk }) => sum + chunk.length, 0);
    const all = new Uint8Array(size);
    let at = 0;
    for (const { chunk } of items) {
      all.set(chunk, at);
      at += chunk.length;
    }
    this._write(all, "buffer", done);
  }

  _final(done: (error?: any) => void): void {
    if (!this.flush) return done();
    ops.fsFsyncAsync(this.fd, false).then(() => done(), done);
  }

  _destroy(error: any, done: (error?: any) => void): void {
    closeFile(this, error, done);
  }

  close(callback?: any): void {
    if (callback !== undefined) {
      validateFunction(callback, "callback");
      if (this.closed) return void process.nextTick(callback);
      this.once("close", callback);
    }
    this._wantsClose = true;
    // What was written before is still written.
    if (!this.autoClose) this.on("finish", () => this.destroy());
    this.end();
  }
  destroySoon(): void {
    this.end();
  }
}

function openFirst(this: any, done: (error?: any) => void): void {
  openFile(this, done);
}
