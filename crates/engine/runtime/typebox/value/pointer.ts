// Reading and writing by JSON pointer.

const unsafe = ["__proto__", "constructor", "prototype"];
const isObject = (value: any) => typeof value === "object" && value !== null;

/** The names a pointer goes through. */
export function Indices(pointer: string): string[] {
  if (pointer === "") return [];
  const names = pointer.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names[0] === "" ? names.slice(1) : names;
}

const step = (value: any, name: string) => (isObject(value) && !unsafe.includes(name) ? value[name] : undefined);

export function Has(value: any, pointer: string): boolean {
  let at = value;
  for (const name of Indices(pointer)) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return false;
    at = at[name];
  }
  return true;
}

export const Get = (value: any, pointer: string): any => Indices(pointer).reduce(step, value);

/** The object that holds what a pointer names, and the name it has there. */
function holder(value: unknown, pointer: string): [any, string] {
  const names = Indices(pointer);
  if (names.length === 0) throw Error("Cannot set root");
  if (names.some((name) => unsafe.includes(name))) throw Error("Pointer contains unsafe property key");
  const last = names.pop()!;
  const parent = names.reduce(step, value);
  if (!isObject(parent)) throw Error("Cannot set value");
  return [parent, last];
}

export function Set(value: unknown, pointer: string, next: unknown): any {
  const [parent, name] = holder(value, pointer);
  parent[name] = next;
  return value;
}

export function Delete(value: unknown, pointer: string): any {
  const [parent, name] = holder(value, pointer);
  if (Array.isArray(parent) && /^(?:0|[1-9]\d*)$/.test(name)) parent.splice(Number(name), 1);
  else delete parent[name];
  return value;
}
