/** Bodies of requests and responses. */

import { lazyModule } from "../lazy.ts";
import { kWebDisturbed } from "../streams/common.ts";
import { TextDecoder, TextEncoder } from "../../web/encoding.ts";

const loadStreams = lazyModule("web/streams.ts");
const loadBlob = lazyModule("web/blob.ts");
const loadForm = lazyModule("web/formdata.ts");
const loadUrl = lazyModule("web/url.ts");

/** A body that has not been read: bytes, a blob or a stream. The stream over bytes is only made when asked for. */
export class Body {
  bytes: Uint8Array | undefined;
  blob: any;
  stream: any;
  /** The type that comes with this kind of body. */
  type: string | undefined;
  used = false;

  constructor(init: { bytes?: Uint8Array; blob?: any; stream?: any; type?: string | undefined }) {
    this.bytes = init.bytes;
    this.blob = init.blob;
    this.stream = init.stream;
    this.type = init.type;
  }

  /** The number of bytes, when it is known. */
  get length(): number | undefined {
    return this.bytes?.byteLength ?? this.blob?.size;
  }

  get isUnusable(): boolean {
    return this.used || Boolean(this.stream && (this.stream.locked || this.stream[kWebDisturbed]?.()));
  }

  get wasRead(): boolean {
    return this.used || Boolean(this.stream?.[kWebDisturbed]?.());
  }

  /** The body as a `ReadableStream`. */
  open(): any {
    if (this.stream) return this.stream;
    const { ReadableStream } = loadStreams();
    if (this.blob) {
      this.stream = this.blob.stream();
    } else {
      const { bytes } = this;
      this.stream = new ReadableStream({
        type: "bytes",
        pull(controller: any) {
          if (bytes?.byteLength) controller.enqueue(bytes.slice());
          controller.close();
          controller.byobRequest?.respond(0);
        },
      });
    }
    if (this.used) void this.stream.cancel();
    return this.stream;
  }

  /** Everything, as bytes that belong to the caller. */
  async consume(): Promise<Uint8Array> {
    if (this.isUnusable) throw new TypeError("Body is unusable: Body has already been read");
    if (!this.stream) {
      this.used = true;
      return this.blob ? this.blob.bytes() : this.bytes!.slice();
    }
    const reader = this.stream.getReader();
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      if (!(value instanceof Uint8Array)) throw new TypeError("Received non-Uint8Array chunk");
      chunks.push(value);
      size += value.byteLength;
    }
    if (chunks.length === 1 && chunks[0]!.byteLength === chunks[0]!.buffer.byteLength) return chunks[0]!;
    const all = new Uint8Array(size);
    let at = 0;
    for (const chunk of chunks) {
      all.set(chunk, at);
      at += chunk.byteLength;
    }
    return all;
  }

  /** Moves the contents to a new body; this one counts as read. */
  take(): Body {
    const moved = new Body(this as any);
    this.used = true;
    this.stream = undefined;
    return moved;
  }

  /** A second body with the same contents. */
  clone(): Body {
    const { bytes, blob, type } = this;
    if (!this.stream) return new Body({ bytes: bytes!, blob, type });
    const [first, second] = this.stream.tee();
    this.stream = first;
    return new Body({ stream: second, type });
  }
}

/** The body that `init` stands for. */
export function bodyOf(init: any): Body {
  if (typeof init === "string") {
    return new Body({ bytes: new TextEncoder().encode(init), type: "text/plain;charset=UTF-8" });
  }
  if (init instanceof ArrayBuffer) return new Body({ bytes: new Uint8Array(init.slice(0)) });
  if (ArrayBuffer.isView(init)) {
    return new Body({ bytes: new Uint8Array(init.buffer, init.byteOffset, init.byteLength).slice() });
  }
  if (init !== null && typeof init === "object") {
    if (init instanceof loadUrl().URLSearchParams) {
      return new Body({
        bytes: new TextEncoder().encode(String(init)),
        type: "application/x-www-form-urlencoded;charset=UTF-8",
      });
    }
    const { Blob } = loadBlob();
    if (init instanceof Blob) return new Body({ blob: init, type: init.type || undefined });
    if (init instanceof loadForm().FormData) {
      const { blob, type } = loadForm().encodeMultipart(init);
      return new Body({ blob, type });
    }
    const { ReadableStream } = loadStreams();
    if (init instanceof ReadableStream) {
      if (init.locked || init[kWebDisturbed]()) {
        throw new TypeError("Response body object should not be disturbed or locked");
      }
      return new Body({ stream: init });
    }
    if (typeof init[Symbol.asyncIterator] === "function") return new Body({ stream: ReadableStream.from(bytesOnly(init)) });
  }
  return new Body({ bytes: new TextEncoder().encode(String(init)), type: "text/plain;charset=UTF-8" });
}

async function* bytesOnly(source: AsyncIterable<any>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    if (typeof chunk === "string") yield new TextEncoder().encode(chunk);
    else if (chunk instanceof ArrayBuffer) yield new Uint8Array(chunk);
    else yield new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}

/** What requests and responses share. */
export interface WithBody {
  readonly body: ReadableStream | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array>;
  formData(): Promise<FormData>;
  json(): Promise<any>;
  text(): Promise<string>;
}

/** The methods that requests and responses share; `get` gives their inner state. */
export function mixIn(Class: any, get: (object: any) => { body: Body | null; headers: any }): void {
  const read = async (object: any): Promise<Uint8Array> => {
    const { body } = get(object);
    return body ? body.consume() : new Uint8Array(0);
  };
  const define = (name: string, value: any) => {
    Object.defineProperty(Class.prototype, name, { value, writable: true, enumerable: true, configurable: true });
  };
  define("arrayBuffer", async function arrayBuffer(this: any) {
    return (await read(this)).buffer;
  });
  define("bytes", async function bytes(this: any) {
    return read(this);
  });
  define("text", async function text(this: any) {
    return new TextDecoder().decode(await read(this));
  });
  define("json", async function json(this: any) {
    return JSON.parse(new TextDecoder().decode(await read(this)));
  });
  define("blob", async function blob(this: any) {
    const type = get(this).headers.get("content-type") ?? "";
    return new (loadBlob().Blob)([await read(this)], { type });
  });
  define("formData", async function formData(this: any) {
    return decodeForm(await read(this), get(this).headers.get("content-type") ?? "");
  });
  Object.defineProperty(Class.prototype, "body", {
    configurable: true,
    enumerable: true,
    get(this: any) {
      return get(this).body?.open() ?? null;
    },
  });
  Object.defineProperty(Class.prototype, "bodyUsed", {
    configurable: true,
    enumerable: true,
    get(this: any) {
      return get(this).body?.wasRead ?? false;
    },
  });
}

function decodeForm(bytes: Uint8Array, type: string): any {
  const [essence = ""] = type.split(";");
  switch (essence.trim().toLowerCase()) {
    case "multipart/form-data": {
      const boundary = /;\s*boundary=(?:"([^"]*)"|([^;]*))/i.exec(type);
      if (!boundary) throw new TypeError("Failed to parse body as FormData.");
      return loadForm().decodeMultipart(bytes, (boundary[1] ?? boundary[2]!).trim());
    }
    case "application/x-www-form-urlencoded": {
      const form = new (loadForm().FormData)();
      for (const [name, value] of new (loadUrl().URLSearchParams)(new TextDecoder().decode(bytes))) form.append(name, value);
      return form;
    }
  }
  throw new TypeError(
    'Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".',
  );
}
