// Compression as streams.
import { ops, type ZlibOptions, type ZlibStream } from "tau:ops";
import { Buffer } from "../../node/buffer.ts";
import { nextTick } from "../tick.ts";
import { Transform } from "../streams/duplex.ts";
import { CODECS, type Codec, opOptions } from "./options.ts";

/** How much is given to a codec at once: what comes out may be a thousand times as much. */
const PIECE = 16384;
const EMPTY = new Uint8Array(0);

/** The flush that the ops mean, from the numbers of zlib and of Brotli. */
function flushOf(brotli: boolean, kind: number): number {
  return (brotli ? [0, 1, 3] : [0, 1, 1, 2, 3, 1])[kind] ?? 1;
}

const kFlush = Symbol("flush");

class ZlibBase extends Transform {
  #codec: Codec;
  #told: ZlibOptions;
  #state: ZlibStream;
  #closed = false;
  /** How many bytes went in. */
  bytesWritten = 0;

  constructor(name: string, options: any) {
    const codec = CODECS[name];
    const told = opOptions(codec, options);
    super({ ...options, autoDestroy: true });
    this.#codec = codec;
    this.#told = told;
    this.#state = ops.zlibStream(codec.op, told);
    this.#flushFlag = options?.flush ?? 0;
    this.#finishFlag = options?.finishFlush ?? (codec.brotli ? 2 : 4);
    this.#limit = options?.maxOutputLength ?? Infinity;
  }
  #flushFlag: number;
  #finishFlag: number;
  #limit: number;

  get _closed(): boolean {
    return this.#closed;
  }
  get bytesRead(): number {
    return this.bytesWritten;
  }

  #feed(bytes: Uint8Array, flush: number): void {
    const out = this.#state.feed(bytes, flush);
    if (out.length > 0) this.push(Buffer.from(out.buffer, out.byteOffset, out.byteLength));
  }

  _transform(chunk: any, _encoding: string, callback: (error?: any) => void): void {
    try {
      const flush = chunk[kFlush];
      if (flush !== undefined) this.#feed(EMPTY, flushOf(this.#codec.brotli, flush));
      for (let at = 0; at < chunk.length; at += PIECE) {
        const piece = chunk.subarray(at, at + PIECE);
        this.bytesWritten += piece.length;
        const last = at + PIECE >= chunk.length;
        this.#feed(piece, last ? flushOf(this.#codec.brotli, this.#flushFlag) : 0);
      }
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }

  _flush(callback: (error?: any) => void): void {
    try {
      this.#feed(EMPTY, this.#codec.compress ? flushOf(this.#codec.brotli, this.#finishFlag) : 3);
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }

  _destroy(error: any, callback: (error?: any) => void): void {
    this.#closed = true;
    this.#state = { feed: () => EMPTY };
    callback(error);
  }

  /** Gives out what the codec holds back. */
  flush(kind?: any, callback?: any): void {
    if (typeof kind === "function") [kind, callback] = [undefined, kind];
    kind ??= this.#codec.brotli ? 1 : 3;
    if (this.writableFinished) {
      if (callback) nextTick(callback);
    } else if (this.writableEnded) {
      if (callback) this.once("end", callback);
    } else {
      // An empty chunk that carries its meaning keeps its place in the line.
      const marker: any = Buffer.alloc(0);
      marker[kFlush] = kind;
      this.write(marker, "", callback);
    }
  }

  close(callback?: any): void {
    if (callback) {
      if (this.closed) nextTick(callback);
      else this.once("close", callback);
    }
    this.destroy();
  }

  /** Starts over. */
  reset(): void {
    this.#state = ops.zlibStream(this.#codec.op, this.#told);
  }

  /** Changes the level for what comes; what came before is flushed first. */
  params(_level: number, _strategy: number, callback?: any): void {
    this.flush(2, callback);
  }
}

/** `new Gzip()` as well as `Gzip()`. */
function classFor(name: string): any {
  const Class: any = { [name]: class extends ZlibBase {
    constructor(options?: any) {
      super(name, options);
    }
  } }[name];
  return new Proxy(Class, { apply: (_target, _self, args) => new Class(...args) });
}

export const Deflate = classFor("Deflate");
export const Inflate = classFor("Inflate");
export const Gzip = classFor("Gzip");
export const Gunzip = classFor("Gunzip");
export const DeflateRaw = classFor("DeflateRaw");
export const InflateRaw = classFor("InflateRaw");
export const Unzip = classFor("Unzip");
export const BrotliCompress = classFor("BrotliCompress");
export const BrotliDecompress = classFor("BrotliDecompress");

export const createDeflate = (options?: any): any => new Deflate(options);
export const createInflate = (options?: any): any => new Inflate(options);
export const createGzip = (options?: any): any => new Gzip(options);
export const createGunzip = (options?: any): any => new Gunzip(options);
export const createDeflateRaw = (options?: any): any => new DeflateRaw(options);
export const createInflateRaw = (options?: unknown): any => new InflateRaw(options);
export const createUnzip = (options?: unknown): any => new Unzip(options);
export const createBrotliCompress = (options?: unknown): any => new BrotliCompress(options);
export const createBrotliDecompress = (options?: unknown): any => new BrotliDecompress(options);
