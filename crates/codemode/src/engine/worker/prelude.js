// Makes the globals of a script. Everything that is used later is taken here, before the script can change it; what the
// script does to the built-ins then harms nobody but itself.
(function (op) {
  "use strict";
  const { parse, stringify } = JSON;
  const { create, defineProperty, freeze, keys } = Object;
  const { isArray } = Array;
  const { get: read, construct } = Reflect;
  const PromiseHere = Promise;
  const ErrorHere = Error;
  const TypeErrorHere = TypeError;
  const RangeErrorHere = RangeError;
  const ProxyHere = Proxy;
  const StringHere = String;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const split = uncurry(StringHere.prototype.split);
  const includes = uncurry(StringHere.prototype.includes);
  const slice = uncurry(StringHere.prototype.slice);
  const indexOf = uncurry(StringHere.prototype.indexOf);
  const lower = uncurry(StringHere.prototype.toLowerCase);
  const whole = uncurry(StringHere.prototype.toWellFormed);
  const join = uncurry(Array.prototype.join);
  const { file } = op;

  // Nothing here may block the thread or hold memory that is not counted.
  for (const name of ["Atomics", "SharedArrayBuffer", "WebAssembly"]) delete globalThis[name];

  if (op.now) {
    const RealDate = Date;
    const { now } = op;
    defineProperty(RealDate, "now", { value: () => now(), writable: true, configurable: true });
    const Dated = new ProxyHere(RealDate, {
      construct: (target, args, self) => construct(target, args.length === 0 ? [now()] : args, self),
      apply: () => StringHere(new RealDate(now())),
    });
    defineProperty(RealDate.prototype, "constructor", { value: Dated, writable: true, configurable: true });
    defineProperty(globalThis, "Date", { value: Dated, writable: true, configurable: true });
    const began = now();
    const clock = freeze({ now: () => now() - began, timeOrigin: began });
    defineProperty(globalThis, "performance", { value: clock, writable: true, configurable: true });
  }
  if (op.random) defineProperty(Math, "random", { value: () => op.random(), writable: true, configurable: true });

  const pending = create(null);

  function ask(helper, name, value) {
    let refused;
    const answer = new PromiseHere((resolve, reject) => {
      const json = value === undefined ? undefined : stringify(value);
      const id = op.ask(helper, name, json);
      if (typeof id === "string") refused = id;
      else pending[id] = { __proto__: null, resolve, reject };
    });
    // Thrown at once: nobody hears of a promise that a loop does not wait for.
    if (refused !== undefined) throw new RangeErrorHere(refused);
    return answer;
  }

  function settle(id, ok, payload) {
    const waiting = pending[id];
    if (waiting === undefined) return;
    if (!ok) {
      const error = new ErrorHere(payload);
      delete pending[id];
      waiting.reject(error);
      return;
    }
    const value = payload === undefined ? undefined : parse(payload);
    delete pending[id];
    waiting.resolve(value);
  }

  // The first line begins with what stands around the script, so columns in it are left out.
  function ofFirstLine(line) {
    const parts = split(line, "script.js:1:");
    if (parts.length !== 2) return line;
    return parts[0] + "script.js:1" + (includes(parts[1], ")") ? ")" : "");
  }

  // An error as other engines write it, with the lines of the script only.
  function ofError(error) {
    const name = StringHere(error.name);
    const message = StringHere(error.message);
    let text = message === "" ? name : name + ": " + message;
    const { stack } = error;
    if (typeof stack === "string") {
      const lines = split(stack, "\n");
      for (let i = 0; i < lines.length; i++) {
        if (lines[i] !== "" && !includes(lines[i], file) && !includes(lines[i], "at <eval> (")) {
          text += "\n" + ofFirstLine(lines[i]);
        }
      }
    }
    return text;
  }

  function ofValue(value) {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return StringHere(value);
    const json = stringify(value);
    return json === undefined ? StringHere(value) : json;
  }

  function describe(value) {
    return whole(value instanceof ErrorHere ? ofError(value) : ofValue(value));
  }

  function forConsole(value) {
    try {
      return describe(value);
    } catch {
      return StringHere(value);
    }
  }

  function text(value) {
    op.text(whole(ofValue(value)));
  }

  const EXPECTED =
    'image() takes a base64 data URL, an object with image_url, or a block { type: "image", data, mimeType }';

  function image(value) {
    let url = value;
    if (typeof value === "object" && value !== null && !isArray(value)) {
      if (value.image_url !== undefined) {
        url = value.image_url;
      } else if (value.type === "image") {
        url = value.data;
        if (typeof url === "string" && url !== "" && lower(slice(url, 0, 5)) !== "data:") {
          op.image(whole(url));
          return;
        }
      } else if (typeof value.type === "string") {
        throw new TypeErrorHere('image() takes blocks of the type "image", not "' + value.type + '"');
      }
    }
    if (typeof url !== "string" || url === "") throw new TypeErrorHere(EXPECTED);
    const scheme = lower(slice(url, 0, 6));
    if (scheme === "http:/" || scheme === "https:") {
      throw new TypeErrorHere("image() does not fetch addresses: pass the picture itself as a base64 data URL");
    }
    const comma = indexOf(url, ",");
    if (lower(slice(url, 0, 5)) !== "data:" || comma < 0 || !includes(lower(slice(url, 0, comma)) + ";", ";base64;")) {
      throw new TypeErrorHere(EXPECTED);
    }
    op.image(whole(slice(url, comma + 1)));
  }

  function keyOf(name, key) {
    if (typeof key !== "string") throw new TypeErrorHere(name + "() takes a string as its key");
    return whole(key);
  }

  function store(key, value) {
    const name = keyOf("store", key);
    if (value === undefined) {
      op.store(name, undefined);
      return;
    }
    const json = stringify(value);
    if (json === undefined) throw new TypeErrorHere("store(" + stringify(name) + "): the value is nothing that JSON has");
    op.store(name, json);
  }

  function load(key) {
    const json = op.load(keyOf("load", key));
    return json === undefined || json === null ? undefined : parse(json);
  }

  function exit() {
    op.exit();
    throw new ErrorHere("the script is over");
  }

  // Reading a member that does not exist says so at once, and what was probably meant.
  function guarded(name, members) {
    freeze(members);
    return new ProxyHere(members, {
      get(target, key, self) {
        const isMissing = typeof key === "string" && !(key in target) && key !== "then" && key !== "toJSON";
        if (isMissing) throw new TypeErrorHere(op.missing(name, key));
        return read(target, key, self);
      },
    });
  }

  function define(name, value) {
    defineProperty(globalThis, name, { value, enumerable: true });
  }

  const tools = create(null);
  for (let i = 0; i < op.tools.length; i++) {
    const name = op.tools[i];
    tools[name] = (args) => ask(false, name, args);
  }
  define("tools", guarded("tools", tools));

  const models = create(null);
  for (let i = 0; i < op.helpers.length; i++) {
    const name = op.helpers[i];
    const call = (...args) => ask(true, name, args);
    if (slice(name, 0, 7) === "models.") models[slice(name, 7)] = call;
    else define(name, call);
  }
  if (keys(models).length > 0) define("models", guarded("models", models));

  let all;
  defineProperty(globalThis, "ALL_TOOLS", {
    enumerable: true,
    get() {
      if (all === undefined) {
        all = parse(op.allTools());
        for (let i = 0; i < all.length; i++) freeze(all[i]);
        freeze(all);
      }
      return all;
    },
  });

  const console = {};
  for (const level of ["log", "info", "warn", "error", "debug"]) {
    console[level] = (...args) => {
      const parts = [];
      for (let i = 0; i < args.length; i++) parts[i] = forConsole(args[i]);
      op.line(whole(join(parts, " ")));
    };
  }
  define("console", freeze(console));
  define("text", text);
  define("image", image);
  define("store", store);
  define("load", load);
  define("exit", exit);

  return {
    settle,
    describe,
    give(value) {
      if (value !== undefined) text(value);
    },
  };
});
