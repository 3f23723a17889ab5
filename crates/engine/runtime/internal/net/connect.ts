// From the arguments of connect() to an open connection.
import { ops } from "tau:ops";
import { codeTypeError, invalidArgType, missingArgs, systemError } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { validateNumber, validatePort, validateString } from "../validators.ts";
import { isIP } from "./address.ts";

const loadDns = lazyModule("node/dns.ts");

/** The options and the callback of `connect(options)`, `connect(port, host)` and `connect(path)`. */
export function connectArguments(args: any[]): [any, any] {
  if (Array.isArray(args[0]) && args.length === 1) args = args[0];
  const [first, second] = args;
  let options: any = {};
  if (first !== null && typeof first === "object") options = first;
  else if (typeof first === "string" && !/^\d+$/.test(first)) options = { path: first };
  else {
    options = { port: first };
    if (typeof second === "string") options.host = second;
  }
  const last = args[args.length - 1];
  return [options, typeof last === "function" ? last : null];
}

export interface Opened {
  rid: number;
  [end: string]: any;
}

/** Checks what connect() was given. */
export function checkConnect(options: any): void {
  if (options.path !== undefined && options.path !== null) {
    validateString(options.path, "options.path");
    return;
  }
  if (options.port === undefined) throw missingArgs("options", "port", "path");
  if (typeof options.port !== "number" && typeof options.port !== "string") {
    throw invalidArgType("options.port", ["number", "string"], options.port);
  }
  validatePort(options.port, "Port");
  if (options.localPort !== undefined) validateNumber(options.localPort, "options.localPort");
  if (options.localAddress && !isIP(options.localAddress)) {
    throw codeTypeError("ERR_INVALID_IP_ADDRESS", `Invalid IP address: ${options.localAddress}`);
  }
}

async function attempt(address: string, port: number, options: any): Promise<Opened> {
  try {
    return await ops.netConnect(address, port, options.localAddress, options.localPort);
  } catch (error: any) {
    throw systemError(error.code, "connect", { address, port });
  }
}

function lookup(host: string, options: any): Promise<any[]> {
  const dnsOptions = { family: options.family, hints: options.hints ?? 0, all: true };
  const find = options.lookup ?? loadDns().lookup;
  return new Promise((resolve, reject) => {
    find(host, dnsOptions, (error: any, found: any, family: any) => {
      if (error) reject(Object.assign(error, { host }));
      else resolve(Array.isArray(found) ? found : [{ address: found, family }]);
    });
  });
}

/**
 * Opens a connection. A name may have several addresses: they are tried in turn, and when none answers the error
 * tells of all. `tell` hears of the look-up and of every attempt.
 */
export async function open(options: any, tell: (event: string, ...args: any[]) => void): Promise<Opened> {
  if (options.path) {
    try {
      return await ops.netConnectUnix(String(options.path));
    } catch (error: any) {
      throw systemError(error.code, "connect", { address: String(options.path) });
    }
  }
  const port = Number(options.port);
  const host = options.host || "localhost";
  if (isIP(host)) {
    tell("connectionAttempt", host, port, isIP(host));
    return await attempt(host, port, options);
  }
  let addresses: any[];
  try {
    addresses = await lookup(host, options);
  } catch (error) {
    tell("lookup", error, undefined, undefined, host);
    throw error;
  }
  for (const { address, family } of addresses) tell("lookup", null, address, family, host);
  const failures: any[] = [];
  for (const { address, family } of addresses) {
    tell("connectionAttempt", address, port, family);
    try {
      return await attempt(address, port, options);
    } catch (error) {
      tell("connectionAttemptFailed", address, port, family, error);
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  const all: any = new AggregateError(failures);
  all.code = failures[0]?.code;
  throw all;
}
