// Symmetric ciphers.
import { ops } from "tau:ops";
import { lazyModule } from "../lazy.ts";
import { codeError, codeTypeError, invalidArgType } from "../errors.ts";
import { validateString } from "../validators.ts";
import { bytesOf, chunkOf, isBytes, output } from "./bytes.ts";
import { lazyTransform, setStreamOptions } from "./lazy_transform.ts";
import type { Transform } from "../streams/classes.d.ts";
import { keyBytes } from "./secret.ts";

const loadDecoder = lazyModule("node/string_decoder.ts");

/** Mode: number of the object identifier per key size, block size, length of the initialization vector. */
const MODES: Record<string, { nids: number[]; block?: number; iv?: number }> = {
  ecb: { nids: [418, 422, 426], block: 16 },
  cbc: { nids: [419, 423, 427], block: 16, iv: 16 },
  ctr: { nids: [904, 905, 906], block: 1, iv: 16 },
  gcm: { nids: [895, 898, 901], block: 1, iv: 12 },
};
const SIZES = [128, 192, 256];

export function getCiphers(): string[] {
  const names = SIZES.flatMap((size) => Object.keys(MODES).map((mode) => `aes-${size}-${mode}`));
  return [...names, "aes128", "aes192", "aes256", "chacha20-poly1305", ...SIZES.map((size) => `id-aes${size}-GCM`)];
}

/** The plain name of a cipher, from any spelling. */
function canonical(name: string): string {
  const lower = name.toLowerCase();
  const short = /^aes(128|192|256)$/.exec(lower);
  if (short) return `aes-${short[1]}-cbc`;
  const id = /^id-aes(128|192|256)-gcm$/.exec(lower);
  return id ? `aes-${id[1]}-gcm` : lower;
}

export function getCipherInfo(nameOrNid: string | number, options: any = {}): any {
  const { keyLength, ivLength } = options;
  let name: string;
  if (typeof nameOrNid === "number") {
    const mode = Object.keys(MODES).find((mode) => MODES[mode].nids.includes(nameOrNid));
    if (nameOrNid === 1018) name = "chacha20-poly1305";
    else if (mode) name = `aes-${SIZES[MODES[mode].nids.indexOf(nameOrNid)]}-${mode}`;
    else return undefined;
  } else name = canonical(nameOrNid);
  const found = /^aes-(128|192|256)-(\w+)$/.exec(name);
  const mode = found ? MODES[found[2]] : undefined;
  let info: any;
  if (name === "chacha20-poly1305") {
    info = { mode: "stream", name, nid: 1018, ivLength: ivLength ?? 12, keyLength: 32 };
  } else if (found && mode) {
    const shown = found[2] === "gcm" ? `id-aes${found[1]}-gcm` : name;
    info = { mode: found[2], name: shown, nid: mode.nids[SIZES.indexOf(Number(found[1]))], blockSize: mode.block };
    if (mode.iv) info.ivLength = found[2] === "gcm" ? (ivLength ?? mode.iv) : mode.iv;
    info.keyLength = Number(found[1]) / 8;
    if (found[2] !== "gcm" && ivLength !== undefined && ivLength !== (mode.iv ?? 0)) return undefined;
  } else return undefined;
  return keyLength !== undefined && keyLength !== info.keyLength ? undefined : info;
}

const TAGS = [4, 8, 12, 13, 14, 15, 16];
const state = (what?: string) => codeError("ERR_CRYPTO_INVALID_STATE", what ? `Invalid state for operation ${what}` : "Invalid state");

interface Cipher extends Transform {}

class Cipher {
  #state: any;
  #decrypt: boolean;
  #authenticated: boolean;
  #done = false;
  #started = false;
  #hasTag = false;
  #tagLength: number;
  /** The only length that a tag may have, where the program or the cipher says so. */
  #onlyLength: number | undefined;
  #decoder: any;

  constructor(name: any, key: any, iv: any, options: any, decrypt: boolean) {
    validateString(name, "cipher");
    const secret = keyBytes(key, "key", options?.encoding);
    if (iv !== null && typeof iv !== "string" && !isBytes(iv)) {
      throw invalidArgType("iv", ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"], iv);
    }
    const plain = canonical(name);
    this.#authenticated = plain.endsWith("gcm") || plain.startsWith("chacha");
    this.#onlyLength = options?.authTagLength ?? (plain.startsWith("chacha") ? 16 : undefined);
    this.#tagLength = this.#onlyLength ?? 16;
    if (this.#authenticated && !TAGS.includes(this.#tagLength)) {
      throw codeTypeError("ERR_CRYPTO_INVALID_AUTH_TAG", `Invalid authentication tag length: ${this.#tagLength}`);
    }
    this.#decrypt = decrypt;
    const vector = iv === null ? new Uint8Array(0) : bytesOf(iv, "iv");
    this.#state = ops.cryptoCipher(plain, secret, vector, decrypt, this.#tagLength);
    setStreamOptions(this, options);
  }

  #text(bytes: Uint8Array, encoding: any, last: boolean): any {
    if (!encoding || encoding === "buffer") return output(bytes);
    this.#decoder ??= new (loadDecoder().StringDecoder)(encoding);
    return last ? this.#decoder.end(output(bytes)) : this.#decoder.write(output(bytes));
  }

  update(data: any, inputEncoding?: string, outputEncoding?: string): any {
    const bytes = chunkOf(data, inputEncoding);
    if (this.#done) throw new Error("Trying to add data in unsupported state");
    this.#started = true;
    return this.#text(this.#state.update(bytes), outputEncoding, false);
  }

  final(outputEncoding?: string): any {
    if (this.#done) throw state();
    this.#done = true;
    return this.#text(this.#state.final(), outputEncoding, true);
  }

  setAutoPadding(on: boolean = true): this {
    if (this.#done) throw state("setAutoPadding");
    this.#state.setAutoPadding(Boolean(on));
    return this;
  }

  getAuthTag(): any {
    if (!this.#done || this.#decrypt || !this.#authenticated) throw state("getAuthTag");
    return output(this.#state.getAuthTag());
  }

  setAuthTag(tag: any, encoding?: string): this {
    const bytes = bytesOf(tag, "buffer", encoding);
    if (!this.#authenticated || !this.#decrypt || this.#done || this.#hasTag) throw state("setAuthTag");
    if (!TAGS.includes(bytes.length) || bytes.length !== (this.#onlyLength ?? bytes.length)) {
      throw codeTypeError("ERR_CRYPTO_INVALID_AUTH_TAG", `Invalid authentication tag length: ${bytes.length}`);
    }
    this.#hasTag = true;
    this.#state.setAuthTag(bytes);
    return this;
  }

  setAAD(data: any, options?: any): this {
    const bytes = bytesOf(data, "aadbuf", options?.encoding);
    if (!this.#authenticated || this.#done || this.#started) throw state("setAAD");
    this.#state.setAAD(bytes);
    return this;
  }

  _transform(chunk: any, encoding: string, callback: (error?: any) => void): void {
    (this as any).push(this.update(chunk, encoding));
    callback();
  }

  _flush(callback: (error?: any) => void): void {
    try {
      (this as any).push(this.final());
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }
}
lazyTransform(Cipher);

export class Cipheriv extends Cipher {
  constructor(name: string, key: unknown, iv: unknown, options?: unknown) {
    super(name, key, iv, options, false);
  }
}

export class Decipheriv extends Cipher {
  constructor(name: string, key: unknown, iv: unknown, options?: unknown) {
    super(name, key, iv, options, true);
  }
}

export function createCipheriv(name: string, key: unknown, iv: unknown, options?: unknown): Cipheriv {
  return new Cipheriv(name, key, iv, options);
}

export function createDecipheriv(name: string, key: unknown, iv: unknown, options?: unknown): Decipheriv {
  return new Decipheriv(name, key, iv, options);
}
