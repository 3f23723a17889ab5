// Errors as `util.inspect` shows them.
import type { FullOptions } from "./options.ts";

// A class of its own that kept the name `Error` shows its class name.
function withClassName(stack: string, name: string, constructor: string | null, tag: string): string {
  const end = name.length;
  const startsWithName =
    stack.startsWith(name) && (stack.length === end || stack[end] === ":" || stack[end] === "\n" || stack[end] === " ");
  if (constructor === null) {
    const shown = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) ?? /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
    const old = shown?.[1] ?? "";
    return `[${old || "Error"}: null prototype]${tag ? ` [${tag}]` : ""}${stack.slice(old.length)}`;
  }
  if (!name.endsWith("Error") || !startsWithName) return stack;
  let label = constructor;
  if (constructor.includes(name)) {
    if (constructor === name && tag === "") return stack;
  } else label = `${constructor} [${name}]`;
  if (tag !== "" && tag !== constructor) label += ` [${tag}]`;
  return `${label}${stack.slice(end)}`;
}

function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "<cannot be shown>";
  }
}

function stackOf(error: any): string {
  const { stack } = error;
  const head = (): string => safeString(Error.prototype.toString.call(error));
  if (!stack) return head();
  const text = safeString(stack);
  // A stack that lists the calls alone gets its first line.
  if (/^\s+at /.test(text)) return `${head()}\n${text}`;
  // The engine writes the first line when the error is made; a name given later belongs there too.
  const made = Object.getPrototypeOf(error)?.name;
  const calls = text.indexOf("\n    at ");
  if (calls === -1 || typeof made !== "string" || !Object.hasOwn(error, "name")) return text;
  const old = text.slice(0, calls);
  return old === made || old.startsWith(`${made}:`) ? head() + text.slice(calls) : text;
}

/**
 * The stack of `error` with its class made visible, in brackets when it has no call lines. Takes the
 * keys out of `keys` that the text already tells, and adds `cause` and `errors`.
 */
export function errorText(
  error: any,
  constructor: string | null,
  tag: string,
  keys: PropertyKey[],
  options: FullOptions,
  indent: number,
): string {
  const name = error.name != null ? safeString(error.name) : "Error";
  let stack = stackOf(error);
  if (!options.showHidden) {
    for (const key of ["name", "message", "stack"]) {
      const at = keys.indexOf(key);
      if (at !== -1 && typeof error[key] === "string" && stack.includes(error[key])) keys.splice(at, 1);
    }
  }
  if ("cause" in error && !keys.includes("cause")) keys.push("cause");
  if (Array.isArray(error.errors) && !keys.includes("errors")) keys.push("errors");
  stack = withClassName(stack, name, constructor, tag);
  let from = (error.message && stack.indexOf(error.message)) || -1;
  if (from !== -1) from += error.message.length;
  const calls = stack.indexOf("\n    at", from);
  if (calls === -1) stack = `[${stack}]`;
  return indent === 0 ? stack : stack.replaceAll("\n", `\n${" ".repeat(indent)}`);
}
