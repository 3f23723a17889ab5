/** `readable.pipe` and `readable.unpipe`. */

import { nextTick } from "../tick.ts";
import { errorOrDestroy } from "./destroy.ts";
import { Readable } from "./readable.ts";

const proto = Readable.prototype as any;

proto.pipe = function (destination: any, options?: { end?: boolean }) {
  const source = this;
  const state = source._readableState;
  state.pipes.push(destination);

  let waitsForDrain = false;
  const onDrain = () => {
    state.awaiting.delete(destination);
    if (state.awaiting.size === 0 && source.listenerCount("data") > 0) source.resume();
  };
  const waitForDrain = () => {
    state.awaiting.add(destination);
    source.pause();
    if (!waitsForDrain) {
      waitsForDrain = true;
      destination.on("drain", onDrain);
    }
  };
  const onData = (chunk: any) => {
    if (destination.write(chunk) !== false) return;
    // The destination may have been unpiped by this very write.
    if (state.pipes.includes(destination)) waitForDrain();
    else source.pause();
  };
  const onSourceEnd = () => destination.end();
  const detach = () => source.unpipe(destination);
  const atEnd = options?.end !== false && !destination._isStdio ? onSourceEnd : detach;

  const onError = (error: any) => {
    detach();
    destination.removeListener("error", onError);
    if (destination.listenerCount("error") > 0) return;
    const side = destination._writableState ?? destination._readableState;
    if (side && !side.errorEmitted) errorOrDestroy(destination, error);
    else destination.emit("error", error);
  };
  const onClose = () => {
    destination.removeListener("finish", onFinish);
    detach();
  };
  const onFinish = () => {
    destination.removeListener("close", onClose);
    detach();
  };
  const onUnpipe = (readable: any, info: any) => {
    if (readable !== source || !info || info.hasUnpiped) return;
    info.hasUnpiped = true;
    destination.removeListener("close", onClose);
    destination.removeListener("finish", onFinish);
    if (waitsForDrain) destination.removeListener("drain", onDrain);
    destination.removeListener("error", onError);
    destination.removeListener("unpipe", onUnpipe);
    source.removeListener("end", atEnd);
    source.removeListener("data", onData);
    // A source that waits for this destination alone must not wait forever.
    if (waitsForDrain && state.awaiting.has(destination)) onDrain();
  };

  if (state.endEmitted) nextTick(atEnd);
  else source.once("end", atEnd);
  destination.on("unpipe", onUnpipe);
  source.on("data", onData);
  destination.prependListener("error", onError);
  destination.once("close", onClose);
  destination.once("finish", onFinish);
  destination.emit("pipe", source);

  if (destination.writableNeedDrain === true) waitForDrain();
  else if (!state.flowing) source.resume();
  return destination;
};

proto.unpipe = function (destination?: any) {
  const state = this._readableState;
  if (state.pipes.length === 0) return this;
  if (destination === undefined || destination === null) {
    const all = state.pipes;
    state.pipes = [];
    this.pause();
    for (const each of all) each.emit("unpipe", this, { hasUnpiped: false });
    return this;
  }
  const index = state.pipes.indexOf(destination);
  if (index < 0) return this;
  state.pipes.splice(index, 1);
  if (state.pipes.length === 0) this.pause();
  destination.emit("unpipe", this, { hasUnpiped: false });
  return this;
};
