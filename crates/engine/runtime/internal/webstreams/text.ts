/** `TextEncoderStream` and `TextDecoderStream`. */

import { lazyModule } from "../lazy.ts";
import { tag } from "./common.ts";
import type { ReadableStream } from "./readable.ts";
import { TransformStream } from "./transform.ts";
import type { WritableStream } from "./writable.ts";

const loadEncoding = lazyModule("web/encoding.ts");

export class TextEncoderStream {
  #transform: TransformStream;

  constructor() {
    const encoder = new (loadEncoding().TextEncoder)();
    // The first half of a character whose second half comes with the next chunk.
    let pending = "";
    this.#transform = new TransformStream({
      transform(chunk: unknown, controller: any) {
        let text = pending + String(chunk);
        pending = "";
        const last = text.charCodeAt(text.length - 1);
        if (last >= 0xd800 && last <= 0xdbff) {
          pending = text.slice(-1);
          text = text.slice(0, -1);
        }
        if (text !== "") controller.enqueue(encoder.encode(text));
      },
      flush(controller: any) {
        if (pending) controller.enqueue(new Uint8Array([0xef, 0xbf, 0xbd]));
      },
    });
  }

  get encoding(): string {
    return "utf-8";
  }
  get readable(): ReadableStream {
    return this.#transform.readable;
  }
  get writable(): WritableStream {
    return this.#transform.writable;
  }
}
tag(TextEncoderStream, "TextEncoderStream");

export class TextDecoderStream {
  #decoder: any;
  #transform: TransformStream;

  constructor(encoding = "utf-8", options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    const decoder = (this.#decoder = new (loadEncoding().TextDecoder)(encoding, options));
    this.#transform = new TransformStream({
      transform(chunk: unknown, controller: any) {
        const text = decoder.decode(chunk, { stream: true });
        if (text !== "") controller.enqueue(text);
      },
      flush(controller: any) {
        const text = decoder.decode();
        if (text !== "") controller.enqueue(text);
      },
    });
  }

  get encoding(): string {
    return this.#decoder.encoding;
  }
  get fatal(): boolean {
    return this.#decoder.fatal;
  }
  get ignoreBOM(): boolean {
    return this.#decoder.ignoreBOM;
  }
  get readable(): ReadableStream {
    return this.#transform.readable;
  }
  get writable(): WritableStream {
    return this.#transform.writable;
  }
}
tag(TextDecoderStream, "TextDecoderStream");
