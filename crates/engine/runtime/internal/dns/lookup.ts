// Names to addresses, with the system's resolver.
import { ops } from "tau:ops";
import { codeTypeError, invalidArgType, invalidArgValue } from "../errors.ts";
import { isIP } from "../net/address.ts";
import { validateBoolean, validateOneOf, validateString } from "../validators.ts";

export interface Found {
  address: string;
  family: number;
}

let order = "verbatim";

export function getDefaultResultOrder(): string {
  return order;
}

export function setDefaultResultOrder(value: string): void {
  validateOneOf(value, "dnsOrder", ["verbatim", "ipv4first", "ipv6first"]);
  order = value;
}

/** What `lookup` was asked for. */
export function lookupOptions(host: any, options: any): { family: number; all: boolean; order: string } {
  if (host) validateString(host, "hostname");
  let family: any = 0;
  let all = false;
  let wanted = order;
  if (typeof options === "number") {
    validateOneOf(options, "family", [0, 4, 6]);
    family = options;
  } else if (options !== undefined && typeof options !== "object") {
    throw invalidArgType("options", ["integer", "object"], options);
  } else if (options) {
    family = options.family ?? 0;
    if (family === "IPv4") family = 4;
    else if (family === "IPv6") family = 6;
    else validateOneOf(family, "options.family", [0, 4, 6]);
    if (options.hints !== undefined && (options.hints & ~0x0428) !== 0) throw invalidArgValue("hints", options.hints);
    if (options.all !== undefined && options.all !== null) validateBoolean(options.all, "options.all");
    all = Boolean(options.all);
    if (typeof options.verbatim === "boolean") wanted = options.verbatim ? "verbatim" : "ipv4first";
    if (options.order !== undefined) {
      validateOneOf(options.order, "options.order", ["ipv4first", "ipv6first", "verbatim"]);
      wanted = options.order;
    }
  }
  return { family, all, order: wanted };
}

/** All addresses of a name. */
export async function find(host: string, family: number, wanted: string): Promise<Found[]> {
  let found: Found[];
  try {
    found = await ops.dnsLookup(host);
  } catch (error: any) {
    throw Object.assign(error, { hostname: host });
  }
  if (family) found = found.filter((entry) => entry.family === family);
  if (found.length === 0) throw notFound("getaddrinfo", "ENOTFOUND", host);
  if (wanted !== "verbatim") {
    const first = wanted === "ipv4first" ? 4 : 6;
    found.sort((a, b) => Number(b.family === first) - Number(a.family === first));
  }
  return found;
}

export function notFound(syscall: string, code: string, hostname: string): any {
  const error: any = new Error(`${syscall} ${code} ${hostname}`);
  return Object.assign(error, { errno: code === "ENOTFOUND" ? -3008 : undefined, code, syscall, hostname });
}

/** What a host that is an address itself, or nothing, stands for. */
export function known(host: any, family: number): Found | undefined {
  if (!host) return { address: family === 6 ? "::1" : "127.0.0.1", family: family === 6 ? 6 : 4 };
  const kind = isIP(host);
  return kind ? { address: host, family: kind } : undefined;
}

export async function resolveAddresses(host: any, family: number, ttl: boolean): Promise<any[]> {
  validateString(host, "name");
  let found: Found[];
  try {
    found = await find(host, family, "verbatim");
  } catch (error: any) {
    throw notFound(family === 6 ? "queryAaaa" : "queryA", error.code === "EAI_AGAIN" ? "ETIMEOUT" : "ENOTFOUND", host);
  }
  return found.map(({ address }) => (ttl ? { address, ttl: 0 } : address));
}

/** Asks that need more than the system's resolver tells. */
export async function unanswered(syscall: string, host: any): Promise<never> {
  validateString(host, "name");
  throw notFound(syscall, "ENOTIMP", host);
}

export const KINDS: Record<string, string> = {
  resolveAny: "queryAny", resolveCaa: "queryCaa", resolveCname: "queryCname", resolveMx: "queryMx", resolveNaptr: "queryNaptr",
  resolveNs: "queryNs", resolvePtr: "queryPtr", resolveSoa: "querySoa", resolveSrv: "querySrv", resolveTxt: "queryTxt",
  reverse: "getHostByAddr",
};

export async function resolve(host: any, type: any = "A"): Promise<any> {
  if (type === "A" || type === "AAAA") return resolveAddresses(host, type === "A" ? 4 : 6, false);
  const name = `resolve${String(type)[0]}${String(type).slice(1).toLowerCase()}`;
  if (!KINDS[name]) throw invalidArgValue("rrtype", type);
  return unanswered(KINDS[name], host);
}

export function checkService(address: any, port: any): void {
  if (isIP(address) === 0) throw invalidArgValue("address", address);
  if (!(Number.isInteger(port) && port >= 0 && port <= 65535)) {
    throw codeTypeError("ERR_INVALID_ARG_VALUE", `The argument 'port' is invalid. Received ${port}`);
  }
}
