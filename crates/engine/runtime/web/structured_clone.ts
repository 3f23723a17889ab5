/** The `structuredClone` global. */

import { codeTypeError } from "../internal/errors.ts";
import { kClone, kTransfer } from "../internal/symbols.ts";
import { DOMException } from "./dom_exception.ts";

type Seen = Map<object, any>;

const ERRORS: Record<string, any> = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const TypedArray = Object.getPrototypeOf(Uint8Array);
const typedArrayName = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag)!.get!;
/** Builds views by their real kind; a `Buffer` becomes a plain `Uint8Array`. */
const VIEWS: Record<string, any> = {
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
  Int8Array,
  Int16Array,
  Int32Array,
  Uint8Array,
  Uint8ClampedArray,
  Uint16Array,
  Uint32Array,
};

function cannot(value: any): DOMException {
  let shown: string;
  if (typeof value === "symbol") shown = String(value);
  else if (typeof value === "function") shown = Function.prototype.toString.call(value);
  else shown = `#<${value?.constructor?.name ?? "Object"}>`;
  return new DOMException(`${shown} could not be cloned.`, "DataCloneError");
}

/** A deep copy of `value`; what is listed in `transfer` moves instead and can no longer be used here. */
export function structuredClone<T>(value: T, options?: { transfer?: any[] }): T {
  if (arguments.length === 0) throw codeTypeError("ERR_MISSING_ARGS", 'The "value" argument must be specified');
  if (options !== undefined && options !== null && typeof options !== "object") {
    throw codeTypeError("ERR_INVALID_ARG_TYPE", 'The "options" argument must be of type object');
  }
  return cloneWith(value, options?.transfer);
}

/** As `structuredClone`, for modules that hand messages over. */
export function cloneWith(value: any, transfer?: Iterable<any>): any {
  const list = transfer ? [...transfer] : [];
  const seen: Seen = new Map();
  const moves: (() => void)[] = [];
  for (const item of list) {
    if (seen.has(item)) {
      throw new DOMException("ArrayBuffer occurs in the transfer list more than once", "DataCloneError");
    }
    if (item instanceof ArrayBuffer) {
      if ((item as any).detached) throw new DOMException("An ArrayBuffer is detached and could not be cloned.", "DataCloneError");
      // Copied now, detached only when the whole copy has worked.
      seen.set(item, item.slice(0));
      moves.push(() => void (item as any).transfer?.());
    } else if (typeof item?.[kTransfer] === "function") {
      const { moved, done } = item[kTransfer]();
      seen.set(item, moved);
      moves.push(done);
    } else {
      throw new DOMException("Value could not be transferred", "DataCloneError");
    }
  }
  const result = copy(value, seen);
  for (const move of moves) move();
  return result;
}

function copy(value: any, seen: Seen): any {
  if (typeof value === "symbol" || typeof value === "function") throw cannot(value);
  if (value === null || typeof value !== "object") return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) return copyArray(value, seen);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return copyObject(value, seen);
  return copySpecial(value, seen);
}

function remember(seen: Seen, value: object, result: any): any {
  seen.set(value, result);
  return result;
}

function copyFields(value: any, result: any, seen: Seen): any {
  for (const key of Object.keys(value)) {
    const field = copy(value[key], seen);
    if (key === "__proto__") {
      Object.defineProperty(result, key, { value: field, writable: true, enumerable: true, configurable: true });
    } else {
      result[key] = field;
    }
  }
  return result;
}

function copyArray(value: any[], seen: Seen): any[] {
  const result = remember(seen, value, new Array(value.length));
  return copyFields(value, result, seen);
}

function copyObject(value: any, seen: Seen): any {
  if (typeof value[kClone] === "function") return remember(seen, value, value[kClone]());
  return copyFields(value, remember(seen, value, {}), seen);
}

function copySpecial(value: any, seen: Seen): any {
  if (typeof value[kClone] === "function") return remember(seen, value, value[kClone]());
  if (typeof value[kTransfer] === "function") {
    throw new DOMException(
      "Object that needs transfer was found in message but not listed in transferList",
      "DataCloneError",
    );
  }
  if (value instanceof Date) return remember(seen, value, new Date(value.getTime()));
  if (value instanceof RegExp) return remember(seen, value, new RegExp(value.source, value.flags));
  if (value instanceof Map) {
    const result = remember(seen, value, new Map());
    for (const [key, item] of [...Map.prototype.entries.call(value)]) result.set(copy(key, seen), copy(item, seen));
    return result;
  }
  if (value instanceof Set) {
    const result = remember(seen, value, new Set());
    for (const item of [...Set.prototype.values.call(value)]) result.add(copy(item, seen));
    return result;
  }
  if (value instanceof Error) return copyError(value, seen);
  if (value instanceof ArrayBuffer) return remember(seen, value, copyBuffer(value));
  if (ArrayBuffer.isView(value)) return copyView(value, seen);
  if (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer) return value;
  if (value instanceof Boolean || value instanceof Number || value instanceof String) {
    return remember(seen, value, Object(value.valueOf()));
  }
  if (value instanceof BigInt) return remember(seen, value, Object(BigInt.prototype.valueOf.call(value)));
  if (isOpaque(value)) throw cannot(value);
  return copyFields(value, remember(seen, value, {}), seen);
}

/** Objects whose state cannot be seen, so that a copy would be an empty shell. */
function isOpaque(value: any): boolean {
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) return true;
  if (value instanceof WeakRef || value instanceof Symbol) return true;
  const tag = Object.prototype.toString.call(value);
  return tag === "[object Generator]" || tag === "[object AsyncGenerator]";
}

function copyBuffer(value: ArrayBuffer): ArrayBuffer {
  if ((value as any).detached) throw new DOMException("An ArrayBuffer is detached and could not be cloned.", "DataCloneError");
  if ((value as any).resizable) {
    const result = new (ArrayBuffer as any)(value.byteLength, { maxByteLength: (value as any).maxByteLength });
    new Uint8Array(result).set(new Uint8Array(value));
    return result;
  }
  return value.slice(0);
}

function copyView(value: any, seen: Seen): any {
  const buffer = copy(value.buffer, seen);
  const { byteOffset } = value;
  if (value instanceof DataView) return remember(seen, value, new DataView(buffer, byteOffset, value.byteLength));
  const View = VIEWS[typedArrayName.call(value)] ?? (globalThis as any)[typedArrayName.call(value)];
  return remember(seen, value, new View(buffer, byteOffset, value.length));
}

function copyError(value: any, seen: Seen): any {
  if (value instanceof DOMException) {
    return remember(seen, value, new DOMException(value.message, value.name));
  }
  const name = Object.hasOwn(ERRORS, `${value.name}`) ? value.name : "Error";
  const result = remember(seen, value, new ERRORS[name](value.message === undefined ? undefined : String(value.message)));
  const define = (key: string, field: any) => {
    Object.defineProperty(result, key, { value: field, writable: true, configurable: true, enumerable: false });
  };
  if (typeof value.stack === "string") define("stack", value.stack);
  if (Object.hasOwn(value, "cause")) define("cause", copy(value.cause, seen));
  return result;
}
