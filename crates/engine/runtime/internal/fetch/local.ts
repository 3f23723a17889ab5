/** Responses that need no network: `data:` and `blob:` URLs. */

import { lazyModule } from "../lazy.ts";
import { TextEncoder } from "../../web/encoding.ts";
import { Body } from "./body.ts";
import { freeze, Headers } from "./headers.ts";
import { createResponse, type Response } from "./response.ts";

const loadBlob = lazyModule("web/blob.ts");

function answer(url: string, body: Body, type: string, headers: Record<string, string> = {}): Response {
  return createResponse({
    type: "basic",
    url,
    redirected: false,
    status: 200,
    statusText: "OK",
    headers: freeze(new Headers({ ...headers, "content-type": type })),
    body,
  });
}

/** The contents of a `data:` URL. Throws when it is malformed. */
export function fetchData(url: string): Response {
  const comma = url.indexOf(",");
  if (comma < 0) throw new Error("invalid data URL");
  let type = url.slice(5, comma).trim();
  const encoded = url.slice(comma + 1).replace(/#.*$/s, "");
  let bytes = percentDecode(encoded);
  if (/; *base64$/i.test(type)) {
    type = type.replace(/; *base64$/i, "").trim();
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("").replace(/[\t\n\f\r ]/g, "");
    bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  }
  if (type.startsWith(";")) type = `text/plain${type}`;
  if (!/^[^/\s;]+\/[^/\s;]+/.test(type)) type = "text/plain;charset=US-ASCII";
  return answer(url, new Body({ bytes }), type);
}

function percentDecode(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const result: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const hex = bytes[at] === 0x25 ? String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0) : "";
    if (/^[0-9a-f]{2}$/i.test(hex)) {
      result.push(Number.parseInt(hex, 16));
      at += 2;
    } else {
      result.push(bytes[at]!);
    }
  }
  return Uint8Array.from(result);
}

/** The contents of a `blob:` URL. Throws when it is unknown. */
export function fetchBlob(url: string): Response {
  const blob = loadBlob().resolveObjectURL(url);
  if (!blob) throw new Error("invalid blob url");
  return answer(url, new Body({ blob }), blob.type, { "content-length": String(blob.size) });
}
