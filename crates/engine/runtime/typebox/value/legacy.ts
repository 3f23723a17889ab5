// Value.Mutate of version 0.34: makes one value equal to another while keeping its objects.
import { clone } from "../type/make.ts";

const isObject = (value: any) => typeof value === "object" && value !== null;

function assign(target: any, key: PropertyKey, next: any): void {
  const now = target[key];
  const alike = isObject(now) && isObject(next) && Array.isArray(now) === Array.isArray(next);
  if (alike) Mutate(now, next);
  else target[key] = clone(next);
}

export function Mutate(current: any, next: any): void {
  if (!isObject(current) || !isObject(next)) throw new Error("Only object and array types can be mutated at the root level");
  if (Array.isArray(current) !== Array.isArray(next)) throw new Error("Cannot assign due type mismatch of assignable values");
  if (Array.isArray(current)) current.length = next.length;
  else for (const key of Object.keys(current)) if (!Object.hasOwn(next, key)) delete current[key];
  for (const key of Object.keys(next)) assign(current, key, next[key]);
}
