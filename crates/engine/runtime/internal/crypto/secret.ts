// What a symmetric key may be given as.
import { invalidArgType } from "../errors.ts";
import { bytesOf, isBytes } from "./bytes.ts";

/** How key objects and Web Crypto keys give the key they hold. */
export const kHandle = Symbol("keyHandle");

/** The bytes of a secret key: text, bytes, a `KeyObject` or a `CryptoKey`. */
export function keyBytes(key: any, name = "key", encoding?: string): Uint8Array {
  const handle = key?.[kHandle];
  if (handle) {
    if (handle.kind !== "secret") {
      throw invalidArgType(name, "secret key", key);
    }
    return handle.der;
  }
  if (typeof key !== "string" && !isBytes(key)) {
    throw invalidArgType(name, ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView", "KeyObject", "CryptoKey"], key);
  }
  return bytesOf(key, name, encoding);
}
