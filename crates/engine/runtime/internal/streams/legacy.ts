/** `Stream`, the base of all Node streams, with the pipe of old-style streams. */

import { EventEmitter } from "../../node/events.ts";
import type * as types from "./classes.d.ts";

function Stream(this: any, options?: any): any {
  if (!(this instanceof TypedStream)) return new TypedStream(options);
  EventEmitter.call(this, options);
}

type TypedStream = types.Stream;
const TypedStream = Stream as unknown as types.StreamClass;
export { TypedStream as Stream };

Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Stream, EventEmitter);

(Stream.prototype as any).pipe = function (this: any, destination: any, options?: { end?: boolean }) {
  const source = this;
  const onData = (chunk: any) => {
    if (destination.writable && destination.write(chunk) === false) source.pause?.();
  };
  const onDrain = () => {
    if (source.readable) source.resume?.();
  };
  let ended = false;
  const onEnd = () => {
    if (ended) return;
    ended = true;
    destination.end();
  };
  const onClose = () => {
    if (ended) return;
    ended = true;
    destination.destroy?.();
  };
  const onError = function (this: any, error: unknown) {
    cleanup();
    if (this.listenerCount("error") === 0) this.emit("error", error);
  };
  const cleanup = () => {
    source.removeListener("data", onData);
    destination.removeListener("drain", onDrain);
    source.removeListener("end", onEnd);
    source.removeListener("close", onClose);
    source.removeListener("error", onError);
    destination.removeListener("error", onError);
    source.removeListener("end", cleanup);
    source.removeListener("close", cleanup);
    destination.removeListener("close", cleanup);
  };
  source.on("data", onData);
  destination.on("drain", onDrain);
  if (!destination._isStdio && options?.end !== false) {
    source.on("end", onEnd);
    source.on("close", onClose);
  }
  source.prependListener("error", onError);
  destination.prependListener("error", onError);
  source.on("end", cleanup);
  source.on("close", cleanup);
  destination.on("close", cleanup);
  destination.emit("pipe", source);
  return destination;
};
