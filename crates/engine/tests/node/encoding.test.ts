import assert from "node:assert/strict";
import { test } from "node:test";
import { TextDecoder as FromUtil } from "node:util";

test("TextEncoder", () => {
  const encoder = new TextEncoder();
  assert.equal(encoder.encoding, "utf-8");
  assert.deepEqual([...encoder.encode("aé€😀")], [97, 195, 169, 226, 130, 172, 240, 159, 152, 128]);
  assert.deepEqual([...encoder.encode("\ud800")], [239, 191, 189]);
  assert.equal(encoder.encode().length, 0);
  const into = new Uint8Array(6);
  assert.deepEqual(encoder.encodeInto("aé😀b", into), { read: 2, written: 3 });
  assert.deepEqual([...into], [97, 195, 169, 0, 0, 0]);
  assert.deepEqual(encoder.encodeInto("😀b", into), { read: 3, written: 5 });
});

test("TextDecoder reads UTF-8", () => {
  assert.equal(FromUtil, TextDecoder);
  const decoder = new TextDecoder();
  assert.deepEqual([decoder.encoding, decoder.fatal, decoder.ignoreBOM], ["utf-8", false, false]);
  assert.equal(decoder.decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x41, 0xff])), "A\ufffd");
  assert.equal(new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x41])), "\ufeffA");
  assert.equal(decoder.decode(new Uint8Array([0x41, 0x42, 0x43]).buffer), "ABC");
  assert.equal(decoder.decode(new DataView(new Uint8Array([0x41, 0x42]).buffer, 1)), "B");
  assert.equal(decoder.decode(), "");
});

test("a stream keeps unfinished characters", () => {
  const decoder = new TextDecoder();
  const pieces = [[0xe2, 0x82], [0xac, 0xf0], [0x9f, 0x98], [0x80]];
  assert.deepEqual(pieces.map((piece) => decoder.decode(new Uint8Array(piece), { stream: true })), ["", "€", "", "😀"]);
  assert.equal(decoder.decode(new Uint8Array([0xe2]), { stream: true }), "");
  assert.equal(decoder.decode(), "\ufffd");
  assert.equal(decoder.decode(new Uint8Array([0x41])), "A");
});

test("fatal decoders throw", () => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const error = { name: "TypeError", code: "ERR_ENCODING_INVALID_ENCODED_DATA", message: "The encoded data was not valid for encoding utf-8" };
  assert.throws(() => decoder.decode(new Uint8Array([0xff])), error);
  assert.equal(decoder.decode(new Uint8Array([0xc3, 0xa9])), "é");
});

test("other encodings", () => {
  const bytes = (...list: number[]) => new Uint8Array(list);
  assert.equal(new TextDecoder("latin1").encoding, "windows-1252");
  assert.equal(new TextDecoder("latin1").decode(bytes(0xe9, 0x41)), "éA");
  assert.equal(new TextDecoder("utf-16le").decode(bytes(0xff, 0xfe, 0x41, 0, 0x3d, 0xd8, 0, 0xde)), "A😀");
  assert.equal(new TextDecoder("shift_jis").decode(bytes(0x93, 0xfa, 0x96, 0x7b)), "日本");
  const stream = new TextDecoder("euc-jp");
  assert.equal(stream.decode(bytes(0xc6), { stream: true }) + stream.decode(bytes(0xfc)), "日");
  assert.throws(() => new TextDecoder("nope"), {
    name: "RangeError",
    code: "ERR_ENCODING_NOT_SUPPORTED",
    message: 'The "nope" encoding is not supported',
  });
});
