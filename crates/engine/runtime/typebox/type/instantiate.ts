// Replaces references and deferred actions by the types they stand for in a context.
import { instantiateDeferred } from "./actions.ts";
import {
  array, construct, dependent, func, immutable, intersect, never, object, optional, readonly, recordOf, rest, tuple, union,
} from "./builders.ts";
import { callGeneric } from "./call.ts";
import * as is from "./guards.ts";
import { kindOf } from "./guards.ts";
import { anyOptions } from "./options.ts";
import { recordPattern, recordValue } from "./record.ts";

/** Names on the way: references being resolved and generics being called. */
export type Trail = { visited: string[]; calls: string[] };
export const fresh: Trail = { visited: [], calls: [] };

export const instantiateAll = (context: any, types: any[], trail: Trail): any[] =>
  types.map((type) => instantiate(context, type, trail));

export function instantiateProperties(context: any, properties: any, trail: Trail): any {
  const result: any = {};
  for (const key of Object.getOwnPropertyNames(properties)) result[key] = instantiate(context, properties[key], trail);
  return result;
}

/** As `instantiateAll`, with `...T` elements spread. */
export const instantiateElements = (context: any, types: any[], trail = fresh): any[] =>
  spread(instantiateAll(context, types, trail));

function spread(types: any[]): any[] {
  return types.flatMap((type) => {
    if (!is.IsRest(type)) return [type];
    if (is.IsTuple(type.items)) return spread(type.items.items);
    return is.IsInfer(type.items) || is.IsRef(type.items) ? [type] : [never()];
  });
}

/** The type with everything that `context` defines filled in. */
export function instantiate(context: any, type: any, trail: Trail = fresh): any {
  if (is.IsDeferred(type)) return instantiateDeferred(context, type, trail);
  let result = members(context, type, trail);
  if (is.IsOptional(type)) result = optional(result);
  if (is.IsReadonly(type)) result = readonly(result);
  return is.IsImmutable(type) ? immutable(result) : result;
}

function members(context: any, type: any, trail: Trail): any {
  const one = (item: any) => instantiate(context, item, trail);
  const each = (items: any[]) => instantiateAll(context, items, trail);
  switch (kindOf(type)) {
    case "Ref": {
      if (trail.visited.includes(type.$ref) || !(type.$ref in context)) return type;
      return instantiate(context, context[type.$ref], { calls: trail.calls, visited: [...trail.visited, type.$ref] });
    }
    case "Array": return array(one(type.items), anyOptions(type));
    case "Call": return callGeneric(context, trail, type.target, type.arguments);
    case "Constructor": return construct(each(type.parameters), one(type.instanceType), anyOptions(type));
    case "Function": return func(each(type.parameters), one(type.returnType), anyOptions(type));
    case "Dependent": return dependent(one(type.if), one(type.then), one(type.else), anyOptions(type));
    case "Intersect": return intersect(each(type.allOf), anyOptions(type));
    case "Object": return object(instantiateProperties(context, type.properties, trail), anyOptions(type));
    case "Record": return recordOf(recordPattern(type), one(recordValue(type)));
    case "Rest": return rest(one(type.items));
    case "Tuple": return tuple(spread(each(type.items)), anyOptions(type));
    case "Union": return union(each(type.anyOf), anyOptions(type));
    default: return type;
  }
}
