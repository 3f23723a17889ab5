// typebox: the builders, with everything beyond them loaded on the first use.
import { lazyModule } from "../internal/lazy.ts";
import { absentNames, forwarders, lazyObject } from "./forward.ts";
import * as b from "./type/builders.ts";
import * as is from "./type/guards.ts";

const actions = forwarders(lazyModule("typebox/type/actions.ts"));
const options = forwarders(lazyModule("typebox/type/options.ts"));
const inner = forwarders(lazyModule("typebox/type/internals.ts"));
const script = forwarders(lazyModule("typebox/type/script.ts"));
const legacy = forwarders(lazyModule("typebox/legacy/builders.ts"));
const absent = absentNames("typebox");

// ---- builders ----
const {
  any: Any, array: _Array, bigint: BigInt, boolean: Boolean, codec: Codec, construct: Constructor, cyclic: Cyclic,
  decode: Decode, deferred: Deferred, dependent: Dependent, encode: Encode, enumeration: Enum, func: _Function,
  generic: Generic, identifier: Identifier, immutable: Immutable, infer: Infer, integer: Integer,
  intersect: Intersect, literal: Literal, never: Never, nil: Null, number: Number, object: _Object,
  optional: Optional, parameter: Parameter, record: Record, ref: Ref, refine: Refine, refineAdd: RefineAdd,
  rest: Rest, self: This, string: String, symbol: Symbol, tuple: Tuple, undef: Undefined, union: Union,
  unknown: Unknown, unsafe: Unsafe, nothing: Void, callOf: CallConstruct, requiredArray: RequiredArray,
  recordOf: RecordFromPattern, literalTypeName: LiteralTypeName, enumValues: TypeScriptEnumToEnumValues,
} = b;
export {
  Any, _Array as Array, _Array as _Array_, BigInt, Boolean, CallConstruct, Codec, Constructor, Cyclic, Decode, Deferred,
  Dependent, Encode, Enum, _Function as Function, _Function as _Function_, Generic, Identifier, Immutable, Infer,
  Integer, Intersect, Literal, LiteralTypeName, Never, Null, Number, _Object as Object, _Object as _Object_, Optional,
  Parameter, Record, RecordFromPattern, Ref, Refine, RefineAdd, RequiredArray, Rest, String, Symbol, This, Tuple,
  TypeScriptEnumToEnumValues, Undefined, Union, Unknown, Unsafe, Void,
};
export {
  BigIntPattern, DecodeBuilder, EncodeBuilder, IntegerKey, IntegerPattern, InvalidLiteralValue, NeverPattern, NumberKey,
  NumberPattern, StringKey, StringPattern,
} from "./type/builders.ts";

/** Marks a property as read-only (`Readonly(type)`), or, with a plain object type, stays a mark only. */
export const Readonly = b.readonly;
export const TemplateLiteral = (template: any, settings?: any) =>
  typeof template === "string" ? script.templateFromText(template, settings) : actions.templateFromTypes(template, settings);

// ---- guards ----
export {
  IsAny, IsArray, IsBigInt, IsBoolean, IsCall, IsCodec, IsConstructor, IsCyclic, IsDeferred, IsDependent, IsEnum,
  IsEnumValue, IsFunction, IsGeneric, IsIdentifier, IsImmutable, IsInfer, IsInteger, IsInterfaceDeferred, IsIntersect,
  IsKind, IsLiteral, IsLiteralBigInt, IsLiteralBoolean, IsLiteralNumber, IsLiteralString, IsLiteralValue, IsNever,
  IsNull, IsNumber, IsObject, IsOptional, IsParameter, IsReadonly, IsRecord, IsRef, IsRefine, IsRefinement, IsRest,
  IsSchema, IsString, IsSymbol, IsTemplateLiteral, IsTemplateLiteralDeferred, IsThis, IsTuple, IsTypeScriptEnumLike,
  IsUndefined, IsUnion, IsUnknown, IsUnsafe, IsVoid,
} from "./type/guards.ts";

// ---- actions, loaded on the first call ----
export const {
  AddImmutable, AddOptional, AddReadonly, Call, Capitalize, Conditional, ConstructorParameters, ConvertToIntegerKey,
  Evaluate, Exclude, Extract, Index, InstanceType, Instantiate, Interface, KeyOf, KeysToIndexer, Lowercase, Mapped,
  Module, NonNullable, Omit, Parameters, Partial, Pick, ReadonlyObject, ReadonlyType, RemoveImmutable, RemoveOptional,
  RemoveReadonly, Required, ReturnType, Uncapitalize, Uppercase, With,
} = actions;
export const { Script } = script;
export const {
  ArrayOptions, ConstructorOptions, CyclicOptions, DependentOptions, FunctionOptions, IntersectOptions, ObjectOptions,
  RecordOptions, TupleOptions, UnionOptions,
} = options;

// ---- the pieces the actions are made of ----
export const {
  Broaden, CanComposite, CollapseToObject, Compare, Composite, CyclicCandidates, CyclicCheck, CyclicDependencies,
  CyclicExtends, CyclicTarget, Distribute, EvaluateDependent, EvaluateEnum, EvaluateIntersect, EvaluateTemplateLiteral,
  EvaluateType, EvaluateUnion, EvaluateUnionFast, Extends, Flatten, InstantiateCyclic, IsTemplateLiteralFinite,
  IsTemplateLiteralPattern, Narrow, ParsePatternIntoTypes, ParseTemplateIntoTypes, Priority, PropertyKeys,
  PropertyValues, RecordKey, RecordPattern, RecordPatternToType, RecordValue, TemplateLiteralCreate,
  TemplateLiteralDecode, TemplateLiteralDecodeUnsafe, TemplateLiteralEncode, TemplateLiteralFromString,
  TemplateLiteralFromTypes,
} = inner;
export const CompareResultEqual = 0;
export const CompareResultDisjoint = 1;
export const CompareResultLeftInside = 2;
export const CompareResultRightInside = 3;
export const ExtendsResult = lazyObject(
  () => inner.resultGuards(),
  "ExtendsFalse ExtendsTrue ExtendsUnion IsExtendsFalse IsExtendsTrue IsExtendsTrueLike IsExtendsUnion Match",
);
// Version 0.34 has an enumeration under the same name.
for (const [value, name] of ["Union", "True", "False"].entries()) {
  ExtendsResult[name] = value;
  ExtendsResult[value] = name;
}

// ---- `XDeferred(…parameters, options)`: an action that waits ----
const waiting: any = new Proxy(Object.create(null), {
  get: (_target, name: string) => {
    const [, action, count] = /^(.*?)(\d)$/.exec(name)!;
    return (...given: any[]) => b.deferred(action, given.slice(0, +count), given[+count]);
  },
});
export const {
  AddImmutable1: AddImmutableDeferred, AddOptional1: AddOptionalDeferred, AddReadonly1: AddReadonlyDeferred,
  Capitalize1: CapitalizeDeferred, Conditional4: ConditionalDeferred, ConstructorParameters1: ConstructorParametersDeferred,
  Evaluate1: EvaluateDeferred, Exclude2: ExcludeDeferred, Extract2: ExtractDeferred, Index2: IndexDeferred,
  InstanceType1: InstanceTypeDeferred, Interface2: InterfaceDeferred, KeyOf1: KeyOfDeferred,
  Lowercase1: LowercaseDeferred, Mapped4: MappedDeferred, Module1: ModuleDeferred, NonNullable1: NonNullableDeferred,
  Omit2: OmitDeferred, Parameters1: ParametersDeferred, Partial1: PartialDeferred, Pick2: PickDeferred,
  ReadonlyObject1: ReadonlyObjectDeferred, Record2: RecordDeferred, RemoveImmutable1: RemoveImmutableDeferred,
  RemoveOptional1: RemoveOptionalDeferred, RemoveReadonly1: RemoveReadonlyDeferred, Required1: RequiredDeferred,
  ReturnType1: ReturnTypeDeferred, TemplateLiteral1: TemplateLiteralDeferred, Uncapitalize1: UncapitalizeDeferred,
  Uppercase1: UppercaseDeferred, With2: WithDeferred,
} = waiting;

// ---- steps of the published implementation, of no use without it ----
export const {
  CapitalizeAction, CapitalizeInstantiate, ConditionalAction, ConditionalInstantiate, ConstructorParametersAction,
  ConstructorParametersInstantiate, EvaluateAction, EvaluateInstantiate, ExcludeAction,
  ExcludeInstantiate, ExtractAction, ExtractInstantiate, IndexAction, IndexInstantiate, InstanceTypeAction,
  InstanceTypeInstantiate, InterfaceAction, InterfaceInstantiate, KeyOfAction, KeyOfInstantiate, LowercaseAction,
  LowercaseInstantiate, MappedAction, MappedInstantiate, ModuleInstantiate, NonNullableAction, NonNullableInstantiate,
  OmitAction, OmitInstantiate, ParametersAction, ParametersInstantiate, PartialAction, PartialInstantiate, PickAction,
  PickInstantiate, ReadonlyObjectAction, ReadonlyObjectInstantiate, RecordAction, RecordInstantiate, RefInstantiate,
  RequiredAction, RequiredInstantiate, ReturnTypeAction, ReturnTypeInstantiate, UncapitalizeAction,
  UncapitalizeInstantiate, UppercaseAction, UppercaseInstantiate, WithAction, WithInstantiate,
} = absent;

// ---- version 0.34 ----
export { Hint, Kind, OptionalKind, ReadonlyKind, TransformKind } from "./legacy/symbols.ts";
export { FormatRegistry, TypeRegistry } from "./legacy/registry.ts";
export const {
  Argument, AsyncIterator, Awaited, Clone, CloneRest, CloneType, Const, CreateType, DateType: Date, Discard, Increment,
  Intrinsic, Iterator, Not, PromiseType: Promise, ReadonlyOptional, Recursive, RegExpType: RegExp, SetComplement,
  SetDistinct, SetIncludes, SetIntersect, SetIntersectMany, SetIsSubset, SetUnion, SetUnionMany, Transform,
  Uint8ArrayType: Uint8Array,
} = legacy;
export const TransformDecodeBuilder = b.DecodeBuilder;
export const TransformEncodeBuilder = b.EncodeBuilder;
export const PatternBoolean = "(true|false)";
export const PatternNumber = "(0|[1-9][0-9]*)";
export const PatternString = "(.*)";
export const PatternNever = "(?!.*)";
export const PatternBooleanExact = `^${PatternBoolean}$`;
export const PatternNumberExact = `^${PatternNumber}$`;
export const PatternStringExact = `^${PatternString}$`;
export const PatternNeverExact = `^${PatternNever}$`;
export const UnionEvaluated = (types: any[]) => inner.EvaluateUnion(types);
export const IntersectEvaluated = (types: any[]) => inner.EvaluateIntersect(types);
export const TemplateLiteralToUnion = (type: any) => inner.TemplateLiteralDecode(type.pattern);
export const IndexPropertyKeys = (type: unknown) => inner.IndexerKeys(type);
export const KeyOfPropertyKeys = (type: unknown) => inner.PropertyKeys(inner.CollapseToObject(type).properties);
/** The base of 0.34's errors. */
export class TypeBoxError extends Error {}
const guards = lazyModule("typebox/legacy/guards.ts");
const guardNames =
  "IsReadonly IsOptional IsAny IsArgument IsArray IsAsyncIterator IsBigInt IsBoolean IsComputed IsConstructor IsDate " +
  "IsFunction IsImport IsInteger IsProperties IsIntersect IsIterator IsKindOf IsLiteralString IsLiteralNumber " +
  "IsLiteralBoolean IsLiteralValue IsLiteral IsMappedKey IsMappedResult IsNever IsNot IsNull IsNumber IsObject " +
  "IsPromise IsRecord IsRecursive IsRef IsRegExp IsString IsSymbol IsTemplateLiteral IsThis IsTransform IsTuple " +
  "IsUndefined IsUnion IsUint8Array IsUnknown IsUnsafe IsVoid IsKind IsSchema";
export const KindGuard = lazyObject(() => guards().KindGuard, guardNames);
export const TypeGuard = lazyObject(() => guards().TypeGuard, `TypeGuardUnknownTypeError IsUnionLiteral ${guardNames}`);
export const ValueGuard = lazyObject(
  () => guards().ValueGuard,
  "HasPropertyKey IsAsyncIterator IsArray IsBigInt IsBoolean IsDate IsFunction IsIterator IsNull IsNumber IsObject " +
    "IsRegExp IsString IsSymbol IsUint8Array IsUndefined",
);
export const {
  ExcludeFromMappedResult, ExcludeFromTemplateLiteral, ExtendsResolverError, ExtendsCheck, ExtendsFromMappedKey,
  ExtendsFromMappedResult, ExtendsUndefinedCheck, ExtractFromMappedResult, ExtractFromTemplateLiteral,
  IndexFromMappedKey, IndexFromMappedResult, IndexFromPropertyKey, IndexFromPropertyKeys, IndexFromComputed, FromTypes,
  IntrinsicFromMappedKey, KeyOfFromMappedResult, KeyOfPropertyEntries, KeyOfPattern, KeyOfPropertyKeysToRest, TModule,
  MappedKey, MappedResult, MappedFunctionReturnType, OmitFromMappedKey, OmitFromMappedResult, OptionalFromMappedResult,
  PartialFromMappedResult, PickFromMappedKey, PickFromMappedResult, ReadonlyFromMappedResult, RequiredFromMappedResult,
  TemplateLiteralFiniteError, IsTemplateLiteralExpressionFinite, TemplateLiteralGenerateError,
  TemplateLiteralExpressionGenerate, TemplateLiteralGenerate, TemplateLiteralSyntax, TemplateLiteralParserError,
  TemplateLiteralParse, TemplateLiteralParseExact, TemplateLiteralPatternError, TemplateLiteralPattern,
} = absent;

// ---- the namespace ----
/** Every builder by name. */
export const Type: any = {
  Any, Argument, Array: _Array, AsyncIterator, Awaited, BigInt, Boolean, Call, Capitalize, Codec, Composite,
  Conditional, Const, Constructor, ConstructorParameters, Cyclic, Date, Decode, DecodeBuilder: b.DecodeBuilder,
  Dependent, Encode, EncodeBuilder: b.EncodeBuilder, Enum, Evaluate, Exclude, Extends, ExtendsResult, Extract,
  Function: _Function, Generic, Identifier, Immutable, Index, Infer, InstanceType, Instantiate, Integer, Interface,
  Intersect, Iterator, KeyOf, Literal, Lowercase, Mapped, Module, Never, NonNullable, Not, Null, Number,
  Object: _Object, Omit, Optional, Parameter, Parameters, Partial, Pick, Promise, Readonly, ReadonlyObject,
  ReadonlyOptional, ReadonlyType, Record, RecordKey, RecordPattern, RecordValue, Recursive, Ref, Refine, RegExp,
  Required, Rest, ReturnType, Script, String, Symbol, TemplateLiteral, This, Transform, Tuple, Uint8Array,
  Uncapitalize, Undefined, Union, Unknown, Unsafe, Uppercase, Void, With,
  IsAny: is.IsAny, IsArray: is.IsArray, IsBigInt: is.IsBigInt, IsBoolean: is.IsBoolean, IsCall: is.IsCall,
  IsCodec: is.IsCodec, IsConstructor: is.IsConstructor, IsCyclic: is.IsCyclic, IsDependent: is.IsDependent,
  IsEnum: is.IsEnum, IsEnumValue: is.IsEnumValue, IsFunction: is.IsFunction, IsGeneric: is.IsGeneric,
  IsIdentifier: is.IsIdentifier, IsImmutable: is.IsImmutable, IsInfer: is.IsInfer, IsInteger: is.IsInteger,
  IsIntersect: is.IsIntersect, IsKind: is.IsKind, IsLiteral: is.IsLiteral, IsNever: is.IsNever, IsNull: is.IsNull,
  IsNumber: is.IsNumber, IsObject: is.IsObject, IsOptional: is.IsOptional, IsParameter: is.IsParameter,
  IsReadonly: is.IsReadonly, IsRecord: is.IsRecord, IsRef: is.IsRef, IsRefine: is.IsRefine, IsRest: is.IsRest,
  IsSchema: is.IsSchema, IsString: is.IsString, IsSymbol: is.IsSymbol, IsTemplateLiteral: is.IsTemplateLiteral,
  IsThis: is.IsThis, IsTuple: is.IsTuple, IsUndefined: is.IsUndefined, IsUnion: is.IsUnion, IsUnknown: is.IsUnknown,
  IsUnsafe: is.IsUnsafe, IsVoid: is.IsVoid,
};
export const JavaScriptTypeBuilder = class JavaScriptTypeBuilder {
  constructor() {
    return Type;
  }
};
export const JsonTypeBuilder = JavaScriptTypeBuilder;
export default Type;
