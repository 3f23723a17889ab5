// What an object is called: its class, its tag, its function head.

const hasOwn = Object.prototype.hasOwnProperty;

/** Where the prototype chain of an object ends before a class is found, and how that is shown. */
export function classNameOf(value: object, showOdd: (proto: object) => string): string | null {
  let object: any = value;
  let first: object | null | undefined;
  while (object !== null) {
    const constructor = Object.getOwnPropertyDescriptor(object, "constructor")?.value;
    if (typeof constructor === "function" && constructor.name !== "" && isInstance(value, constructor)) {
      return String(constructor.name);
    }
    object = Object.getPrototypeOf(object);
    if (first === undefined) first = object;
  }
  if (!first) return null;
  const inner = classNameOf(first, showOdd);
  return `Object <${inner ?? showOdd(first)}>`;
}

function isInstance(value: object, constructor: any): boolean {
  try {
    return value instanceof constructor;
  } catch {
    return false;
  }
}

/** The `Symbol.toStringTag` of an object where it tells something new, or "". */
export function tagOf(value: any, className: string | null, showHidden: boolean): string {
  const tag = value[Symbol.toStringTag];
  if (typeof tag !== "string" || tag === "" || tag === className) return "";
  // An own tag already shows among the keys.
  const shown = showHidden
    ? hasOwn.call(value, Symbol.toStringTag)
    : Object.prototype.propertyIsEnumerable.call(value, Symbol.toStringTag);
  return shown ? "" : tag;
}

/** `Class(size) [tag] `, with a word for objects without a class. */
export function prefixOf(className: string | null, tag: string, fallback: string, size = ""): string {
  if (className === null) {
    const label = `[${fallback}${size}: null prototype] `;
    return tag !== "" && fallback !== tag ? `${label}[${tag}] ` : label;
  }
  return tag !== "" && className !== tag ? `${className}${size} [${tag}] ` : `${className}${size} `;
}

// The `prototype` of a class cannot be assigned, that of other functions can.
function isClass(fn: Function): boolean {
  const prototype = Object.getOwnPropertyDescriptor(fn, "prototype");
  if (prototype === undefined || prototype.writable) return false;
  // Compiled code may have no source to tell by; what the language provides is known by its name.
  return Function.prototype.toString.call(fn).startsWith("class") || (globalThis as any)[fn.name] !== fn;
}

/** `[Function: name]`, `[class A extends B]` and the like. */
export function functionHead(fn: any, className: string | null, tag: string): string {
  if (isClass(fn)) {
    let head = `class ${(hasOwn.call(fn, "name") && fn.name) || "(anonymous)"}`;
    if (className !== "Function" && className !== null) head += ` [${className}]`;
    if (tag !== "" && className !== tag) head += ` [${tag}]`;
    if (className === null) return `[${head} extends null]`;
    const parent = Object.getPrototypeOf(fn)?.name;
    return `[${head}${parent ? ` extends ${parent}` : ""}]`;
  }
  const kind = /^\[object ((?:Async)?(?:Generator)?Function)\]$/.exec(Object.prototype.toString.call(fn))?.[1] ?? "Function";
  let head = `[${kind}`;
  if (className === null) head += " (null prototype)";
  head += fn.name === "" ? " (anonymous)]" : `: ${typeof fn.name === "string" ? fn.name : String(fn.name)}]`;
  if (className !== kind && className !== null && className !== "Function") head += ` ${className}`;
  if (tag !== "" && className !== tag && kind !== tag) head += ` [${tag}]`;
  return head;
}
