// Actions: functions from types to types. An action on a reference waits (is deferred) until a
// context says what the reference stands for.
import * as algebra from "./algebra.ts";
import {
  IntegerKey, array, cyclic, deferred, immutable, literal, never, nil, number, object, optional, readonly,
  symbol, string, tuple, undef, union, record,
} from "./builders.ts";
import { callGeneric } from "./call.ts";
import { extendsType } from "./extends.ts";
import * as is from "./guards.ts";
import { kindOf } from "./guards.ts";
import { indexType } from "./indexed.ts";
import { fresh, instantiate, instantiateAll, instantiateElements, instantiateProperties } from "./instantiate.ts";
import type { Trail } from "./instantiate.ts";
import { extended, without } from "./make.ts";
import { instantiateModule } from "./module.ts";
import { recordKey } from "./record.ts";
import { encodeTypes, templateOf } from "./template.ts";

// How each parameter of an action is treated: `k` a type that must be known, `v` a type, `l` a list
// of types that must be known, `p` properties, `x` anything, passed as it is.
type Action = { shape: string; run: (parameters: any[], context: any, trail: Trail) => any };
const actions: Record<string, Action> = {};

function apply(name: string, parameters: any[], options: any, context: any = {}, trail: Trail = fresh): any {
  const { shape, run } = actions[name];
  const waits = parameters.some((parameter, at) =>
    shape[at] === "k" ? is.IsRef(parameter) : shape[at] === "l" && parameter.some(is.IsRef),
  );
  return waits ? deferred(name, parameters, options) : extended(run(parameters, context, trail), options);
}

/** Runs a deferred action now that `context` is known. */
export function instantiateDeferred(context: any, type: any, trail: Trail): any {
  const { action, parameters, options } = type;
  if (!Object.hasOwn(actions, action)) return deferred(action, parameters, options);
  const { shape } = actions[action];
  const known = parameters.map((parameter: any, at: number) => {
    switch (shape[at]) {
      case "k":
      case "v": return instantiate(context, parameter, trail);
      case "l": return instantiateAll(context, parameter, trail);
      case "p": return instantiateProperties(context, parameter, trail);
      default: return parameter;
    }
  });
  const result = apply(action, known, options, context, trail);
  return is.IsOptional(type) ? optional(result) : result;
}

const keysOf = (keys: any) => (Array.isArray(keys) ? union(keys.map((key) => literal(key))) : keys);

function unary(name: string, run: (type: any) => any) {
  actions[name] = { shape: "k", run: ([type]) => run(type) };
  return (type: any, options?: any) => apply(name, [type], options);
}
function keyed(name: string, run: (type: any, indexer: any) => any) {
  actions[name] = { shape: "kk", run: ([type, indexer]) => run(type, indexer) };
  return (type: any, keys: any, options?: any) => apply(name, [type, keysOf(keys)], options);
}

/** Applies `change` to every object a type consists of. */
function eachObject(change: (properties: any) => any, other: (type: any) => any) {
  const visit = (type: any): any => {
    switch (kindOf(type)) {
      case "Object": return object(change(type.properties));
      case "Union": return union(type.anyOf.map(visit));
      case "Dependent":
      case "Intersect": return visit(algebra.evaluate(type));
      case "Cyclic": {
        const { $defs, $ref } = type;
        return cyclic({ ...$defs, [$ref]: visit(algebra.cyclicTarget($defs, $ref)) }, $ref);
      }
      default: return other(type);
    }
  };
  return visit;
}
const mapValues = (change: (type: any) => any) => (properties: any) => {
  const result: any = {};
  for (const key of Object.getOwnPropertyNames(properties)) result[key] = change(properties[key]);
  return result;
};
const empty = () => object({});

export const Partial = unary("Partial", eachObject(mapValues(optional), empty));
export const Required = unary("Required", eachObject(mapValues((type) => without(type, ["~optional"])), empty));
export const ReadonlyObject = unary(
  "ReadonlyObject",
  eachObject(mapValues(readonly), (type) => {
    if (is.IsArray(type)) return immutable(array(type.items));
    return is.IsTuple(type) ? immutable(tuple(type.items)) : type;
  }),
);
export const ReadonlyType = ReadonlyObject;

const select = (wanted: boolean) => (type: any, indexer: any) => {
  const properties = algebra.propertiesOf(type);
  const keys = algebra.indexerKeys(indexer);
  const chosen = Object.getOwnPropertyNames(properties).filter((key) => keys.includes(key) === wanted);
  return object(Object.fromEntries(chosen.map((key) => [key, properties[key]])));
};
export const Pick = keyed("Pick", select(true));
export const Omit = keyed("Omit", select(false));
export const Index = keyed("Index", (type, indexer) => indexType(type, indexer));
export const Exclude = keyed("Exclude", (left, right) => algebra.exclude(left, right));
export const Extract = keyed("Extract", (left, right) => algebra.extract(left, right));

const isIntegerKey = new RegExp(IntegerKey);
/** A property name as TypeScript lists it: numbers for index-like names. */
export const ConvertToIntegerKey = (value: any) =>
  typeof value === "string" && isIntegerKey.test(value) ? parseInt(value) : value;

export const KeyOf = unary("KeyOf", (type) => {
  switch (kindOf(type)) {
    case "Any": return union([number(), string(), symbol()]);
    case "Array": return number();
    case "Record": return recordKey(type);
    case "Tuple": return algebra.unionOf(type.items.map((_: any, at: number) => literal(at)));
    case "Cyclic":
    case "Dependent":
    case "Intersect":
    case "Object":
    case "Union": {
      const keys = Object.getOwnPropertyNames(algebra.propertiesOf(type));
      return algebra.unionOf(keys.map((key) => literal(ConvertToIntegerKey(key))));
    }
    default: return never();
  }
});

actions.Evaluate = { shape: "v", run: ([type]) => algebra.evaluate(type) };
export const Evaluate = (type: any, options?: any) => apply("Evaluate", [type], options);
export const NonNullable = unary("NonNullable", (type) => algebra.exclude(type, union([nil(), undef()])));

const parametersOf = (kind: string) => (type: any) =>
  tuple(instantiateElements({}, kindOf(type) === kind ? type.parameters : []));
export const Parameters = unary("Parameters", parametersOf("Function"));
export const ConstructorParameters = unary("ConstructorParameters", parametersOf("Constructor"));
export const ReturnType = unary("ReturnType", (type) => (is.IsFunction(type) ? type.returnType : never()));
export const InstanceType = unary("InstanceType", (type) => (is.IsConstructor(type) ? type.instanceType : never()));

const eachText = (change: (text: string) => string) => {
  const visit = (type: any): any => {
    if (is.IsLiteral(type)) return literal(typeof type.const === "string" ? change(type.const) : type.const);
    if (is.IsTemplateLiteral(type)) return visit(algebra.evaluate(type));
    return is.IsUnion(type) ? union(type.anyOf.map(visit)) : type;
  };
  return visit;
};
export const Capitalize = unary("Capitalize", eachText((text) => text[0].toUpperCase() + text.slice(1)));
export const Uncapitalize = unary("Uncapitalize", eachText((text) => text[0].toLowerCase() + text.slice(1)));
export const Lowercase = unary("Lowercase", eachText((text) => text.toLowerCase()));
export const Uppercase = unary("Uppercase", eachText((text) => text.toUpperCase()));

actions.Conditional = {
  shape: "kkxx",
  run([left, right, whenTrue, whenFalse], context, trail) {
    const verdict = extendsType(context, left, right);
    if (!verdict) return instantiate(context, whenFalse, trail);
    const result = instantiate(verdict.inferred, whenTrue, trail);
    return verdict.partly ? union([result, instantiate(context, whenFalse, trail)]) : result;
  },
};
/** `left extends right ? whenTrue : whenFalse`. */
export const Conditional = (left: any, right: any, whenTrue: any, whenFalse: any, options?: any) =>
  instantiateDeferred({}, deferred("Conditional", [left, right, whenTrue, whenFalse], options), fresh);

actions.Interface = {
  shape: "lp",
  run: ([heritage, properties]) => algebra.evaluateIntersect([...heritage, object(properties)]),
};
export const Interface = (heritage: any[], properties: any, options?: any) =>
  apply("Interface", [heritage, properties], options);

function mappedKeys(type: any): any[] {
  if (is.IsEnum(type) || is.IsTemplateLiteral(type)) return mappedKeys(algebra.evaluate(type));
  if (is.IsUnion(type)) return type.anyOf.flatMap(mappedKeys);
  return [is.IsLiteralNumber(type) ? literal(`${type.const}`) : type];
}
actions.Mapped = {
  shape: "xkxx",
  run([name, type, as, property], context, trail) {
    const objects = mappedKeys(type).map((key) => {
      const scope = { ...context, [name.name]: key };
      let renamed = instantiate(scope, as, trail);
      if (is.IsTemplateLiteral(renamed)) renamed = algebra.evaluate(renamed);
      const value = instantiate(scope, property, trail);
      return object(is.IsLiteralString(renamed) || is.IsLiteralNumber(renamed) ? { [renamed.const]: value } : {});
    });
    return algebra.evaluateIntersect(objects);
  },
};
export const Mapped = (name: unknown, type: unknown, as: unknown, property: unknown, options?: unknown) =>
  apply("Mapped", [name, type, as, property], options);

actions.Module = { shape: "x", run: ([declarations], context) => instantiateModule(context, declarations) };
export const Module = (declarations: unknown, options?: unknown) => apply("Module", [declarations], options);

actions.With = { shape: "kx", run: ([type, options]) => extended(type, options) };
export const With = (type: unknown, options: unknown) => apply("With", [type, options], undefined);

actions.Record = { shape: "kv", run: ([key, value]) => record(key, value) };
actions.TemplateLiteral = { shape: "l", run: ([types]) => templateOf(`^${encodeTypes(types)}$`) };
/** A template literal type from a list of types; the text form goes through `script.ts`. */
export const templateFromTypes = (types: any[], options?: unknown) => apply("TemplateLiteral", [types], options);

const modifier = (name: string, change: (type: unknown) => any) => {
  actions[name] = { shape: "v", run: ([type]) => change(type) };
  return (type: unknown, options?: unknown) => extended(change(type), options);
};
export const AddOptional = modifier("AddOptional", optional);
export const RemoveOptional = modifier("RemoveOptional", (type) => without(type, ["~optional"]));
export const AddReadonly = modifier("AddReadonly", readonly);
export const RemoveReadonly = modifier("RemoveReadonly", (type) => without(type, ["~readonly"]));
export const AddImmutable = modifier("AddImmutable", immutable);
export const RemoveImmutable = modifier("RemoveImmutable", (type) => without(type, ["~immutable"]));

export const Instantiate = (context: unknown, type: unknown) => instantiate(context, type);
export const Call = (target: unknown, parameters: any[]) => callGeneric({}, fresh, target, parameters);
export const KeysToIndexer = keysOf;
