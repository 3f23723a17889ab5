import { test } from "node:test";
import assert from "node:assert";
import zlib from "node:zlib";
import { promisify } from "node:util";
import { pipeline } from "node:stream/promises";
import { Readable, Writable } from "node:stream";

const text = "The quick brown fox jumps over the lazy dog. ".repeat(200);
const PAIRS = [
  ["deflateSync", "inflateSync"],
  ["gzipSync", "gunzipSync"],
  ["deflateRawSync", "inflateRawSync"],
  ["brotliCompressSync", "brotliDecompressSync"],
  ["gzipSync", "unzipSync"],
  ["deflateSync", "unzipSync"],
] as const;
const code = (name: string) => (error: any) => error.code === name;
// `hello hello hello`, packed by gzip (without and with its name) and by Brotli.
const GZIP = "H4sIAAAAAAAAA8tIzcnJV8hAkFwAO3yK3xIAAAA=";
const GZIP_NAMED = "H4sICDt6AmsAA2dyZWV0aW5nLnR4dADLSM3JyVfIQJBcADt8it8SAAAA";
const BROTLI = "iwiAaGVsbG8gaGVsbG8gaGVsbG8KAw==";

test("whole buffers there and back", () => {
  for (const [there, back] of PAIRS) {
    for (const data of ["", "x", text]) {
      const packed = zlib[there](data);
      assert.ok(Buffer.isBuffer(packed));
      assert.strictEqual(zlib[back](packed).toString(), data, `${there} ${back}`);
    }
    assert.ok(zlib[there](text).length < 300, there);
  }
  assert.strictEqual(zlib.gunzipSync(new Uint8Array(zlib.gzipSync(text)).buffer).toString(), text);
});

test("what others packed", () => {
  assert.strictEqual(zlib.gunzipSync(Buffer.from(GZIP, "base64")).toString(), "hello hello hello\n");
  assert.strictEqual(zlib.inflateSync(Buffer.from("eJzLSM3JyVdIzEtRyM0vSgUA", "base64"), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString().slice(0, 5), "hello");
  assert.strictEqual(zlib.brotliDecompressSync(Buffer.from(BROTLI, "base64")).toString(), "hello hello hello\n");
  const named = Buffer.from(GZIP_NAMED, "base64");
  assert.strictEqual(zlib.gunzipSync(named).toString(), "hello hello hello\n");
  assert.strictEqual(zlib.gunzipSync(Buffer.concat([named, named])).toString(), "hello hello hello\n".repeat(2));
  assert.strictEqual(zlib.gunzipSync(Buffer.concat([named, Buffer.alloc(9)])).toString(), "hello hello hello\n");
  assert.throws(() => zlib.gunzipSync(Buffer.concat([named, Buffer.from("rubbish")])), code("Z_DATA_ERROR"));
});

test("levels", () => {
  const stored = zlib.deflateSync(text, { level: 0 });
  assert.ok(stored.length > text.length);
  assert.ok(zlib.gzipSync(text, { level: 9 }).length <= zlib.gzipSync(text, { level: 1 }).length);
  const quick = zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } });
  assert.strictEqual(zlib.brotliDecompressSync(quick).toString(), text);
  assert.throws(() => zlib.gzipSync("x", { level: 10 }), code("ERR_OUT_OF_RANGE"));
  assert.throws(() => zlib.gzipSync(5 as any), code("ERR_INVALID_ARG_TYPE"));
});

test("callbacks and promises", async () => {
  for (const [there, back] of [["gzip", "gunzip"], ["deflate", "inflate"], ["brotliCompress", "brotliDecompress"]] as const) {
    const packed = await promisify<any, Buffer>(zlib[there])(text);
    assert.strictEqual((await promisify<any, Buffer>(zlib[back])(packed)).toString(), text);
  }
  await assert.rejects(promisify<any, Buffer>(zlib.gunzip)(Buffer.from("not gzip")), code("Z_DATA_ERROR"));
});

test("what is wrong with the data", () => {
  const packed = zlib.gzipSync(text);
  const header = { code: "Z_DATA_ERROR", errno: -3, message: "incorrect header check" };
  assert.throws(() => zlib.gunzipSync(Buffer.from("not gzip")), header);
  assert.throws(() => zlib.inflateSync(Buffer.from("not zlib")), header);
  const end = { code: "Z_BUF_ERROR", errno: -5, message: "unexpected end of file" };
  assert.throws(() => zlib.gunzipSync(packed.subarray(0, 40)), end);
  assert.throws(() => zlib.inflateRawSync(zlib.deflateRawSync(text).subarray(0, 20)), end);
  assert.throws(() => zlib.brotliDecompressSync(zlib.brotliCompressSync(text).subarray(0, 20)), code("Z_BUF_ERROR"));
  assert.throws(() => zlib.brotliDecompressSync(Buffer.alloc(20, 255)));
  const broken = Buffer.from(packed);
  broken[broken.length - 6] ^= 1;
  assert.throws(() => zlib.gunzipSync(broken), { code: "Z_DATA_ERROR", message: "incorrect data check" });
  const part = zlib.gunzipSync(packed.subarray(0, packed.length - 4), { finishFlush: zlib.constants.Z_SYNC_FLUSH });
  assert.strictEqual(part.toString(), text);
  assert.throws(() => zlib.gunzipSync(packed, { maxOutputLength: 100 }), code("ERR_BUFFER_TOO_LARGE"));
});

async function read(stream: any): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

test("streams", async () => {
  for (const [there, back] of [
    ["createGzip", "createGunzip"],
    ["createDeflate", "createInflate"],
    ["createDeflateRaw", "createInflateRaw"],
    ["createBrotliCompress", "createBrotliDecompress"],
    ["createGzip", "createUnzip"],
  ] as const) {
    const big = Buffer.from(text.repeat(20));
    const pieces = function* () {
      for (let at = 0; at < big.length; at += 1000) yield big.subarray(at, at + 1000);
    };
    const unpack = zlib[back]();
    const [whole] = await Promise.all([read(unpack), pipeline(Readable.from(pieces()), zlib[there](), unpack)]);
    assert.ok(whole.equals(big), there);
  }
});

test("a stream gives what it has on a flush", async () => {
  for (const create of ["createGzip", "createBrotliCompress"] as const) {
    const packer = zlib[create]();
    const unpacker = create === "createGzip" ? zlib.createGunzip() : zlib.createBrotliDecompress();
    packer.pipe(unpacker);
    packer.write("first ");
    await new Promise<void>((done) => packer.flush(() => done()));
    const [chunk] = await new Promise<any[]>((done) => unpacker.once("data", (...all) => done(all)));
    assert.strictEqual(chunk.toString(), "first ");
    packer.end("last");
    assert.strictEqual((await read(unpacker)).toString(), "last");
  }
});

test("errors of streams", async () => {
  const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  await assert.rejects(pipeline(Readable.from([Buffer.from("not gzip")]), zlib.createGunzip(), sink()), code("Z_DATA_ERROR"));
  const cut = zlib.gzipSync(text).subarray(0, 30);
  await assert.rejects(pipeline(Readable.from([cut]), zlib.createGunzip(), sink()), code("Z_BUF_ERROR"));
  const stream = zlib.createGzip();
  stream.write("abc");
  assert.strictEqual(await new Promise((done) => stream.flush(() => done(stream.bytesWritten))), 3);
  await new Promise<void>((done) => stream.close(() => done()));
  assert.ok(stream.destroyed);
});

test("checksums and constants", () => {
  assert.strictEqual(zlib.crc32("hello"), 0x3610a686);
  assert.strictEqual(zlib.crc32("lo", zlib.crc32("hel")), 0x3610a686);
  assert.strictEqual(zlib.constants.Z_BEST_COMPRESSION, 9);
  assert.deepStrictEqual([(zlib as any).Z_BEST_SPEED, Object.keys(zlib).includes("Z_BEST_SPEED")], [1, false]);
  assert.strictEqual(zlib.codes.Z_DATA_ERROR, -3);
  assert.strictEqual(zlib.codes["-3"], "Z_DATA_ERROR");
});
