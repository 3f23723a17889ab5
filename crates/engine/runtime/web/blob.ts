/** The globals `Blob` and `File`, and the registry of `blob:` URLs. */

import { invalidArgType, invalidArgValue, missingArgs } from "../internal/errors.ts";
import { lazyModule } from "../internal/lazy.ts";
import { kClone, kInspect } from "../internal/symbols.ts";
import { TextDecoder, TextEncoder } from "./encoding.ts";

const loadStreams = lazyModule("web/streams.ts");

/** Chunks are never changed after a blob has taken them, so slices share them. */
let chunksOf: (blob: Blob) => Uint8Array[];
const kParts = Symbol("parts");

export class Blob {
  #chunks: Uint8Array[] = [];
  #size = 0;
  #type = "";

  static {
    chunksOf = (blob) => blob.#chunks;
  }

  constructor(parts: Iterable<any> = [], options: { type?: string; endings?: string } = {}) {
    if (parts === null || typeof parts !== "object" || typeof parts[Symbol.iterator] !== "function") {
      throw invalidArgType("sources", "a sequence", parts);
    }
    if (options !== null && typeof options !== "object") throw invalidArgType("options", "object", options);
    const type = `${options?.type ?? ""}`;
    this.#type = /^[\x20-\x7e]*$/.test(type) ? type.toLowerCase() : "";
    const endings = options?.endings ?? "transparent";
    if (endings !== "transparent" && endings !== "native") {
      throw invalidArgValue("options.endings", endings);
    }
    if ((options as any)?.[kParts]) {
      this.#chunks = parts as Uint8Array[];
    } else {
      for (const part of parts) {
        const chunks = part instanceof Blob ? part.#chunks : [bytesOf(part, endings === "native")];
        for (const chunk of chunks) if (chunk.byteLength > 0) this.#chunks.push(chunk);
      }
    }
    for (const chunk of this.#chunks) this.#size += chunk.byteLength;
  }

  get size(): number {
    return this.#size;
  }

  get type(): string {
    return this.#type;
  }

  slice(start = 0, end = this.#size, type = ""): Blob {
    const from = clamp(start, this.#size);
    const to = Math.max(from, clamp(end, this.#size));
    const parts: Uint8Array[] = [];
    let at = 0;
    for (const chunk of this.#chunks) {
      const first = Math.max(from - at, 0);
      const last = Math.min(to - at, chunk.byteLength);
      if (first < last) parts.push(chunk.subarray(first, last));
      at += chunk.byteLength;
    }
    return new Blob(parts, { type, [kParts]: true } as any);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer as ArrayBuffer;
  }

  async bytes(): Promise<Uint8Array> {
    const result = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#chunks) {
      result.set(chunk, at);
      at += chunk.byteLength;
    }
    return result;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  stream(): any {
    const { ReadableStream } = loadStreams();
    const chunks = this.#chunks;
    let index = 0;
    let offset = 0;
    return new ReadableStream({
      type: "bytes",
      pull(controller: any) {
        const chunk = chunks[index];
        if (chunk === undefined) {
          controller.close();
          controller.byobRequest?.respond(0);
          return;
        }
        const piece = chunk.slice(offset, offset + 65536);
        offset += piece.byteLength;
        if (offset >= chunk.byteLength) {
          index += 1;
          offset = 0;
        }
        controller.enqueue(piece);
      },
    });
  }

  [kClone](): Blob {
    return new Blob(this.#chunks, { type: this.#type, [kParts]: true } as any);
  }

  [kInspect](): string {
    return `Blob { size: ${this.size}, type: '${this.type}' }`;
  }
}
Object.defineProperty(Blob.prototype, Symbol.toStringTag, { value: "Blob", configurable: true });

function clamp(position: number, size: number): number {
  const number = Math.trunc(Number(position)) || 0;
  return number < 0 ? Math.max(size + number, 0) : Math.min(number, size);
}

function bytesOf(part: any, nativeEndings: boolean): Uint8Array {
  if (part instanceof ArrayBuffer) return new Uint8Array(part.slice(0));
  if (ArrayBuffer.isView(part)) {
    return new Uint8Array(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength) as ArrayBuffer);
  }
  let text = `${part}`;
  if (nativeEndings) text = text.replace(/\r\n|\r/g, "\n");
  return new TextEncoder().encode(text);
}

export class File extends Blob {
  #name: string;
  #lastModified: number;

  constructor(parts: Iterable<any>, name: string, options: { type?: string; lastModified?: number; endings?: string } = {}) {
    if (arguments.length < 2) throw missingArgs("fileBits", "fileName");
    super(parts, options);
    this.#name = `${name}`;
    const modified = options?.lastModified;
    this.#lastModified = modified === undefined ? Date.now() : Math.trunc(Number(modified)) || 0;
  }

  get name(): string {
    return this.#name;
  }

  get lastModified(): number {
    return this.#lastModified;
  }

  get webkitRelativePath(): string {
    return "";
  }

  override [kClone](): File {
    const { type, lastModified } = this;
    return new File(chunksOf(this), this.#name, { type, lastModified, [kParts]: true } as any);
  }

  override [kInspect](): string {
    return `File { size: ${this.size}, type: '${this.type}', name: '${this.name}', lastModified: ${this.lastModified} }`;
  }
}
Object.defineProperty(File.prototype, Symbol.toStringTag, { value: "File", configurable: true });

/** A file named `name` over the contents of `blob`. */
export function fileOf(blob: Blob, name: string): File {
  const lastModified = blob instanceof File ? blob.lastModified : Date.now();
  return new File(chunksOf(blob), name, { type: blob.type, lastModified, [kParts]: true } as any);
}

// `blob:` URLs

const registry = new Map<string, Blob>();

/** `URL.createObjectURL`. */
export function createObjectURL(blob: Blob): string {
  if (!(blob instanceof Blob)) throw invalidArgType("obj", "Blob", blob);
  const url = `blob:nodedata:${(globalThis as any).crypto.randomUUID()}`;
  registry.set(url, blob);
  return url;
}

/** `URL.revokeObjectURL`. */
export function revokeObjectURL(url: string): void {
  registry.delete(`${url}`);
}

/** The blob behind a `blob:` URL; `resolveObjectURL` of `node:buffer`. */
export function resolveObjectURL(url: string): Blob | undefined {
  return registry.get(`${url}`);
}
