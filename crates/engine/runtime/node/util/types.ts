// node:util/types. Each check asks the object itself (through a method that only works on the real
// thing), so neither subclasses nor objects that imitate a class confuse it.
import { ops } from "tau:ops";

const objectTag = Object.prototype.toString;

function getter(prototype: object, name: PropertyKey): (this: unknown) => unknown {
  return Object.getOwnPropertyDescriptor(prototype, name)!.get as (this: unknown) => unknown;
}

// A check that succeeds when `probe` does not throw for the value.
function branded<Type>(probe: (value: unknown) => unknown): (value: unknown) => value is Type {
  return (value): value is Type => {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
    try {
      probe(value);
      return true;
    } catch {
      return false;
    }
  };
}

type TypedArray =
  | Uint8Array | Uint8ClampedArray | Uint16Array | Uint32Array | Int8Array | Int16Array | Int32Array
  | Float16Array | Float32Array | Float64Array | BigInt64Array | BigUint64Array;
const TypedArray = Object.getPrototypeOf(Uint8Array);
const arrayName = getter(TypedArray.prototype, Symbol.toStringTag);
const mapSize = getter(Map.prototype, "size");
const setSize = getter(Set.prototype, "size");
const bufferLength = getter(ArrayBuffer.prototype, "byteLength");
const sharedLength =
  typeof SharedArrayBuffer === "undefined" ? undefined : getter(SharedArrayBuffer.prototype, "byteLength");
const { has: weakMapHas } = WeakMap.prototype;
const { has: weakSetHas } = WeakSet.prototype;
const probeKey = {};

function tagOf(value: unknown): string {
  return objectTag.call(value).slice(8, -1);
}

function arrayKind<Type>(name: string): (value: unknown) => value is Type {
  return (value): value is Type => arrayName.call(value) === name;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function boxed<Type>(type: string, valueOf: () => unknown): (value: unknown) => value is Type {
  return (value): value is Type => {
    if (!isObject(value)) return false;
    try {
      return typeof valueOf.call(value) === type;
    } catch {
      return false;
    }
  };
}

export const isMap = branded<Map<unknown, unknown>>((value) => mapSize.call(value));
export const isSet = branded<Set<unknown>>((value) => setSize.call(value));
export const isWeakMap = branded<WeakMap<object, unknown>>((value) => weakMapHas.call(value, probeKey));
export const isWeakSet = branded<WeakSet<object>>((value) => weakSetHas.call(value, probeKey));
export const isDate = branded<Date>((value) => Date.prototype.getTime.call(value));
export const isDataView = branded<DataView>((value) => {
  if (!ArrayBuffer.isView(value) || arrayName.call(value) !== undefined) throw undefined;
});
export const isArrayBuffer = branded<ArrayBuffer>((value) => bufferLength.call(value));
export const isSharedArrayBuffer = branded<SharedArrayBuffer>((value) => sharedLength!.call(value));
export const isNumberObject = boxed<Number>("number", Number.prototype.valueOf);
export const isStringObject = boxed<String>("string", String.prototype.valueOf);
export const isBooleanObject = boxed<Boolean>("boolean", Boolean.prototype.valueOf);
export const isBigIntObject = boxed<BigInt>("bigint", BigInt.prototype.valueOf);
export const isSymbolObject = boxed<Symbol>("symbol", Symbol.prototype.valueOf);
export const isUint8Array = arrayKind<Uint8Array>("Uint8Array");
export const isUint8ClampedArray = arrayKind<Uint8ClampedArray>("Uint8ClampedArray");
export const isUint16Array = arrayKind<Uint16Array>("Uint16Array");
export const isUint32Array = arrayKind<Uint32Array>("Uint32Array");
export const isInt8Array = arrayKind<Int8Array>("Int8Array");
export const isInt16Array = arrayKind<Int16Array>("Int16Array");
export const isInt32Array = arrayKind<Int32Array>("Int32Array");
export const isFloat16Array = arrayKind<Float16Array>("Float16Array");
export const isFloat32Array = arrayKind<Float32Array>("Float32Array");
export const isFloat64Array = arrayKind<Float64Array>("Float64Array");
export const isBigInt64Array = arrayKind<BigInt64Array>("BigInt64Array");
export const isBigUint64Array = arrayKind<BigUint64Array>("BigUint64Array");

export function isTypedArray(value: unknown): value is TypedArray {
  return arrayName.call(value) !== undefined;
}

export function isArrayBufferView(value: unknown): value is ArrayBufferView {
  return ArrayBuffer.isView(value);
}

export function isAnyArrayBuffer(value: unknown): value is ArrayBufferLike {
  return isArrayBuffer(value) || (sharedLength !== undefined && isSharedArrayBuffer(value));
}

export function isBoxedPrimitive(value: unknown): value is Number | String | Boolean | BigInt | Symbol {
  return (
    isNumberObject(value) ||
    isStringObject(value) ||
    isBooleanObject(value) ||
    isBigIntObject(value) ||
    isSymbolObject(value)
  );
}

const regExpSource = getter(RegExp.prototype, "source");

export function isRegExp(value: unknown): value is RegExp {
  if (!isObject(value) || value === RegExp.prototype) return false;
  try {
    regExpSource.call(value);
    return true;
  } catch {
    return false;
  }
}

export function isNativeError(value: unknown): value is Error {
  if (!isObject(value)) return false;
  if (typeof (Error as any).isError === "function") return (Error as any).isError(value);
  return value instanceof Error || tagOf(value) === "Error";
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return isObject(value) && ops.promiseDetails(value) != null;
}

export function isProxy(value: unknown): boolean {
  return (isObject(value) || typeof value === "function") && ops.proxyDetails(value) != null;
}

export function isArgumentsObject(value: unknown): value is IArguments {
  return isObject(value) && !(Symbol.toStringTag in value) && tagOf(value) === "Arguments";
}

export function isGeneratorObject(value: unknown): value is Generator {
  return isObject(value) && tagOf(value) === "Generator";
}

export function isAsyncFunction(value: unknown): boolean {
  return typeof value === "function" && /^Async(Generator)?Function$/.test(tagOf(value));
}

export function isGeneratorFunction(value: unknown): value is GeneratorFunction {
  return typeof value === "function" && /^(Async)?GeneratorFunction$/.test(tagOf(value));
}

export function isMapIterator(value: unknown): boolean {
  return isObject(value) && tagOf(value) === "Map Iterator";
}

export function isSetIterator(value: unknown): boolean {
  return isObject(value) && tagOf(value) === "Set Iterator";
}

export function isModuleNamespaceObject(value: unknown): boolean {
  return isObject(value) && Object.getPrototypeOf(value) === null && tagOf(value) === "Module" && !Object.isExtensible(value);
}

export function isExternal(_value: unknown): boolean {
  return false;
}

export function isEventTarget(value: unknown): boolean {
  return typeof globalThis.EventTarget === "function" && value instanceof globalThis.EventTarget;
}

export function isCryptoKey(value: unknown): boolean {
  return isObject(value) && tagOf(value) === "CryptoKey";
}

export function isKeyObject(value: unknown): boolean {
  return isObject(value) && /KeyObject$/.test(value.constructor?.name ?? "");
}

export default {
  isExternal,
  isDate,
  isArgumentsObject,
  isBigIntObject,
  isBooleanObject,
  isNumberObject,
  isStringObject,
  isSymbolObject,
  isBoxedPrimitive,
  isNativeError,
  isRegExp,
  isAsyncFunction,
  isGeneratorFunction,
  isGeneratorObject,
  isPromise,
  isMap,
  isSet,
  isMapIterator,
  isSetIterator,
  isWeakMap,
  isWeakSet,
  isArrayBuffer,
  isDataView,
  isSharedArrayBuffer,
  isProxy,
  isModuleNamespaceObject,
  isAnyArrayBuffer,
  isCryptoKey,
  isKeyObject,
  isEventTarget,
  isArrayBufferView,
  isTypedArray,
  isUint8Array,
  isUint8ClampedArray,
  isUint16Array,
  isUint32Array,
  isInt8Array,
  isInt16Array,
  isInt32Array,
  isFloat16Array,
  isFloat32Array,
  isFloat64Array,
  isBigInt64Array,
  isBigUint64Array,
};
