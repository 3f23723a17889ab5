// The typebox packages, through their public names only: version 1 as `typebox`, and what both
// generations share as `@sinclair/typebox`.
import assert from "node:assert";
import { test } from "node:test";
import * as Legacy from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value as LegacyValue } from "@sinclair/typebox/value";
import Default, { IsKind, String as Text, Type } from "typebox";
import { Compile } from "typebox/compile";
import Schema from "typebox/schema";
import Value, { AssertError, Value as NamedValue } from "typebox/value";

const json = (schema: unknown) => JSON.stringify(schema);
const messages = (errors: any) => [...errors].map((error) => error.message);
const tool = Type.Object(
  {
    action: Type.Union([Type.Literal("list"), Type.Literal("add")], { description: "what to do" }),
    text: Type.Optional(Type.String({ minLength: 1 })),
    count: Type.Optional(Type.Integer({ minimum: 0, default: 3 })),
  },
  { additionalProperties: false },
);

test("builders give JSON Schema with a fixed order of keys", () => {
  assert.equal(
    json(tool),
    '{"type":"object","required":["action"],"properties":{"action":{"anyOf":[{"type":"string","const":"list"},' +
      '{"type":"string","const":"add"}],"description":"what to do"},"text":{"type":"string","minLength":1},' +
      '"count":{"type":"integer","minimum":0,"default":3}},"additionalProperties":false}',
  );
  assert.equal(
    json(Type.Tuple([Type.String(), Type.Null()])),
    '{"type":"array","additionalItems":false,"items":[{"type":"string"},{"type":"null"}],"minItems":2}',
  );
  assert.equal(
    json(Type.Record(Type.String(), Type.Number())),
    '{"type":"object","patternProperties":{"^.*$":{"type":"number"}}}',
  );
  assert.equal(json(Type.Enum(["a", "b"], { default: "a" })), '{"enum":["a","b"],"default":"a"}');
  assert.equal(json(Type.Unsafe({ type: "string", enum: ["x"] })), '{"type":"string","enum":["x"]}');
  assert.equal(json(Type.Object({})), '{"type":"object","properties":{}}');
  assert.equal(json(Type.TemplateLiteral('a${"b"|"c"}')), '{"type":"string","pattern":"^a(b|c)$"}');
});

test("kinds and modifiers are hidden", () => {
  const optional: any = Type.Optional(Type.String());
  assert.deepEqual(Object.keys(optional), ["type"]);
  assert.equal(optional["~kind"], "String");
  assert.equal(optional["~optional"], true);
  assert.ok(Type.IsOptional(optional) && Type.IsString(optional) && !Type.IsOptional(Type.String()));
  assert.ok(IsKind(optional, "String"));
});

test("the namespace is exported under several names", () => {
  assert.equal(Default.String, Type.String);
  assert.equal(json(Text()), '{"type":"string"}');
  assert.equal(Value.Check, NamedValue.Check);
});

test("actions derive types from types", () => {
  const type = Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) });
  assert.equal((Type.Partial(type) as any).required, undefined);
  assert.deepEqual(Type.Required(type).required, ["a", "b"]);
  assert.deepEqual(Object.keys(Type.Pick(type, ["b"]).properties), ["b"]);
  assert.deepEqual(Object.keys(Type.Omit(type, ["b"]).properties), ["a"]);
  assert.equal(json(Type.KeyOf(type)), '{"anyOf":[{"type":"string","const":"a"},{"type":"string","const":"b"}]}');
  assert.equal(json(Type.Index(type, ["a"])), '{"type":"string"}');
  assert.equal(json(Type.Exclude(Type.Enum(["a", "b"]), Type.Literal("a"))), '{"type":"string","const":"b"}');
  const both: any = Type.Evaluate(Type.Intersect([type, Type.Object({ c: Type.Null() })]));
  assert.deepEqual(both.required, ["a", "c"]);
  assert.equal(
    json(Type.Script("{ a: string, b?: number[] }")),
    '{"type":"object","required":["a"],"properties":{"a":{"type":"string"},' +
      '"b":{"type":"array","items":{"type":"number"}}}}',
  );
});

test("modules resolve names, and recursive ones stay references", () => {
  const { Node, Names }: any = Type.Module({
    Node: Type.Object({ name: Type.Ref("Name"), next: Type.Optional(Type.Ref("Node")) }),
    Name: Type.String(),
    Names: Type.Array(Type.Ref("Name")),
  });
  assert.equal(json(Names), '{"type":"array","items":{"type":"string"}}');
  assert.equal(Value.Check(Node, { name: "a", next: { name: "b" } }), true);
  assert.equal(Value.Check(Node, { name: "a", next: { name: 1 } }), false);
});

test("Errors names the keyword, both paths and the parameters", () => {
  assert.deepEqual([...Value.Errors(tool, { action: "list", text: "", extra: 1 })], [
    {
      keyword: "boolean",
      schemaPath: "#/additionalProperties",
      instancePath: "/extra",
      params: {},
      message: "schema is false",
    },
    {
      keyword: "additionalProperties",
      schemaPath: "#",
      instancePath: "",
      params: { additionalProperties: ["extra"] },
      message: "must not have additional properties",
    },
    {
      keyword: "minLength",
      schemaPath: "#/properties/text",
      instancePath: "/text",
      params: { limit: 1 },
      message: "must not have fewer than 1 characters",
    },
  ]);
  assert.deepEqual(messages(Value.Errors(tool, {})), ["must have required properties action"]);
  assert.deepEqual(messages(Value.Errors(tool, { action: "add" })), []);
});

test("Convert, Default, Clean, Create and Repair bring values into shape", () => {
  assert.deepEqual(Value.Convert(tool, { action: "list", count: "7" }), { action: "list", count: 7 });
  assert.deepEqual(Value.Default(tool, { action: "list" }), { action: "list", count: 3 });
  assert.deepEqual(Value.Clean(tool, { action: "list", extra: 1 }), { action: "list" });
  assert.deepEqual(Value.Create(tool), { action: "list" });
  assert.deepEqual(Value.Repair(tool, { action: "gone", text: "t" }), { action: "list", text: "t" });
  assert.equal(Value.Convert(Type.Boolean(), "TRUE"), true);
  assert.equal(Value.Convert(Type.Number(), "nothing"), "nothing");
});

test("Assert and Parse throw with the errors as cause", () => {
  assert.throws(
    () => Value.Assert(Type.String(), 1),
    (error: any) => error instanceof AssertError && messages((error as any).cause.errors)[0] === "must be string",
  );
  assert.equal(Value.Parse(Type.String(), "x"), "x");
  assert.throws(() => Value.Parse(Type.String(), 1), { message: "Parse" });
});

test("codecs and refinements run", () => {
  const length = Type.Codec(Type.String())
    .Decode((text: string) => text.length)
    .Encode((count: number) => "x".repeat(count));
  const type = Type.Object({ at: length });
  assert.deepEqual(Value.Decode(type, { at: "abc" }), { at: 3 });
  assert.deepEqual(Value.Encode(type, { at: 2 } as any), { at: "xx" });
  const even = Type.Refine(Type.Number(), (n: number) => n % 2 === 0, () => "must be even");
  assert.deepEqual(messages(Value.Errors(even, 3)), ["must be even"]);
});

test("Patch undoes what Diff found", () => {
  const [before, after] = [{ a: 1, b: [1, 2] }, { b: [1, 3, 4], c: {} }];
  assert.deepEqual(Value.Patch(before, Value.Diff(before, after)), after);
  assert.ok(Value.Equal(Value.Clone(after), after));
});

test("compiled validators answer like the plain functions", () => {
  const validator: any = Compile(tool);
  assert.equal(validator.Check({ action: "add", text: "t" }), true);
  assert.equal(validator.Errors({ action: "add", text: 1 })[0].instancePath, "/text");
  assert.deepEqual(validator.Default({ action: "add" }), { action: "add", count: 3 });
  assert.equal(Schema.Compile({ type: "array", contains: { const: 1 } }).Check([2]), false);
});

test("both generations build these types alike", () => {
  const Old: any = Legacy.Type;
  const type = Old.Object({ a: Old.String({ description: "d" }), b: Old.Optional(Old.Array(Old.Number())) });
  assert.deepEqual(JSON.parse(json(type)), {
    type: "object",
    required: ["a"],
    properties: { a: { type: "string", description: "d" }, b: { type: "array", items: { type: "number" } } },
  });
  assert.equal(json(Old.Date()), '{"type":"Date"}');
  assert.equal(json(Old.Not(Old.String())), '{"not":{"type":"string"}}');
  assert.deepEqual(Old.Composite([type, Old.Object({ c: Old.Null() })]).required, ["a", "c"]);
  assert.equal(LegacyValue.Check(type, { a: "x" }), true);
  assert.equal(LegacyValue.Check(Old.Date(), new Date(0)), true);
  assert.equal(LegacyValue.Check(Old.Date(), 0), false);
  assert.deepEqual(LegacyValue.Cast(type, { b: [1] }), { a: "", b: [1] });
  const transform = Old.Transform(Old.String()).Decode((text: string) => [text]).Encode((list: string[]) => list[0]);
  assert.deepEqual(LegacyValue.Decode(transform, "x"), ["x"]);
  assert.ok(Legacy.TypeGuard.IsObject(type) && Legacy.KindGuard.IsOptional(type.properties.b));
  assert.equal(typeof Legacy.Kind, "symbol");
});

test("version 0.34's compiler reports errors one by one", () => {
  const Old: any = Legacy.Type;
  const check: any = TypeCompiler.Compile(Old.Object({ a: Old.String() }));
  assert.equal(check.Check({ a: "x" }), true);
  const first = check.Errors({}).First();
  assert.deepEqual([first.path, first.message], ["/a", "Expected required property"]);
  const found = [...check.Errors({ a: 1 })].map((error: any) => [error.path, error.value, error.message]);
  assert.deepEqual(found, [["/a", 1, "Expected string"]]);
});
