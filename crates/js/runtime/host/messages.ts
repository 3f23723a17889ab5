// Conversations as arrays whose items are made when somebody looks at them.
//
// To the extension it is an ordinary array of ordinary objects: spread, filter, splice and JSON work. Underneath, an
// item is made when its index is read, and its heavy fields when those are read; what was not looked at cannot have
// changed, so it never crosses back.
import { ops } from "tau:ops";

type Item = { index: number; heavy: number; opened: number; light: Record<string, unknown>; names: number };
type List = { target: any[]; made: boolean[]; length: number };

const items = new WeakMap<object, Item & { list: number }>();
const lists = new Map<number, List>();

function make(list: number, index: number): any {
  const [light, heavy] = ops.lazyItem(list, index);
  const object = light;
  const item = { list, index, heavy: heavy.length, opened: 0, light: { ...light }, names: 0 };
  for (const name of heavy) {
    Object.defineProperty(object, name, {
      enumerable: true,
      configurable: true,
      get() {
        item.opened++;
        const value = ops.lazyField(list, index, name);
        Object.defineProperty(object, name, { enumerable: true, configurable: true, writable: true, value });
        return value;
      },
      set(value) {
        item.opened++;
        Object.defineProperty(object, name, { enumerable: true, configurable: true, writable: true, value });
      },
    });
  }
  item.names = Object.keys(object).length;
  items.set(object, item);
  return object;
}

/** Whether nobody wrote to an item or opened a heavy field of it. */
function untouched(object: any, item: Item): boolean {
  if (item.opened > 0) return false;
  for (const name in item.light) if (object[name] !== item.light[name]) return false;
  return Object.keys(object).length === item.names;
}

export function lazyMessages(list: number, length: number): any[] {
  const target: any[] = new Array(length);
  const made: boolean[] = [];
  lists.set(list, { target, made, length });
  const look = (index: number) => {
    if (!made[index]) {
      made[index] = true;
      target[index] = make(list, index);
    }
    return target[index];
  };
  const place = (key: string | symbol) => {
    if (typeof key !== "string") return -1;
    const index = +key;
    return index >= 0 && index < length && String(index) === key ? index : -1;
  };
  return new Proxy(target, {
    get(_, key) {
      const index = place(key);
      return index >= 0 && index < target.length ? look(index) : (target as any)[key];
    },
    set(_, key, value) {
      const index = place(key);
      if (index >= 0) made[index] = true;
      // A shorter array: what is behind the end is gone, also when the array grows again.
      if (key === "length") for (let at = value; at < length; at++) made[at] = true;
      (target as any)[key] = value;
      return true;
    },
    has: (_, key) => key in target || (place(key) >= 0 && place(key) < target.length && !made[place(key)]),
    deleteProperty(_, key) {
      const index = place(key);
      if (index >= 0) made[index] = true;
      return delete (target as any)[key];
    },
    getOwnPropertyDescriptor(_, key) {
      const index = place(key);
      if (index >= 0 && index < target.length) look(index);
      return Object.getOwnPropertyDescriptor(target, key);
    },
    ownKeys() {
      for (let index = 0; index < target.length; index++) if (index < length) look(index);
      return Reflect.ownKeys(target);
    },
    defineProperty(_, key, descriptor) {
      const index = place(key);
      if (index >= 0) made[index] = true;
      return Reflect.defineProperty(target, key, descriptor);
    },
  });
}

/** Keeps the list's number out of what the extension sees. */
export function hideList(event: any): void {
  Object.defineProperty(event, "__list", { enumerable: false });
}

/**
 * What stands at each place now: the number of an item nobody touched, `[number, object]` for one that was looked
 * into, or a new object. Nothing when the very same list came back untouched.
 */
export function takeMessages(list: number, now: any[]): any[] | undefined {
  const known = lists.get(list);
  lists.delete(list);
  if (!known) return undefined;
  const { target, made } = known;
  const source = now;
  const places: any[] = [];
  // The lazy array itself is read behind its back: reading must not make items.
  const own = isOwn(source, target);
  // Nobody looked: however long the history is, there is nothing to walk.
  if (own && made.length === 0 && target.length === known.length) return undefined;
  const length = own ? target.length : source.length;
  for (let index = 0; index < length; index++) {
    if (own && index < target.length && !made[index] && !(index in target)) {
      places.push(index);
      continue;
    }
    const object = own ? target[index] : source[index];
    const item = object !== null && typeof object === "object" ? items.get(object) : undefined;
    if (!item || item.list !== list) places.push(object);
    else places.push(untouched(object, item) ? item.index : [item.index, object]);
  }
  return places;
}

const probe = Symbol("probe");

/** Whether an array is the lazy array over `target`. */
function isOwn(array: any, target: any): boolean {
  target[probe] = true;
  const own = array[probe] === true;
  delete target[probe];
  return own;
}
