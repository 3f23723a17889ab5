// node:os.
import assert from "node:assert";
import * as os from "node:os";
import osDefault from "node:os";
import { test } from "node:test";

test("the home directory and the one for temporary files follow the environment", () => {
  const { HOME, TMPDIR } = process.env;
  process.env.HOME = "/somewhere/else";
  process.env.TMPDIR = "/tmp/elsewhere/";
  assert.strictEqual(os.homedir(), "/somewhere/else");
  assert.strictEqual(os.tmpdir(), "/tmp/elsewhere");
  delete process.env.TMPDIR;
  assert.strictEqual(os.tmpdir(), process.env.TMP ?? process.env.TEMP ?? "/tmp");
  delete process.env.HOME;
  assert.strictEqual(os.homedir(), os.userInfo().homedir);
  if (HOME !== undefined) process.env.HOME = HOME;
  if (TMPDIR !== undefined) process.env.TMPDIR = TMPDIR;
});

test("the machine", () => {
  assert.strictEqual(os.platform(), process.platform);
  assert.strictEqual(os.arch(), process.arch);
  assert.strictEqual(os.type(), process.platform === "darwin" ? "Darwin" : "Linux");
  assert.match(os.release(), /^\d+\.\d+/);
  assert.ok(os.hostname().length > 0);
  assert.ok(os.version().length > 0);
  assert.ok(os.machine().length > 0);
  assert.strictEqual(os.endianness(), "LE");
  assert.strictEqual(os.EOL, "\n");
  assert.strictEqual(os.devNull, "/dev/null");
  assert.ok(os.uptime() > 0);
});

test("memory, load and processors", () => {
  assert.ok(os.totalmem() > os.freemem() && os.freemem() > 0);
  assert.deepStrictEqual(os.loadavg().map((load) => typeof load), ["number", "number", "number"]);
  assert.ok(os.availableParallelism() >= 1);
  const cpus = os.cpus();
  assert.ok(cpus.length >= 1);
  assert.deepStrictEqual(Object.keys(cpus[0]), ["model", "speed", "times"]);
  assert.deepStrictEqual(Object.keys(cpus[0].times), ["user", "nice", "sys", "idle", "irq"]);
});

test("the user", () => {
  const user = os.userInfo();
  assert.strictEqual(user.uid, process.getuid!());
  assert.ok(user.username.length > 0);
  assert.ok(user.homedir.startsWith("/"));
});

test("network interfaces", () => {
  const entry = Object.values(os.networkInterfaces()).flat().find((one) => one!.internal && one!.family === "IPv4")!;
  assert.strictEqual(entry.address, "127.0.0.1");
  assert.strictEqual(entry.cidr, "127.0.0.1/8");
  assert.strictEqual(entry.netmask, "255.0.0.0");
  assert.strictEqual(entry.mac, "00:00:00:00:00:00");
});

test("constants", () => {
  assert.strictEqual(os.constants.signals.SIGTERM, 15);
  assert.strictEqual(os.constants.signals.SIGKILL, 9);
  assert.strictEqual(os.constants.errno.ENOENT, 2);
  const { EINPROGRESS, EDEADLK, EWOULDBLOCK, EAGAIN } = os.constants.errno;
  assert.deepStrictEqual([EINPROGRESS, EDEADLK, EWOULDBLOCK], process.platform === "darwin" ? [36, 11, 35] : [115, 35, EAGAIN]);
  assert.strictEqual(os.constants.priority.PRIORITY_LOW, 19);
  assert.strictEqual(osDefault.constants.signals.SIGINT, 2);
  assert.ok(Object.keys(os.constants.signals).includes("SIGHUP"));
  assert.strictEqual(typeof os.getPriority(), "number");
});
