// The process object, as a global and as node:process.
import assert from "node:assert";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import processModule, { cwd as cwdOfModule, env as envOfModule } from "node:process";
import { test } from "node:test";

test("one object, everywhere", () => {
  assert.strictEqual(processModule, process);
  assert.strictEqual(globalThis.process, process);
  assert.strictEqual(cwdOfModule(), process.cwd());
  assert.strictEqual(envOfModule.PATH, process.env.PATH);
  assert.strictEqual(Object.prototype.toString.call(process), "[object process]");
});

test("facts", () => {
  assert.match(process.version, /^v22\.\d+\.\d+$/);
  assert.strictEqual(`v${process.versions.node}`, process.version);
  assert.ok(["linux", "darwin"].includes(process.platform));
  assert.ok(["x64", "arm64"].includes(process.arch));
  assert.strictEqual(process.release.name, "node");
  assert.ok(Number.isInteger(process.pid) && process.pid > 0);
  assert.ok(Number.isInteger(process.ppid));
  assert.ok(path.isAbsolute(process.execPath));
  assert.strictEqual(process.argv[0], process.execPath);
  assert.strictEqual(typeof process.title, "string");
  assert.ok(Array.isArray(process.execArgv));
  assert.strictEqual(process.getuid!(), os.userInfo().uid);
  assert.strictEqual(typeof process.umask(), "number");
});

test("the environment holds text", () => {
  process.env.TAU_TEST_NUMBER = 5 as any;
  assert.strictEqual(process.env.TAU_TEST_NUMBER, "5");
  process.env.TAU_TEST_UNDEFINED = undefined;
  assert.strictEqual(process.env.TAU_TEST_UNDEFINED, "undefined");
  assert.strictEqual("TAU_TEST_NUMBER" in process.env, true);
  assert.ok(Object.keys(process.env).includes("TAU_TEST_NUMBER"));
  assert.strictEqual({ ...process.env }.TAU_TEST_NUMBER, "5");
  assert.strictEqual(Object.hasOwn(process.env, "TAU_TEST_NUMBER"), true);
  assert.strictEqual(delete process.env.TAU_TEST_NUMBER, true);
  assert.strictEqual(process.env.TAU_TEST_NUMBER, undefined);
  assert.strictEqual("TAU_TEST_NUMBER" in process.env, false);
  delete process.env.TAU_TEST_UNDEFINED;
});

test("the working directory", () => {
  const before = process.cwd();
  const dir = fs.realpathSync(os.tmpdir());
  process.chdir(dir);
  assert.strictEqual(process.cwd(), dir);
  assert.strictEqual(path.resolve("x"), path.join(dir, "x"));
  process.chdir(before);
  assert.throws(() => process.chdir("/no/such"), {
    code: "ENOENT",
    message: `ENOENT: no such file or directory, chdir '${before}' -> '/no/such'`,
    dest: "/no/such",
  });
});

test("time", () => {
  const [seconds, nanos] = process.hrtime();
  assert.ok(Number.isInteger(seconds) && nanos >= 0 && nanos < 1e9);
  const start = process.hrtime.bigint();
  assert.ok(process.hrtime.bigint() >= start);
  const passed = process.hrtime(process.hrtime());
  assert.ok(passed[0] === 0 && passed[1] >= 0);
  assert.ok(process.uptime() > 0);
});

test("what it uses", () => {
  const { rss, heapUsed } = process.memoryUsage();
  assert.ok(rss > 0 && heapUsed > 0);
  assert.ok(process.memoryUsage.rss() > 0);
  const cpu = process.cpuUsage();
  assert.ok(cpu.user >= 0 && cpu.system >= 0);
  assert.ok(process.cpuUsage(cpu).user >= 0);
});

test("nextTick runs after the code that asked, with its arguments", async () => {
  const order: unknown[] = [];
  process.nextTick((...args) => order.push(args), 1, 2);
  order.push("now");
  await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepStrictEqual(order, ["now", [1, 2]]);
  assert.throws(() => process.nextTick(5 as any), { code: "ERR_INVALID_ARG_TYPE" });
});

test("it emits events", () => {
  const seen: unknown[] = [];
  const listener = (value: unknown) => seen.push(value);
  const emitter = process as any;
  emitter.on("tau-test", listener);
  emitter.once("tau-test", () => seen.push("once"));
  emitter.emit("tau-test", 1);
  emitter.emit("tau-test", 2);
  emitter.off("tau-test", listener);
  assert.strictEqual(emitter.emit("tau-test", 3), false);
  assert.deepStrictEqual(seen, [1, "once", 2]);
  assert.strictEqual(emitter.listenerCount("tau-test"), 0);
});

test("warnings", async () => {
  const seen: any[] = [];
  const listener = (warning: Error) => seen.push([warning.name, warning.message, (warning as any).code]);
  process.on("warning", listener);
  process.emitWarning("careful", { type: "TestWarning", code: "T001" });
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off("warning", listener);
  assert.deepStrictEqual(seen, [["TestWarning", "careful", "T001"]]);
});

test("signals to others", () => {
  assert.strictEqual(process.kill(process.pid, 0), true);
  assert.throws(() => process.kill(2 ** 22 + 5, 0), { code: "ESRCH", message: "kill ESRCH", syscall: "kill" });
  assert.throws(() => process.kill(process.pid, "SIGNOPE"), { code: "ERR_UNKNOWN_SIGNAL" });
  assert.throws(() => process.kill("x" as any), { code: "ERR_INVALID_ARG_TYPE" });
});

test("a signal to itself reaches its listener", async () => {
  const heard: unknown[] = [];
  process.once("SIGUSR2", (...args) => heard.push(args));
  process.kill(process.pid, "SIGUSR2");
  while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepStrictEqual(heard, [["SIGUSR2", os.constants.signals.SIGUSR2]]);
});

test("standard streams", async () => {
  assert.deepStrictEqual([process.stdin.fd, process.stdout.fd, process.stderr.fd], [0, 1, 2]);
  assert.strictEqual(process.stderr.write(""), true);
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  assert.strictEqual(typeof process.stdout.on, "function");
});

test("modules by name", () => {
  assert.strictEqual((process as any).getBuiltinModule("node:fs"), fs);
  assert.strictEqual((process as any).getBuiltinModule("fs"), fs);
  assert.strictEqual((process as any).getBuiltinModule("no-such-module"), undefined);
});

test("the exit code", () => {
  assert.strictEqual(process.exitCode, undefined);
  process.exitCode = 3;
  assert.strictEqual(process.exitCode, 3);
  process.exitCode = undefined;
  assert.throws(() => process.exit("nonsense" as any), { code: "ERR_INVALID_ARG_TYPE" });
});
