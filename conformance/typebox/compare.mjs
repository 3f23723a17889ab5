// Compares tau's own typebox with the published package: exported names, the JSON of schemas byte
// for byte, and what the operations on values answer. Run: node --test conformance/typebox/compare.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { schemas, types, values } from "./cases.mjs";
import { ours } from "./runtime.mjs";

const published = (name) => import(name === "index" ? "typebox" : `typebox/${name}`);
const both = async (name) => [await published(name), await ours(name)];

/** What a call answers or throws, and what became of its argument. */
function outcome(call, argument) {
  const given = structuredClone(argument);
  try {
    return inspect([call(given), given], { depth: 12 });
  } catch (error) {
    return `${error.constructor.name}: ${error.message} ${inspect(error.cause?.errors, { depth: 8 })}`;
  }
}

for (const name of ["index", "type", "value", "compile", "schema", "format", "guard", "system", "error"]) {
  test(`typebox ${name} exports every published name`, async () => {
    const [theirs, own] = await both(name);
    const missing = Object.keys(theirs).filter((key) => typeof own[key] !== typeof theirs[key]);
    assert.deepEqual(missing, []);
  });
}

test("the namespace has every published builder", async () => {
  const [theirs, own] = await both("index");
  assert.deepEqual(Object.keys(theirs.Type).filter((key) => typeof own.Type[key] !== typeof theirs.Type[key]), []);
});

test("schemas serialise to the same bytes and carry the same hidden marks", async () => {
  const [theirs, own] = await both("index");
  const describe = (schema) => [JSON.stringify(schema), Object.getOwnPropertyNames(schema).sort(), schema["~kind"]];
  for (const [name, build] of Object.entries(types)) {
    assert.deepEqual(describe(build(own.Type)), describe(build(theirs.Type)), name);
  }
});

test("operations on values answer alike", async () => {
  const [theirs, own] = await both("index");
  const [theirValue, ownValue] = await both("value");
  const operations = ["Check", "Errors", "Convert", "Default", "Clean", "Repair", "Parse", "Decode", "Encode", "Assert"];
  for (const [name, build] of Object.entries(types)) {
    const [theirType, ownType] = [build(theirs.Type), build(own.Type)];
    for (const operation of operations) {
      for (const value of values) {
        const expected = outcome((given) => theirValue[operation](theirType, given), value);
        const actual = outcome((given) => ownValue[operation](ownType, given), value);
        assert.equal(actual, expected, `${operation} ${name} ${inspect(value)}`);
      }
    }
    const created = (library, type) => outcome(() => library.Create(type));
    assert.equal(created(ownValue, ownType), created(theirValue, theirType), `Create ${name}`);
  }
});

test("plain JSON Schemas are validated alike", async () => {
  const [theirs, own] = await both("schema");
  const [{ Compile: theirCompile }, { Compile: ownCompile }] = await both("compile");
  for (const schema of schemas) {
    for (const value of values) {
      assert.deepEqual(own.Errors(schema, value), theirs.Errors(schema, value), inspect([schema, value], { depth: 8 }));
      assert.equal(ownCompile(schema).Check(value), theirCompile(schema).Check(value));
    }
  }
});

test("hashes, differences and patches agree", async () => {
  const [theirs, own] = await both("value");
  for (const value of values) {
    assert.equal(own.Hash(value), theirs.Hash(value));
    for (const next of values) {
      const edits = theirs.Diff(value, next);
      assert.deepEqual(own.Diff(value, next), edits);
      assert.deepEqual(own.Patch(value, edits), theirs.Patch(value, edits));
    }
  }
});
