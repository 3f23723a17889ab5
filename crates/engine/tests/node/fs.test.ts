// node:fs: the synchronous forms and those with a callback.
import assert from "node:assert";
import * as fs from "node:fs";
import fsDefault from "node:fs";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

let dir = "";
const at = (...names: string[]) => path.join(dir, ...names);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (condition: () => boolean) => {
  while (!condition()) await pause(5);
};

beforeEach(() => {
  dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "fs-test-")));
});
afterEach(() => {
  fs.rmSync(dir, { recursive: true, force: true });
});

function thrown(work: () => unknown): any {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("text goes to a file and comes back", () => {
  fs.writeFileSync(at("a"), "grüße €");
  assert.strictEqual(fs.readFileSync(at("a"), "utf8"), "grüße €");
  assert.strictEqual(fs.readFileSync(at("a"), { encoding: "utf-8" }), "grüße €");
  assert.deepStrictEqual([...fs.readFileSync(at("a"))].slice(0, 4), [103, 114, 195, 188]);
  assert.ok(Buffer.isBuffer(fs.readFileSync(at("a"))));
  assert.strictEqual(fs.readFileSync(at("a"), "base64"), Buffer.from("grüße €").toString("base64"));
});

test("bytes and encodings are written as asked", () => {
  fs.writeFileSync(at("b"), new Uint8Array([1, 2, 255]));
  assert.deepStrictEqual([...fs.readFileSync(at("b"))], [1, 2, 255]);
  fs.writeFileSync(at("b"), "ff00", "hex");
  assert.deepStrictEqual([...fs.readFileSync(at("b"))], [255, 0]);
  fs.writeFileSync(at("b"), "é", { encoding: "latin1" });
  assert.deepStrictEqual([...fs.readFileSync(at("b"))], [233]);
  fs.writeFileSync(at("b"), new DataView(new Uint8Array([9, 8, 7]).buffer, 1));
  assert.deepStrictEqual([...fs.readFileSync(at("b"))], [8, 7]);
});

test("invalid UTF-8 reads as replacement characters", () => {
  fs.writeFileSync(at("bad"), Buffer.from([0x61, 0xff, 0xe2, 0x82, 0x62]));
  assert.strictEqual(fs.readFileSync(at("bad"), "utf8"), "a\ufffd\ufffdb");
});

test("appending, and flags that forbid", () => {
  fs.appendFileSync(at("log"), "one\n");
  fs.appendFileSync(at("log"), Buffer.from("two\n"));
  fs.writeFileSync(at("log"), "three\n", { flag: "a" });
  assert.strictEqual(fs.readFileSync(at("log"), "utf8"), "one\ntwo\nthree\n");
  assert.strictEqual(thrown(() => fs.writeFileSync(at("log"), "x", { flag: "wx" })).code, "EEXIST");
});

test("modes of new files", () => {
  fs.writeFileSync(at("secret"), "x", { mode: 0o600 });
  assert.strictEqual(fs.statSync(at("secret")).mode & 0o777, 0o600);
  fs.mkdirSync(at("closed"), { mode: 0o700 });
  assert.strictEqual(fs.statSync(at("closed")).mode & 0o777, 0o700);
  fs.chmodSync(at("secret"), "400");
  assert.strictEqual(fs.statSync(at("secret")).mode & 0o777, 0o400);
});

test("errors say what Node says", () => {
  const missing = at("missing");
  const { name, code, syscall, path, errno, message } = thrown(() => fs.readFileSync(missing));
  assert.deepStrictEqual({ name, code, syscall, path, errno, message }, {
    name: "Error", code: "ENOENT", syscall: "open", path: missing, errno: -2,
    message: `ENOENT: no such file or directory, open '${missing}'`,
  });
  assert.deepStrictEqual(Object.keys(thrown(() => fs.readFileSync(missing))), ["errno", "code", "syscall", "path"]);
  assert.strictEqual(thrown(() => fs.renameSync(missing, at("x"))).dest, at("x"));
  const messages = [
    () => fs.statSync(missing),
    () => fs.lstatSync(missing),
    () => fs.accessSync(missing),
    () => fs.readdirSync(missing),
    () => fs.readlinkSync(missing),
    () => fs.unlinkSync(missing),
    () => fs.rmSync(missing),
    () => fs.rmdirSync(missing),
    () => fs.chmodSync(missing, 0o600),
    () => fs.utimesSync(missing, 1, 1),
    () => fs.truncateSync(missing),
    () => fs.realpathSync(at("missing", "below")),
    () => fs.realpathSync.native(missing),
    () => fs.mkdirSync(at("missing", "below")),
    () => fs.mkdtempSync(at("missing", "t-")),
    () => fs.renameSync(missing, at("x")),
    () => fs.copyFileSync(missing, at("x")),
    () => fs.linkSync(missing, at("x")),
    () => fs.readFileSync(dir),
  ].map((work) => thrown(work).message.replaceAll(dir, "DIR"));
  assert.deepStrictEqual(messages, [
    "ENOENT: no such file or directory, stat 'DIR/missing'",
    "ENOENT: no such file or directory, lstat 'DIR/missing'",
    "ENOENT: no such file or directory, access 'DIR/missing'",
    "ENOENT: no such file or directory, scandir 'DIR/missing'",
    "ENOENT: no such file or directory, readlink 'DIR/missing'",
    "ENOENT: no such file or directory, unlink 'DIR/missing'",
    "ENOENT: no such file or directory, lstat 'DIR/missing'",
    "ENOENT: no such file or directory, rmdir 'DIR/missing'",
    "ENOENT: no such file or directory, chmod 'DIR/missing'",
    "ENOENT: no such file or directory, utime 'DIR/missing'",
    "ENOENT: no such file or directory, open 'DIR/missing'",
    "ENOENT: no such file or directory, lstat 'DIR/missing'",
    "ENOENT: no such file or directory, realpath 'DIR/missing'",
    "ENOENT: no such file or directory, mkdir 'DIR/missing/below'",
    "ENOENT: no such file or directory, mkdtemp 'DIR/missing/t-XXXXXX'",
    "ENOENT: no such file or directory, rename 'DIR/missing' -> 'DIR/x'",
    "ENOENT: no such file or directory, copyfile 'DIR/missing' -> 'DIR/x'",
    "ENOENT: no such file or directory, link 'DIR/missing' -> 'DIR/x'",
    "EISDIR: illegal operation on a directory, read",
  ]);
});

test("wrong arguments are refused before anything is done", () => {
  assert.strictEqual(
    thrown(() => fs.readFileSync(undefined as any)).message,
    'The "path" argument must be of type string or an instance of Buffer or URL. Received undefined',
  );
  assert.strictEqual(
    thrown(() => fs.readFileSync("a\0b")).message,
    "The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received 'a\\x00b'",
  );
  assert.strictEqual(thrown(() => fs.openSync(at("a"), "zz")).message, "The argument 'flags' is invalid. Received 'zz'");
  assert.strictEqual(thrown(() => (fs.readFile as any)("x")).code, "ERR_INVALID_ARG_TYPE");
  assert.strictEqual(
    thrown(() => fs.writeFileSync(at("a"), 5 as any)).message,
    'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received type number (5)',
  );
  assert.strictEqual(thrown(() => fs.chmodSync(dir, "9")).code, "ERR_INVALID_ARG_VALUE");
  assert.strictEqual(thrown(() => fs.readFileSync(dir, "bogus" as any)).code, "ERR_INVALID_ARG_VALUE");
});

test("names may be URLs and bytes", () => {
  fs.writeFileSync(pathToFileURL(at("url file")), "u");
  assert.strictEqual(fs.readFileSync(Buffer.from(at("url file")), "utf8"), "u");
  assert.strictEqual(fs.existsSync(pathToFileURL(at("url file"))), true);
});

test("existence", () => {
  assert.strictEqual(fs.existsSync(dir), true);
  assert.strictEqual(fs.existsSync(at("no")), false);
  assert.strictEqual(fs.existsSync(undefined as any), false);
  fs.symlinkSync(at("no"), at("dangling"));
  assert.strictEqual(fs.existsSync(at("dangling")), false);
  assert.strictEqual(fs.accessSync(dir, fs.constants.R_OK | fs.constants.X_OK), undefined);
});

test("metadata", () => {
  fs.writeFileSync(at("f"), "12345");
  const stats = fs.statSync(at("f"));
  assert.strictEqual(stats.size, 5);
  assert.strictEqual(stats.isFile(), true);
  assert.strictEqual(stats.isDirectory(), false);
  assert.ok(stats.mtime instanceof Date);
  assert.ok(Math.abs(stats.mtime.getTime() - Date.now()) < 60_000);
  assert.strictEqual(stats.mtime.getTime(), Math.round(stats.mtimeMs));
  assert.ok(stats instanceof fs.Stats);
  assert.strictEqual(fs.statSync(dir).isDirectory(), true);
  const big = fs.statSync(at("f"), { bigint: true });
  assert.strictEqual(big.size, 5n);
  assert.strictEqual(big.mtimeNs / 1_000_000n, big.mtimeMs);
  assert.strictEqual(fs.statSync(at("no"), { throwIfNoEntry: false }), undefined);
  fs.symlinkSync("f", at("link"));
  assert.strictEqual(fs.lstatSync(at("link")).isSymbolicLink(), true);
  assert.strictEqual(fs.statSync(at("link")).isSymbolicLink(), false);
  assert.ok(fs.statfsSync(dir).bsize > 0);
});

test("times can be set", () => {
  fs.writeFileSync(at("f"), "");
  fs.utimesSync(at("f"), new Date(1_000_000), 2_000);
  const stats = fs.statSync(at("f"));
  assert.deepStrictEqual([stats.atimeMs, stats.mtimeMs], [1_000_000, 2_000_000]);
});

test("making directories", () => {
  assert.strictEqual(fs.mkdirSync(at("a", "b", "c"), { recursive: true }), at("a"));
  assert.strictEqual(fs.mkdirSync(at("a", "b", "c"), { recursive: true }), undefined);
  assert.strictEqual(fs.mkdirSync(at("a", "b", "d", "e"), { recursive: true }), at("a", "b", "d"));
  assert.strictEqual(fs.mkdirSync(at("plain")), undefined);
  assert.strictEqual(thrown(() => fs.mkdirSync(at("plain"))).code, "EEXIST");
  fs.writeFileSync(at("file"), "");
  assert.strictEqual(thrown(() => fs.mkdirSync(at("file"), { recursive: true })).code, "EEXIST");
  assert.strictEqual(thrown(() => fs.mkdirSync(at("file", "x"), { recursive: true })).code, "ENOTDIR");
  const made = fs.mkdtempSync(at("tmp-"));
  assert.match(made.slice(at("tmp-").length), /^[A-Za-z0-9]{6}$/);
  assert.strictEqual(fs.statSync(made).isDirectory(), true);
});

test("listing directories", () => {
  fs.mkdirSync(at("d", "inner"), { recursive: true });
  fs.writeFileSync(at("d", "file"), "");
  fs.symlinkSync("file", at("d", "link"));
  fs.writeFileSync(at("d", "inner", "deep"), "");
  assert.deepStrictEqual(fs.readdirSync(at("d")).sort(), ["file", "inner", "link"]);
  const entries = fs.readdirSync(at("d"), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  assert.deepStrictEqual(
    entries.map((entry) => [entry.name, entry.isFile(), entry.isDirectory(), entry.isSymbolicLink(), entry.parentPath]),
    [
      ["file", true, false, false, at("d")],
      ["inner", false, true, false, at("d")],
      ["link", false, false, true, at("d")],
    ],
  );
  assert.ok(entries[0] instanceof fs.Dirent);
  assert.deepStrictEqual(fs.readdirSync(at("d"), { recursive: true }).sort(), ["file", "inner", "inner/deep", "link"]);
  const deep = fs.readdirSync(at("d"), { recursive: true, withFileTypes: true }).find((entry) => entry.name === "deep")!;
  assert.strictEqual(deep.parentPath, at("d", "inner"));
  assert.ok(Buffer.isBuffer(fs.readdirSync(at("d"), "buffer")[0]));
});

test("opened directories", async () => {
  fs.writeFileSync(at("one"), "");
  fs.writeFileSync(at("two"), "");
  const names: string[] = [];
  for await (const entry of await fs.promises.opendir(dir)) names.push(entry.name);
  assert.deepStrictEqual(names.sort(), ["one", "two"]);
  const open = fs.opendirSync(dir);
  assert.ok(open instanceof fs.Dir);
  assert.strictEqual(open.path, dir);
  assert.ok(open.readSync() instanceof fs.Dirent);
  open.readSync();
  assert.strictEqual(open.readSync(), null);
  open.closeSync();
  assert.strictEqual(thrown(() => open.readSync()).code, "ERR_DIR_CLOSED");
});

test("removing", () => {
  fs.mkdirSync(at("tree", "below"), { recursive: true });
  fs.writeFileSync(at("tree", "below", "f"), "");
  assert.strictEqual(thrown(() => fs.rmdirSync(at("tree"))).code, "ENOTEMPTY");
  const refused = thrown(() => fs.rmSync(at("tree")));
  assert.strictEqual(refused.code, "ERR_FS_EISDIR");
  assert.strictEqual(refused.message, `Path is a directory: rm returned EISDIR (is a directory) ${at("tree")}`);
  fs.rmSync(at("tree"), { recursive: true });
  assert.strictEqual(fs.existsSync(at("tree")), false);
  fs.rmSync(at("tree"), { force: true });
  assert.strictEqual(thrown(() => fs.rmSync(at("tree"))).code, "ENOENT");
});

test("links, renames and copies", () => {
  fs.writeFileSync(at("a"), "A");
  fs.symlinkSync("a", at("s"));
  assert.strictEqual(fs.readlinkSync(at("s")), "a");
  assert.strictEqual(fs.realpathSync(at("s")), at("a"));
  assert.strictEqual(fs.realpathSync.native(at("s")), at("a"));
  fs.linkSync(at("a"), at("hard"));
  assert.strictEqual(fs.statSync(at("hard")).nlink, 2);
  fs.renameSync(at("hard"), at("renamed"));
  fs.copyFileSync(at("renamed"), at("copied"));
  assert.strictEqual(fs.readFileSync(at("copied"), "utf8"), "A");
  assert.strictEqual(thrown(() => fs.copyFileSync(at("a"), at("copied"), fs.constants.COPYFILE_EXCL)).code, "EEXIST");
  fs.copyFileSync(at("a"), at("a"));
  assert.strictEqual(fs.readFileSync(at("a"), "utf8"), "A");
  assert.strictEqual(thrown(() => fs.symlinkSync("x", at("a"))).message, `EEXIST: file already exists, symlink 'x' -> '${at("a")}'`);
});

test("copying trees", () => {
  fs.mkdirSync(at("src", "sub"), { recursive: true });
  fs.writeFileSync(at("src", "keep"), "k");
  fs.writeFileSync(at("src", "sub", "skip.log"), "s");
  fs.symlinkSync("keep", at("src", "link"));
  fs.cpSync(at("src"), at("dst", "deep"), { recursive: true, filter: (from) => !from.endsWith(".log") });
  assert.deepStrictEqual(fs.readdirSync(at("dst", "deep"), { recursive: true }).sort(), ["keep", "link", "sub"]);
  assert.strictEqual(fs.readlinkSync(at("dst", "deep", "link")), at("src", "keep"));
  assert.strictEqual(thrown(() => fs.cpSync(at("src"), at("other"))).code, "ERR_FS_EISDIR");
  assert.strictEqual(thrown(() => fs.cpSync(at("src"), at("src", "in"), { recursive: true })).code, "ERR_FS_CP_EINVAL");
  const exists = thrown(() =>
    fs.cpSync(at("src", "keep"), at("dst", "deep", "keep"), { force: false, errorOnExist: true }));
  assert.strictEqual(exists.code, "ERR_FS_CP_EEXIST");
});

test("finding files by patterns", async () => {
  for (const name of ["a.ts", "b.js", ".hidden.ts", "s/c.ts", "s/t/d.ts", "s/.h/e.ts"]) {
    fs.mkdirSync(path.dirname(at(name)), { recursive: true });
    fs.writeFileSync(at(name), "");
  }
  const glob = (pattern: string | string[], options = {}) => fs.globSync(pattern, { cwd: dir, ...options }).sort();
  assert.deepStrictEqual(glob("*.ts"), ["a.ts"]);
  assert.deepStrictEqual(glob("**/*.ts"), ["a.ts", "s/c.ts", "s/t/d.ts"]);
  assert.deepStrictEqual(glob("{a,b}.*"), ["a.ts", "b.js"]);
  assert.deepStrictEqual(glob("s/**"), ["s", "s/c.ts", "s/t", "s/t/d.ts"]);
  assert.deepStrictEqual(glob(["[ab].??", "none"]), ["a.ts", "b.js"]);
  assert.deepStrictEqual(glob("**/*.ts", { exclude: (name: string) => name === "t" }), ["a.ts", "s/c.ts"]);
  const found: string[] = [];
  for await (const name of fs.promises.glob("s/*.ts", { cwd: dir })) found.push(name);
  assert.deepStrictEqual(found, ["s/c.ts"]);
});

test("descriptors", () => {
  const fd = fs.openSync(at("f"), "w+");
  assert.ok(Number.isInteger(fd) && fd > 2);
  assert.strictEqual(fs.writeSync(fd, "hello world"), 11);
  assert.strictEqual(fs.writeSync(fd, Buffer.from("HELLO"), 0, 2, 6), 2);
  assert.strictEqual(fs.writeSync(fd, "!!", 0), 2);
  const buffer = Buffer.alloc(20);
  assert.strictEqual(fs.readSync(fd, buffer, 0, 20, 0), 11);
  assert.strictEqual(buffer.toString("utf8", 0, 11), "!!llo HErld");
  assert.strictEqual(fs.readSync(fd, buffer), 0);
  assert.strictEqual(fs.readSync(fd, buffer, { position: 6, length: 2, offset: 1 }), 2);
  assert.strictEqual(buffer.toString("utf8", 1, 3), "HE");
  assert.strictEqual(fs.fstatSync(fd).size, 11);
  fs.ftruncateSync(fd, 4);
  fs.fsyncSync(fd);
  fs.fdatasyncSync(fd);
  fs.futimesSync(fd, 5, 6);
  fs.fchmodSync(fd, 0o640);
  const stats = fs.fstatSync(fd);
  assert.deepStrictEqual([stats.size, stats.mtimeMs, stats.mode & 0o777], [4, 6000, 0o640]);
  assert.strictEqual(fs.writevSync(fd, [Buffer.from("ab"), Buffer.from("cd")], 0), 4);
  const parts = [Buffer.alloc(1), Buffer.alloc(9)];
  assert.strictEqual(fs.readvSync(fd, parts, 0), 4);
  assert.strictEqual(parts[0].toString(), "a");
  fs.closeSync(fd);
  const error = thrown(() => fs.readSync(fd, buffer));
  assert.deepStrictEqual([error.code, error.message], ["EBADF", "EBADF: bad file descriptor, read"]);
  assert.strictEqual(thrown(() => fs.closeSync(fd)).message, "EBADF: bad file descriptor, close");
});

test("reading and writing go on at the current position", () => {
  fs.writeFileSync(at("f"), "abcdef");
  const fd = fs.openSync(at("f"), "r");
  const two = Buffer.alloc(2);
  fs.readSync(fd, two);
  assert.strictEqual(two.toString(), "ab");
  assert.strictEqual(fs.readFileSync(fd, "utf8"), "cdef");
  fs.closeSync(fd);
  const out = fs.openSync(at("f"), "a");
  fs.writeFileSync(out, "gh");
  fs.appendFileSync(out, "i");
  fs.closeSync(out);
  assert.strictEqual(fs.readFileSync(at("f"), "utf8"), "abcdefghi");
});

test("callbacks hear of results and errors", async () => {
  const read = (name: string) =>
    new Promise<any[]>((resolve) => fs.readFile(name, "utf8", (...args) => resolve(args)));
  await new Promise<void>((resolve, reject) => fs.writeFile(at("cb"), "x", (error) => (error ? reject(error) : resolve())));
  assert.deepStrictEqual(await read(at("cb")), [null, "x"]);
  const [error] = await read(at("none"));
  assert.strictEqual(error.message, `ENOENT: no such file or directory, open '${at("none")}'`);
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    fs.stat(dir, () => {
      order.push("called");
      resolve();
    });
    order.push("returned");
  });
  assert.deepStrictEqual(order, ["returned", "called"]);
  assert.strictEqual(await promisify(fs.exists)(dir), true);
  const fd = await promisify(fs.open)(at("cb"), "r");
  const { bytesRead, buffer } = await promisify(fs.read)(fd, Buffer.alloc(4), 0, 4, 0);
  assert.deepStrictEqual([bytesRead, buffer.toString("utf8", 0, 1)], [1, "x"]);
  await promisify(fs.close)(fd);
});

test("read streams", async () => {
  fs.writeFileSync(at("big"), Buffer.alloc(200_000, "ab"));
  const stream = fs.createReadStream(at("big"));
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  assert.strictEqual(size, 200_000);
  assert.strictEqual(stream.bytesRead, 200_000);
  const part = fs.createReadStream(at("big"), { start: 1, end: 4, encoding: "utf8" });
  let text = "";
  part.on("data", (chunk) => (text += chunk));
  await once(part, "close");
  assert.strictEqual(text, "baba");
  const missing = fs.createReadStream(at("none"));
  const [error] = await once(missing, "error");
  assert.strictEqual(error.code, "ENOENT");
  assert.ok(missing instanceof fs.ReadStream);
});

test("write streams", async () => {
  const stream = fs.createWriteStream(at("out"));
  const opened = once(stream, "open");
  const finished = once(stream, "finish");
  stream.write("one ");
  stream.write(Buffer.from("two "));
  stream.end("three");
  await opened;
  await finished;
  assert.strictEqual(fs.readFileSync(at("out"), "utf8"), "one two three");
  assert.strictEqual(stream.bytesWritten, 13);
  const more = fs.createWriteStream(at("out"), { flags: "a" });
  more.end("!");
  await once(more, "close");
  assert.strictEqual(fs.readFileSync(at("out"), "utf8"), "one two three!");
  const patch = fs.createWriteStream(at("out"), { flags: "r+", start: 4 });
  patch.end("TWO");
  await once(patch, "close");
  assert.strictEqual(fs.readFileSync(at("out"), "utf8"), "one TWO three!");
  const failing = fs.createWriteStream(at("no", "such"));
  const [error] = await once(failing, "error");
  assert.strictEqual(error.code, "ENOENT");
});

test("a stream pipes into another", async () => {
  fs.writeFileSync(at("from"), "x".repeat(150_000));
  const target = fs.createWriteStream(at("to"));
  fs.createReadStream(at("from")).pipe(target);
  await once(target, "close");
  assert.strictEqual(fs.readFileSync(at("to"), "utf8"), "x".repeat(150_000));
});

test("watching a directory", async () => {
  const seen: [string, string | null][] = [];
  const watcher = fs.watch(dir, (type, name) => seen.push([type, name]));
  await pause(50);
  fs.writeFileSync(at("new"), "x");
  await until(() => seen.some(([type, name]) => type === "rename" && name === "new"));
  fs.appendFileSync(at("new"), "y");
  await until(() => seen.some(([type, name]) => type === "change" && name === "new"));
  const closed = once(watcher, "close");
  watcher.close();
  await closed;
  const error = thrown(() => fs.watch(at("none")));
  assert.strictEqual(error.message, `ENOENT: no such file or directory, watch '${at("none")}'`);
  assert.strictEqual(error.filename, at("none"));
});

test("watching a file, and ending it with a signal", async () => {
  fs.writeFileSync(at("one"), "x");
  const controller = new AbortController();
  const watcher = fs.watch(at("one"), { signal: controller.signal });
  const changed = once(watcher, "change");
  await pause(50);
  fs.appendFileSync(at("one"), "y");
  assert.deepStrictEqual(await changed, ["change", "one"]);
  const closed = once(watcher, "close");
  controller.abort();
  await closed;
});

test("watchFile looks again and again", async () => {
  fs.writeFileSync(at("polled"), "x");
  const seen = new Promise<[number, number]>((resolve) =>
    fs.watchFile(at("polled"), { interval: 20 }, (now, before) => resolve([now.size, before.size])));
  // On a busy machine its first look may come after a change, so there is more than one.
  const growing = setInterval(() => fs.appendFileSync(at("polled"), "yz"), 60);
  const [now, before] = await seen;
  clearInterval(growing);
  assert.ok(now > before && before % 2 === 1, `${before} -> ${now}`);
  fs.unwatchFile(at("polled"));
});

test("constants and the shape of the module", () => {
  assert.strictEqual(fs.constants.S_IFMT, 0o170000);
  assert.strictEqual(fs.constants.O_RDONLY, 0);
  assert.strictEqual(fs.constants.R_OK, 4);
  assert.strictEqual(fsDefault.readFileSync, fs.readFileSync);
  assert.strictEqual(fsDefault.promises.readFile, fs.promises.readFile);
  assert.strictEqual(fs.readFileSync.name, "readFileSync");
});

test("the working directory counts for relative names", () => {
  const before = process.cwd();
  process.chdir(dir);
  try {
    fs.writeFileSync("relative", "r");
    assert.strictEqual(fs.readFileSync(at("relative"), "utf8"), "r");
    assert.strictEqual(thrown(() => fs.readFileSync("./nope")).message, "ENOENT: no such file or directory, open './nope'");
    assert.strictEqual(fs.realpathSync("relative"), at("relative"));
  } finally {
    process.chdir(before);
  }
});
