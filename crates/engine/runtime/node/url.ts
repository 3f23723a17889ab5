// node:url.
import { ops } from "tau:ops";
import { codeTypeError, invalidArgType } from "../internal/errors.ts";
import { lazyModule } from "../internal/lazy.ts";
import { Url, formatLegacy, parseUrl, resolve, resolveObject } from "../internal/url/legacy.ts";
import { validateObject, validateString } from "../internal/validators.ts";
import { URL, URLSearchParams } from "../web/url.ts";

const buffers = lazyModule("internal/buffer/class.ts");
const paths = lazyModule("node/path.ts");

function isUrl(value: any): value is URL {
  return Boolean(value?.href && value.protocol && value.auth === undefined && value.path === undefined);
}

function fileUrl(path: unknown): URL {
  const url = typeof path === "string" ? new URL(path) : path;
  if (!isUrl(url)) throw invalidArgType("path", ["string", "URL"], path);
  if (url.protocol !== "file:") throw codeTypeError("ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  return url;
}

function windowsPath(url: URL): string {
  const { hostname, pathname } = url;
  if (/%2f|%5c/i.test(pathname)) throw invalidFilePath("must not include encoded \\ or / characters", url);
  const path = decodeURIComponent(pathname.replaceAll("/", "\\"));
  if (hostname !== "") return `\\\\${ops.domainToUnicode(hostname)}${path}`;
  if (!/^\\[A-Za-z]:/.test(path)) throw invalidFilePath("must be absolute", url);
  return path.slice(1);
}

function invalidFilePath(what: string, url: URL): Error {
  return Object.assign(codeTypeError("ERR_INVALID_FILE_URL_PATH", `File URL path ${what}`), { input: url });
}

function fileURLToPath(path: string | URL, options?: { windows?: boolean }): string {
  const url = fileUrl(path);
  if (options?.windows) return windowsPath(url);
  checkLocal(url);
  return decodeURIComponent(url.pathname);
}

function checkLocal(url: URL): void {
  if (url.hostname !== "") {
    const { platform } = globalThis.process;
    throw codeTypeError("ERR_INVALID_FILE_URL_HOST", `File URL host must be "localhost" or empty on ${platform}`);
  }
  if (/%2f/i.test(url.pathname)) throw invalidFilePath("must not include encoded / characters", url);
}

function fileURLToPathBuffer(path: string | URL, options?: { windows?: boolean }): any {
  const { Buffer } = buffers();
  const url = fileUrl(path);
  if (options?.windows) return Buffer.from(windowsPath(url));
  checkLocal(url);
  const escaped = url.pathname.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("latin1"));
  return Buffer.from(escaped, "latin1");
}

function pathToFileURL(path: string, options?: { windows?: boolean }): URL {
  validateString(path, "path");
  const { posix, win32 } = paths();
  const flavour = options?.windows ? win32 : posix;
  let full: string = flavour.resolve(path);
  if (/[/\\]$/.test(options?.windows ? path : path.replaceAll("\\", "x")) && !full.endsWith(flavour.sep)) full += flavour.sep;
  if (options?.windows) {
    if (full.startsWith("\\\\")) {
      const [, , server, ...rest] = full.split("\\");
      if (!server || rest.length === 0) throw codeTypeError("ERR_INVALID_ARG_VALUE", "Missing UNC resource path");
      return new URL(`file://${server}/${escapePath(rest.join("/"))}`);
    }
    return new URL(`file:///${escapePath(full.replaceAll("\\", "/"))}`);
  }
  return new URL(`file://${escapePath(full)}`);
}

// The parser escapes the rest.
function escapePath(path: string): string {
  return path.replace(/[%\\\n\r\t?#[\]^|~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

function urlToHttpOptions(url: any): any {
  validateObject(url, "url", { allowArray: true, allowFunction: true });
  const { hostname, pathname, port, username, password, search } = url;
  const options: any = {
    __proto__: null,
    ...url,
    protocol: url.protocol,
    hostname: hostname && hostname[0] === "[" ? hostname.slice(1, -1) : hostname,
    hash: url.hash,
    search,
    pathname,
    path: `${pathname || ""}${search || ""}`,
    href: url.href,
  };
  if (port !== "") options.port = Number(port);
  if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return options;
}

function format(url: any, options?: any): string {
  if (typeof url === "string" || url === null || typeof url !== "object" || !(url instanceof URL)) return formatLegacy(url);
  if (options !== undefined) validateObject(options, "options");
  const { auth = true, fragment = true, search = true, unicode = false } = options ?? {};
  const host = unicode && url.host ? url.host.replace(url.hostname, ops.domainToUnicode(url.hostname)) : url.host;
  const user = url.username + (url.password ? `:${url.password}` : "");
  let text = url.protocol;
  if (url.href.startsWith(`${url.protocol}//`)) text += `//${auth && user ? `${user}@` : ""}${host}`;
  return text + url.pathname + (search ? url.search : "") + (fragment ? url.hash : "");
}

function domainToASCII(domain: string): string {
  if (arguments.length < 1) throw codeTypeError("ERR_MISSING_ARGS", 'The "domain" argument must be specified');
  return ops.domainToAscii(`${domain}`.toWellFormed());
}

function domainToUnicode(domain: string): string {
  if (arguments.length < 1) throw codeTypeError("ERR_MISSING_ARGS", 'The "domain" argument must be specified');
  return ops.domainToUnicode(`${domain}`.toWellFormed());
}

const parse = parseUrl;

export {
  URL,
  URLSearchParams,
  Url,
  domainToASCII,
  domainToUnicode,
  fileURLToPath,
  fileURLToPathBuffer,
  format,
  parse,
  pathToFileURL,
  resolve,
  resolveObject,
  urlToHttpOptions,
};
export default {
  Url,
  parse,
  resolve,
  resolveObject,
  format,
  URL,
  URLSearchParams,
  domainToASCII,
  domainToUnicode,
  pathToFileURL,
  fileURLToPath,
  fileURLToPathBuffer,
  urlToHttpOptions,
};
