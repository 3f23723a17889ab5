// Digests and ciphers are streams too, but hardly anybody uses them as such: the stream classes are loaded, and an
// object becomes a stream, when its first stream method is asked for.
import { lazyModule } from "../lazy.ts";

const loadStreams = lazyModule("internal/streams/duplex.ts");

const MEMBERS: (string | symbol)[] = [
  "_events", "_readableState", "_writableState", "addListener", "allowHalfOpen", "closed", "compose", "cork", "destroy",
  "destroyed", "drop", "emit", "end", "errored", "eventNames", "every", "filter", "find", "flatMap", "forEach",
  "getMaxListeners", "isPaused", "iterator", "listenerCount", "listeners", "map", "off", "on", "once", "pause", "pipe",
  "prependListener", "prependOnceListener", "push", "rawListeners", "read", "readable", "readableAborted",
  "readableBuffer", "readableDidRead", "readableEncoding", "readableEnded", "readableFlowing", "readableHighWaterMark",
  "readableLength", "readableObjectMode", "reduce", "removeAllListeners", "removeListener", "resume",
  "setDefaultEncoding", "setEncoding", "setMaxListeners", "some", "take", "toArray", "uncork", "unpipe", "unshift", "wrap",
  "writable", "writableAborted", "writableBuffer", "writableCorked", "writableEnded", "writableFinished",
  "writableHighWaterMark", "writableLength", "writableNeedDrain", "writableObjectMode", "write",
  Symbol.asyncIterator, Symbol.asyncDispose,
];

const kOptions = Symbol("streamOptions");

/** Says with which stream options an object is made a stream later. */
export function setStreamOptions(object: any, options: any): void {
  object[kOptions] = options;
}

/** Makes the class a `Transform` as soon as one of its objects is used as a stream. */
export function lazyTransform(Class: any): void {
  const stand: any = Object.create(Object.getPrototypeOf(Class.prototype));
  const become = () => {
    if (Object.getPrototypeOf(Class.prototype) === stand) Object.setPrototypeOf(Class.prototype, streamPrototype());
  };
  for (const name of MEMBERS) {
    Object.defineProperty(stand, name, {
      configurable: true,
      get() {
        become();
        return this[name];
      },
      set(value) {
        become();
        this[name] = value;
      },
    });
  }
  Object.setPrototypeOf(Class.prototype, stand);
}

/** A prototype between the class and `Transform` that sets an object's stream state up when it is first looked at. */
function streamPrototype(): any {
  const { Transform } = loadStreams();
  const prototype = Object.create(Transform.prototype);
  for (const name of ["_events", "_readableState", "_writableState"]) {
    const own = (object: any, value: any) =>
      Object.defineProperty(object, name, { configurable: true, enumerable: true, writable: true, value });
    Object.defineProperty(prototype, name, {
      configurable: true,
      get() {
        for (const field of ["_events", "_readableState", "_writableState"]) {
          if (!Object.hasOwn(this, field)) Object.defineProperty(this, field, { configurable: true, writable: true, value: undefined });
        }
        Transform.call(this, this[kOptions]);
        return this[name];
      },
      set(value) {
        own(this, value);
      },
    });
  }
  return prototype;
}
