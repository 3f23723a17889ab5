/** `node:stream/consumers`: a whole stream as one value. */

import { lazyModule } from "../../internal/lazy.ts";

const loadBuffer = lazyModule("node/buffer.ts");
const loadBlob = lazyModule("web/blob.ts");
const loadEncoding = lazyModule("web/encoding.ts");

async function chunksOf(stream: any): Promise<any[]> {
  const chunks: any[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

export async function blob(stream: unknown): Promise<any> {
  return new (loadBlob().Blob)(await chunksOf(stream));
}

export async function buffer(stream: unknown): Promise<any> {
  const { Buffer } = loadBuffer();
  return Buffer.concat((await chunksOf(stream)).map((chunk) => Buffer.from(chunk)));
}

export async function arrayBuffer(stream: unknown): Promise<ArrayBuffer> {
  const bytes = await buffer(stream);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

export async function bytes(stream: unknown): Promise<Uint8Array> {
  return new Uint8Array(await arrayBuffer(stream));
}

export async function text(stream: any): Promise<string> {
  const decoder = new (loadEncoding().TextDecoder)();
  let result = "";
  for await (const chunk of stream) {
    result += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
  }
  return result + decoder.decode();
}

export async function json(stream: unknown): Promise<any> {
  return JSON.parse(await text(stream));
}

export default { arrayBuffer, blob, buffer, bytes, json, text };
