// The URL parser that Node had before the WHATWG one: url.parse, url.format, url.resolve.
import { ops } from "tau:ops";
import { codeTypeError, invalidArgType } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { validateObject, validateString } from "../validators.ts";

const querystring = lazyModule("node/querystring.ts");

const SLASHED = new Set(["http:", "https:", "ftp:", "gopher:", "file:", "ws:", "wss:"]);

function isSlashed(protocol: string | null): boolean {
  return protocol !== null && SLASHED.has(protocol.endsWith(":") ? protocol : `${protocol}:`);
}

function isHostless(protocol: string | null): boolean {
  return protocol === "javascript:" || protocol === "javascript";
}

/** The result of `url.parse`. */
export class Url {
  protocol: string | null = null;
  slashes: boolean | null = null;
  auth: string | null = null;
  host: string | null = null;
  port: string | null = null;
  hostname: string | null = null;
  hash: string | null = null;
  search: string | null = null;
  query: any = null;
  pathname: string | null = null;
  path: string | null = null;
  href: any = null;

  parse(url: string, parseQuery?: boolean, slashesDenoteHost?: boolean): this {
    validateString(url, "url");
    parseInto(this, url, Boolean(parseQuery), Boolean(slashesDenoteHost));
    return this;
  }

  format(): string {
    return formatUrl(this);
  }

  resolve(relative: string): string {
    return this.resolveObject(parseUrl(relative, false, true)).format();
  }

  resolveObject(relative: any): Url {
    const target = typeof relative === "string" ? parseUrl(relative, false, true) : relative;
    return resolveUrl(this, target);
  }
}

function invalidUrl(input: string): Error {
  const error = codeTypeError("ERR_INVALID_URL", "Invalid URL");
  error.input = input;
  return error;
}

const AUTO_ESCAPE = /[\t\n\r "'<>\\^`{|}]/g;

function escapeRest(rest: string): string {
  return rest.replace(AUTO_ESCAPE, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

// Backslashes count as slashes, up to the query or the fragment.
function forwardSlashes(text: string): string {
  const end = text.search(/[?#]/);
  return end === -1 ? text.replaceAll("\\", "/") : text.slice(0, end).replaceAll("\\", "/") + text.slice(end);
}

function parseHost(url: Url, rest: string, input: string): string {
  // The host ends at a slash, a query or a fragment; an `@` before that ends the user's name, and only
  // behind it do characters that no host has end it too.
  let end = rest.search(/[/?#]/);
  if (end === -1) end = rest.length;
  const at = rest.lastIndexOf("@", end - 1);
  if (at !== -1 && end > 0) {
    url.auth = decodeURIComponent(rest.slice(0, at));
    rest = rest.slice(at + 1);
    end -= at + 1;
  }
  const bad = rest.slice(0, end).search(/[\t\n\r "%';<>\\^`{|}]/);
  if (bad !== -1) end = bad;
  let host = rest.slice(0, end);
  rest = rest.slice(end);
  const port = /:([0-9]*)$/.exec(host);
  if (port !== null && !host.endsWith("]")) {
    if (port[1] !== "") url.port = port[1];
    host = host.slice(0, port.index);
  }
  let hostname = host.length > 255 ? "" : host.toLowerCase();
  const isV6 = hostname.startsWith("[") && hostname.endsWith("]");
  if (!isV6) {
    const odd = /[^a-z0-9.\-+_\u0080-\uffff]/.exec(hostname);
    if (odd !== null) {
      if (/[\0-\x08\x0b\x0c\x0e-\x1f[\]@|]/.test(odd[0])) throw invalidUrl(input);
      rest = `/${host.slice(odd.index)}${rest}`;
      hostname = hostname.slice(0, odd.index);
    }
    if (/[^\0-\x7f]/.test(hostname)) {
      const ascii: string = ops.domainToAscii(hostname.toWellFormed());
      if (ascii === "") throw invalidUrl(input);
      hostname = ascii;
    }
  } else if (!/^\[[0-9a-f.:%]*\]$/.test(hostname)) throw invalidUrl(input);
  url.host = hostname + (url.port === null ? "" : `:${url.port}`);
  url.hostname = isV6 ? hostname.slice(1, -1) : hostname;
  if (isV6 && !rest.startsWith("/") && rest !== "" && !/^[?#]/.test(rest)) rest = `/${rest}`;
  return rest;
}

function parseInto(url: Url, input: string, parseQuery: boolean, slashesDenoteHost: boolean): void {
  let rest = forwardSlashes(input.replace(/^[\s\ufeff]+|[\s\ufeff]+$/g, ""));
  const scheme = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
  const protocol = scheme?.toLowerCase() ?? null;
  if (scheme !== undefined) {
    url.protocol = protocol;
    rest = rest.slice(scheme.length);
  }
  let slashes = false;
  if (slashesDenoteHost || protocol !== null || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
    slashes = rest.startsWith("//");
    if (slashes && !isHostless(protocol)) {
      rest = rest.slice(2);
      url.slashes = true;
    }
  }
  if (!isHostless(protocol) && (slashes || (protocol !== null && !isSlashed(protocol)))) {
    rest = parseHost(url, rest, input);
  }
  if (!isHostless(protocol)) rest = escapeRest(rest);
  const hash = rest.indexOf("#");
  if (hash !== -1) {
    url.hash = rest.slice(hash);
    rest = rest.slice(0, hash);
  }
  const question = rest.indexOf("?");
  if (question !== -1) {
    url.search = rest.slice(question);
    url.query = url.search.slice(1);
    if (parseQuery) url.query = querystring().parse(url.query);
    rest = rest.slice(0, question);
  } else if (parseQuery) {
    url.search = null;
    url.query = Object.create(null);
  }
  if (rest !== "") url.pathname = rest;
  else if (isSlashed(protocol) && url.hostname) url.pathname = "/";
  if (url.pathname || url.search) url.path = (url.pathname ?? "") + (url.search ?? "");
  url.href = formatUrl(url);
}

/** `url.parse`. */
export function parseUrl(url: any, parseQuery?: boolean, slashesDenoteHost?: boolean): Url {
  if (url instanceof Url) return url;
  return new Url().parse(url, parseQuery, slashesDenoteHost);
}

/** `url.format` for what `url.parse` gives, or an object like it. */
export function formatUrl(url: any): string {
  let auth = url.auth || "";
  if (auth !== "") auth = `${encodeURIComponent(auth).replaceAll("%3A", ":")}@`;
  let protocol = url.protocol || "";
  let pathname = url.pathname || "";
  let hash = url.hash || "";
  let host = "";
  if (url.host) host = auth + url.host;
  else if (url.hostname) {
    host = auth + (url.hostname.includes(":") && !url.hostname.startsWith("[") ? `[${url.hostname}]` : url.hostname);
    if (url.port) host += `:${url.port}`;
  }
  let query = "";
  if (url.query !== null && typeof url.query === "object") query = querystring().stringify(url.query);
  let search = url.search || (query && `?${query}`) || "";
  if (protocol !== "" && !protocol.endsWith(":")) protocol += ":";
  pathname = pathname.replace(/[?#]/g, encodeURIComponent);
  // Only protocols that go with `//` get it by themselves.
  if (url.slashes || isSlashed(protocol)) {
    if (url.slashes || host !== "") {
      if (pathname !== "" && !pathname.startsWith("/")) pathname = `/${pathname}`;
      host = `//${host}`;
    } else if (/^file:?$/.test(protocol)) host = "//";
  }
  search = search.replaceAll("#", "%23");
  if (hash !== "" && !hash.startsWith("#")) hash = `#${hash}`;
  if (search !== "" && !search.startsWith("?")) search = `?${search}`;
  return protocol + host + pathname + search + hash;
}

function copyOf(url: any): Url {
  return Object.assign(new Url(), url);
}

function finish(url: Url): Url {
  if (url.pathname || url.search) url.path = (url.pathname ?? "") + (url.search ?? "");
  url.href = url.format();
  return url;
}

// A relative URL of another protocol: nothing of the base counts.
function otherProtocol(result: Url, relative: Url): Url {
  if (!isSlashed(relative.protocol)) {
    const copy = copyOf(relative);
    copy.href = copy.format();
    return copy;
  }
  result.protocol = relative.protocol;
  if (!relative.host && !/^file:?$/.test(relative.protocol!) && !isHostless(relative.protocol)) {
    // `http:a/b` of another protocol: the first name is the host.
    const names = (relative.pathname || "").split("/");
    let host: string | undefined;
    while (names.length > 0 && !(host = names.shift()));
    relative.host = host || "";
    relative.hostname ||= "";
    if (names[0] !== "") names.unshift("");
    if (names.length < 2) names.unshift("");
    result.pathname = names.join("/");
  } else result.pathname = relative.pathname;
  result.search = relative.search;
  result.query = relative.query;
  result.host = relative.host || "";
  result.auth = relative.auth;
  result.hostname = relative.hostname || relative.host;
  result.port = relative.port;
  result.slashes = result.slashes || relative.slashes;
  return finish(result);
}

function resolveUrl(base: Url, relativeUrl: any): Url {
  const relative = copyOf(relativeUrl);
  const result = copyOf(base);
  result.hash = relative.hash;
  if (relative.href === "") {
    result.href = result.format();
    return result;
  }
  if (relative.slashes && !relative.protocol) {
    const { protocol } = result;
    Object.assign(result, relative, { protocol });
    if (isSlashed(protocol) && result.hostname && !result.pathname) result.path = result.pathname = "/";
    result.href = result.format();
    return result;
  }
  if (relative.protocol && relative.protocol !== result.protocol) return otherProtocol(result, relative);
  const baseRooted = Boolean(result.pathname && result.pathname[0] === "/");
  const relRooted = Boolean(relative.host || (relative.pathname && relative.pathname[0] === "/"));
  let mustRoot = relRooted || baseRooted || Boolean(result.host && relative.pathname);
  const removeUp = mustRoot;
  let names = result.pathname ? result.pathname.split("/") : [];
  const relNames = relative.pathname ? relative.pathname.split("/") : [];
  const flat = Boolean(result.protocol) && !isSlashed(result.protocol);
  // Without slashes the host is the first name of the path.
  if (flat) {
    result.hostname = "";
    result.port = null;
    if (result.host) {
      if (names[0] === "") names[0] = result.host;
      else names.unshift(result.host);
    }
    result.host = "";
    if (relative.protocol) {
      relative.hostname = null;
      relative.port = null;
      result.auth = null;
      if (relative.host) {
        if (relNames[0] === "") relNames[0] = relative.host;
        else relNames.unshift(relative.host);
      }
      relative.host = null;
    }
    mustRoot = mustRoot && (relNames[0] === "" || names[0] === "");
  }
  if (relRooted) {
    if (relative.host || relative.host === "") {
      if (result.host !== relative.host) result.auth = null;
      result.host = relative.host;
      result.port = relative.port;
    }
    if (relative.hostname || relative.hostname === "") {
      if (result.hostname !== relative.hostname) result.auth = null;
      result.hostname = relative.hostname;
    }
    result.search = relative.search;
    result.query = relative.query;
    names = relNames;
  } else if (relNames.length > 0) {
    names.pop();
    names = names.concat(relNames);
    result.search = relative.search;
    result.query = relative.query;
  } else if (relative.search !== null && relative.search !== undefined) {
    // Only a query.
    if (flat) takeHost(result, names.shift() ?? "");
    result.search = relative.search;
    result.query = relative.query;
    if (result.pathname !== null || result.search !== null) result.path = (result.pathname ?? "") + (result.search ?? "");
    result.href = result.format();
    return result;
  }
  if (names.length === 0) {
    result.pathname = null;
    result.path = result.search ? `/${result.search}` : null;
    result.href = result.format();
    return result;
  }
  const last = names[names.length - 1];
  const trailing =
    ((result.host || relative.host || names.length > 1) && (last === "." || last === "..")) || last === "";
  let up = 0;
  for (let i = names.length - 1; i >= 0; i--) {
    if (names[i] === ".") names.splice(i, 1);
    else if (names[i] === "..") {
      names.splice(i, 1);
      up++;
    } else if (up > 0) {
      names.splice(i, 1);
      up--;
    }
  }
  if (!mustRoot && !removeUp) while (up-- > 0) names.unshift("..");
  if (mustRoot && names[0] !== "" && (!names[0] || names[0][0] !== "/")) names.unshift("");
  if (trailing && !names.join("/").endsWith("/")) names.push("");
  const rooted = names[0] === "" || Boolean(names[0] && names[0][0] === "/");
  if (flat) {
    const host = rooted ? "" : names.length > 0 ? names.shift()! : "";
    takeHost(result, host);
  }
  mustRoot = mustRoot || Boolean(result.host && names.length > 0);
  if (mustRoot && !rooted) names.unshift("");
  if (names.length === 0) {
    result.pathname = null;
    result.path = null;
  } else result.pathname = names.join("/");
  if (result.pathname !== null || result.search !== null) result.path = (result.pathname ?? "") + (result.search ?? "");
  result.auth = relative.auth || result.auth;
  result.slashes = result.slashes || relative.slashes;
  result.href = result.format();
  return result;
}

function takeHost(result: Url, host: string): void {
  result.hostname = result.host = host;
  const at = host.indexOf("@");
  if (at > 0) {
    result.auth = host.slice(0, at);
    result.host = result.hostname = host.slice(at + 1);
  }
}

/** `url.resolve`. */
export function resolve(from: string, to: string): string {
  return parseUrl(from, false, true).resolve(to);
}

/** `url.resolveObject`. */
export function resolveObject(from: any, to: any): any {
  return from ? parseUrl(from, false, true).resolveObject(to) : to;
}

/** `url.format` for texts and objects that are no WHATWG URL. */
export function formatLegacy(url: any): string {
  if (typeof url === "string") return parseUrl(url).format();
  if (url === null || typeof url !== "object") throw invalidArgType("urlObject", ["Object", "string"], url);
  validateObject(url, "urlObject", { allowArray: true });
  return formatUrl(url);
}
