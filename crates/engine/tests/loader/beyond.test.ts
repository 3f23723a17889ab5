// What the loaders of other agents cannot do.
import assert from "node:assert/strict";
import { it } from "node:test";
import main, * as space from "./parts/values.ts";
import { count, increase } from "./parts/values.ts";
import { generic, view } from "./parts/view.tsx";
import { view as fragment } from "./parts/view.jsx";

it("keeps bindings live beside a default", () => {
  const before = count;
  increase();
  assert.deepEqual([count, space.count, typeof main], [before + 1, before + 1, "function"]);
});

it("reads JSX", () => {
  assert.deepEqual(view, { tag: "box", props: { wide: true }, children: ["text ", 2] });
  assert.equal(generic("x"), "x");
  assert.deepEqual(fragment, { tag: "fragment", props: null, children: [{ tag: "item", props: null, children: [] }] });
});

it("has accessors", () => {
  class Kept {
    accessor kept = 3;
  }
  assert.equal(new Kept().kept, 3);
  assert.deepEqual(Object.keys(new Kept()), []);
});

it("decorates fields", () => {
  const seen: string[] = [];
  const note = (target: any, key: string) => void seen.push(`${target.constructor.name}.${key}`);
  class Noted {
    @note field = 1;
    @note static fixed = 2;
  }
  assert.equal(new Noted().field + Noted.fixed, 3);
  assert.deepEqual(seen, ["Noted.field", "Function.fixed"]);
});

it("lets decorators change methods in place", () => {
  const twice = (_target: any, _key: string, descriptor: PropertyDescriptor) => {
    const original = descriptor.value;
    descriptor.value = function (this: any, ...args: any[]) {
      return [original.apply(this, args), original.apply(this, args)];
    };
  };
  class Greeter {
    @twice
    greet(who: string): any {
      return `hello ${who}`;
    }
  }
  assert.deepEqual(new Greeter().greet("you"), ["hello you", "hello you"]);
});
