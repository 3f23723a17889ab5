/** `node:dns/promises`. */
import { ERRORS } from "../../internal/dns/constants.ts";
import {
  checkService, find, getDefaultResultOrder, KINDS, known, lookupOptions, resolve, resolveAddresses, setDefaultResultOrder,
  unanswered,
} from "../../internal/dns/lookup.ts";

export { getDefaultResultOrder, resolve, setDefaultResultOrder };

export async function lookup(host: any, options?: unknown): Promise<any> {
  const { family, all, order } = lookupOptions(host, options);
  const direct = known(host, family);
  const found = direct ? [direct] : await find(host, family, order);
  return all ? found : found[0];
}

export async function lookupService(address: string, port: number): Promise<any> {
  checkService(address, port);
  return unanswered("getnameinfo", address);
}

export const resolve4 = (host: string, options?: any): Promise<any[]> => resolveAddresses(host, 4, Boolean(options?.ttl));
export const resolve6 = (host: string, options?: any): Promise<any[]> => resolveAddresses(host, 6, Boolean(options?.ttl));
export const resolveAny = (host: string): Promise<any> => unanswered(KINDS.resolveAny, host);
export const resolveCaa = (host: string): Promise<any> => unanswered(KINDS.resolveCaa, host);
export const resolveCname = (host: string): Promise<any> => unanswered(KINDS.resolveCname, host);
export const resolveMx = (host: string): Promise<any> => unanswered(KINDS.resolveMx, host);
export const resolveNaptr = (host: string): Promise<any> => unanswered(KINDS.resolveNaptr, host);
export const resolveNs = (host: string): Promise<any> => unanswered(KINDS.resolveNs, host);
export const resolvePtr = (host: string): Promise<any> => unanswered(KINDS.resolvePtr, host);
export const resolveSoa = (host: string): Promise<any> => unanswered(KINDS.resolveSoa, host);
export const resolveSrv = (host: string): Promise<any> => unanswered(KINDS.resolveSrv, host);
export const resolveTxt = (host: string): Promise<any> => unanswered(KINDS.resolveTxt, host);
export const reverse = (host: string): Promise<any> => unanswered(KINDS.reverse, host);

/** The system's resolver keeps its servers to itself. */
export function getServers(): string[] {
  return [];
}
export function setServers(_servers: readonly string[]): void {}

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

export default { ...methods, ...ERRORS, Resolver, getDefaultResultOrder, lookup, lookupService, setDefaultResultOrder };
