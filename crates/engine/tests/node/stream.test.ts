import assert from "node:assert/strict";
import Stream, {
  addAbortSignal,
  compose,
  Duplex,
  duplexPair,
  finished,
  getDefaultHighWaterMark,
  isReadable,
  PassThrough,
  pipeline,
  Readable,
  Transform,
  Writable,
} from "node:stream";
import { describe, it, test } from "node:test";
import { buffer, json, text } from "node:stream/consumers";
import promises, { finished as finishedPromise, pipeline as pipelinePromise } from "node:stream/promises";
import { inherits } from "node:util";

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A writable that keeps what it gets. */
function collector(options: any = {}): any {
  const chunks: any[] = [];
  const stream: any = new Writable({
    ...options,
    write(chunk, _encoding, callback) {
      chunks.push(options.objectMode ? chunk : String(chunk));
      callback();
    },
  });
  stream.chunks = chunks;
  return stream;
}

/** The events of `emitter`, by name, in order. */
function events(emitter: any, ...names: string[]): string[] {
  const log: string[] = [];
  for (const name of names) emitter.on(name, (value: any) => log.push(value instanceof Error ? `${name} ${value.message}` : name));
  return log;
}

describe("Readable", () => {
  it("gives bytes on read and tells when there are some", async () => {
    const stream = new Readable({ read() {} });
    stream.push("hello ");
    stream.push(Buffer.from("world"));
    assert.equal(String(stream.read(5)), "hello");
    assert.equal(stream.readableLength, 6);
    stream.unshift("X");
    assert.equal(String(stream.read()), "X world");
    assert.equal(stream.read(), null);
    const log = events(stream, "readable", "end", "close");
    stream.on("readable", () => {
      while (stream.read() !== null);
    });
    stream.push("more");
    await turn();
    stream.push(null);
    await turn();
    assert.deepEqual([...new Set(log)], ["readable", "end", "close"]);
    assert.deepEqual([stream.readableEnded, stream.destroyed, stream.readable], [true, true, false]);
  });

  it("flows with a data listener, pauses and resumes", async () => {
    let next = 0;
    const stream = new Readable({
      objectMode: true,
      read() {
        this.push(next < 4 ? next++ : null);
      },
    });
    const seen: any[] = [];
    assert.equal(stream.readableFlowing, null);
    stream.on("data", (chunk) => {
      seen.push(chunk);
      if (chunk === 1) {
        stream.pause();
        seen.push(stream.isPaused());
        setTimeout(() => stream.resume(), 5);
      }
    });
    await finishedPromise(stream);
    assert.deepEqual(seen, [0, 1, true, 2, 3]);
  });

  it("says when the source should wait", () => {
    const stream = new Readable({ highWaterMark: 4, read() {} });
    assert.equal(stream.push("ab"), true);
    assert.equal(stream.push("cd"), false);
    assert.deepEqual([stream.readableHighWaterMark, stream.readableObjectMode], [4, false]);
    assert.deepEqual([getDefaultHighWaterMark(false), getDefaultHighWaterMark(true)], [65536, 16]);
  });

  it("asks the source for no more than it needs", async () => {
    let calls = 0;
    const stream = new Readable({
      objectMode: true,
      highWaterMark: 3,
      read() {
        this.push(++calls);
      },
    });
    stream.read(0);
    await turn();
    assert.equal(calls, 3);
    assert.equal(stream.read(), 1);
    await turn();
    assert.equal(calls, 4);
  });

  it("decodes text across chunks", async () => {
    const stream = new Readable({ read() {} });
    stream.setEncoding("utf8");
    const bytes = Buffer.from("aé€");
    for (const byte of bytes) stream.push(Buffer.from([byte]));
    stream.push(null);
    let result = "";
    for await (const chunk of stream) result += chunk;
    assert.equal(result, "aé€");
    assert.equal(stream.readableEncoding, "utf8");
  });

  it("is iterated, and destroyed when the loop ends early", async () => {
    const stream = Readable.from(["a", "b", "c"]);
    const seen: string[] = [];
    for await (const chunk of stream) {
      seen.push(chunk);
      if (chunk === "b") break;
    }
    assert.deepEqual(seen, ["a", "b"]);
    assert.equal(stream.destroyed, true);

    const kept = Readable.from(["a", "b"]);
    for await (const _ of kept.iterator({ destroyOnReturn: false })) break;
    assert.equal(kept.destroyed, false);
    assert.deepEqual(await kept.toArray(), ["b"]);
  });

  it("throws the stream's error out of the loop", async () => {
    const stream = new Readable({ read() {} });
    stream.push("a");
    setTimeout(() => stream.destroy(new Error("gone")), 2);
    const seen: string[] = [];
    await assert.rejects(async () => {
      for await (const chunk of stream) seen.push(String(chunk));
    }, /gone/);
    assert.deepEqual(seen, ["a"]);
    await assert.rejects(
      async () => {
        const closed = new Readable({ read() {} });
        setTimeout(() => closed.destroy(), 1);
        for await (const _ of closed);
      },
      { code: "ERR_STREAM_PREMATURE_CLOSE" },
    );
  });

  it("is made from iterables", async () => {
    assert.deepEqual(await Readable.from("text").toArray(), ["text"]);
    assert.deepEqual(await Readable.from(new Set([1, 2])).toArray(), [1, 2]);
    assert.deepEqual(await Readable.from((async function* () { yield 1; yield 2; })()).toArray(), [1, 2]);
    const failing = Readable.from((function* () { yield 1; throw new Error("source"); })());
    await assert.rejects(failing.toArray(), /source/);
    let returned = false;
    const closing = Readable.from((function* () { try { yield 1; yield 2; } finally { returned = true; } })());
    for await (const _ of closing) break;
    await turn();
    assert.equal(returned, true);
    assert.throws(() => Readable.from(5 as any), { code: "ERR_INVALID_ARG_TYPE" });
  });

  it("is destroyed with error before close", async () => {
    const stream = new Readable({
      read() {},
      destroy(error, callback) {
        callback(new Error(`${error?.message}!`));
      },
    });
    const log = events(stream, "error", "close", "end");
    stream.destroy(new Error("first"));
    stream.destroy(new Error("second"));
    await turn();
    assert.deepEqual(log, ["error first!", "close"]);
    assert.deepEqual([stream.destroyed, stream.errored?.message, stream.closed, stream.readableAborted], [true, "first", true, true]);
    assert.equal(stream.push("late"), false);
  });

  it("reports misuse", async () => {
    const unread: any = new Readable();
    const log = events(unread, "error");
    unread.read();
    await turn();
    assert.deepEqual(log, ["error The _read() method is not implemented"]);
    const after = new Readable({ read() {} });
    const afterLog = events(after, "error");
    after.push(null);
    after.push("x");
    await turn();
    assert.deepEqual(afterLog, ["error stream.push() after EOF"]);
    const wrong = new Readable({ read() {} });
    const failed = new Promise<any>((resolve) => wrong.on("error", resolve));
    wrong.push(5 as any);
    assert.equal((await failed).code, "ERR_INVALID_ARG_TYPE");
  });

  it("has the helpers of iterators", async () => {
    const numbers = () => Readable.from([1, 2, 3, 4]);
    assert.deepEqual(await numbers().map(async (n) => n * 2).toArray(), [2, 4, 6, 8]);
    assert.deepEqual(await numbers().filter((n) => n % 2).toArray(), [1, 3]);
    assert.deepEqual(await numbers().flatMap((n) => [n, -n]).take(4).toArray(), [1, -1, 2, -2]);
    assert.deepEqual(await numbers().drop(2).toArray(), [3, 4]);
    assert.equal(await numbers().reduce((a: number, b: number) => a + b), 10);
    assert.equal(await numbers().reduce((a: string, b: number) => a + b, ""), "1234");
    assert.deepEqual(
      [await numbers().some((n) => n > 3), await numbers().every((n) => n > 3), await numbers().find((n) => n > 2)],
      [true, false, 3],
    );
    const seen: number[] = [];
    await numbers().forEach((n) => void seen.push(n));
    assert.deepEqual(seen, [1, 2, 3, 4]);
    let running = 0;
    let most = 0;
    const slow = async (n: number) => {
      most = Math.max(most, ++running);
      await turn();
      running -= 1;
      return n;
    };
    assert.deepEqual(await numbers().map(slow, { concurrency: 2 }).toArray(), [1, 2, 3, 4]);
    assert.equal(most, 2);
    await assert.rejects(Readable.from([]).reduce((a: any) => a), { name: "TypeError" });
  });
});

describe("Writable", () => {
  it("writes in order, then finishes and closes", async () => {
    const log: string[] = [];
    const stream = new Writable({
      write(chunk, encoding, callback) {
        log.push(`write ${chunk} ${encoding}`);
        setTimeout(callback, 1);
      },
      final(callback) {
        log.push("final");
        callback();
      },
    });
    for (const name of ["prefinish", "finish", "close"]) stream.on(name, () => log.push(name));
    stream.write("a", () => log.push("callback a"));
    stream.write("b");
    stream.end("c", () => log.push("callback end"));
    assert.deepEqual([stream.writableEnded, stream.writableFinished, stream.writable], [true, false, false]);
    await finishedPromise(stream);
    assert.deepEqual(log, [
      "write a buffer", "callback a", "write b buffer", "write c buffer", "final", "prefinish", "callback end", "finish", "close",
    ].sort((a, b) => log.indexOf(a) - log.indexOf(b)));
    assert.ok(log.indexOf("write b buffer") < log.indexOf("write c buffer"));
    assert.deepEqual(log.slice(-5), ["final", "prefinish", "callback end", "finish", "close"]);
  });

  it("pushes back and drains", async () => {
    const stream = new Writable({ highWaterMark: 3, write: (_chunk, _encoding, callback) => void setTimeout(callback, 1) });
    assert.equal(stream.write("ab"), true);
    assert.equal(stream.write("cd"), false);
    assert.deepEqual([stream.writableNeedDrain, stream.writableLength], [true, 4]);
    await new Promise((resolve) => stream.once("drain", resolve));
    assert.deepEqual([stream.writableNeedDrain, stream.writableLength], [false, 0]);
  });

  it("corks writes into one batch", async () => {
    const batches: string[][] = [];
    const stream = new Writable({
      writev(chunks, callback) {
        batches.push(chunks.map(({ chunk }) => String(chunk)));
        callback();
      },
    });
    stream.cork();
    stream.write("a");
    stream.write("b");
    assert.equal(stream.writableCorked, 1);
    process.nextTick(() => stream.uncork());
    await turn();
    stream.end("c");
    await finishedPromise(stream);
    assert.deepEqual(batches, [["a", "b"], ["c"]]);
  });

  it("keeps objects and strings when asked to", async () => {
    const objects = collector({ objectMode: true });
    objects.write({ a: 1 });
    objects.end([2]);
    await finishedPromise(objects);
    assert.deepEqual(objects.chunks, [{ a: 1 }, [2]]);
    const seen: any[] = [];
    const strings = new Writable({
      decodeStrings: false,
      write(chunk, encoding, callback) {
        seen.push([chunk, encoding]);
        callback();
      },
    });
    strings.write("é", "latin1");
    strings.end("x");
    await finishedPromise(strings);
    assert.deepEqual(seen, [["é", "latin1"], ["x", "utf8"]]);
  });

  it("tells every waiting write of an error", async () => {
    const stream = new Writable({ write: (_chunk, _encoding, callback) => callback(new Error("disk full")) });
    const log = events(stream, "error", "close", "finish");
    const callbacks: any[] = [];
    stream.write("a", (error) => callbacks.push(error?.message));
    stream.write("b", (error) => callbacks.push(error?.message));
    stream.end((error: any) => callbacks.push(error?.message));
    await turn();
    assert.deepEqual(callbacks, ["disk full", "disk full", "disk full"]);
    assert.deepEqual(log, ["error disk full", "close"]);
  });

  it("reports misuse", async () => {
    const ended = collector();
    ended.end();
    const failed = new Promise<any>((resolve) => ended.on("error", resolve));
    ended.write("late");
    assert.equal((await failed).code, "ERR_STREAM_WRITE_AFTER_END");
    const destroyed = collector();
    destroyed.destroy();
    const code = await new Promise((resolve) => destroyed.write("x", (error: any) => resolve(error.code)));
    assert.equal(code, "ERR_STREAM_DESTROYED");
    assert.throws(() => collector().write(null), { code: "ERR_STREAM_NULL_VALUES" });
    assert.throws(() => collector().write(5), { code: "ERR_INVALID_ARG_TYPE" });
    assert.throws(() => collector().write("x", "nonsense"), { code: "ERR_UNKNOWN_ENCODING" });
  });

  it("waits for construction", async () => {
    const log: string[] = [];
    class Slow extends Writable {
      _construct(callback: any) {
        log.push("construct");
        setTimeout(callback, 2);
      }
      _write(chunk: any, _encoding: any, callback: any) {
        log.push(`write ${chunk}`);
        callback();
      }
    }
    const stream = new Slow();
    stream.end("a");
    await finishedPromise(stream);
    assert.deepEqual(log, ["construct", "write a"]);
  });
});

describe("Duplex and Transform", () => {
  it("transforms and flushes", async () => {
    const upper = new Transform({
      transform(chunk, _encoding, callback) {
        callback(null, String(chunk).toUpperCase());
      },
      flush(callback) {
        callback(null, "!");
      },
    });
    upper.write("a");
    upper.end("b");
    assert.equal(await text(upper), "AB!");
  });

  it("passes errors of the transform on", async () => {
    const failing = new Transform({ transform: (_chunk, _encoding, callback) => callback(new Error("bad chunk")) });
    failing.end("x");
    await assert.rejects(failing.toArray(), /bad chunk/);
  });

  it("waits for its reader", async () => {
    const through = new PassThrough({ highWaterMark: 4 });
    let accepted = 0;
    while (through.write("ab") && accepted < 100) accepted += 1;
    assert.ok(accepted < 100);
    const drained = new Promise((resolve) => through.once("drain", resolve));
    through.resume();
    await drained;
  });

  it("has two sides", async () => {
    const written: string[] = [];
    const duplex = new Duplex({
      read() {
        this.push("from source");
        this.push(null);
      },
      write(chunk, _encoding, callback) {
        written.push(String(chunk));
        callback();
      },
    });
    assert.ok(duplex instanceof Readable && (duplex as any) instanceof Writable);
    duplex.end("to sink");
    assert.equal(await text(duplex), "from source");
    assert.deepEqual(written, ["to sink"]);
    assert.equal(duplex.allowHalfOpen, true);
    const half = new Duplex({ allowHalfOpen: false, read() {}, write: (_c, _e, callback) => callback() });
    half.resume();
    half.push(null);
    await new Promise((resolve) => half.on("finish", resolve));
  });

  it("is made from pairs and functions", async () => {
    const sink = collector();
    const pair = Duplex.from({ readable: Readable.from(["in"]), writable: sink });
    pair.end("out");
    assert.deepEqual(await pair.toArray(), ["in"]);
    assert.deepEqual(sink.chunks, ["out"]);
    const shout = Duplex.from(async function* (source: AsyncIterable<any>) {
      for await (const chunk of source) yield `${chunk}!`;
    } as any);
    shout.end("hey");
    assert.deepEqual((await shout.toArray()).map(String), ["hey!"]);
  });

  it("can be subclassed by functions, and called without new", async () => {
    function Old(this: any) {
      (Transform as any).call(this, { objectMode: true });
    }
    inherits(Old as any, Transform);
    Old.prototype._transform = function (chunk: any, _encoding: any, callback: any) {
      callback(null, chunk + 1);
    };
    const old = new (Old as any)();
    old.end(1);
    assert.deepEqual(await old.toArray(), [2]);
    assert.ok((PassThrough as any)() instanceof PassThrough);
    assert.ok((Readable as any)({ read() {} }) instanceof Readable);
    assert.equal(Stream.Readable, Readable);
    assert.equal((Stream as any).Stream, Stream);
    assert.ok(new PassThrough() instanceof Stream);
  });

  it("composes", async () => {
    const composed = compose(
      async function* (source: AsyncIterable<any>) {
        for await (const chunk of source) yield String(chunk).toUpperCase();
      } as any,
      new PassThrough(),
    );
    composed.end("abc");
    assert.equal(await text(composed), "ABC");
  });
});

describe("pipe", () => {
  it("moves everything and ends the destination", async () => {
    const sink = collector({ highWaterMark: 2 });
    const log = events(sink, "pipe", "unpipe", "finish");
    Readable.from(["a", "b", "c"]).pipe(sink);
    await finishedPromise(sink);
    assert.deepEqual(sink.chunks, ["a", "b", "c"]);
    assert.deepEqual([...log].sort(), ["finish", "pipe", "unpipe"]);
  });

  it("waits for a slow destination", async () => {
    let written = 0;
    const slow = new Writable({
      objectMode: true,
      highWaterMark: 1,
      write(_chunk, _encoding, callback) {
        written += 1;
        setTimeout(callback, 1);
      },
    });
    let produced = 0;
    const source = new Readable({
      objectMode: true,
      highWaterMark: 2,
      read() {
        assert.ok(produced - written <= 6, "the source ran away");
        this.push(produced < 20 ? produced++ : null);
      },
    });
    await pipelinePromise(source, slow);
    assert.equal(written, 20);
  });

  it("can be undone", async () => {
    const source = new PassThrough();
    const first = collector();
    const second = collector();
    source.pipe(first);
    source.pipe(second);
    source.write("both");
    await turn();
    source.unpipe(first);
    source.write("second");
    await turn();
    assert.deepEqual([first.chunks, second.chunks], [["both"], ["both", "second"]]);
    const open = collector();
    Readable.from(["x"]).pipe(open, { end: false });
    await turn();
    assert.equal(open.writableEnded, false);
  });
});

describe("pipeline and finished", () => {
  it("joins streams, generators and iterables", async () => {
    const sink = collector();
    await pipelinePromise(
      ["a", "b"],
      async function* (source: AsyncIterable<string>) {
        for await (const chunk of source) yield chunk + chunk;
      },
      new PassThrough(),
      sink,
    );
    assert.equal(sink.chunks.join(""), "aabb");
    const result = await pipelinePromise(Readable.from([1, 2, 3]), async (source) => {
      let sum = 0;
      for await (const n of source) sum += n as number;
      return sum;
    });
    assert.equal(result, 6);
  });

  it("destroys everything on failure", async () => {
    const source = new Readable({ read() {} });
    const middle = new PassThrough();
    const sink = collector();
    const error = await new Promise<any>((resolve) => {
      pipeline(source, middle, sink, resolve as any);
      source.destroy(new Error("boom"));
    });
    assert.equal(error.message, "boom");
    assert.deepEqual([source.destroyed, middle.destroyed, sink.destroyed], [true, true, true]);
    await assert.rejects(
      pipelinePromise(Readable.from(["a"]), async (input) => {
        for await (const _ of input) throw new Error("sink");
      }),
      /sink/,
    );
  });

  it("can be aborted", async () => {
    const controller = new AbortController();
    const running = pipelinePromise(new Readable({ read() {} }), new PassThrough(), { signal: controller.signal });
    controller.abort();
    await assert.rejects(running, { name: "AbortError" });
    const stream = addAbortSignal(AbortSignal.abort(), new Readable({ read() {} }));
    await assert.rejects(stream.toArray(), { name: "AbortError" });
    const own = new AbortController();
    const given = new Readable({ read() {}, signal: own.signal });
    const failed = new Promise<any>((resolve) => given.on("error", resolve));
    own.abort();
    assert.equal((await failed).name, "AbortError");
  });

  it("tells of the end, of errors and of early closing", async () => {
    const outcome = (stream: any, act: () => void, options: any = {}) =>
      new Promise((resolve) => {
        finished(stream, options, (error: any) => resolve(error ? (error.code ?? error.message) : "ok"));
        act();
      });
    const ok = Readable.from([]);
    assert.equal(await outcome(ok, () => ok.resume()), "ok");
    const failing = new PassThrough();
    assert.equal(await outcome(failing, () => failing.destroy(new Error("no"))), "no");
    const early = new PassThrough();
    assert.equal(await outcome(early, () => early.destroy()), "ERR_STREAM_PREMATURE_CLOSE");
    const half = new PassThrough();
    assert.equal(await outcome(half, () => half.end(), { readable: false }), "ok");
    const over = collector();
    over.end();
    await finishedPromise(over);
    assert.equal(await outcome(over, () => {}), "ok");
    assert.equal(promises.finished, finishedPromise);
  });
});

describe("web streams", () => {
  it("converts both ways", async () => {
    assert.deepEqual(await Array.fromAsync(Readable.toWeb(Readable.from(["m", "n"])) as any), ["m", "n"]);
    const web = new ReadableStream({
      start(controller) {
        controller.enqueue("a");
        controller.enqueue("b");
        controller.close();
      },
    });
    assert.equal(await text(Readable.fromWeb(web as any)), "ab");
    const sink = collector();
    const writer = Writable.toWeb(sink).getWriter();
    await writer.write("w");
    await writer.close();
    assert.deepEqual(sink.chunks, ["w"]);
    const got: any[] = [];
    const node = Writable.fromWeb(new WritableStream({ write: (chunk) => void got.push(String(chunk)) }));
    node.end("n");
    await finishedPromise(node);
    assert.deepEqual(got, ["n"]);
    const upper = Duplex.fromWeb(new TransformStream({ transform: (chunk, controller) => controller.enqueue(String(chunk).toUpperCase()) }) as any, { encoding: "utf8" });
    upper.end("up");
    assert.equal(await text(upper), "UP");
    await pipelinePromise(Readable.from(["p"]), new TransformStream() as any, collector({ objectMode: true }));
  });
});

test("consumers", async () => {
  assert.equal(await text(Readable.from(["a", "b"])), "ab");
  assert.deepEqual(await json(Readable.from(['{"a":', "1}"])), { a: 1 });
  assert.deepEqual(await buffer(Readable.from([Buffer.from("x"), Buffer.from("y")])), Buffer.from("xy"));
  assert.equal(isReadable(Readable.from([])), true);
});

test("duplexPair", async () => {
  const [left, right] = duplexPair();
  left.end("to the right");
  right.end("to the left");
  assert.deepEqual([await text(right), await text(left)], ["to the right", "to the left"]);
});
