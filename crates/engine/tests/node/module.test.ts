import { test } from "node:test";
import assert from "node:assert";
import Module, { builtinModules, createRequire, findPackageJSON, isBuiltin } from "node:module";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as querystring from "node:querystring";
import { pathToFileURL } from "node:url";

function folder(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "module-")));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

test("require from anywhere", () => {
  const root = folder({
    "main.js": "",
    "one.cjs": "exports.name = 'one'; exports.file = __filename; exports.same = module.exports === exports; exports.two = require('./two.json');",
    "two.json": '{ "two": 2 }',
    "node_modules/pack/package.json": '{ "name": "pack", "main": "lib/index.js" }',
    "node_modules/pack/lib/index.js": "module.exports = function pack() { return require('path').basename(__dirname); };",
  });
  for (const from of [join(root, "main.js"), pathToFileURL(join(root, "main.js")), pathToFileURL(join(root, "main.js")).href, `${root}/`]) {
    const require = createRequire(from);
    assert.deepStrictEqual({ ...require("./one.cjs") }, { name: "one", file: join(root, "one.cjs"), same: true, two: { two: 2 } });
    assert.strictEqual(require("pack")(), "lib");
    assert.strictEqual(require.resolve("pack"), join(root, "node_modules/pack/lib/index.js"));
    assert.strictEqual(typeof require("fs").readFileSync, "function");
    assert.strictEqual(require("node:path"), require("path"));
    assert.strictEqual(require.resolve("fs"), "fs");
  }
  const require = createRequire(import.meta.url);
  assert.strictEqual(require(join(root, "one.cjs")), require(join(root, "one.cjs")));
  assert.throws(() => require("./does-not-exist.js"), { code: "MODULE_NOT_FOUND" });
  assert.throws(() => createRequire("relative.js"), { code: "ERR_INVALID_ARG_VALUE" });
});

test("names of built-in modules", () => {
  for (const name of ["fs", "path", "fs/promises", "http"]) assert.ok(builtinModules.includes(name), name);
  assert.deepStrictEqual(
    ["fs", "node:fs", "node:test", "test", "nope", "node:nope", "fs/promises"].map(isBuiltin),
    [true, true, true, false, false, false, true],
  );
});

test("packages", () => {
  const root = folder({
    "package.json": '{ "name": "outer" }',
    "lib/deep/file.js": "",
    "node_modules/inner/package.json": '{ "name": "inner", "main": "index.js" }',
    "node_modules/inner/index.js": "",
  });
  const find: any = findPackageJSON;
  if (find === undefined) return;
  assert.strictEqual(find(pathToFileURL(join(root, "lib/deep/file.js")).href), join(root, "package.json"));
  assert.strictEqual(find("inner", pathToFileURL(join(root, "lib/deep/file.js")).href), join(root, "node_modules/inner/package.json"));
});

test("the Module class", () => {
  assert.strictEqual((Module as any).Module, Module);
  assert.strictEqual((Module as any).createRequire, createRequire);
  const paths = (Module as any)._nodeModulePaths("/a/node_modules/b");
  assert.deepStrictEqual(paths, ["/a/node_modules/b/node_modules", "/a/node_modules", "/node_modules"]);
});

test("a namespace has all its names before one of them is used", async () => {
  const keys = Object.keys(querystring);
  for (const name of ["parse", "stringify", "escape", "default"]) {
    assert.ok(keys.includes(name), name);
    assert.ok(name in querystring, name);
  }
  assert.ok(!("nothing" in querystring));
  assert.strictEqual((querystring as any).nothing, undefined);
  const copy = { ...querystring };
  assert.strictEqual(copy.parse, querystring.parse);
  assert.strictEqual(copy.default.parse, querystring.parse);
  assert.strictEqual((await import("node:querystring")).parse, querystring.parse);
  assert.deepStrictEqual(Object.keys(querystring).sort(), keys.sort());
});
