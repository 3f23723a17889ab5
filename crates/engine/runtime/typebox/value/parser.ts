// Chains of operations on a value.
import { withContext } from "../schema/api.ts";
import { clone } from "../type/make.ts";
import { Assert } from "./assert.ts";
import { Clean } from "./clean.ts";
import { Convert } from "./convert.ts";
import { Default } from "./default.ts";

type Step = (context: unknown, type: unknown, value: unknown) => any;

/** A function that passes a value through steps; each gets `(context, type, value)`. */
export const Pipeline = (steps: Step[]) => (...given: any[]) => {
  const [context, type, value] = withContext(given, 2);
  return steps.reduce((result, step) => step(context, type, result), value);
};

/** Copies, defaults, converts and cleans; the last step asserts and has no result of its own. */
export const Parser = Pipeline([(_context, _type, value) => clone(value), Default, Convert, Clean, Assert]);
