// Conversations as arrays whose items are made when somebody looks at them.
//
// To the extension it is an ordinary array of ordinary objects: spread, filter, splice and JSON work. Underneath, an
// item is made when its index is read, and its heavy fields when those are read; what was not looked at cannot have
// changed, so it never crosses back.
import { ops } from "tau:ops";

type Field = { name: string; light: boolean; accessor: PropertyDescriptor };
type List = {
  /** What the array stands for; places nobody looked at are empty. */
  target: any[];
  /** Which places were looked at or written. */
  made: boolean[];
  length: number;
  /** `[shape, light value, …]` of the item at an index. */
  read: (index: number) => any[];
  /** A heavy field. */
  heavy: (index: number, name: string) => any;
};
type Item = { list: List; index: number; shape: Field[]; values: any[]; opened: boolean };

const items = new WeakMap<object, Item>();
const lists = new WeakMap<object, List>();
const shapes: Field[][] = [];

function shapeOf(number: number): Field[] {
  const known = shapes[number];
  if (known) return known;
  const names = ops.messageShape(number);
  const shape: Field[] = [];
  for (let at = 0; at < names.length; at += 2) {
    shape.push({ name: names[at], light: names[at + 1], accessor: accessor(names[at]) });
  }
  return (shapes[number] = shape);
}

/** One for all items: a getter of its own for each would cost more than the item. */
function accessor(name: string): PropertyDescriptor {
  const settle = (object: any, value: any) =>
    Object.defineProperty(object, name, { enumerable: true, configurable: true, writable: true, value });
  return {
    enumerable: true,
    configurable: true,
    get(this: any) {
      const [object, item] = itemOf(this);
      if (!item) return undefined;
      item.opened = true;
      const value = item.list.heavy(item.index, name);
      settle(object, value);
      return value;
    },
    set(this: any, value: any) {
      const item = items.get(this);
      if (item) item.opened = true;
      settle(this, value);
    },
  };
}

/** The item that an object is, or inherits from. */
function itemOf(object: any): [any, Item | undefined] {
  for (let at = object; at; at = Object.getPrototypeOf(at)) {
    const item = items.get(at);
    if (item) return [at, item];
  }
  return [object, undefined];
}

function make(list: List, index: number): any {
  const values = list.read(index);
  const shape = shapeOf(values[0]);
  const object: any = {};
  let at = 1;
  for (const field of shape) {
    if (field.light) object[field.name] = values[at++];
    else Object.defineProperty(object, field.name, field.accessor);
  }
  items.set(object, { list, index, shape, values, opened: false });
  return object;
}

/** Whether nobody wrote to an item or opened a heavy field of it. */
function untouched(object: any, item: Item): boolean {
  if (item.opened) return false;
  let at = 1;
  for (const field of item.shape) if (field.light && object[field.name] !== item.values[at++]) return false;
  return Object.keys(object).length === item.shape.length;
}

function look(list: List, index: number): any {
  if (!list.made[index]) {
    list.made[index] = true;
    list.target[index] = make(list, index);
  }
  return list.target[index];
}

/** Makes everything that was not looked at yet. */
function lookAtAll(list: List): any[] {
  for (let index = 0; index < list.length && index < list.target.length; index++) look(list, index);
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

/** A conversation as an array; behind it what it stands for, and which places were looked at. */
export function lazyMessages(length: number, read: List["read"], heavy: List["heavy"]): any[][] {
  const target: any[] = new Array(length);
  const made: boolean[] = [];
  const list: List = { target, made, length, read, heavy };
  const front = new Proxy(target, {
    get(_, key) {
      const index = place(key, length);
      if (index >= 0 && index < target.length) return look(list, index);
      return scans.get(key as string) ?? (target as any)[key];
    },
    set(_, key, value) {
      const index = place(key, length);
      if (index >= 0) made[index] = true;
      // A shorter array: what is behind the end is gone, also when the array grows again.
      if (key === "length") for (let at = value; at < length; at++) made[at] = true;
      (target as any)[key] = value;
      return true;
    },
    has(_, key) {
      if (key in target) return true;
      const index = place(key, length);
      return index >= 0 && index < target.length && !made[index];
    },
    deleteProperty(_, key) {
      const index = place(key, length);
      if (index >= 0) made[index] = true;
      return delete (target as any)[key];
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
      const index = place(key, length);
      if (index >= 0) made[index] = true;
      return Reflect.defineProperty(target, key, descriptor);
    },
  });
  lists.set(front, list);
  return [front, target, made];
}

/**
 * What stands at each place now: the number of an item nobody touched, `[number, object]` for one that was looked
 * into, `[-1, object]` for a new one. Nothing when the very same list came back untouched. `front` is what the handler was given.
 */
export function takeMessages(front: any[], now: any[]): any[] | undefined {
  const list = lists.get(front)!;
  const places: any[] = [];
  if (now !== front) {
    const other = lists.get(now);
    const all = other ? lookAtAll(other) : now;
    for (let index = 0; index < all.length; index++) places.push(placeOf(list, all[index]));
    return places;
  }
  // The lazy array itself is read behind its back: reading must not make items.
  const { target, made } = list;
  for (let index = 0; index < target.length; index++) {
    places.push(!made[index] && !(index in target) ? index : placeOf(list, target[index]));
  }
  return places;
}

function placeOf(list: List, object: any): any {
  const item = object !== null && typeof object === "object" ? items.get(object) : undefined;
  // An item of an earlier conversation is like any other object.
  if (!item || item.list !== list) return [-1, object];
  return untouched(object, item) ? item.index : [item.index, object];
}
