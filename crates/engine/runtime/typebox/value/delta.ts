// Value.Diff and Value.Patch.
import { deepEqual } from "../schema/text.ts";
import { clone } from "../type/make.ts";
import * as pointer from "./pointer.ts";

const isObject = (value: any) => typeof value === "object" && value !== null;
const isTyped = (value: any) => ArrayBuffer.isView(value) && !(value instanceof DataView);
const safe = (key: string) => !["__proto__", "constructor", "prototype"].includes(key);

function compare(path: string, left: any, right: any, edits: any[]): void {
  const replace = () => void edits.push({ type: "update", path, value: right });
  if (isTyped(left)) {
    const alike = isTyped(right) && left.length === right.length && left.constructor.name === right.constructor.name;
    if (!alike) return replace();
    for (let at = 0; at < left.length; at++) compare(`${path}/${at}`, left[at], right[at], edits);
  } else if (Array.isArray(left)) {
    if (!Array.isArray(right)) return replace();
    const shared = Math.min(left.length, right.length);
    for (let at = 0; at < shared; at++) compare(`${path}/${at}`, left[at], right[at], edits);
    for (let at = shared; at < right.length; at++) edits.push({ type: "insert", path: `${path}/${at}`, value: right[at] });
    for (let at = left.length - 1; at >= right.length; at--) edits.push({ type: "delete", path: `${path}/${at}` });
  } else if (isObject(left)) {
    if (!isObject(right) || Array.isArray(right)) return replace();
    compareObjects(path, left, right, edits);
  } else if (left !== right) replace();
}

function compareObjects(path: string, left: any, right: any, edits: any[]): void {
  if ([left, right].some((value) => Object.getOwnPropertySymbols(value).length > 0)) {
    throw new Error("Cannot create diffs for objects with symbols keys");
  }
  const [before, after] = [left, right].map((value) => Object.getOwnPropertyNames(value).filter(safe));
  for (const key of after) {
    if (!Object.hasOwn(left, key)) edits.push({ type: "insert", path: `${path}/${key}`, value: right[key] });
  }
  if (!deepEqual(left, right)) {
    for (const key of before) {
      if (Object.hasOwn(right, key)) compare(`${path}/${key}`, left[key], right[key], edits);
    }
  }
  for (const key of before) {
    if (!Object.hasOwn(right, key)) edits.push({ type: "delete", path: `${path}/${key}` });
  }
}

/** The edits that turn one value into another. */
export function Diff(current: any, next: any): any[] {
  const edits: any[] = [];
  compare("", current, next, edits);
  return edits;
}

/** A copy of a value with edits applied. */
export function Patch(current: any, edits: any[]): any {
  const [first] = edits;
  if (first?.path === "" && first.type === "update") return clone(first.value);
  const result = clone(current);
  for (const { type, path, value } of edits) {
    if (type === "delete") pointer.Delete(result, path);
    else if (type === "insert" || type === "update") pointer.Set(result, path, value);
  }
  return result;
}
