// Structural comparison, as `util.isDeepStrictEqual` and `assert.deepEqual` define it.
import * as types from "../node/util/types.ts";

/**
 * How values are compared. `strict`: types, prototypes and symbols count. `loose`: primitives by
 * `==`, prototypes do not count. `partial`: strict, but prototypes do not
 * count and the actual value may hold more.
 */
export type EqualityMode = "strict" | "loose" | "partial";

const hasOwn = Object.prototype.hasOwnProperty;
const isEnumerable = Object.prototype.propertyIsEnumerable;
const tagOf = Object.prototype.toString;

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether `actual` equals `expected` in structure. */
export function deepEqual(actual: unknown, expected: unknown, mode: EqualityMode): boolean {
  return new Comparison(mode).equal(actual, expected);
}

class Comparison {
  private readonly mode: EqualityMode;
  private readonly loose: boolean;
  private readonly partial: boolean;
  // The pairs that are being compared further out, to end on cycles.
  private readonly left: object[] = [];
  private readonly right: object[] = [];

  constructor(mode: EqualityMode) {
    this.mode = mode;
    this.loose = mode === "loose";
    this.partial = mode === "partial";
  }

  equal(a: any, b: any): boolean {
    if (a === b) return this.loose || a !== 0 || Object.is(a, b);
    if (this.loose) {
      if (!isObject(a) && !isObject(b)) {
        if (typeof a === "function" || typeof b === "function") return false;
        return a == b || (Number.isNaN(a) && Number.isNaN(b));
      }
      if (!isObject(a) || !isObject(b)) return false;
    } else {
      if (!isObject(a)) return typeof a === "number" && Number.isNaN(a) && Number.isNaN(b);
      if (!isObject(b)) return false;
      if (!this.partial && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    }
    return this.sameKind(a, b) && this.guarded(a, b);
  }

  // What the two are besides their properties.
  private sameKind(a: any, b: any): boolean {
    const tag = tagOf.call(a);
    if (tag !== tagOf.call(b)) return false;
    if (Array.isArray(a)) return Array.isArray(b) && (this.partial ? a.length >= b.length : a.length === b.length);
    if (Array.isArray(b)) return false;
    if (types.isDate(a)) {
      return types.isDate(b) && Object.is(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b));
    }
    if (types.isRegExp(a)) {
      return types.isRegExp(b) && a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
    }
    if (types.isNativeError(a) || a instanceof Error) return this.sameError(a, b);
    if (ArrayBuffer.isView(a)) return ArrayBuffer.isView(b) && this.sameView(a as any, b as any);
    if (types.isAnyArrayBuffer(a)) return types.isAnyArrayBuffer(b) && sameBytes(new Uint8Array(a), new Uint8Array(b), this.partial);
    if (types.isSet(a)) return types.isSet(b) && (this.partial ? a.size >= b.size : a.size === b.size);
    if (types.isMap(a)) return types.isMap(b) && (this.partial ? a.size >= b.size : a.size === b.size);
    if (types.isBoxedPrimitive(a)) return types.isBoxedPrimitive(b) && Object.is(a.valueOf(), b.valueOf());
    if (types.isAnyArrayBuffer(b) || types.isDate(b) || types.isRegExp(b) || types.isSet(b) || types.isMap(b) || ArrayBuffer.isView(b)) return false;
    if (types.isBoxedPrimitive(b) || types.isNativeError(b) || b instanceof Error) return false;
    // What cannot be looked into is equal to itself only.
    return !types.isWeakMap(a) && !types.isWeakSet(a);
  }

  private sameError(a: any, b: any): boolean {
    const error: unknown = b;
    if (!types.isNativeError(error) && !(error instanceof Error)) return false;
    for (const key of ["message", "name", "cause", "errors"]) {
      const own = [hasOwn.call(a, key), hasOwn.call(b, key)];
      const listed = [own[0] && isEnumerable.call(a, key), own[1] && isEnumerable.call(b, key)];
      // Listed properties are compared with the others.
      if (listed[0] && listed[1]) continue;
      if (key === "cause" || key === "errors") {
        if (this.partial && !own[1]) continue;
        if (own[0] !== own[1]) return false;
        if (own[0] && !this.equal(a[key], b[key])) return false;
      } else if (a[key] !== b[key]) return false;
    }
    return true;
  }

  private sameView(a: any, b: any): boolean {
    const floats = types.isFloat32Array(a) || types.isFloat64Array(a);
    if (floats) {
      if (this.partial ? a.length < b.length : a.length !== b.length) return false;
      for (let i = 0; i < b.length; i++) {
        if (!(this.loose ? a[i] === b[i] || (Number.isNaN(a[i]) && Number.isNaN(b[i])) : Object.is(a[i], b[i]))) return false;
      }
      return true;
    }
    return sameBytes(
      new Uint8Array(a.buffer, a.byteOffset, a.byteLength),
      new Uint8Array(b.buffer, b.byteOffset, b.byteLength),
      this.partial,
    );
  }

  private guarded(a: any, b: any): boolean {
    for (let i = this.left.length - 1; i >= 0; i--) {
      if (this.left[i] === a) return this.right[i] === b;
      if (this.right[i] === b) return false;
    }
    this.left.push(a);
    this.right.push(b);
    const same = this.sameContents(a, b);
    this.left.pop();
    this.right.pop();
    return same;
  }

  private keys(value: any): PropertyKey[] {
    let names: PropertyKey[] = Object.keys(value);
    if (ArrayBuffer.isView(value) || types.isStringObject(value)) names = names.filter((key) => !/^\d+$/.test(key as string));
    if (this.loose) return names;
    return [...names, ...Object.getOwnPropertySymbols(value).filter((symbol) => isEnumerable.call(value, symbol))];
  }

  private sameContents(a: any, b: any): boolean {
    if (this.partial && Array.isArray(a)) return this.listHolds(a, b);
    const keys = this.keys(b);
    if (!this.partial && this.keys(a).length !== keys.length) return false;
    for (const key of keys) if (!isEnumerable.call(a, key)) return false;
    if (types.isSet(a) && !this.sameSet(a, b)) return false;
    if (types.isMap(a) && !this.sameMap(a, b)) return false;
    for (const key of keys) if (!this.equal(a[key], b[key])) return false;
    return true;
  }

  // Partial lists: the expected elements in their order, with others between them.
  private listHolds(a: any[], b: any[]): boolean {
    let at = 0;
    for (let i = 0; i < b.length; i++) {
      while (at < a.length && !this.equal(a[at], b[i])) at++;
      if (at++ >= a.length) return false;
    }
    return true;
  }

  private sameSet(a: Set<unknown>, b: Set<unknown>): boolean {
    const rest: unknown[] = [];
    for (const item of b) {
      if (a.has(item)) continue;
      // In strict comparison only an object may have an equal that is not the same.
      if (!isObject(item) && !this.loose) return false;
      rest.push(item);
    }
    if (rest.length === 0) return true;
    const candidates = [...a].filter((item) => !b.has(item));
    return rest.every((item) => {
      const at = candidates.findIndex((candidate) => this.equal(candidate, item));
      if (at === -1) return false;
      candidates.splice(at, 1);
      return true;
    });
  }

  private sameMap(a: Map<unknown, unknown>, b: Map<unknown, unknown>): boolean {
    const rest: [unknown, unknown][] = [];
    for (const [key, value] of b) {
      if (a.has(key) && this.equal(a.get(key), value)) continue;
      if (!isObject(key) && !this.loose) return false;
      rest.push([key, value]);
    }
    if (rest.length === 0) return true;
    const taken = new Set(rest.map(([key]) => key));
    const candidates = [...a].filter(([key]) => !b.has(key) || taken.has(key));
    return rest.every(([key, value]) => {
      const at = candidates.findIndex(([otherKey, other]) => this.equal(otherKey, key) && this.equal(other, value));
      if (at === -1) return false;
      candidates.splice(at, 1);
      return true;
    });
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array, partial: boolean): boolean {
  if (partial ? a.length < b.length : a.length !== b.length) return false;
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
