// Key objects, and how they are read, made and written.
import { type KeyDetails, ops } from "tau:ops";
import { Buffer } from "../../node/buffer.ts";
import { wrap } from "../async_context.ts";
import { codeError, codeTypeError, invalidArgType, invalidArgValue, outOfRange } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { kInspect, kPromisify } from "../symbols.ts";
import { nextTick } from "../tick.ts";
import { validateFunction, validateInteger, validateObject, validateString, validateUint32 } from "../validators.ts";
import { bytesOf, isBytes, output } from "./bytes.ts";
import { kHandle } from "./secret.ts";

const loadWeb = lazyModule("internal/crypto/web_keys.ts");

/** What a key is made of: PKCS#8, SubjectPublicKeyInfo, or the bytes of a secret. */
export interface Handle {
  kind: "secret" | "private" | "public";
  der: Uint8Array;
}

const kCreate = Symbol("create");

export class KeyObject {
  readonly #handle: Handle;
  #details: KeyDetails | undefined;

  constructor(key: symbol, handle: Handle) {
    if (key !== kCreate) throw codeTypeError("ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
    this.#handle = handle;
  }

  /** The `KeyObject` of a Web Crypto key. */
  static from(key: any): KeyObject {
    if (!key?.[kHandle] || key instanceof KeyObject) throw invalidArgType("key", "CryptoKey", key);
    return keyObject(key[kHandle]);
  }

  get [kHandle](): Handle {
    return this.#handle;
  }

  get type(): string {
    return this.#handle.kind;
  }

  get symmetricKeySize(): number | undefined {
    return this.#handle.kind === "secret" ? this.#handle.der.length : undefined;
  }

  #detail(): KeyDetails | undefined {
    if (this.#handle.kind === "secret") return undefined;
    return (this.#details ??= ops.cryptoKeyDetails(this.#handle.kind, this.#handle.der));
  }

  get asymmetricKeyType(): string | undefined {
    return this.#detail()?.type;
  }

  get asymmetricKeyDetails(): any {
    const details = this.#detail();
    if (!details) return undefined;
    const { type: _, ...rest }: any = details;
    if (rest.publicExponent) rest.publicExponent = BigInt(rest.publicExponent);
    return rest;
  }

  equals(other: any): boolean {
    if (!(other instanceof KeyObject)) throw invalidArgType("otherKeyObject", "KeyObject", other);
    const [a, b] = [this.#handle, other.#handle];
    return a.kind === b.kind && a.der.length === b.der.length && ops.cryptoEqual(a.der, b.der);
  }

  export(options: any = {}): any {
    if (this.#handle.kind === "secret") {
      if (options?.format === "jwk") return { kty: "oct", k: output(this.#handle.der).toString("base64url") };
      return Buffer.from(this.#handle.der);
    }
    return exportKey(this.#handle, options);
  }

  toCryptoKey(algorithm: any, extractable: boolean, usages: string[]): any {
    return loadWeb().fromHandle(this.#handle, algorithm, extractable, usages);
  }

  [kInspect](): string {
    const name = { secret: "Secret", private: "Private", public: "Public" }[this.#handle.kind];
    return `${name}KeyObject { type: '${this.#handle.kind}' }`;
  }
}
Object.defineProperty(KeyObject.prototype, Symbol.toStringTag, { value: "KeyObject", configurable: true });

export function keyObject(handle: Handle): KeyObject {
  return new KeyObject(kCreate, handle);
}

function passphraseOf(options: any): Uint8Array | undefined {
  const { passphrase } = options;
  return passphrase === undefined || passphrase === null ? undefined : bytesOf(passphrase, "key.passphrase", options.encoding);
}

/** Writes a key as `options` (`{format, type, cipher, passphrase}`) say. */
export function exportKey(handle: Handle, options: any): any {
  validateObject(options, "options");
  const { format, type, cipher } = options;
  if (format === "jwk") return ops.cryptoKeyToJwk(handle.kind, handle.der);
  if (format !== "pem" && format !== "der") throw invalidArgValue("options.format", format);
  const types = handle.kind === "public" ? ["spki", "pkcs1"] : ["pkcs8", "pkcs1", "sec1"];
  if (!types.includes(type)) throw invalidArgValue("options.type", type);
  const passphrase = passphraseOf(options);
  if (cipher !== undefined) {
    validateString(cipher, "options.cipher");
    if (passphrase === undefined) throw invalidArgValue("options.passphrase", options.passphrase);
  }
  const bytes = ops.cryptoKeyExport(handle.kind, handle.der, type, format === "pem", cipher, passphrase);
  return format === "pem" ? output(bytes).toString() : output(bytes);
}

function jwkHandle(jwk: any): Handle {
  validateObject(jwk, "key.key");
  if (!["RSA", "EC", "OKP"].includes(jwk.kty)) {
    throw codeTypeError("ERR_INVALID_ARG_VALUE", `The property 'key.kty' must be one of: 'RSA', 'EC', 'OKP'. Received '${jwk.kty}'`);
  }
  return ops.cryptoKeyFromJwk(jwk);
}

const KEY_TYPES = ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView", "Object"];

/** The key that an argument means: text, bytes, a key object, or an object with one of these in `key`. */
export function readKey(input: any, wanted: "private" | "public", name = "key"): Handle {
  if (input?.[kHandle]) return fits(input[kHandle], wanted, input);
  if (typeof input === "string" || isBytes(input)) return parse(input, {}, wanted);
  if (input === null || typeof input !== "object") throw invalidArgType(name, KEY_TYPES, input);
  const { key, format = "pem" } = input;
  if (key?.[kHandle]) return fits(key[kHandle], wanted, key);
  if (format === "jwk") {
    const handle = jwkHandle(key);
    return fits(handle, wanted, key);
  }
  if (typeof key !== "string" && !isBytes(key)) throw invalidArgType(`${name}.key`, KEY_TYPES, key);
  return parse(key, input, wanted);
}

function fits(handle: Handle, wanted: string, key: any): Handle {
  if (handle.kind === wanted) return handle;
  if (wanted === "public" && handle.kind === "private") return { kind: "public", der: ops.cryptoKeyPublic(handle.der) };
  throw codeTypeError(
    "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE",
    `Invalid key object type ${key?.type ?? handle.kind}, expected ${wanted === "public" ? "private or public" : wanted}.`,
  );
}

function parse(data: any, options: any, wanted: "private" | "public"): Handle {
  const { format = "pem", type, encoding } = options;
  if (format !== "pem" && format !== "der") throw invalidArgValue("key.format", format);
  if (format === "der" && type === undefined) throw invalidArgValue("key.type", type);
  const bytes = bytesOf(data, "key", encoding);
  const form = format === "der" ? type : undefined;
  const handle = ops.cryptoKeyParse(bytes, form, wanted === "private", passphraseOf(options));
  if (handle.kind === wanted) return handle;
  if (wanted === "public") return fits(handle, wanted, undefined);
  throw codeError("ERR_OSSL_UNSUPPORTED", "error:1E08010C:DECODER routines::unsupported");
}

export function createPrivateKey(key: any): KeyObject {
  return keyObject(readKey(key, "private"));
}

export function createPublicKey(key: any): KeyObject {
  if (key?.[kHandle]?.kind === "public" && key instanceof KeyObject) {
    throw codeTypeError("ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", "Invalid key object type public, expected private.");
  }
  return keyObject(readKey(key, "public"));
}

export function createSecretKey(key: any, encoding?: string): KeyObject {
  return keyObject({ kind: "secret", der: bytesOf(key, "key", encoding).slice() });
}

const KINDS = ["rsa", "ec", "ed25519", "x25519"];

function pairArguments(type: any, options: any): [kind: string, curve: string, bits: number, exponent: number] {
  validateString(type, "type");
  if (!KINDS.includes(type)) throw invalidArgValue("type", type, "must be a supported key type");
  if (options !== undefined) validateObject(options, "options");
  if (type === "rsa") {
    validateUint32(options?.modulusLength, "options.modulusLength");
    const exponent = options.publicExponent ?? 65537;
    validateUint32(exponent, "options.publicExponent");
    return [type, "", options.modulusLength, exponent];
  }
  if (type === "ec") {
    validateString(options?.namedCurve, "options.namedCurve");
    return [type, options.namedCurve, 0, 0];
  }
  return [type, "", 0, 0];
}

function pairOf([publicDer, privateDer]: Uint8Array[], options: any): { publicKey: any; privateKey: any } {
  const shape = (handle: Handle, encoding: any) => (encoding === undefined ? keyObject(handle) : exportKey(handle, encoding));
  return {
    publicKey: shape({ kind: "public", der: publicDer }, options?.publicKeyEncoding),
    privateKey: shape({ kind: "private", der: privateDer }, options?.privateKeyEncoding),
  };
}

export function generateKeyPairSync(type: string, options?: any): { publicKey: any; privateKey: any } {
  return pairOf(ops.cryptoKeyGenerate(...pairArguments(type, options)), options);
}

export function generateKeyPair(type: string, options: any, callback?: any): void {
  if (typeof options === "function") [options, callback] = [undefined, options];
  validateFunction(callback, "callback");
  const call = wrap(callback) as any;
  ops.cryptoKeyGenerateAsync(...pairArguments(type, options)).then(
    (pair: Uint8Array[]) => {
      const { publicKey, privateKey } = pairOf(pair, options);
      nextTick(call, null, publicKey, privateKey);
    },
    (error: any) => nextTick(call, error),
  );
}
Object.defineProperty(generateKeyPair, kPromisify, {
  value: (type: string, options?: any) =>
    new Promise((resolve, reject) =>
      generateKeyPair(type, options, (error: any, publicKey: any, privateKey: any) =>
        error ? reject(error) : resolve({ publicKey, privateKey }),
      ),
    ),
});

export function generateKeySync(type: string, options: any): KeyObject {
  validateObject(options, "options");
  const { length } = options;
  if (type === "hmac") validateInteger(length, "options.length", 8, 2 ** 31 - 1);
  else if (type !== "aes") throw invalidArgValue("type", type, "must be a supported key type");
  else if (![128, 192, 256].includes(length)) throw outOfRange("options.length", "one of: 128, 192, 256", length);
  return keyObject({ kind: "secret", der: ops.randomFill(Math.floor(length / 8)) });
}

export function generateKey(type: string, options: any, callback: unknown): void {
  validateFunction(callback, "callback");
  nextTick(callback, null, generateKeySync(type, options));
}
