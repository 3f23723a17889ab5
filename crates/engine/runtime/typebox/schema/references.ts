// Where `$ref`, `$recursiveRef` and `$dynamicRef` lead.

const home = "https://json-schema.org/";
const parts = /^([^:/?#]+:)?(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/;
const isObject = (value: any) => typeof value === "object" && value !== null;

/** Resolves a reference against a base URI. */
export function resolveUri(base: string, reference: string): string {
  const [, scheme, host, path = "", query = "", hash = ""] = parts.exec(reference) ?? [];
  if (scheme) return reference;
  const [, baseScheme = "", baseHost = "", basePath = "", baseQuery = ""] = parts.exec(base) ?? [];
  if (host) return `${baseScheme}${host}${path}${query}${hash}`;
  if (path === "") return `${baseScheme}${baseHost}${basePath}${query || baseQuery}${hash}`;
  const merged = path.startsWith("/") ? path : basePath.slice(0, basePath.lastIndexOf("/") + 1) + path;
  const segments: string[] = [];
  const names = merged.split("/");
  names.forEach((name, at) => {
    if (name === "..") {
      if (segments.length > 1) segments.pop();
    } else if (name !== ".") segments.push(name);
    if ((name === ".." || name === ".") && at === names.length - 1) segments.push("");
  });
  return `${baseScheme}${baseHost}${segments.join("/")}${query}${hash}`;
}

const document = (uri: string) => uri.split("#")[0];

type Place = { schema: any; base: string };

/** Calls `visit` for every schema-like object inside, with the base URI that holds there. */
function eachPlace(schema: any, base: string, visit: (place: Place) => void) {
  if (!isObject(schema)) return;
  let inner = base;
  if (!Array.isArray(schema)) {
    if (typeof schema.$id === "string") inner = resolveUri(base, schema.$id);
    visit({ schema, base: inner });
  }
  for (const key of Object.keys(schema)) {
    if (key !== "const" && key !== "enum") eachPlace(schema[key], inner, visit);
  }
}

/** Everything about one root schema that references need; built on the first reference. */
class Directory {
  context: any;
  ids = new Map<string, Place>();
  constructor(context: any, root: any) {
    this.context = context;
    this.add(root, home);
    for (const name of Object.keys(context)) this.add(context[name], resolveUri(home, name));
  }
  add(schema: any, base: string) {
    if (!this.ids.has(document(base))) this.ids.set(document(base), { schema, base });
    eachPlace(schema, base, (place) => {
      if (typeof place.schema.$id === "string") this.ids.set(document(place.base), place);
    });
  }
}

const tracking = new WeakMap<any, boolean>();

/** Whether a schema asks what other keywords left over. */
function hasUnevaluated(schema: any, seen = new Set()): boolean {
  if (!isObject(schema) || seen.has(schema)) return false;
  seen.add(schema);
  if (Object.hasOwn(schema, "unevaluatedItems") || Object.hasOwn(schema, "unevaluatedProperties")) return true;
  return Object.keys(schema).some((key) => hasUnevaluated(schema[key], seen));
}

// Remembered per schema: looking costs as much as a check.
function asksForRest(schema: any): boolean {
  if (!isObject(schema)) return false;
  let answer = tracking.get(schema);
  if (answer === undefined) tracking.set(schema, (answer = hasUnevaluated(schema)));
  return answer;
}

/** The place in the schema documents where a walk is. */
export class Scope {
  context: any;
  root: any;
  /** The URI references are relative to, and the schema it names. */
  base: string;
  resource: any;
  /** Resources entered on the way, outermost first. */
  entered: any[];
  /** Whether evaluated members must be recorded. */
  tracks: boolean;
  directory: () => Directory;
  constructor(from: Omit<Scope, "enter" | "jump">) {
    this.context = from.context;
    this.root = from.root;
    this.base = from.base;
    this.resource = from.resource;
    this.entered = from.entered;
    this.tracks = from.tracks;
    this.directory = from.directory;
  }

  static root(context: any, root: any): Scope {
    const tracks = asksForRest(root) || Object.values(context).some(asksForRest);
    let directory: Directory | undefined;
    return new Scope({
      context,
      root,
      base: isObject(root) && typeof root.$id === "string" ? resolveUri(home, root.$id) : home,
      resource: root,
      entered: [root],
      tracks,
      directory: () => (directory ??= new Directory(context, root)),
    });
  }

  /** The scope inside `schema`. */
  enter(schema: any): Scope {
    if (!Object.hasOwn(schema, "$id") || typeof schema.$id !== "string" || schema === this.resource) return this;
    return this.jump(schema, resolveUri(this.base, schema.$id));
  }
  jump(resource: any, base: string): Scope {
    return new Scope({ ...this, resource, base, entered: [...this.entered, resource] } as any);
  }
}

const unescape = (text: string) => text.replaceAll("~1", "/").replaceAll("~0", "~");

function byPointer(from: Place, pointer: string): Place | undefined {
  let { schema, base } = from;
  for (const name of pointer.split("/").slice(1).map(unescape)) {
    if (!isObject(schema)) return undefined;
    schema = schema[name];
    if (isObject(schema) && typeof schema.$id === "string") base = resolveUri(base, schema.$id);
  }
  return schema === undefined ? undefined : { schema, base };
}

function byAnchor(from: Place, name: string): Place | undefined {
  let found: Place | undefined;
  eachPlace(from.schema, from.base, (place) => {
    const { $anchor, $dynamicAnchor, $id } = place.schema;
    const named = $anchor === name || $dynamicAnchor === name;
    if ((named && document(place.base) === document(from.base)) || $id === `#${name}`) found ??= place;
  });
  return found;
}

function locate(scope: Scope, reference: string): Place | undefined {
  const uri = resolveUri(scope.base, reference);
  const own = document(uri) === document(scope.base);
  const start = own ? { schema: scope.resource, base: scope.base } : scope.directory().ids.get(document(uri));
  if (!start) return undefined;
  const hash = uri.includes("#") ? decodeURIComponent(uri.slice(uri.indexOf("#") + 1)) : "";
  if (hash === "") return start;
  const find = hash.startsWith("/") ? byPointer : byAnchor;
  // A document without an `$id` of its own may have been entered through one of its parts.
  return find(start, hash) ?? (own ? find({ schema: scope.root, base: home }, hash) : undefined);
}

type Target = { target: any; scope: Scope };
const arrive = (scope: Scope, place: Place | undefined): Target => {
  if (!place) return { target: undefined, scope };
  const elsewhere = document(place.base) !== document(scope.base);
  if (!elsewhere) return { target: place.schema, scope };
  const resource = scope.directory().ids.get(document(place.base))?.schema ?? place.schema;
  return { target: place.schema, scope: scope.jump(resource, place.base) };
};

/** The schema a `$ref` names: first by name in the context, then by URI, anchor or pointer. */
export function resolveRef(scope: Scope, reference: string): Target {
  if (Object.hasOwn(scope.context, reference)) {
    const target = scope.context[reference];
    return { target, scope: scope.jump(target, resolveUri(scope.base, reference)) };
  }
  return arrive(scope, locate(scope, reference));
}

/** `$recursiveRef`: the outermost resource that allows recursion, if this one does. */
export function resolveRecursive(scope: Scope, reference: string): Target {
  if (scope.resource?.$recursiveAnchor !== true) return arrive(scope, locate(scope, reference));
  const outer = scope.entered.find((resource) => resource?.$recursiveAnchor === true);
  return { target: outer, scope };
}

/** `$dynamicRef`: as `$ref`, but an anchor marked dynamic is looked for from the outside in. */
export function resolveDynamic(scope: Scope, reference: string): Target {
  const place = locate(scope, reference);
  const name = reference.split("#")[1];
  if (!name || name.startsWith("/") || (place && place.schema?.$dynamicAnchor !== name)) return arrive(scope, place);
  for (const resource of scope.entered) {
    if (!isObject(resource)) continue;
    const base = typeof resource.$id === "string" ? resolveUri(home, resource.$id) : home;
    let found: any;
    eachPlace(resource, base, (inner) => {
      if (inner.schema.$dynamicAnchor === name && document(inner.base) === document(base)) found ??= inner.schema;
    });
    if (found) return { target: found, scope };
  }
  return arrive(scope, place);
}
