import assert from "node:assert/strict";
import { StringDecoder } from "node:string_decoder";
import { test } from "node:test";

function pieces(encoding: string, ...chunks: number[][]): string[] {
  const decoder = new StringDecoder(encoding as any);
  return [...chunks.map((chunk) => decoder.write(Buffer.from(chunk))), decoder.end()];
}

test("characters are never cut", () => {
  assert.deepEqual(pieces("utf8", [0xe2], [0x82], [0xac, 0x41]), ["", "", "€A", ""]);
  assert.deepEqual(pieces("utf8", [0xf0, 0x9f, 0x98], [0x80, 0xc3], [0xa9]), ["", "😀", "é", ""]);
  assert.deepEqual(pieces("utf16le", [0x41], [0, 0x3d, 0xd8], [0, 0xde]), ["", "A", "😀", ""]);
  assert.deepEqual(pieces("base64", [1], [2, 3, 4]), ["", "AQID", "BA=="]);
  assert.deepEqual(pieces("hex", [1], [0xff]), ["01", "ff", ""]);
  assert.deepEqual(pieces("latin1", [0xe9], [0x41]), ["é", "A", ""]);
});

test("what stays incomplete shows at the end", () => {
  assert.deepEqual(pieces("utf8", [0x41, 0xe2, 0x82]), ["A", "\ufffd"]);
  assert.deepEqual(pieces("utf8", [0xe2], [0x41]), ["", "\ufffdA", ""]);
  assert.deepEqual(pieces("utf8", [0xff, 0x42]), ["\ufffdB", ""]);
});

test("arguments", () => {
  assert.equal(new StringDecoder().encoding, "utf8");
  assert.equal(new StringDecoder("UCS2" as any).encoding, "utf16le");
  assert.equal(new StringDecoder("utf8").write("text" as any), "text");
  assert.throws(() => new StringDecoder("nope" as any), { code: "ERR_UNKNOWN_ENCODING" });
  assert.throws(() => new StringDecoder().write(null as any), { code: "ERR_INVALID_ARG_TYPE" });
});
