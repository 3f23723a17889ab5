// Bounds the loops of built-in functions. The engine does not look at the interrupt inside of them, so one over a length
// that takes no memory would outlive the script. A real array cannot have more elements than the limit.
(function () {
  "use strict";
  const LONGEST = 2 ** 24;
  // How many characters a search may compare: the length of the text times that of what is searched for.
  const COMPARED = 2 ** 34;
  const { apply, construct, get: read, ownKeys } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { isArray } = Array;
  const { floor } = Math;
  const ProxyHere = Proxy;
  const RangeErrorHere = RangeError;
  const StringHere = String;
  const NumberHere = Number;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const proxies = new WeakSet();
  const isProxy = uncurry(WeakSet.prototype.has).bind(null, proxies);
  const note = uncurry(WeakSet.prototype.add).bind(null, proxies);
  const SPREADABLE = Symbol.isConcatSpreadable;
  const MATCH = Symbol.match;
  const WAYS = { __proto__: null, split: Symbol.split, replace: Symbol.replace, replaceAll: Symbol.replace };

  function wrap(object, key, trap) {
    const before = getOwnPropertyDescriptor(object, key);
    const native = before === undefined ? undefined : before.value;
    if (typeof native !== "function") return;
    const handler = { __proto__: null, apply: (target, self, args) => trap(target, self, args) };
    defineProperty(object, key, { value: new ProxyHere(native, handler), writable: true, configurable: true });
  }

  function tooLong(what) {
    return new RangeErrorHere(what + ": the length is above the limit of " + LONGEST);
  }

  function checked(length, what) {
    if (length > LONGEST) throw tooLong(what);
    return length;
  }

  // Whether the length is the same however often it is asked for.
  function isSteady(value) {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return true;
    if (isProxy(value)) return false;
    if (isArray(value)) return true;
    const own = getOwnPropertyDescriptor(value, "length");
    return own !== undefined && typeof own.value === "number";
  }

  function lengthOf(value) {
    if (value === null || value === undefined) return 0;
    const length = floor(NumberHere(value.length));
    return length > 0 ? length : 0;
  }

  // The value, or what stands for it with a length that stays.
  function steady(value, what) {
    const length = checked(lengthOf(value), what);
    if (isSteady(value)) return value;
    const get = (target, key) => (key === "length" ? length : read(target, key));
    return new ProxyHere(value, { __proto__: null, get });
  }

  const ArrayPrototype = Array.prototype;
  const SPECIAL = { __proto__: null, constructor: true, push: true, pop: true, at: true, values: true, flat: true, concat: true };
  for (const name of ownKeys(ArrayPrototype)) {
    if (typeof name !== "string" || SPECIAL[name]) continue;
    wrap(ArrayPrototype, name, (native, self, args) => {
      // Most are real arrays.
      if (isArray(self) && !isProxy(self)) {
        checked(self.length, name);
        return apply(native, self, args);
      }
      const stand = steady(self, name);
      const result = apply(native, stand, args);
      return result === stand ? self : result;
    });
  }

  wrap(ArrayPrototype, "concat", (native, self, args) => {
    let length = lengthOf(self);
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      if (typeof arg !== "object" || arg === null) continue;
      if (isArray(arg) || arg[SPREADABLE]) {
        length += lengthOf(arg);
        args[i] = steady(arg, "concat");
      }
    }
    checked(length, "concat");
    return apply(native, steady(self, "concat"), args);
  });

  // A loop of the language is interrupted.
  function flatten(out, at, source, depth) {
    const length = lengthOf(source);
    for (let i = 0; i < length; i++) {
      if (!(i in source)) continue;
      const value = source[i];
      if (depth > 0 && isArray(value)) at = flatten(out, at, value, depth - 1);
      else defineProperty(out, at++, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    }
    return at;
  }
  wrap(ArrayPrototype, "flat", (_, self, args) => {
    const depth = args[0] === undefined ? 1 : NumberHere(args[0]);
    const out = [];
    flatten(out, 0, self, depth);
    return out;
  });

  for (const name of ["indexOf", "lastIndexOf", "includes", "split", "replace", "replaceAll"]) {
    const way = WAYS[name];
    wrap(StringHere.prototype, name, (native, self, args) => {
      const needle = args[0];
      if (self === null || self === undefined || typeof needle === "symbol") return apply(native, self, args);
      if (typeof needle === "object" && needle !== null) {
        // Regular expressions are interrupted, and `includes` refuses them.
        const other = needle[way === undefined ? MATCH : way];
        if (other !== undefined && other !== null) return apply(native, self, args);
        args[0] = StringHere(needle);
      }
      const text = StringHere(self);
      const length = typeof args[0] === "string" ? args[0].length : 0;
      if (text.length * length > COMPARED) {
        throw new RangeErrorHere(name + ": the text and what is searched for are too long together");
      }
      return apply(native, text, args);
    });
  }

  wrap(JSON, "stringify", (native, self, args) => {
    if (typeof args[1] === "object" && isArray(args[1])) args[1] = steady(args[1], "JSON.stringify");
    return apply(native, self, args);
  });

  // Sets, maps and their like take an iterator of the engine to its end without a look at the interrupt, whatever length an
  // array without elements, or what only looks like an array, says it has. At each call of a function they look.
  const ArrayIterators = getPrototypeOf([].values());
  const { next: nextOf } = ArrayIterators;
  const NONE = [];
  const { next } = {
    next() {
      return apply(nextOf, this, NONE);
    },
  };
  defineProperty(ArrayIterators, "next", { value: next, writable: true, configurable: true });

  // A proxy may give another length each time that it is asked.
  const { revocable } = ProxyHere;
  const Noted = new ProxyHere(ProxyHere, {
    __proto__: null,
    construct(target, args, self) {
      const made = construct(target, args, self);
      note(made);
      return made;
    },
  });
  defineProperty(ProxyHere, "revocable", {
    value: (target, handler) => {
      const made = apply(revocable, ProxyHere, [target, handler]);
      note(made.proxy);
      return made;
    },
    writable: true,
    configurable: true,
  });
  defineProperty(globalThis, "Proxy", { value: Noted, writable: true, configurable: true });
});
