// Signatures, and encryption of short texts with RSA.
import { ops, type SignatureScheme } from "tau:ops";
import { codeError, codeTypeError, invalidArgType, invalidArgValue } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { validateFunction, validateString } from "../validators.ts";
import { bytesOf, chunkOf, isBytes, output } from "./bytes.ts";
import { type Handle, readKey } from "./keys.ts";
import { lazyTransform, setStreamOptions } from "./lazy_transform.ts";
import type { Writable } from "../streams/classes.d.ts";

const PKCS1 = 1;
const NONE = 3;
const OAEP = 4;
const PSS = 6;

/** A scheme whose salt may be as long as fits, beside a digest of the size that is `largest`. */
type LooseScheme = SignatureScheme & { largest?: number };

/** What the signature op needs to know besides the key. */
function schemeOf(digest: any, options: any, verifying: boolean): LooseScheme {
  const isObject = options !== null && typeof options === "object" && !isBytes(options);
  const { padding, saltLength, dsaEncoding = "der" } = isObject ? options : ({} as any);
  if (padding !== undefined && padding !== PKCS1 && padding !== PSS) throw invalidArgValue("options.padding", padding);
  if (dsaEncoding !== "der" && dsaEncoding !== "ieee-p1363") throw invalidArgValue("options.dsaEncoding", dsaEncoding);
  const scheme: LooseScheme = { pss: padding === PSS, plain: dsaEncoding === "ieee-p1363" };
  if (digest !== null && digest !== undefined) scheme.hash = digest;
  if (padding === PSS) {
    // -1 is as long as the digest, -2 as long as it fits; a verifier takes any length when nothing is said.
    const length = saltLength ?? -2;
    const size = ops.cryptoHashOnce(digest ?? "sha256", "")?.length ?? 32;
    if (length >= 0) scheme.salt = length;
    else if (length === -1) scheme.salt = size;
    else if (!verifying) scheme.largest = size;
  }
  return scheme;
}

/** The longest salt fits the modulus beside the digest and two bytes. */
function withLargestSalt(scheme: LooseScheme, key: Handle): SignatureScheme {
  if (scheme.largest === undefined) return scheme;
  const { largest, ...rest } = scheme;
  const bits = ops.cryptoKeyDetails("private", key.der).modulusLength ?? 0;
  return { ...rest, salt: Math.max(0, Math.ceil((bits - 1) / 8) - largest - 2) };
}

function checkDigest(digest: any): void {
  if (ops.cryptoHashOnce(digest, "") === undefined) throw codeTypeError("ERR_CRYPTO_INVALID_DIGEST", "Invalid digest");
}

function signBytes(digest: any, data: Uint8Array, key: unknown): any {
  const handle = readKey(key, "private");
  return output(ops.cryptoSign(handle.der, withLargestSalt(schemeOf(digest, key, false), handle), data));
}

function verifyBytes(digest: unknown, data: Uint8Array, key: unknown, signature: Uint8Array): boolean {
  return ops.cryptoVerify(readKey(key, "public").der, schemeOf(digest, key, true), data, signature);
}

function joined(parts: Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

interface Signing extends Writable {}

class Signing {
  protected digestName: string;
  protected parts: Uint8Array[] = [];

  constructor(digest: unknown, options?: unknown) {
    validateString(digest, "algorithm");
    checkDigest(digest);
    this.digestName = digest;
    setStreamOptions(this, options);
  }

  update(data: unknown, encoding?: string): this {
    // The caller may use the memory again.
    this.parts.push(chunkOf(data, encoding).slice());
    return this;
  }

  _transform(chunk: unknown, encoding: string, callback: (error?: unknown) => void): void {
    this.update(chunk, encoding);
    callback();
  }
}
lazyTransform(Signing);

export class Sign extends Signing {
  sign(key: unknown, encoding?: string): any {
    if (!key) throw codeError("ERR_CRYPTO_SIGN_KEY_REQUIRED", "No key provided to sign");
    const signature = signBytes(this.digestName, joined(this.parts), key);
    return encoding && encoding !== "buffer" ? signature.toString(encoding) : signature;
  }
}

export class Verify extends Signing {
  verify(key: any, signature: unknown, encoding?: string): boolean {
    return verifyBytes(this.digestName, joined(this.parts), key, bytesOf(signature, "signature", encoding));
  }
}

export function createSign(digest: string, options?: unknown): Sign {
  return new Sign(digest, options);
}

export function createVerify(digest: string, options?: unknown): Verify {
  return new Verify(digest, options);
}

/** Calls `make` now, or later with a callback. */
function maybeLater(callback: unknown, make: () => any): any {
  if (callback === undefined) return make();
  validateFunction(callback, "callback");
  let value: any;
  try {
    value = make();
  } catch (error) {
    nextTick(callback, error);
    return;
  }
  nextTick(callback, null, value);
}

function oneShot(digest: unknown, data: unknown): Uint8Array {
  if (digest !== null && digest !== undefined) {
    validateString(digest, "algorithm");
    checkDigest(digest);
  }
  if (!isBytes(data)) throw invalidArgType("data", ["ArrayBuffer", "Buffer", "TypedArray", "DataView"], data);
  return bytesOf(data, "data");
}

export function sign(digest: unknown, data: unknown, key: any, callback?: unknown): any {
  const bytes = oneShot(digest, data);
  return maybeLater(callback, () => signBytes(digest, bytes, key));
}

export function verify(digest: unknown, data: unknown, key: any, signature: unknown, callback?: unknown): any {
  const bytes = oneShot(digest, data);
  if (!isBytes(signature)) throw invalidArgType("signature", ["ArrayBuffer", "Buffer", "TypedArray", "DataView"], signature);
  const proof = bytesOf(signature, "signature");
  return maybeLater(callback, () => verifyBytes(digest, bytes, key, proof));
}

function cipherArguments(key: any, buffer: unknown): { hash: string | undefined; label: Uint8Array; data: Uint8Array } {
  const { padding = OAEP, oaepHash = "sha1", oaepLabel, encoding } = key ?? {};
  if (padding === NONE) throw codeError("ERR_METHOD_NOT_IMPLEMENTED", "RSA without padding is not available");
  const label = oaepLabel === undefined ? new Uint8Array(0) : bytesOf(oaepLabel, "key.oaepLabel", encoding);
  return { hash: padding === PKCS1 ? undefined : oaepHash, label, data: bytesOf(buffer, "buffer", encoding) };
}

export function publicEncrypt(key: unknown, buffer: unknown): any {
  const { hash, label, data } = cipherArguments(key, buffer);
  return output(ops.cryptoRsaEncrypt(readKey(key, "public").der, hash, label, data));
}

export function privateDecrypt(key: unknown, buffer: unknown): any {
  const { hash, label, data } = cipherArguments(key, buffer);
  return output(ops.cryptoRsaDecrypt(readKey(key, "private").der, hash, label, data));
}
