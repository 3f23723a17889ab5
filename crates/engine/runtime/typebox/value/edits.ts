// The types of the edits that `Diff` makes.
import { literal, object, string, union, unknown } from "../type/builders.ts";

export const Insert = object({ type: literal("insert"), path: string(), value: unknown() });
export const Update = object({ type: literal("update"), path: string(), value: unknown() });
export const Delete = object({ type: literal("delete"), path: string() });
export const Edit = union([Insert, Update, Delete]);
