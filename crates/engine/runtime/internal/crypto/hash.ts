// Digests and HMAC.
import { ops } from "tau:ops";
import { codeError, codeTypeError, invalidArgType } from "../errors.ts";
import { validateString, validateUint32 } from "../validators.ts";
import { bytesOf, chunkOf, isBytes, output } from "./bytes.ts";
import { lazyTransform, setStreamOptions } from "./lazy_transform.ts";
import type { Transform } from "../streams/classes.d.ts";
import { keyBytes } from "./secret.ts";

const NAMES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-224", "sha512-256"];

export function getHashes(): string[] {
  return [...NAMES.map((name) => `RSA-${name.toUpperCase().replace("-", "/")}`), ...NAMES];
}

const finalized = () => codeError("ERR_CRYPTO_HASH_FINALIZED", "Digest already called");

export interface Hash extends Transform {}

export class Hash {
  #state: any;
  #done = false;
  #length: number | undefined;

  constructor(algorithm: any, options?: any, state?: any) {
    if (!state) validateString(algorithm, "algorithm");
    this.#length = options?.outputLength;
    if (this.#length !== undefined) validateUint32(this.#length, "options.outputLength");
    this.#state = state ?? ops.cryptoHash(algorithm);
    if (!this.#state) throw new Error("Digest method not supported");
    setStreamOptions(this, options);
  }

  update(data: any, encoding?: string): this {
    if (this.#done) throw finalized();
    this.#state.update(chunkOf(data, encoding));
    return this;
  }

  digest(encoding?: string): any {
    if (this.#done) throw finalized();
    this.#done = true;
    const bytes = this.#state.digest();
    if (this.#length !== undefined && this.#length !== bytes.length) {
      const message = "error:030000B2:digital envelope routines::not XOF or invalid length";
      throw codeError("ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH", message);
    }
    return output(bytes, encoding);
  }

  copy(options?: any): Hash {
    if (this.#done) throw finalized();
    return new Hash(undefined, options, this.#state.copy());
  }

  _transform(chunk: any, encoding: string, callback: (error?: any) => void): void {
    this.update(chunk, encoding);
    callback();
  }

  _flush(callback: (error?: any) => void): void {
    (this as any).push(this.digest());
    callback();
  }
}
lazyTransform(Hash);

export function createHash(algorithm: string, options?: any): Hash {
  return new Hash(algorithm, options);
}

/** The digest of one piece of data. */
export function hash(algorithm: string, data: any, outputEncoding: string = "hex"): any {
  validateString(algorithm, "algorithm");
  if (typeof data !== "string" && !isBytes(data)) {
    throw invalidArgType("input", ["Buffer", "TypedArray", "DataView", "string"], data);
  }
  const bytes = ops.cryptoHashOnce(algorithm, bytesOf(data, "input"));
  if (!bytes) throw new Error("Digest method not supported");
  return output(bytes, outputEncoding);
}

export interface Hmac extends Transform {}

export class Hmac {
  #state: any;

  constructor(algorithm: string, key: any, options?: any) {
    validateString(algorithm, "hmac");
    this.#state = ops.cryptoHmac(algorithm, keyBytes(key, "key", options?.encoding));
    if (!this.#state) throw codeTypeError("ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${algorithm}`);
    setStreamOptions(this, options);
  }

  update(data: any, encoding?: string): this {
    if (!this.#state) throw finalized();
    this.#state.update(chunkOf(data, encoding));
    return this;
  }

  digest(encoding?: string): any {
    const bytes = this.#state?.digest() ?? new Uint8Array(0);
    this.#state = undefined;
    return output(bytes, encoding);
  }

  _transform(chunk: any, encoding: string, callback: (error?: any) => void): void {
    this.update(chunk, encoding);
    callback();
  }

  _flush(callback: (error?: any) => void): void {
    (this as any).push(this.digest());
    callback();
  }
}
lazyTransform(Hmac);

export function createHmac(algorithm: string, key: unknown, options?: unknown): Hmac {
  return new Hmac(algorithm, key, options);
}

/** Compares without telling by its time where the first difference is. */
export function timingSafeEqual(left: unknown, right: unknown): boolean {
  const types = ["ArrayBuffer", "Buffer", "TypedArray", "DataView"];
  if (!isBytes(left)) throw invalidArgType("buf1", types, left);
  if (!isBytes(right)) throw invalidArgType("buf2", types, right);
  const [a, b] = [bytesOf(left, "buf1"), bytesOf(right, "buf2")];
  if (a.length !== b.length) {
    throw codeError("ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "Input buffers must have the same byte length", RangeError);
  }
  return ops.cryptoEqual(a, b);
}

