/** What the writable side of a stream keeps, and the properties that show it. */

import { highWaterMarkOf } from "./common.ts";

/** Told of the end of a write. */
export type Callback = (error?: any) => void;

/** A write that waits. */
export interface Pending {
  chunk: any;
  encoding: string;
  callback: Callback;
}

/** The writable side of one stream. */
export class WritableState {
  objectMode: boolean;
  highWaterMark: number;
  decodeStrings: boolean;
  defaultEncoding: string;
  emitClose: boolean;
  autoDestroy: boolean;
  /** Bytes, or objects, that were accepted and not yet written. */
  length = 0;
  needDrain = false;
  /** `end` was called. */
  ending = false;
  ended = false;
  /** `finish` is about to be, or was, emitted. */
  finished = false;
  finalCalled = false;
  prefinished = false;
  corked = 0;
  /** A `_write` is under way. */
  writing = false;
  /** The running `_write` has not returned yet. */
  sync = true;
  draining = false;
  pending: Pending[] = [];
  /** Callbacks owed before `finish` may be emitted. */
  pendingcb = 0;
  current: Callback | null = null;
  currentLength = 0;
  /** Writes that completed in the same turn: told together. */
  completed: Callback[] | undefined;
  onFinish: Callback[] = [];
  constructed = true;
  constructing: ((error?: any) => void)[] | undefined;
  errorEmitted = false;
  destroyed = false;
  errored: any = null;
  closed = false;
  closeEmitted = false;
  writable: boolean | undefined;

  constructor(options: any, isDuplex: boolean) {
    this.objectMode = Boolean(options?.objectMode || (isDuplex && options?.writableObjectMode));
    this.highWaterMark = highWaterMarkOf(options, this.objectMode, "writable", isDuplex);
    this.decodeStrings = options?.decodeStrings !== false;
    this.defaultEncoding = options?.defaultEncoding ?? "utf8";
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
  }

  getBuffer(): Pending[] {
    return this.pending.slice();
  }
  get bufferedRequestCount(): number {
    return this.pending.length;
  }
}

/** A property read from the state. */
export const getter = (get: (state: WritableState) => any) => ({
  configurable: true,
  enumerable: false,
  get(this: any) {
    return this._writableState ? get(this._writableState) : undefined;
  },
});

/** The properties that a duplex takes over. */
export const writableProperties: PropertyDescriptorMap = {
  writable: {
    configurable: true,
    enumerable: true,
    get(this: any) {
      const state = this._writableState;
      return Boolean(
        state && state.writable !== false && !state.destroyed && !state.errored && !state.ending && !state.ended,
      );
    },
    set(this: any, value: boolean) {
      if (this._writableState) this._writableState.writable = Boolean(value);
    },
  },
  writableFinished: getter((state) => state.finished),
  writableObjectMode: getter((state) => state.objectMode),
  writableBuffer: getter((state) => state.getBuffer()),
  writableEnded: getter((state) => state.ending),
  writableNeedDrain: getter((state) => !state.destroyed && !state.ending && state.needDrain),
  writableHighWaterMark: getter((state) => state.highWaterMark),
  writableCorked: getter((state) => state.corked),
  writableLength: getter((state) => state.length),
  writableAborted: getter(
    (state) => state.writable !== false && Boolean(state.destroyed || state.errored) && !state.finished,
  ),
};
