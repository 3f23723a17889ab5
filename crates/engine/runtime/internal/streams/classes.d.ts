// The stream classes for the type checker. They are functions, because programs call them on objects of their own.
import type { EventEmitter, EventEmitterStatics } from "../../node/events.ts";
import type { ReadableState } from "./readable_state.ts";
import type { WritableState } from "./writable_state.ts";

type Done = (error?: Error | null) => void;

export interface StreamOptions<Self> {
  highWaterMark?: number;
  objectMode?: boolean;
  emitClose?: boolean;
  autoDestroy?: boolean;
  signal?: AbortSignal;
  construct?(this: Self, callback: Done): void;
  destroy?(this: Self, error: Error | null, callback: Done): void;
}

export interface ReadableOptions<Self = Readable> extends StreamOptions<Self> {
  encoding?: string;
  read?(this: Self, size: number): void;
}

export interface WritableOptions<Self = Writable> extends StreamOptions<Self> {
  decodeStrings?: boolean;
  defaultEncoding?: string;
  write?(this: Self, chunk: any, encoding: any, callback: Done): void;
  writev?(this: Self, chunks: { chunk: any; encoding: any }[], callback: Done): void;
  final?(this: Self, callback: Done): void;
}

export interface DuplexOptions<Self = Duplex> extends ReadableOptions<Self>, WritableOptions<Self> {
  allowHalfOpen?: boolean;
  readable?: boolean;
  writable?: boolean;
  readableObjectMode?: boolean;
  writableObjectMode?: boolean;
  readableHighWaterMark?: number;
  writableHighWaterMark?: number;
}

export interface TransformOptions<Self = Transform> extends DuplexOptions<Self> {
  transform?(this: Self, chunk: any, encoding: any, callback: (error?: Error | null, data?: any) => void): void;
  flush?(this: Self, callback: (error?: Error | null, data?: any) => void): void;
}

/** The base of all streams. */
export interface Stream extends EventEmitter {
  pipe<T>(destination: T, options?: { end?: boolean }): T;
}

/** What everything has that can be destroyed. */
interface Destroyable {
  destroyed: boolean;
  readonly errored: Error | null;
  readonly closed: boolean;
  destroy(error?: Error | null, callback?: Done): this;
  _undestroy(): void;
  _construct?(callback: Done): void;
  _destroy(error: Error | null, callback: Done): void;
  [Symbol.asyncDispose](): Promise<void>;
}

interface OperatorOptions {
  concurrency?: number;
  highWaterMark?: number;
  signal?: AbortSignal;
}
type Context = { signal?: AbortSignal };

/** The readable side. */
export interface ReadableSide {
  _readableState: ReadableState;
  readable: boolean;
  readableFlowing: boolean | null;
  readonly readableDidRead: boolean;
  readonly readableAborted: boolean;
  readonly readableHighWaterMark: number;
  readonly readableBuffer: any[];
  readonly readableLength: number;
  readonly readableObjectMode: boolean;
  readonly readableEncoding: any;
  readonly readableEnded: boolean;
  _read(size: number): void;
  read(size?: number): any;
  push(chunk: any, encoding?: string): boolean;
  unshift(chunk: any, encoding?: string): boolean;
  resume(): this;
  pause(): this;
  isPaused(): boolean;
  setEncoding(encoding: string): this;
  wrap(source: any): this;
  unpipe(destination?: any): this;
  iterator(options?: { destroyOnReturn?: boolean }): AsyncGenerator<any>;
  [Symbol.asyncIterator](): AsyncGenerator<any>;
  map(fn: (chunk: any, context: Context) => any, options?: OperatorOptions): Readable;
  filter(fn: (chunk: any, context: Context) => any, options?: OperatorOptions): Readable;
  flatMap(fn: (chunk: any, context: Context) => any, options?: OperatorOptions): Readable;
  forEach(fn: (chunk: any, context: Context) => any, options?: OperatorOptions): Promise<void>;
  toArray(options?: { signal?: AbortSignal }): Promise<any[]>;
  some(fn: (chunk: any, context: Context) => any, options?: OperatorOptions): Promise<boolean>;
  every(fn: (chunk: any, context: Context) => any, options?: OperatorOptions): Promise<boolean>;
  find(fn: (chunk: any, context: Context) => any, options?: OperatorOptions): Promise<any>;
  drop(limit: number, options?: { signal?: AbortSignal }): Readable;
  take(limit: number, options?: { signal?: AbortSignal }): Readable;
  asIndexedPairs(options?: { signal?: AbortSignal }): Readable;
  reduce(fn: (previous: any, chunk: any, context: Context) => any, initial?: any, options?: { signal?: AbortSignal }): Promise<any>;
  compose(stream: any, options?: { signal?: AbortSignal }): any;
}

/** The writable side. */
export interface WritableSide {
  _writableState: WritableState;
  writable: boolean;
  readonly writableFinished: boolean;
  readonly writableObjectMode: boolean;
  readonly writableBuffer: any[];
  readonly writableEnded: boolean;
  readonly writableNeedDrain: boolean;
  readonly writableHighWaterMark: number;
  readonly writableCorked: number;
  readonly writableLength: number;
  readonly writableAborted: boolean;
  _write(chunk: any, encoding: string, callback: Done): void;
  _writev?(chunks: { chunk: any; encoding: any }[], callback: Done): void;
  _final?(callback: Done): void;
  write(chunk: any, callback?: Done): boolean;
  write(chunk: any, encoding: any, callback?: Done): boolean;
  end(callback?: () => void): this;
  end(chunk: any, callback?: () => void): this;
  end(chunk: any, encoding: any, callback?: () => void): this;
  cork(): void;
  uncork(): void;
  setDefaultEncoding(encoding: string): this;
}

export interface Readable extends Stream, Destroyable, ReadableSide {}
export interface Writable extends Stream, Destroyable, WritableSide {}
export interface Duplex extends Stream, Destroyable, ReadableSide, WritableSide {
  allowHalfOpen: boolean;
}
export interface Transform extends Duplex {
  _transformCallback: Done | null;
  _transform(chunk: any, encoding: string, callback: (error?: Error | null, data?: any) => void): void;
  _flush?(callback: (error?: Error | null, data?: any) => void): void;
}
export interface PassThrough extends Transform {}

type Module = typeof import("../../node/stream.ts");

/** What hangs on `Stream`, and so on every class of streams. */
interface StreamStatics extends EventEmitterStatics, Omit<Module, "default" | "EventEmitter" | "on" | "once" | "prototype"> {}

interface Class<Options, Instance> extends StreamStatics {
  new (options?: Options): Instance;
  (this: unknown, options?: Options): void;
  readonly prototype: Instance;
}

export interface StreamClass extends Class<object, Stream> {}

interface ReadableStatics {
  ReadableState: typeof ReadableState;
  wrap(source: any, options?: ReadableOptions): Readable;
}

export interface ReadableClass extends Class<ReadableOptions, Readable>, ReadableStatics {
  from(source: Iterable<any> | AsyncIterable<any>, options?: ReadableOptions): Readable;
  fromWeb(stream: any, options?: ReadableOptions): Readable;
  toWeb(stream: any, options?: object): any;
}

export interface WritableClass extends Class<WritableOptions, Writable> {
  WritableState: typeof WritableState;
  fromWeb(stream: any, options?: WritableOptions): Writable;
  toWeb(stream: any): any;
}

interface DuplexStatics extends ReadableStatics {
  from(source: any): Duplex;
  fromWeb(pair: any, options?: DuplexOptions): Duplex;
  toWeb(duplex: any): any;
}

export interface DuplexClass extends Class<DuplexOptions, Duplex>, DuplexStatics {}
export interface TransformClass extends Class<TransformOptions, Transform>, DuplexStatics {}
export interface PassThroughClass extends Class<TransformOptions, PassThrough>, DuplexStatics {}
