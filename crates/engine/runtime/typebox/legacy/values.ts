// The value tests that `@sinclair/typebox/value` exported.

const isObject = (value: unknown) => typeof value === "object" && value !== null;
const instance = (name: string) => (value: unknown) => value instanceof (globalThis as any)[name];

export const HasPropertyKey = (value: any, key: PropertyKey) => key in value;
export const IsObject = isObject;
export const IsArray = (value: unknown) => Array.isArray(value);
export const IsAsyncIterator = (value: unknown) => isObject(value) && Symbol.asyncIterator in value;
export const IsIterator = (value: unknown) => isObject(value) && Symbol.iterator in value;
export const IsStandardObject = (value: unknown) =>
  isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
export const IsInstanceObject = (value: unknown) =>
  isObject(value) && !Array.isArray(value) && typeof value.constructor === "function" && value.constructor.name !== "Object";
export const IsUndefined = (value: unknown) => value === undefined;
export const IsNull = (value: unknown) => value === null;
export const IsBoolean = (value: unknown) => typeof value === "boolean";
export const IsNumber = (value: unknown) => typeof value === "number";
export const IsInteger = (value: unknown) => Number.isInteger(value);
export const IsBigInt = (value: unknown) => typeof value === "bigint";
export const IsString = (value: unknown) => typeof value === "string";
export const IsFunction = (value: unknown) => typeof value === "function";
export const IsSymbol = (value: unknown) => typeof value === "symbol";
export const IsValueType = (value: unknown) => !isObject(value) && typeof value !== "function";
export const IsTypedArray = (value: unknown) => ArrayBuffer.isView(value);
export const IsPromise = instance("Promise");
export const IsDate = (value: unknown) => value instanceof Date && Number.isFinite(value.getTime());
export const IsMap = instance("Map");
export const IsSet = instance("Set");
export const IsRegExp = instance("RegExp");
export const IsInt8Array = instance("Int8Array");
export const IsUint8Array = instance("Uint8Array");
export const IsUint8ClampedArray = instance("Uint8ClampedArray");
export const IsInt16Array = instance("Int16Array");
export const IsUint16Array = instance("Uint16Array");
export const IsInt32Array = instance("Int32Array");
export const IsUint32Array = instance("Uint32Array");
export const IsFloat32Array = instance("Float32Array");
export const IsFloat64Array = instance("Float64Array");
export const IsBigInt64Array = instance("BigInt64Array");
export const IsBigUint64Array = instance("BigUint64Array");
