// Generic types: binding arguments to parameters, one call per variant where TypeScript distributes.
import { current } from "../settings.ts";
import { evaluate, evaluateUnion } from "./algebra.ts";
import { callOf, ref } from "./builders.ts";
import { extendsType } from "./extends.ts";
import * as is from "./guards.ts";
import { fresh, instantiate, instantiateAll } from "./instantiate.ts";
import type { Trail } from "./instantiate.ts";

let depth = 0;
let count = 0;

/** The generic a call aims at, with the name it has in the context. */
function findGeneric(context: any, target: any, name = "(anonymous)"): { name: string; generic: any } | undefined {
  if (is.IsGeneric(target)) return { name, generic: target };
  if (is.IsRef(target) && target.$ref in context) return findGeneric(context, context[target.$ref], target.$ref);
  return undefined;
}

/** `Call<target, arguments>` in a context; stays a call when the target is no generic. */
export function callGeneric(context: any, trail: Trail, target: any, parameters: any[]): any {
  const given = instantiateAll(context, parameters, trail);
  const found = findGeneric(context, target);
  if (!found) return callOf(target, given);
  const { name, generic } = found;
  // A generic that calls itself is expanded by the caller, one step at a time.
  if (trail.calls.at(-1) === name) return callOf(ref(name), given);
  const results = combinations(generic, given).map((list) => callOnce(context, trail, name, generic, list));
  return results.length === 1 ? results[0] : evaluateUnion(results);
}

function callOnce(context: any, trail: Trail, name: string, generic: any, given: any[]): any {
  if (count >= current.maxInstantiationCount) {
    throw Error("Type instantiation is excessively deep and possibly infinite");
  }
  count++;
  depth++;
  try {
    const scope = bind(context, trail, generic.parameters, given);
    const result = instantiate(scope, generic.expression, { calls: [...trail.calls, name], visited: trail.visited });
    return instantiate(scope, result, fresh);
  } finally {
    if (--depth === 0) count = 0;
  }
}

function bind(context: any, trail: Trail, parameters: any[], given: any[]): any {
  let scope = context;
  parameters.forEach((parameter, at) => {
    const constraint = instantiate(scope, parameter.extends, trail);
    const value = instantiate(scope, at < given.length ? given[at] : instantiate(scope, parameter.equals, trail), trail);
    if (!is.IsInfer(value) && !is.IsCall(value) && !extendsType({}, value, constraint)) {
      const cause = { parameter: parameter.name, expect: constraint, actual: value };
      throw new Error(`Argument for parameter ${parameter.name} does not satisfy constraint`, { cause });
    }
    scope = { ...scope, [parameter.name]: value };
  });
  return scope;
}

/** The parameters over whose variants the expression distributes. */
function distributed(expression: any): string[] {
  if (!is.IsDeferred(expression)) return [];
  const [first, second, third, fourth] = expression.parameters;
  if (expression.action === "Conditional") {
    const own = is.IsRef(first) ? [first.$ref] : [];
    return [...own, ...distributed(third), ...distributed(fourth)];
  }
  const isKeyOf = expression.action === "Mapped" && is.IsDeferred(second) && second.action === "KeyOf";
  return isKeyOf && is.IsRef(second.parameters[0]) ? [second.parameters[0].$ref] : [];
}

function combinations(generic: any, given: any[]): any[][] {
  const { expression, parameters } = generic;
  const distributes = is.IsDeferred(expression) && ["Conditional", "Mapped"].includes(expression.action);
  if (!distributes) return [given];
  const names = distributed(expression);
  let lists: any[][] = [[]];
  parameters.slice(0, given.length).forEach((parameter: any, at: number) => {
    let choices = [given[at]];
    if (names.includes(parameter.name)) {
      const value = is.IsTemplateLiteral(given[at]) || is.IsEnum(given[at]) ? evaluate(given[at]) : given[at];
      choices = is.IsUnion(value) ? value.anyOf : [value];
    }
    lists = choices.flatMap((choice) => lists.map((list) => [...list, choice]));
  });
  return lists;
}
