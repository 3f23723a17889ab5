/** The controller of streams whose chunks are any values. */

import {
  illegalConstructor,
  invalidState,
  kInternal,
  kState,
  promised,
  SizedQueue,
  tag,
} from "./common.ts";
import { bareStream, closeStream, failStream, waiting, type ReadableStream } from "./readable.ts";

/** What a source is made of, whether a script's or our own. */
export interface Source {
  start?: ((controller: unknown) => any) | undefined;
  pull?: ((controller: unknown) => any) | undefined;
  cancel?: ((reason: unknown) => any) | undefined;
  limit?: number;
  size?: (chunk: unknown) => number;
}

export function createReadable(source: Source): ReadableStream {
  const stream = bareStream();
  setUpController(stream, source);
  return stream;
}

export class ReadableStreamDefaultController {
  declare [kState]: any;

  constructor(key?: symbol) {
    illegalConstructor(key);
  }

  get desiredSize(): number | null {
    return desiredSize(this);
  }

  close(): void {
    if (!canEnqueue(this)) throw invalidState("Controller is already closed");
    closeController(this);
  }

  enqueue(chunk?: any): void {
    if (!canEnqueue(this)) throw invalidState("Controller is already closed");
    enqueueController(this, chunk);
  }

  error(error?: any): void {
    errorController(this, error);
  }
}
tag(ReadableStreamDefaultController, "ReadableStreamDefaultController");

/** Gives `stream` a controller over `source` and starts it. */
export function setUpController(stream: ReadableStream, source: Source): void {
  const controller = new ReadableStreamDefaultController(kInternal);
  const inner: any = {
    stream,
    queue: new SizedQueue(),
    started: false,
    closeRequested: false,
    pulling: false,
    pullAgain: false,
    limit: source.limit ?? 1,
    size: source.size ?? (() => 1),
    pull: source.pull,
    cancel: source.cancel,
  };
  controller[kState] = inner;
  const state = stream[kState];
  state.controller = controller;
  state.source = {
    pull(request) {
      if (!inner.queue.isEmpty) {
        const chunk = inner.queue.shift();
        if (inner.closeRequested && inner.queue.isEmpty) {
          forgetSource(inner);
          closeStream(stream);
        } else {
          pullIfNeeded(controller);
        }
        request.chunk(chunk);
      } else {
        state.reader[kState].requests.push(request);
        pullIfNeeded(controller);
      }
    },
    cancel(reason) {
      inner.queue.clear();
      const { cancel } = inner;
      forgetSource(inner);
      return promised(() => cancel?.(reason));
    },
    release() {},
  };
  const startResult = source.start?.(controller);
  Promise.resolve(startResult).then(
    () => {
      inner.started = true;
      pullIfNeeded(controller);
    },
    (error) => errorController(controller, error),
  );
}

/** Lets go of the script's functions, so that what they hold can be freed. */
function forgetSource(inner: any): void {
  inner.pull = inner.cancel = undefined;
  inner.size = () => 1;
}

export function canEnqueue(controller: any): boolean {
  const inner = controller[kState];
  return !inner.closeRequested && inner.stream[kState].state === "readable";
}

export function desiredSize(controller: any): number | null {
  const inner = controller[kState];
  const { state } = inner.stream[kState];
  if (state === "errored") return null;
  if (state === "closed") return 0;
  return inner.limit - inner.queue.total;
}

/** Whether the source is being asked too fast. */
export function hasBackpressure(controller: unknown): boolean {
  return !shouldPull(controller);
}

function shouldPull(controller: any): boolean {
  const inner = controller[kState];
  if (!canEnqueue(controller) || !inner.started) return false;
  if (waiting(inner.stream).length > 0) return true;
  return desiredSize(controller)! > 0;
}

function pullIfNeeded(controller: any): void {
  const inner = controller[kState];
  if (!shouldPull(controller)) return;
  if (inner.pulling) {
    inner.pullAgain = true;
    return;
  }
  inner.pulling = true;
  const { pull } = inner;
  promised(() => pull?.(controller)).then(
    () => {
      inner.pulling = false;
      if (inner.pullAgain) {
        inner.pullAgain = false;
        pullIfNeeded(controller);
      }
    },
    (error) => errorController(controller, error),
  );
}

export function closeController(controller: any): void {
  if (!canEnqueue(controller)) return;
  const inner = controller[kState];
  inner.closeRequested = true;
  if (!inner.queue.isEmpty) return;
  forgetSource(inner);
  closeStream(inner.stream);
}

export function enqueueController(controller: any, chunk: unknown): void {
  if (!canEnqueue(controller)) return;
  const inner = controller[kState];
  const requests = waiting(inner.stream);
  if (requests.length > 0) {
    requests.shift()!.chunk(chunk);
  } else {
    try {
      inner.queue.push(chunk, inner.size(chunk));
    } catch (error) {
      errorController(controller, error);
      throw error;
    }
  }
  pullIfNeeded(controller);
}

export function errorController(controller: any, error: unknown): void {
  const inner = controller[kState];
  if (inner.stream[kState].state !== "readable") return;
  inner.queue.clear();
  forgetSource(inner);
  failStream(inner.stream, error);
}
