// The two questions about a value and a schema.
import { Scope } from "./references.ts";
import { Walk, walk } from "./walk.ts";
import type { Fault } from "./walk.ts";

/** Whether `value` satisfies `schema`; `context` holds schemas by the name that references use. */
export function isValid(context: unknown, schema: unknown, value: unknown): boolean {
  return walk(new Walk(Scope.root(context, schema), false), schema, value, "#", "");
}

/** Every error (up to the set maximum), and whether there is none. */
export function findErrors(context: unknown, schema: unknown, value: unknown): [boolean, Fault[]] {
  const w = new Walk(Scope.root(context, schema), true);
  const passed = walk(w, schema, value, "#", "");
  return [passed, w.errors!];
}
