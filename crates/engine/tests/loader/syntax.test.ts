import assert from "node:assert/strict";
import { it } from "node:test";
import { Base, Fixed, fixed, Holder, Merged, Plain } from "./parts/enums.ts";
import { Decorated, log } from "./parts/decorated.ts";

it("has enums", () => {
  assert.deepEqual(
    { ...Plain },
    { 0: "A", 3: "Computed", 5: "Same", 6: "C", 100: "More", A: 0, B: 5, C: 6, Text: "text", Computed: 3, Same: 5, More: 100 },
  );
  assert.deepEqual([fixed, Fixed.One], [2, 1]);
});

it("merges functions, classes and namespaces", () => {
  assert.equal(Merged(), "extra");
  assert.equal(Merged.Deep.value, "extra!");
  assert.equal(Merged.second, "extra");
  assert.equal(new Holder().made, 1);
});

it("makes fields of parameters and none of declarations", () => {
  class Child extends Base {
    name() {
      return "child";
    }
  }
  const child = new Child("one");
  assert.equal(child.both(), "one2");
  assert.deepEqual(Object.keys(child), ["first", "second"]);
});

it("has decorators", () => {
  assert.deepEqual(log, ["p:parameter:greet", "m:member:greet", "c:class:Decorated"]);
  assert.equal(new Decorated().greet("you"), "hello you");
  assert.equal(Decorated.made, "static");
});

it("disposes of what it used", async () => {
  const order: string[] = [];
  const held = (name: string) => ({ [Symbol.dispose]: () => void order.push(name) });
  {
    using first = held("first");
    using second = held("second");
    order.push(`body ${first === second}`);
  }
  {
    await using late = { [Symbol.asyncDispose]: async () => void order.push("late") };
    order.push(typeof late);
  }
  assert.deepEqual(order, ["body false", "second", "first", "object", "late"]);
});

it("has what is newer than its compilers", () => {
  const value = { a: { b: null as any } };
  value.a.b ??= 5;
  assert.equal(value?.a?.b satisfies any, 5);
  assert.equal(value.a!.b as number, 5);
  class Private {
    #field = 1;
    static #count = 0;
    static { Private.#count = 7; }
    has(other: object) {
      return #field in other && Private.#count === 7 && this.#field === 1;
    }
  }
  assert.equal(new Private().has(new Private()), true);
  const label = (<T extends string>(text: T) => text)("generic");
  assert.equal(label, "generic");
});
