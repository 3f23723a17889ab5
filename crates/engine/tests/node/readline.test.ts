import assert from "node:assert/strict";
import { once } from "node:events";
import readline, { clearLine, clearScreenDown, createInterface, cursorTo, emitKeypressEvents, moveCursor } from "node:readline";
import promises from "node:readline/promises";
import { PassThrough, Readable } from "node:stream";
import { describe, it } from "node:test";

/** All lines of `chunks`. */
async function lines(...chunks: any[]): Promise<string[]> {
  const rl = createInterface({ input: Readable.from(chunks), crlfDelay: Infinity });
  const seen: string[] = [];
  rl.on("line", (line) => seen.push(line));
  await once(rl, "close");
  return seen;
}

function sink(): any {
  const output: any = new PassThrough();
  output.text = "";
  output.on("data", (chunk: any) => {
    output.text += chunk;
  });
  return output;
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("readline", () => {
  it("splits lines at every kind of end, across chunks", async () => {
    assert.deepEqual(await lines("a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
    assert.deepEqual(await lines("a\r", "\nb", "c\n\n", "d\n"), ["a", "bc", "", "d"]);
    assert.deepEqual(await lines(Buffer.from([0xe2, 0x82]), Buffer.from([0xac, 10])), ["€"]);
    assert.deepEqual(await lines("only\n"), ["only"]);
    assert.deepEqual(await lines(""), []);
  });

  it("is iterated", async () => {
    const rl = createInterface({ input: Readable.from(["1\n2\n", "3"]) });
    const seen: string[] = [];
    for await (const line of rl) seen.push(line);
    assert.deepEqual(seen, ["1", "2", "3"]);
    const early = createInterface({ input: Readable.from(["1\n2\n"]) });
    let closed = false;
    early.on("close", () => {
      closed = true;
    });
    for await (const _ of early) break;
    await turn();
    assert.equal(closed, true);
  });

  it("asks questions", async () => {
    const input = new PassThrough();
    const output = sink();
    const rl = createInterface({ input, output });
    const others: string[] = [];
    rl.on("line", (line) => others.push(line));
    const answer = new Promise((resolve) => rl.question("Name? ", resolve));
    input.write("Ada\nnext\n");
    assert.equal(await answer, "Ada");
    await turn();
    assert.deepEqual(others, ["next"]);
    assert.ok(output.text.startsWith("Name? "));
    rl.close();
    assert.throws(() => rl.question("?", () => {}), { code: "ERR_USE_AFTER_CLOSE" });
  });

  it("shows prompts, pauses and resumes", async () => {
    const input = new PassThrough();
    const output = sink();
    const rl = createInterface({ input, output, prompt: "$ " });
    const log: string[] = [];
    for (const type of ["pause", "resume", "close"]) rl.on(type, () => log.push(type));
    rl.prompt();
    rl.setPrompt("# ");
    rl.prompt();
    assert.equal(rl.getPrompt(), "# ");
    rl.pause();
    rl.resume();
    rl.close();
    rl.close();
    await turn();
    assert.equal(output.text, "$ # ");
    assert.deepEqual(log, ["pause", "resume", "pause", "close"]);
    assert.ok(rl instanceof readline.Interface);
  });

  it("closes on abort", async () => {
    const controller = new AbortController();
    const rl = createInterface({ input: new PassThrough(), signal: controller.signal });
    const closed = once(rl, "close");
    controller.abort();
    await closed;
  });

  it("needs an input", () => {
    assert.throws(() => createInterface({} as any), TypeError);
  });
});

describe("readline/promises", () => {
  it("gives answers as promises", async () => {
    const input = new PassThrough();
    const rl = promises.createInterface({ input, output: sink() });
    const answer = rl.question("? ");
    input.write("yes\n");
    assert.equal(await answer, "yes");
    const controller = new AbortController();
    const aborted = rl.question("? ", { signal: controller.signal });
    controller.abort();
    await assert.rejects(aborted, { name: "AbortError" });
    rl.close();
    assert.equal(readline.promises, promises);
  });

  it("batches cursor movements", async () => {
    const output = sink();
    const rl = new promises.Readline(output);
    rl.cursorTo(1, 2).clearLine(0).moveCursor(-1, 1);
    await rl.commit();
    await turn();
    assert.equal(output.text, "\x1b[3;2H\x1b[2K\x1b[1D\x1b[1B");
  });
});

describe("the cursor", () => {
  it("is moved with ANSI sequences", async () => {
    const output = sink();
    cursorTo(output, 4);
    cursorTo(output, 0, 1);
    moveCursor(output, 2, -3);
    clearLine(output, -1);
    clearLine(output, 1);
    await new Promise<void>((resolve) => clearScreenDown(output, () => resolve()));
    await turn();
    assert.equal(output.text, "\x1b[5G\x1b[2;1H\x1b[2C\x1b[3A\x1b[1K\x1b[0K\x1b[0J");
  });
});

describe("key presses", () => {
  it("are told apart", async () => {
    const input: any = new PassThrough();
    emitKeypressEvents(input);
    const keys: any[] = [];
    input.on("keypress", (_text: any, key: any) => keys.push([key.name, key.ctrl, key.meta, key.shift]));
    input.write("a");
    input.write("B\r\x03");
    input.write("\x1b[A");
    input.write("\x1b[1;5C");
    input.write("\x1b[3~");
    await turn();
    assert.deepEqual(keys, [
      ["a", false, false, false],
      ["b", false, false, true],
      ["return", false, false, false],
      ["c", true, false, false],
      ["up", false, false, false],
      ["right", true, false, false],
      ["delete", false, false, false],
    ]);
  });
});
