// Modules: named types that refer to each other. A name that leads back to itself becomes a cyclic
// type that carries the definitions it needs; the others are written out.
import { evaluateIntersect } from "./algebra.ts";
import { cyclic, object } from "./builders.ts";
import * as is from "./guards.ts";
import { kindOf } from "./guards.ts";
import { fresh, instantiate, instantiateAll, instantiateProperties } from "./instantiate.ts";
import { recordValue } from "./record.ts";

/** The types directly inside a type. */
function inside(type: any): any[] {
  switch (kindOf(type)) {
    case "Array": return [type.items];
    case "Constructor": return [...type.parameters, type.instanceType];
    case "Function": return [...type.parameters, type.returnType];
    case "Intersect": return type.allOf;
    case "Object": return Object.values(type.properties);
    case "Record": return [recordValue(type)];
    case "Tuple": return type.items;
    case "Union": return type.anyOf;
    default: return is.IsInterfaceDeferred(type) ? Object.values(type.parameters[1]) : [];
  }
}

/** Whether following references from `type` comes back to a name of `path`. */
export function isCyclic(path: string[], context: any, type: any): boolean {
  if (!is.IsRef(type)) return inside(type).some((part) => isCyclic(path, context, part));
  return path.includes(type.$ref) || isCyclic([...path, type.$ref], context, context[type.$ref]);
}

/** The names that `type` needs, itself (`name`) first. */
export function dependencies(context: any, name: string, type: any): string[] {
  const found = [name];
  const visit = (part: any) => {
    if (!is.IsRef(part)) inside(part).forEach(visit);
    else if (!found.includes(part.$ref)) {
      if (!(part.$ref in context)) throw new Error("Unreachable");
      found.push(part.$ref);
      visit(context[part.$ref]);
    }
  };
  visit(type);
  return found;
}

/** The cyclic type for `name`, with the definitions it reaches. */
export function cyclicType(context: any, name: string): any {
  const needed = dependencies(context, name, context[name]);
  const definitions: any = {};
  for (const key of Object.getOwnPropertyNames(context).filter((key) => needed.includes(key))) {
    const type = context[key];
    definitions[key] = is.IsInterfaceDeferred(type)
      ? evaluateIntersect([
          ...instantiateAll(context, type.parameters[0], fresh),
          object(instantiateProperties({}, type.parameters[1], fresh)),
        ])
      : type;
  }
  return cyclic(definitions, name);
}

/** All declarations of a module, cyclic ones first. */
export function instantiateModule(context: any, declarations: any): any {
  const scope = { ...context, ...declarations };
  const names = Object.getOwnPropertyNames(declarations);
  const turning = names.filter((name) => isCyclic([name], declarations, declarations[name]));
  const result: any = {};
  for (const name of turning) result[name] = cyclicType(scope, name);
  for (const name of names) {
    if (!turning.includes(name)) result[name] = instantiate(scope, declarations[name]);
  }
  return result;
}
