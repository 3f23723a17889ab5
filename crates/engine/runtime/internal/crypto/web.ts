// Web Crypto.
import { ops } from "tau:ops";
import { codeTypeError, invalidThis } from "../errors.ts";
import { exactBuffer, isBytes, viewOf } from "./bytes.ts";
import { getRandomValues, randomUUID } from "./random.ts";
import { kHandle } from "./secret.ts";
import { algorithmOf, CryptoKey, exportKey, fail, generateKey, importKey } from "./web_keys.ts";

export { CryptoKey };

const kCreate = Symbol("create");

function bytes(data: any, name: string): Uint8Array {
  if (!isBytes(data)) {
    throw codeTypeError("ERR_INVALID_ARG_TYPE", `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
  }
  return viewOf(data);
}

/** Checks that a key is for this algorithm and use. */
function check(key: any, algorithm: any, usage: string): void {
  if (!(key instanceof CryptoKey)) throw codeTypeError("ERR_INVALID_ARG_TYPE", 'The "key" argument must be an instance of CryptoKey.');
  if (key.algorithm.name !== algorithm.name) throw fail("Key algorithm mismatch", "InvalidAccessError");
  if (!key.usages.includes(usage)) throw fail(`Unable to use this key to ${usage}`, "InvalidAccessError");
}

function joined(...parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

const failed = () => fail("The operation failed for an operation-specific reason", "OperationError");

/** Runs one of the AES modes. */
function aes(algorithm: any, key: CryptoKey, data: Uint8Array, decrypt: boolean): Uint8Array {
  const secret = key[kHandle].der;
  const mode = algorithm.name.slice(4).toLowerCase();
  const name = `aes-${secret.length * 8}-${mode}`;
  if (mode !== "gcm") {
    const vector = bytes(mode === "cbc" ? algorithm.iv : algorithm.counter, mode === "cbc" ? "algorithm.iv" : "algorithm.counter");
    if (vector.length !== 16) throw fail(`algorithm.${mode === "cbc" ? "iv" : "counter"} must contain exactly 16 bytes`, "OperationError");
    const cipher = ops.cryptoCipher(name, secret, vector, decrypt, 16);
    return joined(cipher.update(data), cipher.final());
  }
  const length = (algorithm.tagLength ?? 128) / 8;
  if (![4, 8, 12, 13, 14, 15, 16].includes(length)) {
    throw fail(`${algorithm.tagLength} is not a valid AES-GCM tag length`, "OperationError");
  }
  const cipher = ops.cryptoCipher(name, secret, bytes(algorithm.iv, "algorithm.iv"), decrypt, length);
  if (algorithm.additionalData !== undefined) cipher.setAAD(bytes(algorithm.additionalData, "algorithm.additionalData"));
  if (!decrypt) return joined(cipher.update(data), cipher.final(), cipher.getAuthTag());
  if (data.length < length) throw fail("The provided data is too small.", "OperationError");
  cipher.setAuthTag(data.subarray(data.length - length));
  const text = cipher.update(data.subarray(0, data.length - length));
  cipher.final();
  return text;
}

function crypt(algorithm: any, key: CryptoKey, data: Uint8Array, decrypt: boolean): ArrayBuffer {
  if (algorithm.name.startsWith("AES-")) {
    try {
      return exactBuffer(aes(algorithm, key, data, decrypt));
    } catch (error: any) {
      if (error?.name === "OperationError" || error instanceof TypeError && error.message.includes("algorithm.")) throw error;
      throw failed();
    }
  }
  if (algorithm.name !== "RSA-OAEP") throw fail("Unrecognized algorithm name", "NotSupportedError");
  const label = algorithm.label === undefined ? new Uint8Array(0) : bytes(algorithm.label, "algorithm.label");
  const run = decrypt ? ops.cryptoRsaDecrypt : ops.cryptoRsaEncrypt;
  try {
    return exactBuffer(run(key[kHandle].der, key.algorithm.hash.name, label, data));
  } catch {
    throw failed();
  }
}

/** How the signature op is told about an algorithm. */
function scheme(algorithm: any, key: CryptoKey): any {
  switch (algorithm.name) {
    case "ECDSA":
      if (!algorithm.hash) throw codeTypeError("ERR_MISSING_OPTION", "algorithm.hash is required");
      return { hash: algorithm.hash.name, plain: true };
    case "RSASSA-PKCS1-v1_5":
      return { hash: key.algorithm.hash.name };
    case "RSA-PSS":
      return { hash: key.algorithm.hash.name, pss: true, salt: algorithm.saltLength };
    case "Ed25519":
      return {};
  }
  throw fail("Unrecognized algorithm name", "NotSupportedError");
}

function hmac(key: CryptoKey, data: Uint8Array): Uint8Array {
  const state = ops.cryptoHmac(key.algorithm.hash.name, key[kHandle].der);
  if (!state) throw fail("Unrecognized algorithm name", "NotSupportedError");
  state.update(data);
  return state.digest();
}

async function deriveBits(algorithm: any, key: CryptoKey, length: number | null | undefined): Promise<ArrayBuffer> {
  const secret = key[kHandle].der;
  const whole = () => {
    if (typeof length !== "number" || length % 8 !== 0) throw fail("length must be a multiple of 8", "OperationError");
    return length / 8;
  };
  switch (algorithm.name) {
    case "PBKDF2": {
      if (!(algorithm.iterations > 0)) throw fail("iterations cannot be zero", "OperationError");
      const salt = bytes(algorithm.salt, "algorithm.salt").slice();
      return exactBuffer(await ops.cryptoPbkdf2Async(secret, salt, algorithm.iterations, whole(), algorithm.hash.name));
    }
    case "HKDF": {
      const [salt, info] = [bytes(algorithm.salt, "algorithm.salt"), bytes(algorithm.info, "algorithm.info")];
      try {
        return exactBuffer(ops.cryptoHkdf(algorithm.hash.name, secret, salt, info, whole()));
      } catch {
        throw failed();
      }
    }
    case "ECDH":
    case "X25519": {
      const other = algorithm.public;
      if (!(other instanceof CryptoKey) || other.type !== "public" || other.algorithm.name !== algorithm.name) {
        throw fail("algorithm.public must be a public key of the same algorithm", "InvalidAccessError");
      }
      const agreed = ops.cryptoAgree(secret, other[kHandle].der);
      if (length === null || length === undefined) return exactBuffer(agreed);
      if (whole() > agreed.length) throw fail("derived bit length is too small", "OperationError");
      return exactBuffer(agreed.slice(0, whole()));
    }
  }
  throw fail("Unrecognized algorithm name", "NotSupportedError");
}

function keyLength(algorithm: any): number | null {
  if (algorithm.name.startsWith("AES-")) return algorithm.length;
  if (algorithm.name === "HMAC") return algorithm.length ?? { "SHA-1": 512, "SHA-256": 512 }[algorithm.hash.name as string] ?? 1024;
  return null;
}

/** `crypto.subtle`. */
export class SubtleCrypto {
  constructor(key?: symbol) {
    if (key !== kCreate) throw codeTypeError("ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
  }

  async digest(algorithm: any, data: any): Promise<ArrayBuffer> {
    const { name } = algorithmOf(algorithm);
    if (!name.startsWith("SHA-")) throw fail("Unrecognized algorithm name", "NotSupportedError");
    return exactBuffer(ops.cryptoHashOnce(name, bytes(data, "data"))!);
  }

  async importKey(format: string, data: any, algorithm: any, extractable: boolean, usages: string[]): Promise<CryptoKey> {
    return importKey(format, data, algorithm, extractable, usages);
  }

  async exportKey(format: string, key: CryptoKey): Promise<any> {
    return exportKey(format, key);
  }

  async generateKey(algorithm: any, extractable: boolean, usages: string[]): Promise<any> {
    return generateKey(algorithm, extractable, usages);
  }

  async sign(algorithm: any, key: CryptoKey, data: any): Promise<ArrayBuffer> {
    const normal = algorithmOf(algorithm);
    check(key, normal, "sign");
    const text = bytes(data, "data");
    if (normal.name === "HMAC") return exactBuffer(hmac(key, text));
    return exactBuffer(ops.cryptoSign(key[kHandle].der, scheme(normal, key), text));
  }

  async verify(algorithm: any, key: CryptoKey, signature: any, data: any): Promise<boolean> {
    const normal = algorithmOf(algorithm);
    check(key, normal, "verify");
    const [proof, text] = [bytes(signature, "signature"), bytes(data, "data")];
    if (normal.name === "HMAC") return ops.cryptoEqual(hmac(key, text), proof);
    return ops.cryptoVerify(key[kHandle].der, scheme(normal, key), text, proof);
  }

  async encrypt(algorithm: any, key: CryptoKey, data: any): Promise<ArrayBuffer> {
    const normal = algorithmOf(algorithm);
    check(key, normal, "encrypt");
    return crypt(normal, key, bytes(data, "data"), false);
  }

  async decrypt(algorithm: any, key: CryptoKey, data: any): Promise<ArrayBuffer> {
    const normal = algorithmOf(algorithm);
    check(key, normal, "decrypt");
    return crypt(normal, key, bytes(data, "data"), true);
  }

  async deriveBits(algorithm: any, key: CryptoKey, length?: number | null): Promise<ArrayBuffer> {
    const normal = algorithmOf(algorithm);
    check(key, normal, "deriveBits");
    return deriveBits(normal, key, length);
  }

  async deriveKey(algorithm: any, key: CryptoKey, derived: any, extractable: boolean, usages: string[]): Promise<CryptoKey> {
    const [normal, target] = [algorithmOf(algorithm), algorithmOf(derived)];
    check(key, normal, "deriveKey");
    const secret = await deriveBits(normal, key, keyLength(target));
    return importKey("raw", secret, target, extractable, usages);
  }

  async wrapKey(format: string, key: CryptoKey, wrappingKey: CryptoKey, algorithm: any): Promise<ArrayBuffer> {
    const normal = algorithmOf(algorithm);
    check(wrappingKey, normal, "wrapKey");
    const plain = exportKey(format, key);
    const text = format === "jwk" ? new TextEncoder().encode(JSON.stringify(plain)) : viewOf(plain);
    return crypt(normal, wrappingKey, text, false);
  }

  async unwrapKey(
    format: string, wrapped: any, key: CryptoKey, algorithm: any, keyAlgorithm: any, extractable: boolean, usages: string[],
  ): Promise<CryptoKey> {
    const normal = algorithmOf(algorithm);
    check(key, normal, "unwrapKey");
    const plain = crypt(normal, key, bytes(wrapped, "wrappedKey"), true);
    const data = format === "jwk" ? JSON.parse(new TextDecoder().decode(plain)) : plain;
    return importKey(format, data, keyAlgorithm, extractable, usages);
  }
}
Object.defineProperty(SubtleCrypto.prototype, Symbol.toStringTag, { value: "SubtleCrypto", configurable: true });

/** The global `crypto`. */
export class Crypto {
  constructor(key?: symbol) {
    if (key !== kCreate) throw codeTypeError("ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
  }
  get subtle(): SubtleCrypto {
    return subtle;
  }
  getRandomValues(array: any): any {
    if (!(this instanceof Crypto)) throw invalidThis("Crypto");
    return getRandomValues(array);
  }
  randomUUID(options?: any): string {
    return randomUUID(options);
  }
}
Object.defineProperty(Crypto.prototype, Symbol.toStringTag, { value: "Crypto", configurable: true });

export const subtle = new SubtleCrypto(kCreate);
export const webcrypto = new Crypto(kCreate);
