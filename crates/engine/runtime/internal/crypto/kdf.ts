// Keys from passwords and from other keys.
import { ops } from "tau:ops";
import { codeError, codeRangeError, codeTypeError, outOfRange } from "../errors.ts";
import { wrap } from "../async_context.ts";
import { nextTick } from "../tick.ts";
import { validateFunction, validateInteger, validateString, validateUint32 } from "../validators.ts";
import { bytesOf, exactBuffer, output } from "./bytes.ts";
import { keyBytes } from "./secret.ts";

type Bytes = Uint8Array | ArrayBuffer | string;

const LARGEST = 2 ** 31 - 1;

/** Calls back with what an op's promise gives. */
function deliver(promise: Promise<Uint8Array>, callback: any, shape: (bytes: Uint8Array) => any): void {
  const call = wrap(callback) as any;
  // From a job of its own, so that a throw in the callback does not become a rejection.
  promise.then(
    (bytes) => nextTick(call, null, shape(bytes)),
    (error) => nextTick(call, error),
  );
}

function pbkdf2Arguments(password: any, salt: any, iterations: any, length: any, digest: any): [Bytes, Bytes, number, number, string] {
  validateString(digest, "digest");
  const [secret, extra] = [bytesOf(password, "password"), bytesOf(salt, "salt")];
  validateInteger(iterations, "iterations", 1, LARGEST);
  validateInteger(length, "keylen", 0, LARGEST);
  if (ops.cryptoHashOnce(digest, "") === undefined) {
    throw codeTypeError("ERR_CRYPTO_INVALID_DIGEST", `Invalid digest: ${digest}`);
  }
  return [secret, extra, iterations, length, digest];
}

export function pbkdf2Sync(password: any, salt: any, iterations: number, length: number, digest: string): any {
  return output(ops.cryptoPbkdf2(...pbkdf2Arguments(password, salt, iterations, length, digest)));
}

export function pbkdf2(password: any, salt: any, iterations: number, length: number, digest: any, callback?: any): void {
  if (typeof digest === "function") [digest, callback] = [undefined, digest];
  const all = pbkdf2Arguments(password, salt, iterations, length, digest);
  validateFunction(callback, "callback");
  deliver(ops.cryptoPbkdf2Async(...all), callback, output);
}

function scryptArguments(password: any, salt: any, length: any, options: any): [Bytes, Bytes, number[], number] {
  const [secret, extra] = [bytesOf(password, "password"), bytesOf(salt, "salt")];
  validateInteger(length, "keylen", 0, LARGEST);
  const { N, r, p, cost, blockSize, parallelization, maxmem = 32 * 1024 * 1024 } = options ?? {};
  const clash = (short: string, long: string) =>
    codeError("ERR_INCOMPATIBLE_OPTION_PAIR", `Option "${short}" cannot be used in combination with option "${long}"`, TypeError);
  if (N !== undefined && cost !== undefined) throw clash("N", "cost");
  if (r !== undefined && blockSize !== undefined) throw clash("r", "blockSize");
  if (p !== undefined && parallelization !== undefined) throw clash("p", "parallelization");
  const [n, block, lanes] = [N ?? cost ?? 16384, r ?? blockSize ?? 8, p ?? parallelization ?? 1];
  validateUint32(n, N === undefined ? "cost" : "N");
  validateUint32(block, r === undefined ? "blockSize" : "r");
  validateUint32(lanes, p === undefined ? "parallelization" : "p");
  validateInteger(maxmem, "maxmem", 0);
  const invalid = (more = "") => codeRangeError("ERR_CRYPTO_INVALID_SCRYPT_PARAMS", `Invalid scrypt params${more}`);
  if (n < 2 || (n & (n - 1)) !== 0 || block < 1 || lanes < 1) throw invalid();
  if (128 * n * block > maxmem) {
    throw invalid(": error:030000AC:digital envelope routines::memory limit exceeded");
  }
  return [secret, extra, [n, block, lanes], length];
}

export function scryptSync(password: any, salt: unknown, length: number, options?: unknown): any {
  return output(ops.cryptoScrypt(...scryptArguments(password, salt, length, options)));
}

export function scrypt(password: unknown, salt: unknown, length: number, options: unknown, callback?: unknown): void {
  if (typeof options === "function") [options, callback] = [undefined, options];
  const all = scryptArguments(password, salt, length, options);
  validateFunction(callback, "callback");
  deliver(ops.cryptoScryptAsync(...all), callback, output);
}

export function hkdfSync(digest: string, key: unknown, salt: unknown, info: unknown, length: number): ArrayBuffer {
  validateString(digest, "digest");
  const [ikm, extra, about] = [keyBytes(key, "ikm"), bytesOf(salt, "salt"), bytesOf(info, "info")];
  validateInteger(length, "length", 0, LARGEST);
  if (about.byteLength > 1024) throw outOfRange("info", "must not contain more than 1024 bytes", about.byteLength);
  return exactBuffer(ops.cryptoHkdf(digest, ikm, extra, about, length));
}

export function hkdf(digest: string, key: unknown, salt: unknown, info: unknown, length: number, callback: unknown): void {
  validateFunction(callback, "callback");
  const derived = hkdfSync(digest, key, salt, info, length);
  nextTick(callback, null, derived);
}
