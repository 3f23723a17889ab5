// Conversations as arrays whose items are made when somebody looks at them.
//
// To the extension it is an ordinary array of ordinary objects: spread, filter, splice and JSON work. Underneath, an
// item is made when its index is read, and its heavy fields when those are read; what was not looked at cannot have
// changed, so it never crosses back.

import { lateAccessor, noteLate } from "../internal/late.ts";

type List = {
  /** What the array stands for; places nobody looked at are empty. */
  target: any[];
  /** Which places were looked at or written. */
  made: boolean[];
  /** The items that were made, each at its place. */
  items: object[];
  length: number;
  /** Makes the items from one place to another. */
  make: (from: number, to: number) => object[];
  /** A heavy field. */
  heavy: (index: number, name: string) => any;
};
/** What an item knows of its list: not the list, which knows the item. Nothing of a list that is not used waits for garbage
 * to be looked for. */
type Item = { heavy: List["heavy"]; index: number };

const items = new WeakMap<object, Item>();
const lists = new WeakMap<object, List>();
const { isArray } = Array;
const { slice } = Array.prototype;

/** The getter and the setter of a heavy field, for all items. */
export function messageAccessor(name: string): any[] {
  return lateAccessor(name, items, (item) => item.heavy(item.index, name));
}

/** Makes the items from one place to another, none of which was looked at. */
function fill(list: List, from: number, to: number): void {
  const { heavy } = list;
  const objects = list.make(from, to);
  for (let at = 0; at < objects.length; at++) {
    const index = from + at;
    const object = objects[at];
    items.set(object, { heavy, index });
    list.made[index] = true;
    list.target[index] = list.items[index] = object;
  }
}

function look(list: List, index: number): any {
  if (!list.made[index]) fill(list, index, index + 1);
  return list.target[index];
}

/** Makes everything that was not looked at yet. */
function lookAtAll(list: List): any[] {
  const end = Math.min(list.length, list.target.length);
  for (let from = 0; from < end; from++) {
    let to = from;
    while (to < end && !list.made[to]) to++;
    if (to > from) fill(list, from, to);
    from = to;
  }
  return list.target;
}

/**
 * Methods that look at every item anyway: they work on the array underneath, because asking for item after item through
 * the one in front costs several times as much.
 */
const SCANS = ["filter", "map", "forEach", "flatMap", "reduce", "reduceRight", "toSorted", "toReversed", "indexOf", "includes"];
const scans = new Map<string, (...args: any[]) => any>();
for (const name of SCANS) {
  const method = (Array.prototype as any)[name];
  const scan = function (this: any, ...args: any[]) {
    const list = lists.get(this);
    return method.apply(list ? lookAtAll(list) : this, args);
  };
  Object.defineProperty(scan, "name", { value: name });
  scans.set(name, scan);
}

/** The place that a key names, or -1. */
function place(key: string | symbol, length: number): number {
  if (typeof key !== "string") return -1;
  const first = key.charCodeAt(0);
  if (!(first >= 48 && first <= 57)) return -1;
  const index = +key;
  return index < length && String(index) === key ? index : -1;
}

/** A conversation as an array; behind it what it stands for, which places were looked at, and the items that were made. */
export function lazyMessages(length: number, make: List["make"], heavy: List["heavy"]): any[][] {
  const target: any[] = new Array(length);
  const made: boolean[] = [];
  const list: List = { target, made, items: [], length, make, heavy };
  const front = new Proxy(target, {
    get(_, key) {
      const index = place(key, length);
      if (index >= 0 && index < target.length) return look(list, index);
      return scans.get(key as string) ?? (target as any)[key];
    },
    set(_, key, value) {
      // It may be frozen, or the value no length.
      if (!Reflect.set(target, key, value)) return false;
      const index = place(key, length);
      if (index >= 0) made[index] = true;
      // A shorter array: what is behind the end is gone, also when the array grows again.
      if (key === "length") for (let at = target.length; at < length; at++) made[at] = true;
      return true;
    },
    has(_, key) {
      if (key in target) return true;
      const index = place(key, length);
      return index >= 0 && index < target.length && !made[index];
    },
    deleteProperty(_, key) {
      if (!Reflect.deleteProperty(target, key)) return false;
      const index = place(key, length);
      if (index >= 0) made[index] = true;
      return true;
    },
    getOwnPropertyDescriptor(_, key) {
      const index = place(key, length);
      if (index >= 0 && index < target.length) look(list, index);
      return Object.getOwnPropertyDescriptor(target, key);
    },
    ownKeys() {
      return Reflect.ownKeys(lookAtAll(list));
    },
    defineProperty(_, key, descriptor) {
      // What the descriptor does not say stays as it is.
      const index = place(key, length);
      if (index >= 0 && index < target.length) look(list, index);
      if (!Reflect.defineProperty(target, key, descriptor)) return false;
      if (index >= 0) made[index] = true;
      if (key === "length") for (let at = target.length; at < length; at++) made[at] = true;
      return true;
    },
    preventExtensions() {
      lookAtAll(list);
      return Reflect.preventExtensions(target);
    },
  });
  lists.set(front, list);
  noteLate(target, () => lookAtAll(list));
  return [front, target, made, list.items];
}

/** All of a list that a program has made or given back. */
export function wholeMessages(now: any): any[] {
  const list = lists.get(now);
  if (list) return lookAtAll(list);
  if (!isArray(now)) throw new TypeError("`messages` is no list");
  return Reflect.apply(slice, now, []);
}
