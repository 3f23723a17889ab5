// Checks of the types that only version 0.34 had.

const between = (value: number, schema: any, unit: string) => {
  const limit = (name: string) => schema[`${name}${unit}`];
  return (
    !(value < limit("minimum")) &&
    !(value > limit("maximum")) &&
    !(value <= limit("exclusiveMinimum")) &&
    !(value >= limit("exclusiveMaximum")) &&
    (limit("multipleOf") === undefined || value % limit("multipleOf") === 0)
  );
};
const isObject = (value: any) => typeof value === "object" && value !== null;

const checks: Record<string, (schema: any, value: any) => boolean> = {
  Date: (schema, value) =>
    value instanceof Date && Number.isFinite(value.getTime()) && between(value.getTime(), schema, "Timestamp"),
  Uint8Array: (schema, value) =>
    value instanceof Uint8Array && !(value.length < schema.minByteLength) && !(value.length > schema.maxByteLength),
  RegExp: (schema, value) => typeof value === "string" && new RegExp(schema.source, schema.flags).test(value),
  Promise: (_schema, value) => isObject(value) && typeof value.then === "function",
  Iterator: (_schema, value) => isObject(value) && Symbol.iterator in value,
  AsyncIterator: (_schema, value) => isObject(value) && Symbol.asyncIterator in value,
};

/** Whether `value` is of the kind that `schema.type` names; unknown kinds accept everything. */
export const check = (schema: any, value: any): boolean => checks[schema.type]?.(schema, value) ?? true;
