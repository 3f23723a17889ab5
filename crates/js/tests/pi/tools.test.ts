// The built-in tools as extensions use them.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import {
  createBashTool, createBashToolDefinition, createCodingTools, createEditTool, createFindTool, createGrepTool,
  createGrepToolDefinition, createLocalBashOperations, createLsTool, createReadOnlyTools, createReadTool,
  createReadToolDefinition, createWriteTool, formatReadLineRange, initTheme, withFileMutationQueue,
} from "@earendil-works/pi-coding-agent";

const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "pi-tools-")));
after(() => fs.rmSync(dir, { recursive: true, force: true }));

const textOf = (result: any) => result.content.map((block: any) => block.text).join("");
const run = (tool: any, params: any, signal?: AbortSignal, onUpdate?: any) =>
  tool.execute("call-1", params, signal, onUpdate);

test("a tool is a plain object with the documented fields", () => {
  const tool: any = createReadTool(dir);
  assert.deepEqual([tool.name, tool.label, tool.parameters.type], ["read", "read", "object"]);
  assert.deepEqual(Object.keys(tool.parameters.properties), ["path", "offset", "limit"]);
  assert.equal(typeof tool.description, "string");
  assert.deepEqual(createCodingTools(dir).map(({ name }: any) => name), ["read", "bash", "edit", "write"]);
  assert.deepEqual(createReadOnlyTools(dir).map(({ name }: any) => name), ["read", "grep", "find", "ls"]);
  assert.equal(typeof (createBashToolDefinition(dir) as any).promptSnippet, "string");
  const snippets = [createReadTool, createBashTool, createEditTool].map((create) => typeof (create(dir) as any).promptSnippet);
  assert.deepEqual(snippets, ["undefined", "string", "undefined"]);
});

// A definition may draw with the theme that it gets, or with that of the session.
test("definitions say what a result holds, and draw themselves", async () => {
  const read: any = createReadToolDefinition(dir);
  assert.deepEqual(read.outputSchema.anyOf.map(({ type }: any) => type), ["string", "object"]);
  const bash: any = createBashToolDefinition(dir);
  assert.deepEqual(bash.outputSchema.required, ["output", "truncated", "exit_code", "wall_time_seconds"]);
  assert.deepEqual(read.constrainedSampling, { type: "json_schema", strict: "prefer" });
  assert.equal((createGrepToolDefinition(dir) as any).constrainedSampling, undefined);
  assert.equal((createReadTool(dir) as any).renderCall, undefined);
  initTheme("dark");
  const plain: any = { fg: (_: string, text: string) => text, bg: (_: string, text: string) => text, bold: (text: string) => text };
  const context: any = { args: {}, state: {}, cwd: dir, expanded: false, isError: false, lastComponent: undefined, invalidate() {}, showImages: false };
  const drawn = (component: any) => component.render(60).map((line: string) => line.replace(/\x1b\[[0-9;]*m/g, "").trimEnd()).join("\n").trim();
  assert.equal(drawn(read.renderCall({ path: "a.txt", offset: 5, limit: 3 }, plain, context)), "read a.txt:5-7");
  assert.equal(drawn(bash.renderCall({ command: "ls -l" }, plain, context)), "$ ls -l");
  const lines = Array.from({ length: 30 }, (_, line) => `line ${line + 1}`).join("\n");
  const result: any = { content: [{ type: "text", text: lines }], details: undefined };
  const short = drawn(bash.renderResult(result, { expanded: false, isPartial: false }, plain, context));
  assert.ok(short.includes("line 30") && !short.includes("line 10\n"), short);
  const whole = drawn(bash.renderResult(result, { expanded: true, isPartial: false }, plain, { ...context, expanded: true }));
  assert.ok(whole.startsWith("line 1\nline 2\n") && whole.includes("line 30"), whole);
});

test("the lines that a call of read asks for", () => {
  const cases: [any, any, string][] = [
    [undefined, undefined, ""], [5, undefined, ":5"], [undefined, 3, ":1-3"], [5, 3, ":5-7"], [1, 0, ":1"],
    ["5", " 3", ":5-7"], [null, 2, ":1-2"], ["x", 2, ""], [2, "x", ""], [{}, undefined, ""],
  ];
  for (const [offset, limit, expected] of cases) assert.equal(formatReadLineRange(offset, limit), expected);
});

test("read has its result as a value too", async () => {
  fs.writeFileSync(path.join(dir, "value.txt"), "hi\n");
  const result: any = await run(createReadTool(dir), { path: "value.txt" });
  assert.equal(result.structuredContent, "hi\n");
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  fs.writeFileSync(path.join(dir, "value.png"), Buffer.from(pixel, "base64"));
  const { structuredContent }: any = await run(createReadTool(dir), { path: "value.png" });
  assert.deepEqual([structuredContent.type, structuredContent.mimeType], ["image", "image/png"]);
  assert.match(structuredContent.note, /^Read image file \[image\/png\]/);
});

test("spread copies a tool", async () => {
  fs.writeFileSync(path.join(dir, "spread.txt"), "hi");
  const copy: any = { ...createReadTool(dir), label: "mine" };
  assert.equal(textOf(await copy.execute("1", { path: "spread.txt" })), "hi");
});

test("write, read, edit", async () => {
  const written: any = await run(createWriteTool(dir), { path: "sub/a.txt", content: "one\ntwo\nthree\n" });
  assert.match(textOf(written), /Successfully wrote/);
  assert.equal(fs.readFileSync(path.join(dir, "sub/a.txt"), "utf8"), "one\ntwo\nthree\n");
  const part: any = await run(createReadTool(dir), { path: "sub/a.txt", offset: 2, limit: 1 });
  assert.match(textOf(part), /^two\n\n\[\d+ more lines? in file\. Use offset=3 to continue\.\]$/);
  const edited: any = await run(createEditTool(dir), { path: "sub/a.txt", edits: [{ oldText: "two", newText: "2" }] });
  assert.match(textOf(edited), /Successfully replaced/);
  assert.match(edited.details.diff, /-2 two\n\+2 2/);
  assert.equal(fs.readFileSync(path.join(dir, "sub/a.txt"), "utf8"), "one\n2\nthree\n");
});

test("what a tool fails with is thrown", async () => {
  await assert.rejects(run(createReadTool(dir), { path: "missing.txt" }), /ENOENT/);
});

test("a command that fails has a result all the same", async () => {
  const result: any = await run(createBashTool(dir), { command: "echo out; exit 3" });
  assert.match(textOf(result), /out\n+Command exited with code 3/);
  const { wall_time_seconds, ...data } = result.structuredContent;
  assert.equal(result.isError, true);
  assert.equal(typeof wall_time_seconds, "number");
  assert.deepEqual(data, { output: "out\n", truncated: false, exit_code: 3 });
});

test("grep, find and ls", async () => {
  fs.mkdirSync(path.join(dir, "tree/inner"), { recursive: true });
  fs.writeFileSync(path.join(dir, "tree/x.txt"), "needle\n");
  fs.writeFileSync(path.join(dir, "tree/inner/y.md"), "hay\n");
  assert.match(textOf(await run(createGrepTool(dir), { pattern: "needle", path: "tree" })), /x\.txt:1: needle/);
  assert.match(textOf(await run(createFindTool(dir), { pattern: "*.md", path: "tree" })), /inner\/y\.md/);
  assert.equal(textOf(await run(createLsTool(dir), { path: "tree" })), "inner/\nx.txt");
});

test("bash streams and ends", async () => {
  const updates: any[] = [];
  const result: any = await run(createBashTool(dir), { command: "echo hello; pwd" }, undefined, (partial: any) => updates.push(partial));
  assert.equal(textOf(result), `hello\n${dir}\n`);
  assert.ok(updates.length > 0);
});

test("the spawn hook changes command, directory and environment", async () => {
  const seen: any[] = [];
  const tool: any = createBashTool(dir, {
    commandPrefix: "export PREFIXED=yes",
    spawnHook: (context: any) => {
      seen.push(context);
      return { command: `${context.command}; echo $ADDED`, cwd: "/", env: { ...context.env, ADDED: "hooked" } };
    },
  });
  assert.equal(textOf(await run(tool, { command: "echo $PREFIXED; pwd" })), "yes\n/\nhooked\n");
  assert.equal(seen[0].command, "export PREFIXED=yes\necho $PREFIXED; pwd");
  assert.equal(seen[0].cwd, dir);
  assert.equal(seen[0].env.PATH !== undefined, true);
});

test("operations of an extension take over: bash", async () => {
  const calls: any[] = [];
  const tool: any = createBashTool("/remote", {
    operations: {
      async exec(command: string, cwd: string, { onData, signal, timeout }: any) {
        calls.push([command, cwd, timeout, signal instanceof AbortSignal]);
        onData(Buffer.from("part one, "));
        await new Promise((resolve) => setTimeout(resolve, 5));
        onData(Buffer.from("part two"));
        return { exitCode: 0 };
      },
    },
  });
  const result: any = await run(tool, { command: "uname", timeout: 7 }, new AbortController().signal);
  assert.equal(textOf(result), "part one, part two");
  assert.deepEqual(calls, [["uname", "/remote", 7, true]]);
});

test("operations of an extension take over: their failures", async () => {
  const failing = (error: any) =>
    createBashTool("/remote", { operations: { exec: async () => { throw error; } } }) as any;
  await assert.rejects(run(failing(new Error("timeout:4")), { command: "x" }), /Command timed out after 4 seconds/);
  await assert.rejects(run(failing(new Error("aborted")), { command: "x" }), /Command aborted/);
  await assert.rejects(run(failing(new Error("no route")), { command: "x" }), /no route/);
  const code: any = createBashTool("/remote", { operations: { exec: async () => ({ exitCode: 2 }) } });
  assert.match(textOf(await run(code, { command: "x" })), /Command exited with code 2/);
});

test("operations of an extension take over: files", async () => {
  const files = new Map<string, string>([["/remote/a.txt", "alpha\nbeta\n"]]);
  const calls: string[] = [];
  const operations: any = {
    readFile: async (file: string) => {
      calls.push(`read ${file}`);
      const text = files.get(file);
      if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file, open '${file}'`), { code: "ENOENT" });
      return Buffer.from(text);
    },
    writeFile: async (file: string, content: string) => void files.set(file, content),
    access: async (file: string) => {
      if (!files.has(file)) throw Object.assign(new Error(`ENOENT: no such file, access '${file}'`), { code: "ENOENT" });
    },
    mkdir: async (folder: string) => void calls.push(`mkdir ${folder}`),
  };
  assert.equal(textOf(await run(createReadTool("/remote", { operations }), { path: "a.txt", limit: 1 })).startsWith("alpha"), true);
  await run(createEditTool("/remote", { operations }), { path: "a.txt", edits: [{ oldText: "beta", newText: "gamma" }] });
  assert.equal(files.get("/remote/a.txt"), "alpha\ngamma\n");
  await run(createWriteTool("/remote", { operations }), { path: "deep/b.txt", content: "new" });
  assert.equal(files.get("/remote/deep/b.txt"), "new");
  assert.equal(calls.includes("mkdir /remote/deep"), true);
  await assert.rejects(run(createReadTool("/remote", { operations }), { path: "missing" }), /ENOENT/);
});

test("operations of an extension take over: a file in pieces", async () => {
  const asked: any[] = [];
  const operations: any = {
    access: async () => {},
    readFile: async () => { throw new Error("not asked for"); },
    async *createReadStream(file: string, { signal }: any) {
      asked.push([file, signal instanceof AbortSignal]);
      for (const piece of ["one\nt", "wo\nthr", "ee \u00e9\n"]) yield Buffer.from(piece);
    },
  };
  const read: any = createReadTool("/remote", { operations });
  const signal = new AbortController().signal;
  assert.equal(textOf(await run(read, { path: "a.txt" }, signal)), "one\ntwo\nthree \u00e9\n");
  assert.equal(textOf(await run(read, { path: "a.txt", offset: 2, limit: 1 }, signal)), "two\n\n[2 more lines in file. Use offset=3 to continue.]");
  assert.deepEqual(asked, [["/remote/a.txt", true], ["/remote/a.txt", true]]);
  operations.createReadStream = async function* () { yield Buffer.from("x"); throw new Error("line is dead"); };
  await assert.rejects(run(createReadTool("/remote", { operations }), { path: "a" }), /^Error: line is dead$/);
  for (const piece of [undefined, null, 7]) {
    operations.createReadStream = async function* () { yield Buffer.from("one\n"); yield piece; yield Buffer.from("two\n"); };
    await assert.rejects(run(createReadTool("/remote", { operations }), { path: "a" }), /createReadStream gave neither bytes nor text/);
  }
});

test("operations of an extension take over: grep asks only what a path is", async () => {
  fs.mkdirSync(path.join(dir, "asked"), { recursive: true });
  fs.writeFileSync(path.join(dir, "asked/x.txt"), "one\nneedle\nthree\n");
  const grep: any = createGrepTool(dir, { operations: { isDirectory: () => true } as any });
  const found: any = await run(grep, { pattern: "needle", path: "asked", context: 1, glob: "./*.txt" });
  assert.equal(textOf(found), "x.txt-1- one\nx.txt:2: needle\nx.txt-3- three");
});

test("operations of an extension take over: ls and find", async () => {
  const ls: any = createLsTool("/remote", {
    operations: {
      exists: () => true,
      stat: (file: string) => ({ isDirectory: () => !file.endsWith(".txt") }),
      readdir: () => ["b.txt", "dir"],
    } as any,
  });
  assert.equal(textOf(await run(ls, {})), "b.txt\ndir/");
  const find: any = createFindTool("/remote", {
    operations: { exists: () => true, glob: async (pattern: string, cwd: string) => [`${cwd}/x-${pattern}`] },
  });
  assert.equal(textOf(await run(find, { pattern: "y" })), "x-y");
  const limits: number[] = [];
  const many: any = createFindTool("/remote", {
    operations: { exists: () => true, glob: async (_: string, __: string, { limit }: any) => (limits.push(limit), ["a", "b"]) },
  });
  assert.equal(textOf(await run(many, { pattern: "y", limit: 2 })), "a\nb");
  assert.equal(textOf(await run(many, { pattern: "y", limit: 1 })), "a\n\n[1 results limit reached]");
  assert.deepEqual(limits, [3, 2]);
});

test("a signal stops a command", async () => {
  const controller = new AbortController();
  const running = run(createBashTool(dir), { command: "echo begun; sleep 30" }, controller.signal, () => controller.abort());
  await assert.rejects(running, /Command aborted/);
});

test("local operations run a command", async () => {
  const chunks: string[] = [];
  const operations: any = createLocalBashOperations();
  const result = await operations.exec("echo $X; exit 4", dir, {
    onData: (data: Buffer) => chunks.push(data.toString("utf8")),
    env: { ...process.env, X: "y" },
  });
  assert.deepEqual([result, chunks.join("")], [{ exitCode: 4 }, "y\n"]);
  await assert.rejects(operations.exec("sleep 30", dir, { onData() {}, timeout: 0.05 }), /^Error: timeout:0.05$/);
});

test("changes of one file wait for each other", async () => {
  const file = path.join(dir, "queue.txt");
  const order: string[] = [];
  const slow = withFileMutationQueue(file, async () => {
    order.push("first begins");
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push("first ends");
    return 1;
  });
  const next = withFileMutationQueue(file, async () => void order.push("second"));
  const other = withFileMutationQueue(path.join(dir, "other.txt"), async () => void order.push("other file"));
  assert.equal(await slow, 1);
  await Promise.all([next, other]);
  assert.deepEqual(order.filter((step) => step !== "other file"), ["first begins", "first ends", "second"]);
  assert.equal(order.indexOf("other file") < order.indexOf("first ends"), true);
  await assert.rejects(withFileMutationQueue(file, async () => { throw new Error("inside"); }), /inside/);
  assert.equal(await withFileMutationQueue(file, async () => "free"), "free");
});
