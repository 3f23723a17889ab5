import assert from "node:assert/strict";
import { Console, log } from "node:console";
import { Writable } from "node:stream";
import { test } from "node:test";

function written(use: (own: any) => void): string {
  let text = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  use(new Console(stream));
  return text;
}

test("the global console", () => {
  assert.equal(console.log, log);
  assert.equal(Object.prototype.toString.call(console), "[object console]");
  assert.equal(console.Console, Console);
});

test("lines are formatted", () => {
  assert.equal(written((own) => own.log("%s is", "x", { a: [1] })), "x is { a: [ 1 ] }\n");
  assert.equal(written((own) => own.error(undefined, null)), "undefined null\n");
  assert.equal(written((own) => own.dir({ a: { b: { c: 1 } } }, { depth: 0 })), "{ a: [Object] }\n");
  assert.equal(written((own) => own.assert(1 > 2, "sum", 3)), "Assertion failed: sum 3\n");
  assert.equal(written((own) => own.log()), "\n");
});

test("groups indent, counters count", () => {
  assert.equal(
    written((own) => {
      own.group("outer");
      own.log("a\nb");
      own.group();
      own.info("c");
      own.groupEnd();
      own.groupEnd();
      own.count();
      own.count("x");
      own.count();
      own.countReset();
      own.count();
    }),
    "outer\n  a\n  b\n    c\ndefault: 1\nx: 1\ndefault: 2\ndefault: 1\n",
  );
  assert.match(written((own) => {
    own.time("t");
    own.timeLog("t", 5);
    own.timeEnd("t");
  }), /^t: [\d.]+ms 5\nt: [\d.]+ms\n$/);
});

test("tables", () => {
  assert.equal(
    written((own) => own.table([{ a: 1, b: "x" }, { a: 2, c: [1] }])),
    "┌─────────┬───┬─────┬───────┐\n│ (index) │ a │ b   │ c     │\n├─────────┼───┼─────┼───────┤\n" +
      "│ 0       │ 1 │ 'x' │       │\n│ 1       │ 2 │     │ [ 1 ] │\n└─────────┴───┴─────┴───────┘\n",
  );
  assert.equal(written((own) => own.table("plain")), "plain\n");
});
