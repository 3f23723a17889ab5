// Certificates.
import { type Certificate, ops } from "tau:ops";
import { invalidArgType } from "../errors.ts";
import { validateString } from "../validators.ts";
import { bytesOf, output } from "./bytes.ts";
import { keyObject, readKey, type KeyObject } from "./keys.ts";
import { kHandle } from "./secret.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Nov 22 04:10:00 2026 GMT`. */
function dateText(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (number: number) => String(number).padStart(2, "0");
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  const day = String(date.getUTCDate()).padStart(2, " ");
  return `${MONTHS[date.getUTCMonth()]} ${day} ${time} ${date.getUTCFullYear()} GMT`;
}

type Pair = [string, string];

/** A name, one part a line; what would end a part is escaped. */
function nameText(parts: Pair[]): string {
  return parts.map(([name, value]) => `${name}=${value.replace(/[,+"\\<>;]/g, "\\$&")}`).join("\n");
}

/** An address as certificates write it: eight groups, nothing left out. */
function longAddress(ip: string): string {
  if (!ip.includes(":")) return ip;
  const [head, tail] = ip.split("::").map((part) => (part ? part.split(":") : []));
  const middle = tail ? new Array(8 - head.length - tail.length).fill("0") : [];
  return [...head, ...middle, ...(tail ?? [])].map((group) => Number.parseInt(group, 16).toString(16).toUpperCase()).join(":");
}

/** Whether a certificate's name, which may start with `*.`, is for a host. */
export function nameMatches(pattern: string, host: string): boolean {
  const [known, wanted] = [pattern.toLowerCase().replace(/\.$/, ""), host.toLowerCase().replace(/\.$/, "")];
  if (!known.startsWith("*.")) return known === wanted;
  const dot = wanted.indexOf(".");
  return dot > 0 && wanted.slice(dot) === known.slice(1) && known.split(".").length > 2;
}

export class X509Certificate {
  #raw: Uint8Array;
  #about: Certificate;

  constructor(data: any) {
    this.#raw = ops.cryptoX509Raw(bytesOf(data, "buffer"));
    this.#about = ops.cryptoX509(this.#raw);
  }

  get subject(): string {
    return nameText(this.#about.subject);
  }
  get issuer(): string {
    return nameText(this.#about.issuer);
  }
  get subjectAltName(): string | undefined {
    return this.#about.names?.map(([kind, value]) => `${kind}:${value}`).join(", ");
  }
  get infoAccess(): string | undefined {
    return this.#about.access?.map(([method, [kind, value]]) => `${method} - ${kind}:${value}`).join("\n");
  }
  get validFrom(): string {
    return dateText(this.#about.from);
  }
  get validTo(): string {
    return dateText(this.#about.to);
  }
  get validFromDate(): Date {
    return new Date(this.#about.from * 1000);
  }
  get validToDate(): Date {
    return new Date(this.#about.to * 1000);
  }
  get fingerprint(): string {
    return this.#about.fingerprint;
  }
  get fingerprint256(): string {
    return this.#about.fingerprint256;
  }
  get fingerprint512(): string {
    return this.#about.fingerprint512;
  }
  get keyUsage(): string[] | undefined {
    return this.#about.usage ?? undefined;
  }
  get serialNumber(): string {
    return this.#about.serial;
  }
  get ca(): boolean {
    return this.#about.ca;
  }
  get raw(): any {
    return output(this.#raw);
  }
  get publicKey(): KeyObject {
    return keyObject(readKey(this.#about.pem, "public"));
  }

  toString(): string {
    return this.#about.pem;
  }
  toJSON(): string {
    return this.#about.pem;
  }

  checkHost(host: string, options: any = {}): string | undefined {
    validateString(host, "name");
    const names = (this.#about.names ?? []).filter(([kind]) => kind === "DNS").map(([, value]) => value);
    const useSubject = options.subject === "always" || (names.length === 0 && options.subject !== "never");
    if (useSubject) names.push(...this.#about.subject.filter(([name]) => name === "CN").map(([, value]) => value));
    return names.find((name) => nameMatches(name, host));
  }
  checkEmail(email: string): string | undefined {
    validateString(email, "email");
    const names = [...(this.#about.names ?? []), ...this.#about.subject];
    const found = names.find(([kind, value]) => (kind === "email" || kind === "emailAddress") && value === email);
    return found?.[1];
  }
  checkIP(ip: string): string | undefined {
    validateString(ip, "ip");
    return (this.#about.names ?? []).find(([kind, value]) => kind === "IP Address" && value === longAddress(ip)) ? ip : undefined;
  }
  checkIssued(other: X509Certificate): boolean {
    if (!(other instanceof X509Certificate)) throw invalidArgType("otherCert", "X509Certificate", other);
    return this.issuer === other.subject && this.verify(other.publicKey);
  }
  checkPrivateKey(key: any): boolean {
    const handle = key?.[kHandle];
    if (handle?.kind !== "private") throw invalidArgType("pkey", "KeyObject", key);
    return ops.cryptoEqual(ops.cryptoKeyPublic(handle.der), (this.publicKey as any)[kHandle].der);
  }
  verify(key: any): boolean {
    const handle = key?.[kHandle];
    if (handle?.kind !== "public") throw invalidArgType("publicKey", "KeyObject", key);
    return ops.cryptoX509Verify(this.#raw, handle.der);
  }

  /** The shape that TLS sockets give certificates in. */
  toLegacyObject(): any {
    const collect = (pairs: Pair[]) => {
      const all: any = Object.create(null);
      for (const [name, value] of pairs) all[name] = name in all ? [all[name], value].flat() : value;
      return all;
    };
    return {
      subject: collect(this.#about.subject),
      issuer: collect(this.#about.issuer),
      subjectaltname: this.subjectAltName,
      ca: this.ca,
      valid_from: this.validFrom,
      valid_to: this.validTo,
      fingerprint: this.fingerprint,
      fingerprint256: this.fingerprint256,
      fingerprint512: this.fingerprint512,
      serialNumber: this.serialNumber,
      raw: this.raw,
    };
  }
}
