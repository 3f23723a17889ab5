/** `process.emitWarning`. */

import { ops } from "tau:ops";
import { invalidArgType } from "../errors.ts";

/** Makes the warning, tells listeners, and writes it unless warnings are turned off. */
export function emitWarning(process: any, warning: any, type?: any, code?: any): void {
  let detail;
  if (typeof type === "object" && type !== null && !Array.isArray(type)) ({ type, code, detail } = type);
  else if (typeof type === "function") type = code = undefined;
  if (typeof code === "function") code = undefined;
  if (type !== undefined && typeof type !== "string") throw invalidArgType("type", "string", type);
  if (code !== undefined && typeof code !== "string") throw invalidArgType("code", "string", code);
  if (typeof warning === "string") {
    warning = new Error(warning);
    warning.name = String(type ?? "Warning");
    if (code !== undefined) warning.code = code;
    if (typeof detail === "string") warning.detail = detail;
  } else if (!(warning instanceof Error)) throw invalidArgType("warning", ["Error", "string"], warning);
  if (warning.name === "DeprecationWarning" && process.noDeprecation) return;
  process.nextTick(() => {
    const mark = warning.code ? `[${warning.code}] ` : "";
    if (!ops.envGet("NODE_NO_WARNINGS")) {
      const more = warning.detail ? `\n${warning.detail}` : "";
      ops.consoleWrite("warn", `(node:${ops.pid}) ${mark}${warning.name}: ${warning.message}${more}`);
    }
    process.emit("warning", warning);
  });
}
