// The value tests that `@sinclair/typebox/value` exported.

const isObject = (value: any) => typeof value === "object" && value !== null;
const instance = (name: string) => (value: any) => value instanceof (globalThis as any)[name];

export const HasPropertyKey = (value: any, key: PropertyKey) => key in value;
export const IsObject = isObject;
export const IsArray = (value: any) => Array.isArray(value);
export const IsAsyncIterator = (value: any) => isObject(value) && Symbol.asyncIterator in value;
export const IsIterator = (value: any) => isObject(value) && Symbol.iterator in value;
export const IsStandardObject = (value: any) =>
  isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
export const IsInstanceObject = (value: any) =>
  isObject(value) && !Array.isArray(value) && typeof value.constructor === "function" && value.constructor.name !== "Object";
export const IsUndefined = (value: any) => value === undefined;
export const IsNull = (value: any) => value === null;
export const IsBoolean = (value: any) => typeof value === "boolean";
export const IsNumber = (value: any) => typeof value === "number";
export const IsInteger = (value: any) => Number.isInteger(value);
export const IsBigInt = (value: any) => typeof value === "bigint";
export const IsString = (value: any) => typeof value === "string";
export const IsFunction = (value: any) => typeof value === "function";
export const IsSymbol = (value: any) => typeof value === "symbol";
export const IsValueType = (value: any) => !isObject(value) && typeof value !== "function";
export const IsTypedArray = (value: any) => ArrayBuffer.isView(value);
export const IsPromise = instance("Promise");
export const IsDate = (value: any) => value instanceof Date && Number.isFinite(value.getTime());
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
