/** What the readable side of a stream keeps, and how its buffer gives chunks. */

import { lazyModule } from "../lazy.ts";
import { bufferClass, ChunkQueue, highWaterMarkOf } from "./common.ts";

const loadDecoder = lazyModule("node/string_decoder.ts");

/** The readable side of one stream. */
export class ReadableState {
  objectMode: boolean;
  highWaterMark: number;
  defaultEncoding: string;
  emitClose: boolean;
  autoDestroy: boolean;
  queue = new ChunkQueue();
  /** Buffered bytes, or objects. */
  length = 0;
  pipes: any[] = [];
  /** `null`: nobody reads yet; `true`: chunks are emitted as they come; `false`: paused. */
  flowing: boolean | null = null;
  paused: boolean | null = null;
  /** No more will be pushed. */
  ended = false;
  endEmitted = false;
  /** A `_read` call has not pushed yet. */
  reading = false;
  constructed = true;
  constructing: ((error?: any) => void)[] | undefined;
  /** The running `_read` has not returned yet. */
  sync = true;
  needReadable = false;
  emittedReadable = false;
  readableListening = false;
  resumeScheduled = false;
  readingMore = false;
  errorEmitted = false;
  destroyed = false;
  errored: any = null;
  closed = false;
  closeEmitted = false;
  dataEmitted = false;
  readable: boolean | undefined;
  /** Pipe destinations that asked to wait. */
  awaiting = new Set<any>();
  decoder: any = null;
  encoding: string | null = null;

  constructor(options: any, isDuplex: boolean) {
    this.objectMode = Boolean(options?.objectMode || (isDuplex && options?.readableObjectMode));
    this.highWaterMark = highWaterMarkOf(options, this.objectMode, "readable", isDuplex);
    this.defaultEncoding = options?.defaultEncoding ?? "utf8";
    this.emitClose = options?.emitClose !== false;
    this.autoDestroy = options?.autoDestroy !== false;
    if (options?.encoding) {
      this.decoder = new (loadDecoder().StringDecoder)(options.encoding);
      this.encoding = this.decoder.encoding;
    }
  }

  get buffer(): any[] {
    return this.queue.toArray();
  }
  get pipesCount(): number {
    return this.pipes.length;
  }
}

/** The next power of two: what a large read makes the limit. */
export function roundUp(size: number): number {
  const limit = 1 << 30;
  if (size >= limit) return limit;
  let power = 1;
  while (power < size) power *= 2;
  return power;
}

/** How much a read of `wanted` gets now; `NaN` asks for all there is (while flowing: for the first chunk). */
export function available(state: ReadableState, wanted: number): number {
  if (wanted <= 0 || (state.length === 0 && state.ended)) return 0;
  if (state.objectMode) return 1;
  if (Number.isNaN(wanted)) return state.flowing && state.length ? state.queue.first.length : state.length;
  if (wanted <= state.length) return wanted;
  return state.ended ? state.length : 0;
}

/** Takes `count` bytes, or one object, out of the buffer. */
export function take(state: ReadableState, count: number): any {
  if (state.length === 0) return null;
  const { queue } = state;
  if (state.objectMode) return queue.shift();
  if (count >= state.length) {
    if (queue.count === 1) return queue.shift();
    const parts = queue.drain();
    return state.decoder ? parts.join("") : bufferClass().concat(parts, state.length);
  }
  const first = queue.first;
  if (count < first.length) {
    queue.shift();
    queue.unshift(first.slice(count));
    return first.slice(0, count);
  }
  if (count === first.length) return queue.shift();
  const parts: any[] = [];
  let missing = count;
  while (missing > 0) {
    const chunk = queue.shift();
    if (chunk.length > missing) {
      parts.push(chunk.slice(0, missing));
      queue.unshift(chunk.slice(missing));
      missing = 0;
    } else {
      parts.push(chunk);
      missing -= chunk.length;
    }
  }
  return state.decoder ? parts.join("") : bufferClass().concat(parts, count);
}
