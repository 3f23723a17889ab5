import assert from "node:assert/strict";
import buffer, { Blob as NamedBlob, Buffer as FromModule, constants, isAscii, isUtf8, transcode } from "node:buffer";
import { test } from "node:test";

test("text in every encoding", () => {
  const text = "zwölf €😀";
  const expected: Record<string, string> = {
    utf8: "7a77c3b66c6620e282acf09f9880",
    utf16le: "7a007700f6006c0066002000ac203dd800de",
    ucs2: "7a007700f6006c0066002000ac203dd800de",
    latin1: "7a77f66c6620ac3d00",
    binary: "7a77f66c6620ac3d00",
    ascii: "7a77f66c6620ac3d00",
  };
  for (const [encoding, hex] of Object.entries(expected)) {
    assert.equal(Buffer.from(text, encoding as any).toString("hex"), hex, encoding);
    assert.equal(Buffer.byteLength(text, encoding as any), hex.length / 2, encoding);
  }
  assert.equal(Buffer.from("UTF", "UTF-16LE" as any).toString("ucs-2" as any), "UTF");
  assert.equal(Buffer.from([0xe9, 0x41]).toString("latin1"), "éA");
  assert.equal(Buffer.from([0xe9, 0x41]).toString("ascii"), "iA");
  assert.equal(Buffer.from("\ud800x").toString("hex"), "efbfbd78");
  assert.equal(Buffer.from([0xff, 0x41, 0xe2, 0x82]).toString(), "\ufffdA\ufffd");
  assert.throws(() => Buffer.from("x", "nope" as any), { code: "ERR_UNKNOWN_ENCODING", message: "Unknown encoding: nope" });
});

test("base64, base64url and hex are read leniently", () => {
  assert.equal(Buffer.from("aGVsbG8=", "base64").toString(), "hello");
  assert.equal(Buffer.from("aGVs bG8", "base64").toString(), "hello");
  assert.equal(Buffer.from([0xfb, 0xff, 0xfe]).toString("base64"), "+//+");
  assert.equal(Buffer.from([0xfb, 0xff, 0xfe, 1]).toString("base64url"), "-__-AQ");
  assert.deepEqual(Buffer.from("-__-AQ", "base64"), Buffer.from("+//+AQ==", "base64url"));
  assert.equal(Buffer.from("00fFg1", "hex").toString("hex"), "00ff");
  assert.equal(Buffer.from("abc", "hex").length, 1);
  assert.equal(Buffer.byteLength("aGVsbG8=", "base64"), 5);
});

test("making Buffers", () => {
  assert.deepEqual([...Buffer.from([257, -1, 1.9, "7" as any, "x" as any])], [1, 255, 1, 7, 0]);
  const memory = new ArrayBuffer(4);
  const shared = Buffer.from(memory, 1, 2);
  shared[0] = 9;
  assert.deepEqual([...new Uint8Array(memory)], [0, 9, 0, 0]);
  const copy = Buffer.from(new Uint8Array(memory));
  copy[1] = 1;
  assert.equal(new Uint8Array(memory)[1], 9);
  assert.deepEqual(Buffer.from(JSON.parse(JSON.stringify(Buffer.from("hi")))), Buffer.from("hi"));
  assert.deepEqual(Buffer.from(new String("abc") as any), Buffer.from("abc"));
  assert.deepEqual(Buffer.alloc(5, "ab"), Buffer.from("ababa"));
  assert.deepEqual(Buffer.alloc(3), Buffer.from([0, 0, 0]));
  assert.deepEqual(Buffer.of(1, 2), Buffer.from([1, 2]));
  assert.equal(Buffer.allocUnsafe(7).length, 7);
  assert.deepEqual(Buffer.concat([Buffer.from("ab"), new Uint8Array([99])]), Buffer.from("abc"));
  assert.deepEqual(Buffer.concat([Buffer.from("abcd")], 2), Buffer.from("ab"));
  assert.throws(() => Buffer.from(5 as any), {
    name: "TypeError",
    code: "ERR_INVALID_ARG_TYPE",
    message:
      "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received type number (5)",
  });
  assert.throws(() => Buffer.alloc(-1), { name: "RangeError", code: "ERR_OUT_OF_RANGE" });
  assert.throws(() => Buffer.from(memory, 5), { code: "ERR_BUFFER_OUT_OF_BOUNDS" });
});

test("a Buffer is a Uint8Array and its parts share memory", () => {
  const all = Buffer.from("buffer");
  const part = all.subarray(1, -1);
  assert.equal(part.toString(), "uffe");
  part[0] = 0x55;
  assert.equal(all.toString(), "bUffer");
  assert.ok(Buffer.isBuffer(all.slice(2)) && all.slice(2).buffer === all.buffer);
  assert.ok(all instanceof Uint8Array && Buffer.isBuffer(all.map((byte) => byte)));
  assert.ok(!Buffer.isBuffer(new Uint8Array(1)));
  assert.equal(Object.prototype.toString.call(all), "[object Uint8Array]");
  assert.equal(`${all}`, "bUffer");
  assert.equal(JSON.stringify(Buffer.from([1])), '{"type":"Buffer","data":[1]}');
  assert.equal(FromModule, Buffer);
});

test("numbers", () => {
  const bytes = Buffer.from([0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88]);
  assert.deepEqual(
    [
      bytes.readUInt8(1), bytes.readInt8(1), bytes.readUInt16LE(0), bytes.readInt16BE(1), bytes.readUInt32BE(1),
      bytes.readInt32LE(0), bytes.readUIntBE(0, 3), bytes.readIntLE(1, 6), bytes.readUintLE(2, 5),
    ],
    [0x82, -126, 0x8201, -32253, 0x82038405, -2080144895, 0x018203, 8272199549826, 32_313_279_491],
  );
  assert.equal(bytes.readBigUInt64BE(), 0x0182038405860788n);
  assert.equal(bytes.readBigInt64LE(), -8644793601466596863n);
  assert.equal(bytes.readDoubleLE(), -5.5659107458502035e-270);
  assert.equal(Buffer.from("3fc00000", "hex").readFloatBE(), 1.5);
  const out = Buffer.alloc(8);
  assert.equal(out.writeUInt16BE(0xabcd, 1), 3);
  out.writeInt8(-2, 0);
  out.writeIntLE(-5, 3, 3);
  out.writeUInt16LE(513, 6);
  assert.equal(out.toString("hex"), "feabcdfbffff0102");
  out.writeDoubleBE(Math.PI);
  assert.equal(out.readDoubleBE(), Math.PI);
  out.writeFloatLE(0.5, 4);
  assert.equal(out.readFloatLE(4), 0.5);
  out.writeBigInt64BE(-2n);
  assert.equal(out.readBigUInt64BE(), 2n ** 64n - 2n);
  assert.throws(() => bytes.readUInt32LE(5), {
    code: "ERR_OUT_OF_RANGE",
    message: 'The value of "offset" is out of range. It must be >= 0 and <= 4. Received 5',
  });
  assert.throws(() => out.writeUInt8(256), { message: 'The value of "value" is out of range. It must be >= 0 and <= 255. Received 256' });
  assert.throws(() => out.writeUIntBE(2 ** 41, 0, 5), { message: /It must be >= 0 and < 2 \*\* 40\. Received 2_199_023_255_552$/ });
  assert.throws(() => Buffer.alloc(1).readInt16LE(0), { code: "ERR_BUFFER_OUT_OF_BOUNDS" });
  assert.throws(() => bytes.readInt8("1" as any), { code: "ERR_INVALID_ARG_TYPE" });
});

test("writing, copying, filling", () => {
  const bytes = Buffer.alloc(6);
  assert.equal(bytes.write("aé😀", 0), 3);
  assert.equal(bytes.toString("hex"), "61c3a9000000");
  assert.equal(bytes.write("zz", 4), 2);
  assert.equal(bytes.write("6162", "hex"), 2);
  assert.equal(bytes.toString("latin1"), "ab\xa9\x00zz");
  const target = Buffer.alloc(4, "-");
  assert.equal(Buffer.from("abcdef").copy(target, 1, 2), 3);
  assert.equal(target.toString(), "-cde");
  assert.equal(Buffer.alloc(5).fill("xyz").toString(), "xyzxy");
  assert.equal(Buffer.alloc(4).fill(0x161, 1, 3).toString("hex"), "00616100");
  assert.equal(Buffer.alloc(4).fill("abcd", "hex").toString("hex"), "abcdabcd");
  assert.equal(Buffer.from([1, 2, 3, 4]).swap16().toString("hex"), "02010403");
  assert.throws(() => Buffer.from([1]).swap16(), { code: "ERR_INVALID_BUFFER_SIZE" });
  assert.throws(() => bytes.write("x", 9), { code: "ERR_OUT_OF_RANGE" });
});

test("searching and comparing", () => {
  const text = Buffer.from("this is a buffer, a buffer");
  assert.deepEqual(
    [
      text.indexOf("buffer"), text.lastIndexOf("buffer"), text.indexOf(Buffer.from("a ")), text.indexOf(97),
      text.indexOf("nope"), text.indexOf("is", 3), text.indexOf("is", -100), text.lastIndexOf("is", 4), text.indexOf(""),
    ],
    [10, 20, 8, 8, -1, 5, 2, 2, 0],
  );
  assert.ok(text.includes("this") && !text.includes("this", 1));
  const wide = Buffer.from("\u039a\u0391\u03a3", "utf16le");
  assert.equal(wide.indexOf("\u0391", 0, "utf16le"), 2);
  assert.deepEqual([Buffer.compare(Buffer.from("a"), Buffer.from("b")), Buffer.from("b").compare(Buffer.from("a"))], [-1, 1]);
  assert.equal(Buffer.from("xabcx").compare(Buffer.from("abc"), 0, 3, 1, 4), 0);
  const long = Buffer.alloc(300, "q");
  assert.ok(long.equals(Buffer.alloc(300, "q")) && !long.equals(Buffer.alloc(301, "q")));
  assert.deepEqual([Buffer.from("b"), Buffer.from("a")].sort(Buffer.compare).join(), "a,b");
});

test("the rest of the module", () => {
  assert.equal(transcode(Buffer.from("€é"), "utf8", "latin1").toString("latin1"), "?é");
  assert.ok(isUtf8(Buffer.from("é")) && !isUtf8(Buffer.from([0xe9])));
  assert.ok(isAscii(Buffer.from("e")) && !isAscii(Buffer.from([0xe9])));
  assert.equal(constants.MAX_LENGTH, buffer.kMaxLength);
  assert.ok(Buffer.isEncoding("UTF-8") && !Buffer.isEncoding("utf/8"));
  assert.ok(NamedBlob === buffer.Blob && NamedBlob === globalThis.Blob);
});

test("atob and btoa", () => {
  assert.equal(btoa("hé\xff"), "aOn/");
  assert.equal(atob(" aO\nn/ "), "hé\xff");
  assert.equal(atob("YQ"), "a");
  assert.throws(() => atob("a"), { name: "InvalidCharacterError", message: "The string to be decoded is not correctly encoded." });
  assert.throws(() => btoa("ā"), { name: "InvalidCharacterError", message: "Invalid character" });
});
