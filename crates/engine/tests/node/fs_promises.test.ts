// node:fs/promises.
import assert from "node:assert";
import { constants, rmSync, mkdtempSync, realpathSync, promises as fromFs } from "node:fs";
import * as fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, test } from "node:test";

let dir = "";
const at = (...names: string[]) => path.join(dir, ...names);

beforeEach(() => {
  dir = realpathSync(mkdtempSync(path.join(os.tmpdir(), "fs-promises-")));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

async function failure(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => assert.fail("nothing was thrown"),
    (error) => error,
  );
}

test("files are written, appended to and read", async () => {
  await fs.writeFile(at("a"), "one");
  await fs.appendFile(at("a"), Buffer.from(" two"));
  assert.strictEqual(await fs.readFile(at("a"), "utf8"), "one two");
  assert.ok(Buffer.isBuffer(await fs.readFile(at("a"))));
  assert.strictEqual(await fs.readFile(at("a"), { encoding: "hex" }), "6f6e652074776f");
});

test("chunks that come over time are written", async () => {
  await fs.writeFile(at("stream"), Readable.from(["a", "b", "c"]));
  assert.strictEqual(await fs.readFile(at("stream"), "utf8"), "abc");
  async function* slow() {
    yield "x";
    await new Promise((resolve) => setTimeout(resolve, 1));
    yield "y";
  }
  await fs.writeFile(at("slow"), slow());
  assert.strictEqual(await fs.readFile(at("slow"), "utf8"), "xy");
});

test("errors reject with Node's fields", async () => {
  const missing = at("missing");
  const { name, code, syscall, path: where, errno, message } = await failure(fs.readFile(missing));
  assert.deepStrictEqual({ name, code, syscall, where, errno, message }, {
    name: "Error", code: "ENOENT", syscall: "open", where: missing, errno: -2,
    message: `ENOENT: no such file or directory, open '${missing}'`,
  });
  const messages = await Promise.all(
    [
      fs.stat(missing), fs.access(missing), fs.readdir(missing), fs.rm(missing), fs.open(missing),
      fs.rename(missing, at("x")), fs.realpath(missing), fs.readFile(dir),
    ].map(async (promise) => (await failure(promise)).message.replaceAll(dir, "DIR")),
  );
  assert.deepStrictEqual(messages, [
    "ENOENT: no such file or directory, stat 'DIR/missing'",
    "ENOENT: no such file or directory, access 'DIR/missing'",
    "ENOENT: no such file or directory, scandir 'DIR/missing'",
    "ENOENT: no such file or directory, lstat 'DIR/missing'",
    "ENOENT: no such file or directory, open 'DIR/missing'",
    "ENOENT: no such file or directory, rename 'DIR/missing' -> 'DIR/x'",
    "ENOENT: no such file or directory, realpath 'DIR/missing'",
    "EISDIR: illegal operation on a directory, read",
  ]);
});

test("wrong arguments reject too", async () => {
  assert.strictEqual((await failure(fs.readFile(undefined as any))).code, "ERR_INVALID_ARG_TYPE");
  assert.strictEqual((await failure(fs.writeFile(at("a"), 5 as any))).code, "ERR_INVALID_ARG_TYPE");
});

test("a signal ends reading and writing", async () => {
  await fs.writeFile(at("a"), "x");
  const aborted = AbortSignal.abort();
  for (const promise of [
    fs.readFile(at("a"), { signal: aborted }),
    fs.writeFile(at("a"), "y", { signal: aborted }),
  ]) {
    const error = await failure(promise);
    assert.deepStrictEqual([error.name, error.code], ["AbortError", "ABORT_ERR"]);
  }
  assert.strictEqual(await fs.readFile(at("a"), "utf8"), "x");
});

test("directories", async () => {
  assert.strictEqual(await fs.mkdir(at("a", "b"), { recursive: true }), at("a"));
  assert.strictEqual(await fs.mkdir(at("a", "b"), { recursive: true }), undefined);
  await fs.writeFile(at("a", "f"), "");
  assert.deepStrictEqual((await fs.readdir(at("a"))).sort(), ["b", "f"]);
  const kinds = (await fs.readdir(at("a"), { withFileTypes: true })).map((entry) => [entry.name, entry.isDirectory()]);
  assert.deepStrictEqual(kinds.sort(), [["b", true], ["f", false]]);
  const made = await fs.mkdtemp(at("t-"));
  assert.strictEqual((await fs.stat(made)).isDirectory(), true);
  await fs.rmdir(made);
  await fs.rm(at("a"), { recursive: true });
  await fs.rm(at("a"), { force: true });
  assert.deepStrictEqual(await fs.readdir(dir), []);
});

test("names, links and metadata", async () => {
  await fs.writeFile(at("a"), "12");
  await fs.symlink("a", at("s"));
  assert.strictEqual(await fs.readlink(at("s")), "a");
  assert.strictEqual(await fs.realpath(at("s")), at("a"));
  assert.strictEqual((await fs.lstat(at("s"))).isSymbolicLink(), true);
  await fs.link(at("a"), at("hard"));
  await fs.copyFile(at("a"), at("copy"));
  await fs.rename(at("copy"), at("moved"));
  assert.strictEqual((await failure(fs.copyFile(at("a"), at("moved"), constants.COPYFILE_EXCL))).code, "EEXIST");
  await fs.chmod(at("a"), 0o600);
  await fs.utimes(at("a"), 10, 20);
  await fs.truncate(at("a"), 1);
  const stats = await fs.stat(at("a"));
  assert.deepStrictEqual([stats.size, stats.mode & 0o777, stats.nlink], [1, 0o600, 2]);
  assert.strictEqual((await fs.stat(at("a"), { bigint: true })).size, 1n);
  assert.strictEqual(await fs.access(at("a"), constants.R_OK), undefined);
  await fs.unlink(at("a"));
  assert.strictEqual((await failure(fs.access(at("a")))).code, "ENOENT");
});

test("copying trees, with a filter that takes its time", async () => {
  await fs.mkdir(at("src", "sub"), { recursive: true });
  await fs.writeFile(at("src", "a"), "a");
  await fs.writeFile(at("src", "sub", "b"), "b");
  await fs.cp(at("src"), at("dst"), { recursive: true, filter: async (from) => !from.endsWith("/a") });
  assert.deepStrictEqual((await fs.readdir(at("dst"), { recursive: true })).sort(), ["sub", "sub/b"]);
  assert.strictEqual((await failure(fs.cp(at("src"), at("x")))).code, "ERR_FS_EISDIR");
});

test("file handles", async () => {
  const handle = await fs.open(at("h"), "w+");
  assert.ok(handle.fd > 2);
  assert.strictEqual((await handle.write("hello ")).bytesWritten, 6);
  const wrote = await handle.write(Buffer.from("world"), 0, 5, null);
  assert.deepStrictEqual([wrote.bytesWritten, wrote.buffer.toString()], [5, "world"]);
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(5), 0, 5, 6);
  assert.deepStrictEqual([bytesRead, buffer.toString()], [5, "world"]);
  assert.strictEqual((await handle.read({ position: 0, length: 2, buffer: Buffer.alloc(2) })).buffer.toString(), "he");
  assert.strictEqual((await handle.stat()).size, 11);
  await handle.truncate(5);
  await handle.chmod(0o600);
  await handle.sync();
  await handle.datasync();
  await handle.utimes(1, 2);
  assert.strictEqual((await handle.writev([Buffer.from("12"), Buffer.from("3")], 0)).bytesWritten, 3);
  await handle.close();
  assert.strictEqual(handle.fd, -1);
  const error = await failure(handle.stat());
  assert.deepStrictEqual([error.code, error.message, error.syscall], ["EBADF", "file closed", "fstat"]);
  assert.strictEqual(await fs.readFile(at("h"), "utf8"), "123lo");
});

test("whole files by handle", async () => {
  const handle = await fs.open(at("w"), "w");
  await handle.writeFile("a");
  await handle.appendFile("b");
  await handle.close();
  const reader = await fs.open(at("w"));
  assert.strictEqual(await reader.readFile("utf8"), "ab");
  await reader.close();
});

test("lines of a handle", async () => {
  await fs.writeFile(at("lines"), "one\ntwo\r\nthree");
  const handle = await fs.open(at("lines"));
  const lines: string[] = [];
  for await (const line of handle.readLines()) lines.push(line);
  assert.deepStrictEqual(lines, ["one", "two", "three"]);
});

test("streams of a handle", async () => {
  const out = (await fs.open(at("s"), "w")).createWriteStream();
  out.end("streamed");
  await new Promise((resolve) => out.on("close", resolve));
  const handle = await fs.open(at("s"));
  const parts: any[] = [];
  for await (const chunk of handle.createReadStream({ start: 2 })) parts.push(chunk);
  assert.strictEqual(Buffer.concat(parts).toString(), "reamed");
  assert.strictEqual(handle.fd, -1);
});

test("a handle closes with its scope", async () => {
  const handle = await fs.open(at("scope"), "w");
  await (handle as any)[Symbol.asyncDispose]();
  assert.strictEqual(handle.fd, -1);
});

test("watching", async () => {
  const controller = new AbortController();
  const seen: string[] = [];
  const ended = failure((async () => {
    for await (const { eventType, filename } of fs.watch(dir, { signal: controller.signal })) {
      seen.push(`${eventType} ${filename}`);
      controller.abort();
    }
  })());
  await new Promise((resolve) => setTimeout(resolve, 50));
  await fs.writeFile(at("new"), "");
  assert.strictEqual((await ended).name, "AbortError");
  assert.deepStrictEqual(seen, ["rename new"]);
});

test("the same functions under both names", () => {
  assert.strictEqual(fromFs.readFile, fs.readFile);
  assert.strictEqual(fs.constants.R_OK, 4);
});
