/** The parent's ends of a child's pipes. */

import { ops } from "tau:ops";
import { Duplex, Readable, Writable } from "../../node/stream.ts";
import { toBuffer } from "../fs/args.ts";

const CHUNK = 64 * 1024;

function read(stream: any): void {
  if (stream._rid === undefined) return void stream.push(null);
  ops.streamRead(stream._rid, CHUNK).then(
    (bytes: Uint8Array | null | undefined) => {
      if (!stream.destroyed) stream.push(bytes ? toBuffer(bytes) : null);
    },
    (error: any) => stream.destroy(pipeError(error)),
  );
}

function write(stream: any, chunk: Uint8Array, done: (error?: any) => void): void {
  if (stream._rid === undefined) return done();
  ops.streamWrite(stream._rid, chunk).then(
    () => done(),
    (error: any) => done(pipeError(error)),
  );
}

function finish(stream: any, done: (error?: any) => void): void {
  if (stream._rid === undefined) return done();
  ops.streamShutdown(stream._rid).then(
    () => done(),
    () => done(),
  );
}

function release(stream: any, error: any, done: (error?: any) => void): void {
  if (stream._rid !== undefined) ops.resourceClose(stream._rid);
  stream._rid = undefined;
  done(error);
}

/** Pipes name their errors more shortly than files. */
function pipeError(error: any): any {
  const { code, errno, syscall } = error;
  return code && syscall ? Object.assign(new Error(`${syscall} ${code}`), { errno, code, syscall }) : error;
}

/** A child's output. Without a number it has ended. */
export class PipeReader extends Readable {
  _rid: number | undefined;
  constructor(rid?: number) {
    super();
    this._rid = rid;
  }
  _read(): void {
    read(this);
  }
  _destroy(error: any, done: (error?: any) => void): void {
    release(this, error, done);
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

/** A child's input. */
export class PipeWriter extends Writable {
  _rid: number | undefined;
  constructor(rid?: number) {
    super();
    this._rid = rid;
  }
  _write(chunk: Uint8Array, _encoding: string, done: (error?: any) => void): void {
    write(this, chunk, done);
  }
  _final(done: (error?: any) => void): void {
    finish(this, done);
  }
  _destroy(error: any, done: (error?: any) => void): void {
    release(this, error, done);
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

/** A pipe beyond the first three; both sides may use it both ways. */
export class PipeBoth extends Duplex {
  _rid: number | undefined;
  constructor(rid?: number) {
    super({ allowHalfOpen: false });
    this._rid = rid;
  }
  _read(): void {
    read(this);
  }
  _write(chunk: Uint8Array, _encoding: string, done: (error?: any) => void): void {
    write(this, chunk, done);
  }
  _final(done: (error?: any) => void): void {
    finish(this, done);
  }
  _destroy(error: any, done: (error?: any) => void): void {
    release(this, error, done);
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}
