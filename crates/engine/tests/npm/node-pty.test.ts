// A terminal for a child. Under Node these are tests of `@lydell/node-pty` itself.
import assert from "node:assert";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import * as pty from "@lydell/node-pty";

type Options = pty.IPtyForkOptions;

/** A terminal, what it has shown so far, and how its program ended. */
function open(file: string, args: string[], options: Options = {}) {
  const terminal = pty.spawn(file, args, options);
  const seen = { text: "" };
  const waiting = new Set<() => void>();
  terminal.onData((data) => {
    seen.text += data;
    for (const look of waiting) look();
  });
  const ended = new Promise<{ exitCode: number; signal?: number }>((resolve) => terminal.onExit(resolve));
  /** Waits until the terminal shows something. */
  const shows = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(seen.text);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      void ended.then(() => reject(new Error(`never shown: ${pattern}\n${JSON.stringify(seen.text)}`)));
      look();
    });
  return { terminal, seen, ended, shows };
}

test("what is typed is read, and what is said is shown with the ends of lines of a terminal", async () => {
  const { terminal, seen, ended } = open("sh", ["-c", "read line; echo got $line; exit 3"]);
  terminal.write("so\r");
  assert.deepStrictEqual(await ended, { exitCode: 3, signal: 0 });
  assert.strictEqual(seen.text, "so\r\ngot so\r\n");
});

test("the program sees its size at the start and after a change", async () => {
  const script = 'trap "stty size; exit" WINCH; stty size; while :; do sleep 0.05; done';
  const { terminal, ended, shows } = open("sh", ["-c", script], { cols: 100, rows: 30 });
  await shows(/30 100\r\n/);
  assert.deepStrictEqual([terminal.cols, terminal.rows], [100, 30]);
  terminal.resize(132, 43);
  await shows(/43 132\r\n/);
  assert.deepStrictEqual([terminal.cols, terminal.rows], [132, 43]);
  assert.strictEqual((await ended).exitCode, 0);
  for (const [columns, rows] of [[0, 1], [1, -1], [NaN, 1], [1, Infinity]]) {
    assert.throws(() => terminal.resize(columns, rows), /positive cols and rows/);
  }
});

test("without a size it is the usual one", async () => {
  const { terminal, seen, ended } = open("stty", ["size"]);
  await ended;
  assert.deepStrictEqual([seen.text, terminal.cols, terminal.rows], ["24 80\r\n", 80, 24]);
});

test("signals end a program, and both kinds of listeners report how", async () => {
  for (const [name, number] of [[undefined, 1], ["SIGTERM", 15], ["SIGKILL", 9]] as const) {
    const { terminal, ended, shows } = open("sh", ["-c", "echo ready; sleep 300"]);
    const exit = new Promise((resolve) => (terminal as any).on("exit", (...args: unknown[]) => resolve(args)));
    await shows(/ready/);
    terminal.kill(name);
    assert.deepStrictEqual(await ended, { exitCode: 0, signal: number });
    assert.deepStrictEqual(await exit, [0, number]);
    // Neither is a failure.
    terminal.kill();
    terminal.kill("SIGNONE");
    terminal.write("late");
  }
});

test("the terminal controls the program: its keys reach what runs in the foreground", async () => {
  const { terminal, ended, shows } = open("sh", ["-c", 'trap "echo stopped; exit 7" INT; echo ready; while :; do sleep 0.05; done']);
  await shows(/ready/);
  terminal.write("\x03");
  assert.strictEqual((await ended).exitCode, 7);
});

test("the name of the terminal and the folder are in the environment, and nothing of the terminal around", async () => {
  const cwd = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "pty-test-")));
  try {
    process.env.TMUX = "around";
    const script = 'echo "$TERM $PWD ${TMUX-none} ${MORE-none}"; pwd';
    for (const [options, said] of [
      [{ name: "xterm-256color", cwd }, `xterm-256color ${cwd} none none\r\n${cwd}\r\n`],
      [{ cwd, env: { ...process.env, TERM: "vt220", MORE: "yes" } }, `vt220 ${cwd} around yes\r\n${cwd}\r\n`],
      [{ cwd, env: { PATH: process.env.PATH } }, `xterm ${cwd} none none\r\n${cwd}\r\n`],
    ] as const) {
      const { seen, ended } = open("sh", ["-c", script], options);
      await ended;
      assert.strictEqual(seen.text, said);
    }
  } finally {
    delete process.env.TMUX;
    fs.rmSync(cwd, { recursive: true });
  }
});

test("a character whose bytes come one after another is shown once", async () => {
  const script = "printf '\\303'; sleep 0.1; printf '\\244|\\360\\237'; sleep 0.1; printf '\\230\\200'";
  const { seen, ended } = open("sh", ["-c", script]);
  await ended;
  assert.strictEqual(seen.text, "ä|😀");
});

test("without an encoding listeners get bytes", async () => {
  const terminal = pty.spawn("printf", ["\\303\\244"], { encoding: null });
  const parts: Buffer[] = [];
  (terminal as any).on("data", (part: Buffer) => parts.push(part));
  await new Promise((resolve) => terminal.onExit(resolve));
  assert.ok(parts.every((part) => Buffer.isBuffer(part)));
  assert.deepStrictEqual([...Buffer.concat(parts)], [0xc3, 0xa4]);
});

test("a program whose terminal is paused waits", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pty-test-"));
  const file = path.join(folder, "done");
  try {
    const options = { handleFlowControl: true, env: { ...process.env, FILE: file } };
    const { terminal, seen, ended, shows } = open("sh", ["-c", "echo ready; read go; head -c 3000000 /dev/zero | tr '\\0' x; : > $FILE"], options);
    await shows(/ready/);
    terminal.write("\x13");
    terminal.write("go\r");
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.ok(!fs.existsSync(file), "nobody reads");
    assert.ok(seen.text.length < 300_000, `${seen.text.length}`);
    terminal.write("\x11");
    await ended;
    assert.ok(fs.existsSync(file));
    // node-pty loses the last words now and then.
    assert.ok(seen.text.length > 2_000_000, `${seen.text.length}`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test("the program in the foreground has a name", async () => {
  const { terminal, ended, shows } = open("sh", ["-c", "echo ready; read line"]);
  await shows(/ready/);
  assert.strictEqual(terminal.process, "sh");
  terminal.write("\r");
  await ended;
});

test("listeners can go", async () => {
  const terminal = pty.spawn("sh", ["-c", "read a; echo $a; read a; echo $a"], {});
  const heard: string[] = [];
  const ended = new Promise((resolve) => terminal.onExit(resolve));
  const first = new Promise<void>((resolve) => {
    let all = "";
    const listener = terminal.onData((data) => {
      heard.push(data);
      all += data;
      if (!/one\r\none\r\n/.test(all)) return;
      listener.dispose();
      resolve();
    });
  });
  terminal.write("one\r");
  await first;
  const count = heard.length;
  terminal.write("two\r");
  await ended;
  assert.strictEqual(heard.length, count);
});

test("arguments of the wrong type are refused", () => {
  assert.throws(() => pty.spawn("sh", "-c ls", {}), /args as a string/);
  assert.throws(() => pty.spawn("sh", [], { cols: "80" } as any), /cols must be a number/);
  assert.throws(() => pty.spawn("sh", [], { encoding: 8 } as any), /encoding must be a string/);
});
