// Secrets that two sides agree on.
import { ops } from "tau:ops";
import { Buffer } from "../../node/buffer.ts";
import { codeError, codeRangeError, codeTypeError } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { validateFunction, validateObject, validateString } from "../validators.ts";
import { bytesOf, output } from "./bytes.ts";
import { kHandle } from "./secret.ts";

export function getCurves(): string[] {
  return ["prime256v1", "secp384r1"];
}

export function diffieHellman(options: any, callback?: any): any {
  validateObject(options, "options");
  const [mine, theirs] = [options.privateKey?.[kHandle], options.publicKey?.[kHandle]];
  if (mine?.kind !== "private") throw codeTypeError("ERR_INVALID_ARG_VALUE", "The property 'options.privateKey' is invalid.");
  if (theirs?.kind !== "public") throw codeTypeError("ERR_INVALID_ARG_VALUE", "The property 'options.publicKey' is invalid.");
  const secret = output(ops.cryptoAgree(mine.der, theirs.der));
  if (callback === undefined) return secret;
  validateFunction(callback, "callback");
  nextTick(callback, null, secret);
}

const CURVES: Record<string, [string, number]> = {
  prime256v1: ["P-256", 32],
  secp256r1: ["P-256", 32],
  secp384r1: ["P-384", 48],
};

/** Elliptic curve Diffie-Hellman with raw points. */
export class ECDH {
  #curve: string;
  #size: number;
  #private: Uint8Array | undefined;

  constructor(curve: string) {
    validateString(curve, "curve");
    const known = CURVES[curve];
    if (!known) throw codeTypeError("ERR_CRYPTO_INVALID_CURVE", "Invalid EC curve name");
    [this.#curve, this.#size] = known;
  }

  generateKeys(encoding?: string, format?: string): any {
    this.#private = ops.cryptoKeyGenerate("ec", this.#curve, 0, 0)[1];
    return this.getPublicKey(encoding, format);
  }

  #jwk(half: string): any {
    if (!this.#private) throw codeError("ERR_CRYPTO_OPERATION_FAILED", `Failed to get ECDH ${half} key`);
    return ops.cryptoKeyToJwk("private", this.#private);
  }

  getPrivateKey(encoding?: string): any {
    return output(Buffer.from(this.#jwk("private").d, "base64url"), encoding);
  }

  getPublicKey(encoding?: string, format = "uncompressed"): any {
    const jwk = this.#jwk("public");
    const [x, y] = [Buffer.from(jwk.x, "base64url"), Buffer.from(jwk.y, "base64url")];
    const odd = y[y.length - 1] & 1;
    if (format === "compressed") return output(Buffer.concat([Buffer.from([2 + odd]), x]), encoding);
    return output(Buffer.concat([Buffer.from([format === "hybrid" ? 6 + odd : 4]), x, y]), encoding);
  }

  setPrivateKey(key: unknown, encoding?: string): void {
    const bytes = Buffer.from(bytesOf(key, "key", encoding));
    const d = Buffer.concat([Buffer.alloc(Math.max(0, this.#size - bytes.length)), bytes]).toString("base64url");
    try {
      this.#private = ops.cryptoKeyFromJwk({ kty: "EC", crv: this.#curve, d }).der;
    } catch {
      throw codeError("ERR_CRYPTO_INVALID_KEYTYPE", "Private key is not valid for specified curve.");
    }
  }

  computeSecret(key: unknown, inputEncoding?: string, outputEncoding?: string): any {
    const point = bytesOf(key, "otherPublicKey", inputEncoding);
    const own = this.#private;
    if (!own) throw codeRangeError("ERR_CRYPTO_INVALID_KEYPAIR", "Invalid key pair");
    let other: any;
    try {
      const [x, y] = [point.subarray(1, 1 + this.#size), point.subarray(1 + this.#size)];
      if (point[0] !== 4) throw new Error("compressed");
      other = ops.cryptoKeyFromJwk({
        kty: "EC", crv: this.#curve, x: Buffer.from(x).toString("base64url"), y: Buffer.from(y).toString("base64url"),
      });
    } catch {
      throw codeError("ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY", "Public key is not valid for specified curve");
    }
    return output(ops.cryptoAgree(own, other.der), outputEncoding);
  }
}

export function createECDH(curve: string): ECDH {
  return new ECDH(curve);
}
