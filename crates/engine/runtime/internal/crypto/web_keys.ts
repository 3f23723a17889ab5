// Web Crypto's keys: what they may be used for, and how they come and go.
import { ops } from "tau:ops";
import { Buffer } from "../../node/buffer.ts";
import { DOMException } from "../../web/dom_exception.ts";
import { codeTypeError } from "../errors.ts";
import { kInspect } from "../symbols.ts";
import { exactBuffer, isBytes, viewOf } from "./bytes.ts";
import type { Handle } from "./keys.ts";
import { kHandle } from "./secret.ts";

const kCreate = Symbol("create");

export class CryptoKey {
  readonly #handle: Handle;
  readonly #about: { algorithm: any; extractable: boolean; usages: string[] };

  constructor(key?: symbol, handle?: Handle, algorithm?: any, extractable?: boolean, usages?: string[]) {
    if (key !== kCreate) throw codeTypeError("ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
    this.#handle = handle!;
    this.#about = { algorithm, extractable: extractable!, usages: usages! };
  }
  get [kHandle](): Handle {
    return this.#handle;
  }
  get type(): string {
    return this.#handle.kind;
  }
  get algorithm(): any {
    return this.#about.algorithm;
  }
  get extractable(): boolean {
    return this.#about.extractable;
  }
  get usages(): string[] {
    return this.#about.usages;
  }
  [kInspect](): any {
    const { type, extractable, algorithm, usages } = this;
    return { type, extractable, algorithm, usages };
  }
}
Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag, { value: "CryptoKey", configurable: true });

/** What keys of an algorithm may be used for, by their type. */
const USES: Record<string, { secret?: string[]; public?: string[]; private?: string[] }> = {
  "HMAC": { secret: ["sign", "verify"] },
  "AES-GCM": { secret: ["encrypt", "decrypt", "wrapKey", "unwrapKey"] },
  "AES-CBC": { secret: ["encrypt", "decrypt", "wrapKey", "unwrapKey"] },
  "AES-CTR": { secret: ["encrypt", "decrypt", "wrapKey", "unwrapKey"] },
  "PBKDF2": { secret: ["deriveKey", "deriveBits"] },
  "HKDF": { secret: ["deriveKey", "deriveBits"] },
  "ECDSA": { public: ["verify"], private: ["sign"] },
  "ECDH": { public: [], private: ["deriveKey", "deriveBits"] },
  "Ed25519": { public: ["verify"], private: ["sign"] },
  "X25519": { public: [], private: ["deriveKey", "deriveBits"] },
  "RSASSA-PKCS1-v1_5": { public: ["verify"], private: ["sign"] },
  "RSA-PSS": { public: ["verify"], private: ["sign"] },
  "RSA-OAEP": { public: ["encrypt", "wrapKey"], private: ["decrypt", "unwrapKey"] },
  "SHA-1": {},
  "SHA-256": {},
  "SHA-384": {},
  "SHA-512": {},
};

export const fail = (message: string, name: string) => new DOMException(message, name);

/** An algorithm in its object form, with its name and that of its hash spelled right. */
export function algorithmOf(algorithm: any): any {
  const given = typeof algorithm === "string" ? { name: algorithm } : { ...algorithm };
  if (typeof given.name !== "string") throw codeTypeError("ERR_MISSING_OPTION", "algorithm.name is required");
  const name = Object.keys(USES).find((known) => known.toLowerCase() === given.name.toLowerCase());
  if (!name) throw fail("Unrecognized algorithm name", "NotSupportedError");
  if (given.hash !== undefined) given.hash = { name: algorithmOf(given.hash).name };
  return { ...given, name };
}

function newKey(handle: Handle, algorithm: any, extractable: boolean, usages: string[]): CryptoKey {
  const allowed = USES[algorithm.name][handle.kind] ?? [];
  if (usages.some((usage) => !allowed.includes(usage))) {
    throw fail(`Unsupported key usage for a ${algorithm.name} key`, "SyntaxError");
  }
  if (usages.length === 0 && handle.kind !== "public") {
    throw fail("Usages cannot be empty when importing a private key.", "SyntaxError");
  }
  // In the order of the standard, whatever the order they were given in.
  const order = ["encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"];
  return new CryptoKey(kCreate, handle, algorithm, extractable || handle.kind === "public", order.filter((use) => usages.includes(use)));
}

const HASH_BITS: Record<string, number> = { "SHA-1": 512, "SHA-256": 512, "SHA-384": 1024, "SHA-512": 1024 };

/** What a key says about its algorithm. */
function shownAlgorithm(algorithm: any, handle: Handle): any {
  const { name, hash, namedCurve } = algorithm;
  if (name === "HMAC") return { name, length: handle.der.length * 8, hash };
  if (name.startsWith("AES-")) return { name, length: handle.der.length * 8 };
  if (handle.kind === "secret") return { name };
  if (namedCurve) return { name, namedCurve };
  if (!name.startsWith("RS")) return { name };
  const details = ops.cryptoKeyDetails(handle.kind, handle.der);
  let exponent = details.publicExponent!.slice(2);
  if (exponent.length % 2) exponent = `0${exponent}`;
  return {
    name,
    modulusLength: details.modulusLength,
    publicExponent: new Uint8Array(Buffer.from(exponent, "hex")),
    hash,
  };
}

export function fromHandle(handle: Handle, algorithm: any, extractable: boolean, usages: string[]): CryptoKey {
  const normal = algorithmOf(algorithm);
  return newKey(handle, shownAlgorithm(normal, handle), extractable, usages);
}

const CURVE_SIZES: Record<string, number> = { "P-256": 32, "P-384": 48 };

/** Reads a public key that is just a point. */
function rawPublic(algorithm: any, bytes: Uint8Array): Handle {
  const text = (part: Uint8Array) => Buffer.from(part).toString("base64url");
  if (algorithm.name === "Ed25519" || algorithm.name === "X25519") {
    return ops.cryptoKeyFromJwk({ kty: "OKP", crv: algorithm.name, x: text(bytes) });
  }
  const size = CURVE_SIZES[algorithm.namedCurve];
  return ops.cryptoKeyFromJwk({
    kty: "EC", crv: algorithm.namedCurve, x: text(bytes.subarray(1, 1 + size)), y: text(bytes.subarray(1 + size)),
  });
}

function readHandle(format: string, data: any, algorithm: any): Handle {
  const isSecret = "secret" in USES[algorithm.name];
  if (format !== "jwk" && !isBytes(data)) {
    throw codeTypeError("ERR_INVALID_ARG_TYPE", `The "keyData" argument must be an instance of ArrayBuffer or ArrayBufferView.`);
  }
  if (isSecret && format === "raw") return { kind: "secret", der: viewOf(data).slice() };
  if (isSecret && format === "jwk") {
    if (data.kty !== "oct") throw fail("Invalid JWK \"kty\" Parameter", "DataError");
    return { kind: "secret", der: new Uint8Array(Buffer.from(data.k, "base64url")) };
  }
  if (isSecret) throw fail(`Unable to import ${algorithm.name} using ${format} format`, "NotSupportedError");
  try {
    if (format === "jwk") return ops.cryptoKeyFromJwk(data);
    if (format === "raw") return rawPublic(algorithm, viewOf(data));
    if (format === "spki" || format === "pkcs8") return ops.cryptoKeyParse(viewOf(data), format, format === "pkcs8", undefined);
  } catch {
    throw fail("Invalid keyData", "DataError");
  }
  throw fail(`Unable to import ${algorithm.name} using ${format} format`, "NotSupportedError");
}

function checkImported(algorithm: any, handle: Handle): void {
  const { name } = algorithm;
  if (name.startsWith("AES-") && ![16, 24, 32].includes(handle.der.length)) throw fail("Invalid key length", "DataError");
  if (name === "HMAC" && handle.der.length === 0) throw fail("Zero-length key is not supported", "DataError");
  if (handle.kind === "secret") return;
  const type = ops.cryptoKeyDetails(handle.kind, handle.der);
  const wanted = name.startsWith("RS") ? "rsa" : name.startsWith("EC") ? "ec" : name.toLowerCase();
  const curve = { prime256v1: "P-256", secp384r1: "P-384" }[type.namedCurve!];
  if (type.type !== wanted || (curve && curve !== algorithm.namedCurve)) throw fail("Invalid key type", "DataError");
}

export function importKey(format: string, data: any, algorithm: any, extractable: boolean, usages: string[]): CryptoKey {
  const normal = algorithmOf(algorithm);
  if ((normal.name === "PBKDF2" || normal.name === "HKDF") && extractable) {
    throw fail(`${normal.name} keys are not extractable`, "SyntaxError");
  }
  const handle = readHandle(format, data, normal);
  checkImported(normal, handle);
  return newKey(handle, shownAlgorithm(normal, handle), extractable, usages);
}

const JWK_NAMES: Record<string, (algorithm: any) => string> = {
  "HMAC": (algorithm) => `HS${algorithm.hash.name.slice(4)}`,
  "AES-GCM": (algorithm) => `A${algorithm.length}GCM`,
  "AES-CBC": (algorithm) => `A${algorithm.length}CBC`,
  "AES-CTR": (algorithm) => `A${algorithm.length}CTR`,
  "RSASSA-PKCS1-v1_5": (algorithm) => `RS${algorithm.hash.name.slice(4)}`,
  "RSA-PSS": (algorithm) => `PS${algorithm.hash.name.slice(4)}`,
  "RSA-OAEP": (algorithm) => `RSA-OAEP${algorithm.hash.name === "SHA-1" ? "" : `-${algorithm.hash.name.slice(4)}`}`,
};

export function exportKey(format: string, key: CryptoKey): any {
  if (!key.extractable) throw fail("key is not extractable", "InvalidAccessException");
  const handle = key[kHandle];
  const { algorithm } = key;
  const no = () => fail(`Unable to export ${algorithm.name} ${key.type} key using ${format} format`, "NotSupportedError");
  if (format === "jwk") {
    const own: any = handle.kind === "secret"
      ? { kty: "oct", k: Buffer.from(handle.der).toString("base64url") }
      : ops.cryptoKeyToJwk(handle.kind, handle.der);
    const name = JWK_NAMES[algorithm.name]?.(algorithm);
    return { key_ops: key.usages, ext: key.extractable, ...own, ...(name ? { alg: name } : {}) };
  }
  if (format === "raw") {
    if (handle.kind === "secret") return exactBuffer(handle.der.slice());
    if (handle.kind === "private") throw no();
    const jwk = ops.cryptoKeyToJwk("public", handle.der);
    if (jwk.kty === "RSA") throw no();
    const point = jwk.kty === "EC" ? ["BA", jwk.x, jwk.y] : [jwk.x];
    const parts = point.map((part: string, index: number) => (index === 0 && point.length > 1 ? Buffer.from([4]) : Buffer.from(part, "base64url")));
    return exactBuffer(Buffer.concat(parts).slice());
  }
  const wanted = { spki: "public", pkcs8: "private" }[format];
  if (!wanted || wanted !== handle.kind) throw no();
  return exactBuffer(handle.der.slice());
}

/** A new key, or a pair of them. */
export async function generateKey(algorithm: any, extractable: boolean, usages: string[]): Promise<any> {
  const normal = algorithmOf(algorithm);
  const { name } = normal;
  if (name === "HMAC" || name.startsWith("AES-")) {
    const length = normal.length ?? (name === "HMAC" ? HASH_BITS[normal.hash.name] : undefined);
    if (name !== "HMAC" && ![128, 192, 256].includes(length)) throw fail("Invalid key length", "OperationError");
    const handle: Handle = { kind: "secret", der: ops.randomFill(Math.ceil(length / 8)) };
    return newKey(handle, shownAlgorithm(normal, handle), extractable, usages);
  }
  if (!USES[name].private) throw fail("Unrecognized algorithm name", "NotSupportedError");
  const exponent = normal.publicExponent ? Number.parseInt(Buffer.from(normal.publicExponent).toString("hex"), 16) : 65537;
  const kind = name.startsWith("RS") ? "rsa" : name.startsWith("EC") ? "ec" : name.toLowerCase();
  if (kind === "ec" && !CURVE_SIZES[normal.namedCurve]) throw fail("Unrecognized namedCurve", "NotSupportedError");
  const [publicDer, privateDer] = await ops.cryptoKeyGenerateAsync(kind, normal.namedCurve ?? "", normal.modulusLength ?? 0, exponent);
  const make = (handle: Handle, use: boolean) => {
    const allowed = USES[name][handle.kind]!;
    const all = [...USES[name].public!, ...USES[name].private!];
    if (usages.some((usage) => !all.includes(usage))) throw fail(`Unsupported key usage for a ${name} key`, "SyntaxError");
    const mine = usages.filter((usage) => allowed.includes(usage));
    return newKey(handle, shownAlgorithm(normal, handle), use, mine);
  };
  return {
    publicKey: make({ kind: "public", der: publicDer }, true),
    privateKey: make({ kind: "private", der: privateDer }, extractable),
  };
}
