/** Symbols that several modules agree on. */

/** The method of an `EventTarget` that lists the listeners of one type. */
export const kListeners = Symbol.for("tau.eventTarget.listeners");
/** The field of an `EventTarget` that holds its listener limit. */
export const kMaxListeners = Symbol.for("events.maxEventTargetListeners");
/** Lets a function give its own promise form to `util.promisify`. */
export const kPromisify = Symbol.for("nodejs.util.promisify.custom");
/** Lets an object decide how `util.inspect` shows it. */
export const kInspect = Symbol.for("nodejs.util.inspect.custom");
/** The method that receives rejections of an emitter's asynchronous listeners. */
export const kRejection = Symbol.for("nodejs.rejection");
/** The method by which an object of ours copies itself for `structuredClone`. */
export const kClone = Symbol.for("tau.structuredClone");
/** The method by which an object of ours moves to a new owner; the old one can no longer be used. */
export const kTransfer = Symbol.for("tau.transfer");
