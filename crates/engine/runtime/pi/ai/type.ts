// Schemas of tool parameters.
import { Type } from "../../typebox/index.ts";

export { Type };

/** A schema for one of a few texts, in the plain form that every provider understands. */
export function StringEnum(values: readonly string[], options: any = {}): any {
  const { description, default: fallback } = options ?? {};
  return Type.Unsafe({
    type: "string",
    enum: values,
    ...(description && { description }),
    ...(fallback && { default: fallback }),
  });
}
