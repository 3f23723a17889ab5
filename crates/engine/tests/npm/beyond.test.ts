// What only tau's terminals of children do.
import assert from "node:assert";
import { createRequire } from "node:module";
import { test } from "node:test";
import * as pty from "node-pty";
import cdktf from "@cdktf/node-pty-prebuilt-multiarch";
import homebridge from "@homebridge/node-pty-prebuilt-multiarch";
import * as file from "node-pty/lib/index.js";

test("the packages that were made of it are the same", () => {
  const required = createRequire(import.meta.url)("node-pty-prebuilt-multiarch");
  for (const other of [cdktf, homebridge, file, required]) assert.strictEqual(other.spawn, pty.spawn);
  assert.strictEqual(pty.fork, pty.spawn);
});

test("all output arrives before the exit event", async () => {
  const line = "0123456789".repeat(4);
  const script = `i=0; while [ $i -lt 3000 ]; do echo ${line}; i=$((i+1)); done; exit 5`;
  for (let round = 0; round < 3; round++) {
    const terminal = pty.spawn("sh", ["-c", script]);
    let text = "";
    terminal.onData((data: string) => (text += data));
    const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve));
    assert.strictEqual(exitCode, 5);
    assert.ok(text === `${line}\r\n`.repeat(3000), `${text.length} characters`);
  }
});

test("a program or a folder that does not exist fails at once", () => {
  assert.throws(() => pty.spawn("/nowhere/program", []), { code: "ENOENT" });
  assert.throws(() => pty.spawn("sh", [], { cwd: "/nowhere" }), { code: "ENOENT" });
});

test("a terminal that is destroyed hangs up", async () => {
  const terminal = pty.spawn("sh", ["-c", "echo ready; sleep 300"]);
  const ended = new Promise((resolve) => terminal.onExit(resolve));
  await new Promise((resolve) => terminal.onData(resolve));
  terminal.destroy();
  assert.deepStrictEqual(await ended, { exitCode: 0, signal: 1 });
});

test("a terminal without a program is not there, and says so", () => {
  assert.throws(() => pty.open({}), /node-pty\.open is not available in tau/);
});
