// Addresses: telling their kind, and lists of them.
import { codeError, invalidArgType, invalidArgValue } from "../errors.ts";
import { kInspect } from "../symbols.ts";
import { validateOneOf, validatePort, validateString, validateUint32 } from "../validators.ts";

const FOUR = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

export function isIPv4(text: any): boolean {
  return FOUR.test(`${text}`);
}

export function isIPv6(text: any): boolean {
  return parseIPv6(`${text}`) !== undefined;
}

export function isIP(text: any): number {
  return isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0;
}

function parseIPv4(text: string): bigint {
  return text.split(".").reduce((all, part) => (all << 8n) | BigInt(part), 0n);
}

/** The number of an address, or undefined when it is none. */
function parseIPv6(text: string): bigint | undefined {
  const [address, ...zone] = text.split("%");
  if (zone.length > 1 || (zone.length === 1 && !/^[0-9a-zA-Z\-.:]+$/.test(zone[0]))) return undefined;
  const halves = address.split("::");
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const last = groups[groups.length - 1];
  const tail = last[last.length - 1];
  if (tail !== undefined && isIPv4(tail)) {
    const number = parseIPv4(tail);
    last.splice(-1, 1, (number >> 16n).toString(16), (number & 0xffffn).toString(16));
  }
  const count = groups.flat().length;
  if (halves.length === 1 ? count !== 8 : count > 7) return undefined;
  if (groups.flat().some((group) => !/^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  const middle = halves.length === 2 ? new Array(8 - count).fill("0") : [];
  return [...groups[0], ...middle, ...(groups[1] ?? [])].reduce((all, group) => (all << 16n) | BigInt(`0x${group}`), 0n);
}

/** An address as the number that lists compare; version 4 inside version 6 where it is mapped there. */
function numberOf(address: string, family: string): bigint {
  return family === "ipv4" ? 0xffff00000000n | parseIPv4(address) : parseIPv6(address)!;
}

export class SocketAddress {
  readonly address: string;
  readonly port: number;
  readonly family: string;
  readonly flowlabel: number;

  constructor(options: any = {}) {
    if (options === null || typeof options !== "object") throw invalidArgType("options", "Object", options);
    const family = `${options.family ?? "ipv4"}`.toLowerCase();
    if (family !== "ipv4" && family !== "ipv6") throw invalidArgValue("options.family", options.family);
    this.family = family;
    this.address = options.address ?? (family === "ipv4" ? "127.0.0.1" : "::");
    validateString(this.address, "options.address");
    this.port = validatePort(options.port ?? 0, "options.port");
    this.flowlabel = options.flowlabel ?? 0;
    validateUint32(this.flowlabel, "options.flowlabel");
    if (isIP(this.address) !== (family === "ipv4" ? 4 : 6)) throw codeError("ERR_INVALID_ADDRESS", "Invalid address");
  }
  /** Reads `1.2.3.4:80` and `[::1]:80`. */
  static parse(input: string): SocketAddress | undefined {
    validateString(input, "input");
    const found = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(input);
    if (!found) return undefined;
    const address = found[1] ?? found[2];
    try {
      return new SocketAddress({ address, port: Number(found[3] ?? 0), family: found[1] ? "ipv6" : "ipv4" });
    } catch {
      return undefined;
    }
  }
  toJSON(): any {
    const { address, port, family, flowlabel } = this;
    return { address, port, family, flowlabel };
  }
  [kInspect](): string {
    return `SocketAddress { address: '${this.address}', port: ${this.port}, family: '${this.family}', flowlabel: ${this.flowlabel} }`;
  }
}

/** Which addresses are meant. */
export class BlockList {
  #ranges: { from: bigint; to: bigint; text: string }[] = [];

  static isBlockList(value: any): boolean {
    return value instanceof BlockList;
  }

  #read(address: unknown, family: unknown, name: string): [bigint, string, string] {
    if (address instanceof SocketAddress) return [numberOf(address.address, address.family), address.address, address.family];
    validateString(address, name);
    validateString(family, "family");
    validateOneOf(family, "family", ["ipv4", "ipv6"]);
    if (isIP(address) !== (family === "ipv4" ? 4 : 6)) throw codeError("ERR_INVALID_ADDRESS", "Invalid address");
    return [numberOf(address, family), address, family];
  }
  addAddress(address: unknown, family = "ipv4"): void {
    const [number, text, kind] = this.#read(address, family, "address");
    this.#ranges.unshift({ from: number, to: number, text: `Address: ${kind === "ipv4" ? "IPv4" : "IPv6"} ${text}` });
  }
  addRange(start: unknown, end: unknown, family = "ipv4"): void {
    const [from, first, kind] = this.#read(start, family, "start");
    const [to, last] = this.#read(end, family, "end");
    if (from > to) throw invalidArgValue("start", start, "must come before end");
    this.#ranges.unshift({ from, to, text: `Range: ${kind === "ipv4" ? "IPv4" : "IPv6"} ${first}-${last}` });
  }
  addSubnet(network: unknown, prefix: number, family = "ipv4"): void {
    const [number, text, kind] = this.#read(network, family, "network");
    const bits = kind === "ipv4" ? 32 : 128;
    if (!Number.isInteger(prefix) || prefix < 0 || prefix > bits) {
      throw codeError("ERR_OUT_OF_RANGE", `The value of "prefix" is out of range. It must be >= 0 && <= ${bits}. Received ${prefix}`, RangeError);
    }
    const size = 1n << BigInt(bits - prefix);
    const from = (number / size) * size;
    this.#ranges.unshift({ from, to: from + size - 1n, text: `Subnet: ${kind === "ipv4" ? "IPv4" : "IPv6"} ${text}/${prefix}` });
  }
  check(address: unknown, family = "ipv4"): boolean {
    let number: bigint;
    try {
      [number] = this.#read(address, family, "address");
    } catch (error: any) {
      if (error.code === "ERR_INVALID_ADDRESS") return false;
      throw error;
    }
    return this.#ranges.some(({ from, to }) => number >= from && number <= to);
  }
  get rules(): string[] {
    return this.#ranges.map((range) => range.text);
  }
}
