/** `node:dns`, on the system's resolver: names and addresses, no other records. */
import { wrap } from "../internal/async_context.ts";
import { ERRORS } from "../internal/dns/constants.ts";
import { checkService, find, getDefaultResultOrder, known, lookupOptions, setDefaultResultOrder } from "../internal/dns/lookup.ts";
import { kPromisify } from "../internal/symbols.ts";
import { nextTick } from "../internal/tick.ts";
import { validateFunction } from "../internal/validators.ts";
import promises from "./dns/promises.ts";

export { getDefaultResultOrder, promises, setDefaultResultOrder };

export const ADDRCONFIG = 1024;
export const ALL = 256;
export const V4MAPPED = 2048;

export function lookup(host: any, options: unknown, callback?: unknown): any {
  if (typeof options === "function") [options, callback] = [undefined, options];
  validateFunction(callback, "callback");
  const { family, all, order } = lookupOptions(host, options);
  const call = wrap(callback) as any;
  const answer = (found: any[]) => (all ? nextTick(call, null, found) : nextTick(call, null, found[0].address, found[0].family));
  const direct = known(host, family);
  if (direct) answer([direct]);
  else find(host, family, order).then(answer, (error) => nextTick(call, error));
  return {};
}
Object.defineProperty(lookup, kPromisify, { value: promises.lookup });

/** The callback form of a function that gives a promise. */
function withCallback(name: string): any {
  return (...args: any[]): any => {
    const callback = args.pop();
    validateFunction(callback, "callback");
    const call = wrap(callback) as any;
    (promises as any)[name](...args).then(
      (result: unknown) => nextTick(call, null, result),
      (error: any) => {
        if (String(error.code).startsWith("ERR_")) throw error;
        nextTick(call, error);
      },
    );
    return {};
  };
}

export function lookupService(address: string, port: number, callback: unknown): any {
  checkService(address, port);
  return withCallback("lookupService")(address, port, callback);
}

export const resolve = withCallback("resolve");
export const resolve4 = withCallback("resolve4");
export const resolve6 = withCallback("resolve6");
export const resolveAny = withCallback("resolveAny");
export const resolveCaa = withCallback("resolveCaa");
export const resolveCname = withCallback("resolveCname");
export const resolveMx = withCallback("resolveMx");
export const resolveNaptr = withCallback("resolveNaptr");
export const resolveNs = withCallback("resolveNs");
export const resolvePtr = withCallback("resolvePtr");
export const resolveSoa = withCallback("resolveSoa");
export const resolveSrv = withCallback("resolveSrv");
export const resolveTxt = withCallback("resolveTxt");
export const reverse = withCallback("reverse");

export const { getServers, setServers } = promises as any;

export const {
  NODATA, FORMERR, SERVFAIL, NOTFOUND, NOTIMP, REFUSED, BADQUERY, BADNAME, BADFAMILY,
  BADRESP, CONNREFUSED, TIMEOUT, EOF, FILE, NOMEM, DESTRUCTION, BADSTR,
  BADFLAGS, NONAME, BADHINTS, NOTINITIALIZED, LOADIPHLPAPI, ADDRGETNETWORKPARAMS, CANCELLED,
} = ERRORS as any;

/** A resolver of its own; all share the system's. */
export class Resolver {
  cancel(): void {}
  setLocalAddress(): void {}
}
const methods = {
  getServers, resolve, resolve4, resolve6, setServers,
  resolveAny, resolveCaa, resolveCname, resolveMx, resolveNaptr, resolveNs,
  resolvePtr, resolveSoa, resolveSrv, resolveTxt, reverse,
};
Object.assign(Resolver.prototype, methods);

export default {
  ...methods, ...ERRORS, ADDRCONFIG, ALL, Resolver, V4MAPPED, getDefaultResultOrder, lookup, lookupService, promises,
  setDefaultResultOrder,
};
