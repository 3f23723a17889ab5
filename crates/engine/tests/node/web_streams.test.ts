import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import web from "node:stream/web";

const turn = () => new Promise((resolve) => setTimeout(resolve, 2));
const from = (...chunks: any[]): ReadableStream<any> => (ReadableStream as any).from(chunks);
const all = (stream: any): Promise<any[]> => Array.fromAsync(stream);

describe("ReadableStream", () => {
  it("is read by a reader", async () => {
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue("a");
        controller.enqueue("b");
        controller.close();
      },
    });
    const reader = stream.getReader();
    assert.equal(stream.locked, true);
    assert.throws(() => stream.getReader(), { name: "TypeError", code: "ERR_INVALID_STATE" });
    assert.deepEqual(
      [await reader.read(), await reader.read(), await reader.read()],
      [{ value: "a", done: false }, { value: "b", done: false }, { value: undefined, done: true }],
    );
    await reader.closed;
    reader.releaseLock();
    assert.equal(stream.locked, false);
  });

  it("asks its source only as fast as it is read", async () => {
    let pulled = 0;
    const stream = new ReadableStream(
      { pull: (controller) => controller.enqueue(++pulled) },
      new CountQueuingStrategy({ highWaterMark: 3 }),
    );
    await turn();
    assert.equal(pulled, 3);
    const reader = stream.getReader();
    assert.equal((await reader.read()).value, 1);
    await turn();
    assert.equal(pulled, 4);
  });

  it("is iterated", async () => {
    assert.deepEqual(await all(from(1, 2, 3)), [1, 2, 3]);
    let reason: any;
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue("x"),
      cancel(why) {
        reason = [why];
      },
    });
    for await (const _ of stream as any) break;
    assert.deepEqual([reason, stream.locked], [[undefined], false]);
    const kept = from(1, 2);
    for await (const _ of (kept as any).values({ preventCancel: true })) break;
    assert.deepEqual(await all(kept), [2]);
  });

  it("passes errors and cancellation", async () => {
    const failing = new ReadableStream({ pull: (controller) => controller.error(new Error("source")) });
    await assert.rejects(all(failing), /source/);
    const throwing = new ReadableStream({
      pull() {
        throw new Error("pull");
      },
    });
    await assert.rejects(throwing.getReader().read(), /pull/);
    let reason: any;
    const stream = new ReadableStream({ cancel: (why) => void (reason = why) });
    await stream.cancel("enough");
    assert.equal(reason, "enough");
    const reader = new ReadableStream().getReader();
    const waiting = reader.read();
    reader.releaseLock();
    await assert.rejects(waiting, { name: "TypeError" });
  });

  it("has a controller with a memory", () => {
    let controller!: ReadableStreamDefaultController;
    new ReadableStream({ start: (given) => void (controller = given) }, { highWaterMark: 10, size: (chunk: string) => chunk.length });
    assert.equal(controller.desiredSize, 10);
    controller.enqueue("abcd");
    assert.equal(controller.desiredSize, 6);
    controller.close();
    assert.throws(() => controller.enqueue("x"), { name: "TypeError" });
    assert.throws(() => controller.close(), { name: "TypeError" });
  });

  it("tees", async () => {
    const [a, b] = from("x", "y").tee();
    assert.deepEqual([await all(a), await all(b)], [["x", "y"], ["x", "y"]]);
    let canceled: any;
    const [c, d] = new ReadableStream({ cancel: (why) => void (canceled = why) }).tee();
    await Promise.all([c.cancel(1), d.cancel(2)]);
    assert.deepEqual(canceled, [1, 2]);
  });

  it("is made from iterables", async () => {
    assert.deepEqual(await all((ReadableStream as any).from((async function* () { yield 1; yield 2; })())), [1, 2]);
    assert.deepEqual(await all((ReadableStream as any).from(new Set(["s"]))), ["s"]);
    assert.throws(() => (ReadableStream as any).from(5), { name: "TypeError" });
  });
});

describe("byte streams", () => {
  it("fill the reader's buffer", async () => {
    const stream = new ReadableStream({
      type: "bytes",
      start(controller) {
        controller.enqueue(new Uint8Array([1, 2, 3, 4, 5]));
        controller.close();
      },
    });
    const reader = stream.getReader({ mode: "byob" });
    const first = await reader.read(new Uint8Array(3));
    assert.deepEqual([[...first.value!], first.done], [[1, 2, 3], false]);
    const second = await reader.read(first.value!);
    assert.deepEqual([...second.value!], [4, 5]);
    const last = await reader.read(new Uint8Array(2));
    assert.deepEqual([last.value!.byteLength, last.done], [0, true]);
  });

  it("let the source fill it", async () => {
    let n = 0;
    const stream = new ReadableStream({
      type: "bytes",
      autoAllocateChunkSize: 4,
      pull(controller: any) {
        const request = controller.byobRequest;
        if (n === 2) {
          controller.close();
          request.respond(0);
          return;
        }
        request.view[0] = ++n;
        request.respond(1);
      },
    });
    assert.deepEqual((await all(stream)).map((chunk) => [...chunk]), [[1], [2]]);
  });

  it("wait for at least as many bytes as asked", async () => {
    const stream = new ReadableStream({
      type: "bytes",
      async start(controller) {
        for (let n = 0; n < 4; n++) {
          await turn();
          controller.enqueue(new Uint8Array([n]));
        }
      },
    });
    const reader: any = stream.getReader({ mode: "byob" });
    assert.deepEqual([...(await reader.read(new Uint8Array(8), { min: 3 })).value], [0, 1, 2]);
  });

  it("tee into copies", async () => {
    const [a, b] = new ReadableStream({
      type: "bytes",
      start(controller) {
        controller.enqueue(new Uint8Array([7, 8]));
        controller.close();
      },
    }).tee();
    const [x, y] = [await all(a), await all(b)];
    assert.deepEqual([[...x[0]], [...y[0]]], [[7, 8], [7, 8]]);
    assert.notEqual(x[0].buffer, y[0].buffer);
  });
});

describe("WritableStream", () => {
  it("writes, pushes back and closes", async () => {
    const log: any[] = [];
    let release!: () => void;
    const stream = new WritableStream(
      {
        write: (chunk) => new Promise<void>((resolve) => {
          log.push(chunk);
          release = resolve;
        }),
        close: () => void log.push("close"),
      },
      { highWaterMark: 1 },
    );
    const writer = stream.getWriter();
    assert.equal(writer.desiredSize, 1);
    const written = writer.write("a");
    assert.equal(writer.desiredSize, 0);
    let ready = false;
    void writer.ready.then(() => { ready = true; });
    await turn();
    assert.equal(ready, false);
    release();
    await written;
    await writer.ready;
    await writer.close();
    await writer.closed;
    assert.deepEqual(log, ["a", "close"]);
    await assert.rejects(writer.write("late"), { name: "TypeError" });
  });

  it("fails writes after a failure", async () => {
    const writer = new WritableStream({
      write() {
        throw new Error("disk");
      },
    }).getWriter();
    await assert.rejects(writer.write("a"), /disk/);
    await assert.rejects(writer.write("b"), /disk/);
    await assert.rejects(writer.closed, /disk/);
  });

  it("aborts", async () => {
    let reason: any;
    let signal!: AbortSignal;
    const stream = new WritableStream({
      start: (controller) => void ({ signal } = controller),
      abort: (why) => void (reason = why),
    });
    await stream.abort("why");
    assert.deepEqual([reason, signal.aborted, signal.reason], ["why", true, "why"]);
  });
});

describe("piping", () => {
  it("moves everything and closes", async () => {
    const log: any[] = [];
    await from("a", "b").pipeTo(new WritableStream({ write: (chunk) => void log.push(chunk), close: () => void log.push("close") }));
    assert.deepEqual(log, ["a", "b", "close"]);
  });

  it("passes failures both ways", async () => {
    let aborted: any;
    const failing = new ReadableStream({ pull: (controller) => controller.error(new Error("source")) });
    await assert.rejects(failing.pipeTo(new WritableStream({ abort: (why) => void (aborted = why.message) })), /source/);
    assert.equal(aborted, "source");
    let canceled: any;
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(1), cancel: (why) => void (canceled = why.message) });
    await assert.rejects(
      endless.pipeTo(new WritableStream({ write() { throw new Error("sink"); } })),
      /sink/,
    );
    assert.equal(canceled, "sink");
  });

  it("stops on a signal", async () => {
    const controller = new AbortController();
    const log: any[] = [];
    const piping = new ReadableStream({ cancel: (why) => void log.push(`cancel ${why.name}`) }).pipeTo(
      new WritableStream({ abort: (why) => void log.push(`abort ${why.name}`) }),
      { signal: controller.signal },
    );
    controller.abort();
    await assert.rejects(piping, { name: "AbortError" });
    assert.deepEqual(log.sort(), ["abort AbortError", "cancel AbortError"]);
  });

  it("goes through transforms", async () => {
    const double = new TransformStream<number, number>({
      transform: (n, controller) => controller.enqueue(n * 2),
      flush: (controller) => controller.enqueue(-1),
    });
    assert.deepEqual(await all(from(1, 2).pipeThrough(double).pipeThrough(new TransformStream())), [2, 4, -1]);
    const failing = new TransformStream({
      transform() {
        throw new Error("transform");
      },
    });
    await assert.rejects(all(from(1).pipeThrough(failing)), /transform/);
    const stopping = new TransformStream({ transform: (chunk, controller) => (chunk === 2 ? controller.terminate() : controller.enqueue(chunk)) });
    assert.deepEqual(await all(from(1, 2, 3).pipeThrough(stopping)), [1]);
  });
});

describe("text and compression", () => {
  it("encodes and decodes across chunks", async () => {
    const bytes = await all(from("h\ud83d", "\ude00i").pipeThrough(new TextEncoderStream() as any));
    assert.equal(Buffer.concat(bytes).toString(), "h😀i");
    const split = from(new Uint8Array([0xe2, 0x82]), new Uint8Array([0xac]));
    assert.equal((await all(split.pipeThrough(new TextDecoderStream() as any))).join(""), "€");
  });

  for (const format of ["gzip", "deflate", "deflate-raw"] as const) {
    it(`round-trips ${format}`, async () => {
      const text = "hello ".repeat(100);
      const packed = await all(from(Buffer.from(text)).pipeThrough(new CompressionStream(format) as any));
      assert.ok(Buffer.concat(packed).length < 100);
      const back = await all(from(...packed).pipeThrough(new DecompressionStream(format) as any));
      assert.equal(Buffer.concat(back).toString(), text);
    });
  }

  it("rejects what is not compressed", async () => {
    await assert.rejects(all(from(new Uint8Array([1, 2, 3])).pipeThrough(new DecompressionStream("gzip") as any)), { name: "TypeError" });
    assert.throws(() => new CompressionStream("zip" as any), { name: "TypeError" });
  });
});

test("node:stream/web has the globals", () => {
  assert.equal(web.ReadableStream, ReadableStream);
  assert.equal(web.TransformStream, TransformStream);
  assert.equal(new ByteLengthQueuingStrategy({ highWaterMark: 5 }).size(new Uint8Array(3)), 3);
});
