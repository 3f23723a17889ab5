// `T[K]`.
import { evaluateUnion, indexerKeys, propertiesOf, unionOf } from "./algebra.ts";
import { IntegerKey, array, construct, func, intersect, literal, never, number, object, tuple, union } from "./builders.ts";
import { extendsType } from "./extends.ts";
import * as is from "./guards.ts";
import { kindOf } from "./guards.ts";

const integerLike = new RegExp(IntegerKey);

/** The indexer with number-like names as numbers. */
function numeric(type: any): any {
  if (is.IsIntersect(type)) return intersect(type.allOf.map(numeric));
  if (is.IsUnion(type)) return union(type.anyOf.map(numeric));
  if (is.IsLiteralString(type) && integerLike.test(type.const)) return literal(parseInt(type.const));
  return is.IsLiteral(type) ? literal(type.const) : type;
}

/** Replaces `This` inside a property by the object the property was taken from. */
function expandThis(properties: any, type: any): any {
  const one = (item: any): any => expandThis(properties, item);
  switch (kindOf(type)) {
    case "This": return object(properties);
    case "Array": return array(one(type.items));
    case "Constructor": return construct(type.parameters.map(one), one(type.instanceType));
    case "Function": return func(type.parameters.map(one), one(type.returnType));
    case "Tuple": return tuple(type.items.map(one));
    case "Union": return union(type.anyOf.map(one));
    case "Intersect": return intersect(type.allOf.map(one));
    default: return type;
  }
}

/** The type of the members of `type` that `indexer` names. */
export function indexType(type: any, indexer: any): any {
  const isLength = is.IsLiteral(indexer) && indexer.const === "length";
  switch (kindOf(type)) {
    case "Array":
      if (extendsType({}, numeric(indexer), number())) return type.items;
      return isLength ? number() : never();
    case "Tuple": {
      if (isLength) return literal(type.items.length);
      if (is.IsNumber(indexer) || is.IsInteger(indexer)) return unionOf(type.items);
      const wanted = numeric(indexer);
      return unionOf(type.items.filter((_: any, at: number) => extendsType({}, literal(at), wanted)));
    }
    case "Cyclic":
    case "Dependent":
    case "Intersect":
    case "Object":
    case "Union": {
      const properties = propertiesOf(type);
      const keys = is.IsNumber(indexer)
        ? Object.getOwnPropertyNames(properties).filter((key) => integerLike.test(key))
        : indexerKeys(indexer);
      return evaluateUnion(keys.map((key) => expandThis(properties, key in properties ? properties[key] : never())));
    }
    default: return never();
  }
}
