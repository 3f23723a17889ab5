// node:child_process.
import assert from "node:assert";
import * as cp from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { promisify } from "node:util";

let dir = "";
beforeEach(() => {
  dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "child-test-")));
});
afterEach(() => {
  fs.rmSync(dir, { recursive: true, force: true });
});

async function text(stream: any): Promise<string> {
  const parts: any[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Everything a child tells, in order, until it closes. */
async function story(child: cp.ChildProcess): Promise<unknown[]> {
  const told: unknown[] = [];
  for (const event of ["spawn", "error", "exit"]) {
    child.on(event, (...args: any[]) => told.push([event, ...args.map((arg) => (arg instanceof Error ? arg.message : arg))]));
  }
  const args = await new Promise<unknown[]>((resolve) => child.on("close", (...args) => resolve(args)));
  told.push(["close", ...args]);
  return told;
}

async function failure(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => assert.fail("nothing was thrown"),
    (error) => error,
  );
}

function thrown(work: () => unknown): any {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("output, input and the way a child ends", async () => {
  const child = cp.spawn("sh", ["-c", "read line; echo got $line; echo oops >&2; exit 3"]);
  assert.ok(Number.isInteger(child.pid));
  assert.deepStrictEqual([child.spawnfile, child.spawnargs.length, child.exitCode], ["sh", 3, null]);
  child.stdin.end("word\n");
  const [out, err, told] = await Promise.all([text(child.stdout), text(child.stderr), story(child)]);
  assert.deepStrictEqual([out, err], ["got word\n", "oops\n"]);
  assert.deepStrictEqual(told, [["spawn"], ["exit", 3, null], ["close", 3, null]]);
  assert.deepStrictEqual([child.exitCode, child.signalCode, child.killed], [3, null, false]);
  assert.strictEqual(child.kill(), false);
});

test("a program that is not there", async () => {
  const child = cp.spawn("no-such-program-here", ["a", "b"]);
  assert.strictEqual(child.pid, undefined);
  const error = new Promise<any>((resolve) => child.on("error", resolve));
  const told = await story(child);
  assert.deepStrictEqual(told, [["error", "spawn no-such-program-here ENOENT"], ["close", -2, null]]);
  const { errno, code, syscall, path: where, spawnargs } = await error;
  assert.deepStrictEqual({ errno, code, syscall, where, spawnargs }, {
    errno: -2, code: "ENOENT", syscall: "spawn no-such-program-here", where: "no-such-program-here", spawnargs: ["a", "b"],
  });
});

test("a file that may not be run, and a directory that is not there", async () => {
  fs.writeFileSync(path.join(dir, "plain"), "#!/bin/sh\n", { mode: 0o644 });
  const denied = await story(cp.spawn(path.join(dir, "plain")));
  assert.deepStrictEqual(denied, [["error", `spawn ${path.join(dir, "plain")} EACCES`], ["close", -13, null]]);
  const lost = await story(cp.spawn("true", { cwd: path.join(dir, "none") }));
  assert.deepStrictEqual(lost, [["error", "spawn true ENOENT"], ["close", -2, null]]);
});

test("the directory and the environment of a child", async () => {
  process.env.CHILD_TEST = "inherited";
  const inherited = cp.spawn("sh", ["-c", "pwd; echo $CHILD_TEST"], { cwd: dir });
  assert.strictEqual(await text(inherited.stdout), `${dir}\ninherited\n`);
  const own = cp.spawn("sh", ["-c", "echo $CHILD_TEST-$B"], {
    env: { PATH: process.env.PATH, B: "2", GONE: undefined },
  });
  assert.strictEqual(await text(own.stdout), "-2\n");
  delete process.env.CHILD_TEST;
});

test("the working directory of the program is the child's", async () => {
  const before = process.cwd();
  process.chdir(dir);
  try {
    assert.strictEqual(cp.execFileSync("pwd", { encoding: "utf8" }), `${dir}\n`);
    fs.writeFileSync("tool", "#!/bin/sh\necho tool\n", { mode: 0o755 });
    assert.strictEqual(cp.execFileSync("./tool", { encoding: "utf8" }), "tool\n");
  } finally {
    process.chdir(before);
  }
});

test("arguments are never read by a shell, unless one is asked for", async () => {
  const odd = ["$HOME", "a b", "`x`", "'", '"', "*", ""];
  const child = cp.spawn("printf", ["%s\\n", ...odd]);
  assert.strictEqual(await text(child.stdout), odd.map((arg) => `${arg}\n`).join(""));
  const shell = cp.spawn("echo", ["$((1 + 1))"], { shell: true });
  assert.strictEqual(await text(shell.stdout), "2\n");
  const named = cp.spawn("echo $0", { shell: "/bin/sh" });
  assert.strictEqual(await text(named.stdout), "/bin/sh\n");
});

test("argv0", () => {
  assert.strictEqual(cp.execFileSync("sh", ["-c", "echo $0"], { argv0: "renamed", encoding: "utf8" } as any), "renamed\n");
});

test("much data both ways", async () => {
  const child = cp.spawn("cat");
  const data = "0123456789".repeat(100_000);
  child.stdin.end(data);
  assert.strictEqual((await text(child.stdout)).length, data.length);
});

test("where the streams of a child go", async () => {
  const ignored = cp.spawn("echo", ["x"], { stdio: "ignore" });
  assert.deepStrictEqual([ignored.stdin, ignored.stdout, ignored.stderr], [null, null, null]);
  assert.deepStrictEqual(await story(ignored), [["spawn"], ["exit", 0, null], ["close", 0, null]]);

  const fd = fs.openSync(path.join(dir, "out"), "w");
  const toFile = cp.spawn("sh", ["-c", "echo one; echo two >&2"], { stdio: ["ignore", fd, fd] });
  await story(toFile);
  fs.closeSync(fd);
  assert.strictEqual(fs.readFileSync(path.join(dir, "out"), "utf8"), "one\ntwo\n");

  const mixed = cp.spawn("sh", ["-c", "echo out; echo extra >&3"], { stdio: ["ignore", "pipe", "ignore", "pipe"] });
  assert.deepStrictEqual([await text(mixed.stdio[1]), await text(mixed.stdio[3])], ["out\n", "extra\n"]);

  const inherited = cp.spawn("true", { stdio: "inherit" });
  assert.strictEqual(inherited.stdout, null);
  await story(inherited);
});

test("signals", async () => {
  const child = cp.spawn("sleep", ["30"]);
  assert.strictEqual(child.kill(0), true);
  assert.strictEqual(child.kill("SIGINT"), true);
  assert.strictEqual(child.killed, true);
  assert.deepStrictEqual(await story(child), [["spawn"], ["exit", null, "SIGINT"], ["close", null, "SIGINT"]]);
  assert.deepStrictEqual([child.exitCode, child.signalCode, child.kill()], [null, "SIGINT", false]);
  assert.strictEqual(thrown(() => child.kill("SIGNOPE" as any)).code, "ERR_UNKNOWN_SIGNAL");
});

test("process.kill reaches a child", async () => {
  const child = cp.spawn("sleep", ["30"]);
  process.kill(child.pid!, "SIGKILL");
  const [code, signal] = await once(child, "exit");
  assert.deepStrictEqual([code, signal], [null, "SIGKILL"]);
});

test("time limits", async () => {
  const child = cp.spawn("sleep", ["30"], { timeout: 30, killSignal: "SIGKILL" });
  assert.deepStrictEqual((await story(child)).at(-1), ["close", null, "SIGKILL"]);
});

test("an abort signal ends a child", async () => {
  const controller = new AbortController();
  const child = cp.spawn("sleep", ["30"], { signal: controller.signal });
  const told = story(child);
  await once(child, "spawn");
  controller.abort();
  assert.deepStrictEqual(await told, [
    ["spawn"], ["error", "The operation was aborted"], ["exit", null, "SIGTERM"], ["close", null, "SIGTERM"],
  ]);
});

test("a detached child leads its own group", async () => {
  const child = cp.spawn("sh", ["-c", "sleep 30 & echo $!; wait"], { detached: true });
  const [chunk] = await once(child.stdout, "data");
  const grandchild = Number(String(chunk));
  assert.ok(alive(grandchild));
  process.kill(-child.pid!, "SIGKILL");
  await once(child, "close");
  while (alive(grandchild) && !/^Z|\) Z/.test(state(grandchild))) await new Promise((resolve) => setTimeout(resolve, 5));
});

/** What the system says about a process, where it says it in a file. */
function state(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return "Z";
  }
}

test("input that nobody reads", async () => {
  const child = cp.spawn("sh", ["-c", "exec 0<&-; sleep 0.2"]);
  await new Promise((resolve) => setTimeout(resolve, 80));
  const error = new Promise<any>((resolve) => child.stdin.on("error", resolve));
  child.stdin.write("x");
  const { message, code, syscall } = await error;
  assert.deepStrictEqual({ message, code, syscall }, { message: "write EPIPE", code: "EPIPE", syscall: "write" });
});

test("a child closes even when nobody reads what it says", async () => {
  const child = cp.spawn("sh", ["-c", "echo unread"]);
  assert.deepStrictEqual((await story(child)).at(-1), ["close", 0, null]);
});

test("exec and execFile gather output", async () => {
  const exec = promisify(cp.exec);
  const execFile = promisify(cp.execFile);
  assert.deepStrictEqual({ ...(await exec("echo out; echo err >&2")) }, { stdout: "out\n", stderr: "err\n" });
  assert.strictEqual((await execFile("echo", ["a b"])).stdout, "a b\n");
  assert.ok(Buffer.isBuffer((await execFile("echo", ["x"], { encoding: "buffer" })).stdout));
  const called = await new Promise<any[]>((resolve) => cp.exec("echo hi", (...args) => resolve(args)));
  assert.deepStrictEqual(called, [null, "hi\n", ""]);
  const child = cp.execFile("cat", (_, stdout) => assert.strictEqual(stdout, "fed"));
  child.stdin!.end("fed");
  await once(child, "close");
});

test("exec says how a command failed", async () => {
  const exec = promisify(cp.exec);
  const { message, code, killed, signal, cmd, stdout, stderr } = await failure(exec("echo out; echo err >&2; exit 2"));
  assert.deepStrictEqual({ message, code, killed, signal, cmd, stdout, stderr }, {
    message: "Command failed: echo out; echo err >&2; exit 2\nerr\n",
    code: 2, killed: false, signal: null, cmd: "echo out; echo err >&2; exit 2", stdout: "out\n", stderr: "err\n",
  });
  const late = await failure(exec("sleep 30", { timeout: 30 }));
  assert.deepStrictEqual([late.killed, late.signal, late.code], [true, "SIGTERM", null]);
  const loud = await failure(exec("yes | head -c 5000", { maxBuffer: 10 }));
  assert.deepStrictEqual([loud.name, loud.code, loud.stdout], ["RangeError", "ERR_CHILD_PROCESS_STDIO_MAXBUFFER", "y\ny\ny\ny\ny\n"]);
  const lost = await failure(promisify(cp.execFile)("no-such-program-here", ["q"]));
  assert.deepStrictEqual([lost.code, lost.cmd, lost.stdout], ["ENOENT", "no-such-program-here q", ""]);
  const controller = new AbortController();
  const stopped = failure(exec("sleep 30", { signal: controller.signal }));
  controller.abort();
  assert.strictEqual((await stopped).name, "AbortError");
});

test("spawnSync", () => {
  const { status, signal, output, stdout, stderr } = cp.spawnSync("sh", ["-c", "cat; echo err >&2; exit 4"], {
    input: "fed", encoding: "utf8",
  });
  assert.deepStrictEqual({ status, signal, output, stdout, stderr }, {
    status: 4, signal: null, output: [null, "fed", "err\n"], stdout: "fed", stderr: "err\n",
  });
  assert.ok(Buffer.isBuffer(cp.spawnSync("echo").stdout));
  const lost: any = cp.spawnSync("no-such-program-here", ["q"]);
  assert.deepStrictEqual([lost.status, lost.output, lost.pid, lost.error.message, lost.error.spawnargs], [
    null, null, 0, "spawnSync no-such-program-here ENOENT", ["q"],
  ]);
  const late: any = cp.spawnSync("sleep", ["30"], { timeout: 30 });
  assert.deepStrictEqual([late.status, late.signal, late.error.code], [null, "SIGTERM", "ETIMEDOUT"]);
  const loud: any = cp.spawnSync("yes", [], { maxBuffer: 10 });
  assert.deepStrictEqual([loud.signal, loud.error.code, loud.stdout.toString().slice(0, 4)], ["SIGTERM", "ENOBUFS", "y\ny\n"]);
  const ignored = cp.spawnSync("echo", ["x"], { stdio: ["ignore", "ignore", "pipe"] });
  assert.deepStrictEqual([ignored.stdout, ignored.stderr.length], [null, 0]);
});

test("much data through a synchronous child", () => {
  const data = Buffer.alloc(3_000_000, "x");
  assert.strictEqual(cp.spawnSync("cat", { input: data, maxBuffer: Infinity }).stdout.length, data.length);
});

test("execSync and execFileSync give the output or throw", () => {
  assert.strictEqual(cp.execSync("echo $((2 * 3))").toString(), "6\n");
  assert.strictEqual(cp.execSync("cat", { input: "héy", encoding: "utf8" }), "héy");
  assert.strictEqual(cp.execFileSync("printf", ["%s", "a b"], { encoding: "utf8" }), "a b");
  const error = thrown(() => cp.execSync("echo a; echo b >&2; exit 4", { stdio: "pipe" }));
  assert.strictEqual(error.message, "Command failed: echo a; echo b >&2; exit 4\nb\n");
  assert.deepStrictEqual([error.status, error.signal, error.stdout.toString(), error.stderr.toString()], [4, null, "a\n", "b\n"]);
  assert.strictEqual(thrown(() => cp.execFileSync("no-such-program-here")).code, "ENOENT");
});

test("wrong arguments are refused", () => {
  assert.deepStrictEqual(
    [
      () => cp.spawn(""),
      () => cp.spawn(5 as any),
      () => cp.spawn("a\0b"),
      () => cp.spawn("ls", ["a\0b"]),
      () => cp.spawn("ls", { cwd: 5 as any }),
      () => cp.spawn("ls", { stdio: "bogus" as any }),
      () => cp.spawn("ls", { killSignal: "SIGBOGUS" as any }),
      () => cp.exec("ls", { timeout: -1 }),
    ].map((work) => thrown(work).message),
    [
      "The argument 'file' cannot be empty. Received ''",
      'The "file" argument must be of type string. Received type number (5)',
      "The argument 'file' must be a string without null bytes. Received 'a\\x00b'",
      "The argument 'args[0]' must be a string without null bytes. Received 'a\\x00b'",
      'The "options.cwd" property must be of type string or an instance of Buffer or URL. Received type number (5)',
      "The argument 'stdio' is invalid. Received 'bogus'",
      "Unknown signal: SIGBOGUS",
      'The value of "timeout" is out of range. It must be an unsigned integer. Received -1',
    ],
  );
});

test("the class", () => {
  const child = cp.spawn("true");
  assert.ok(child instanceof cp.ChildProcess);
  assert.strictEqual(typeof child.ref, "function");
  child.unref();
});
