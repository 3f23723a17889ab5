// typebox/value: operations on values. Check, Errors and Parse are here; the rest loads when used.
import type { Modules } from "../modules.d.ts";
import { lazyModule } from "../internal/lazy.ts";
import { absentNames, forwarders, lazyObject } from "./forward.ts";
import { ValueErrorIterator } from "./legacy/errors.ts";
import { Check } from "./schema/api.ts";
import { deepEqual } from "./schema/text.ts";
import { clone } from "./type/make.ts";
import { Assert, Errors, Parse } from "./value/assert.ts";
import { Edit } from "./value/edits.ts";

export { Assert, Check, Errors, Parse };
export { Delete, Edit, Insert, Update } from "./value/edits.ts";
export { AssertError, CreateError, DecodeError, EncodeError, ParseError } from "./value/failures.ts";
export const Clone = clone;
export const Equal = deepEqual;

type Parts = { [Path in keyof Modules as Path extends `typebox/value/${infer Name}.ts` ? Name : never]: Modules[Path] };
const part = <Name extends keyof Parts>(name: Name) =>
  (lazyModule as (path: string) => () => Parts[Name])(`typebox/value/${name}.ts`);

export const { Clean } = forwarders(part("clean"));
export const { Convert } = forwarders(part("convert"));
export const { Default } = forwarders(part("default"));
export const { Hash } = forwarders(part("hash"));
export const { Create } = forwarders(part("create"));
export const { Repair } = forwarders(part("repair"));
export const { Decode, DecodeUnsafe, Encode, EncodeUnsafe, HasCodec } = forwarders(part("codec"));
export const { Diff, Patch } = forwarders(part("delta"));
export const { Parser, Pipeline } = forwarders(part("parser"));
export const { narrowUnionsFirst: UnionPrioritySort, bestVariant: UnionScoreSelect } = forwarders(part("unions"));
export const IsOptionalUndefined = (property: unknown, key: PropertyKey, value: any) =>
  typeof property === "object" && property !== null && Object.hasOwn(property, "~optional") && value[key] === undefined;
export const Pointer = lazyObject(part("pointer"), "Delete Get Has Indices Set");

// ---- version 0.34 ----
/** Named operations for 0.34's `Parse(operations, type, value)`; only the built-in ones are known. */
export const ParseDefault = ["Clone", "Clean", "Default", "Convert", "Assert", "Decode"];
const { Delete: ParseDelete, Set: ParseSet } = absentNames("@sinclair/typebox/value ParseRegistry");
export const ParseRegistry = {
  Delete: ParseDelete,
  Get: (name: string) => Value[name],
  Has: (name: string) => typeof Value[name] === "function",
  Set: ParseSet,
};
/** `Cast` became `Repair`; the arguments are the same. */
export const Cast = Repair;
export const { Mutate } = forwarders(part("legacy"));
export const TransformDecode = (type: unknown, references: any[], value: unknown) => DecodeUnsafe({}, type, value ?? references);
export const TransformEncode = (type: unknown, references: any[], value: unknown) => EncodeUnsafe({}, type, value ?? references);
export const HasTransform = (type: unknown) => HasCodec(type);
export const ValuePointer = Pointer;
export {
  DecodeError as TransformDecodeCheckError, DecodeError as TransformDecodeError,
  EncodeError as TransformEncodeCheckError, EncodeError as TransformEncodeError,
} from "./value/failures.ts";
export { CreateError as ValueCreateError, RepairError as ValueCastError } from "./value/failures.ts";
export { ValueErrorIterator, ValueErrorType } from "./legacy/errors.ts";
export {
  HasPropertyKey, IsArray, IsAsyncIterator, IsBigInt, IsBoolean, IsDate, IsFunction, IsInstanceObject, IsInteger,
  IsIterator, IsMap, IsNull, IsNumber, IsObject, IsPromise, IsRegExp, IsSet, IsStandardObject, IsString, IsSymbol,
  IsTypedArray, IsUndefined, IsValueType, IsBigInt64Array, IsBigUint64Array, IsFloat32Array, IsFloat64Array,
  IsInt16Array, IsInt32Array, IsInt8Array, IsUint16Array, IsUint32Array, IsUint8Array, IsUint8ClampedArray,
} from "./legacy/values.ts";
export const {
  ValueCheckUnknownTypeError, ValueDiffError, ValueHashError, ValueMutateError,
} = absentNames("typebox/value");

/** Every operation by name. */
export const Value: any = {
  Assert, Cast, Check, Clean, Clone, Convert, Create, Decode, Default, Diff, Edit, Encode, Equal, Errors, HasCodec, Hash, Mutate,
  Parse, Patch, Pointer, Repair, ValueErrorIterator,
};
export default Value;
