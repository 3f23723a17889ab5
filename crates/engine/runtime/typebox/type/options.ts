// The options of a schema: everything except what its builder sets.
import { kindOf } from "./guards.ts";
import { without } from "./make.ts";

const keywords: any = {
  Array: ["type", "items"],
  Constructor: ["type", "parameters", "instanceType"],
  Cyclic: ["$defs", "$ref"],
  Dependent: ["if", "then", "else"],
  Function: ["type", "parameters", "returnType"],
  Intersect: ["allOf"],
  Object: ["type", "properties", "required"],
  Record: ["type", "patternProperties"],
  Tuple: ["type", "items", "minItems", "additionalItems"],
  Union: ["anyOf"],
};

const optionsOf = (kind: string) => (type: unknown) => without(type, ["~kind", ...keywords[kind]]);

/** The options of a schema of any kind that has a builder with members. */
export const anyOptions = (type: unknown) => optionsOf(kindOf(type)!)(type);
export const ArrayOptions = optionsOf("Array");
export const ConstructorOptions = optionsOf("Constructor");
export const CyclicOptions = optionsOf("Cyclic");
export const DependentOptions = optionsOf("Dependent");
export const FunctionOptions = optionsOf("Function");
export const IntersectOptions = optionsOf("Intersect");
export const ObjectOptions = optionsOf("Object");
export const RecordOptions = optionsOf("Record");
export const TupleOptions = optionsOf("Tuple");
export const UnionOptions = optionsOf("Union");
