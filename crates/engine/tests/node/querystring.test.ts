import assert from "node:assert/strict";
import querystring, { escape, parse, stringify, unescape } from "node:querystring";
import { test } from "node:test";

const plain = (value: object) => ({ ...value });

test("parse", () => {
  assert.deepEqual(plain(parse("foo=bar&abc=xyz&abc=123")), { foo: "bar", abc: ["xyz", "123"] });
  assert.deepEqual(plain(parse("a=1;b=2", ";")), { a: "1", b: "2" });
  assert.deepEqual(plain(parse("a:1&b", null as any, ":")), { a: "1", b: "" });
  assert.deepEqual(plain(parse("a=%E4%BD%A0+x&%zz=1&=q")), { a: "你 x", "%zz": "1", "": "q" });
  assert.deepEqual(plain(parse("a=1&b=2&c=3", "&", "=", { maxKeys: 2 })), { a: "1", b: "2" });
  assert.deepEqual(plain(parse("w=%D6%D0", undefined, undefined, { decodeURIComponent: () => "own" })), { own: "own" });
  assert.equal(Object.getPrototypeOf(parse("a")), null);
});

test("stringify", () => {
  assert.equal(stringify({ foo: "bar", baz: ["qux", "quux"], corge: "" }), "foo=bar&baz=qux&baz=quux&corge=");
  assert.equal(stringify({ a: 1, b: true, c: null, d: undefined, e: {}, f: 2n, g: NaN }), "a=1&b=true&c=&d=&e=&f=2&g=");
  assert.equal(stringify({ foo: "bar", baz: "q x" }, ";", ":"), "foo:bar;baz:q%20x");
  assert.equal(stringify(null as any), "");
});

test("escapes", () => {
  assert.equal(escape("a b&c=é!'()*~"), "a%20b%26c%3D%C3%A9!'()*~");
  assert.equal(unescape("a%20b%zz"), "a b%zz");
  assert.equal(unescape("%E9"), "\ufffd");
  assert.equal(querystring.encode, querystring.stringify);
  assert.equal(querystring.decode, querystring.parse);
});
