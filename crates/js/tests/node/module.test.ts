import assert from "node:assert";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import Module, { builtinModules, createRequire, findPackageJSON, isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

const root = mkdtempSync(join(tmpdir(), "module-"));
after(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, "node_modules", "dep", "lib"), { recursive: true });
writeFileSync(join(root, "node_modules", "dep", "package.json"), JSON.stringify({ name: "dep", version: "1.2.3", main: "lib/main.js" }));
writeFileSync(join(root, "node_modules", "dep", "lib", "main.js"), "exports.answer = 42; exports.file = __filename;");
writeFileSync(join(root, "data.json"), '{"a":1}');

test("createRequire looks from a file, a URL or a directory", () => {
  for (const from of [join(root, "x.js"), pathToFileURL(join(root, "x.js")), pathToFileURL(join(root, "x.js")).href, `${root}/`]) {
    const require = createRequire(from);
    assert.strictEqual(require("dep").answer, 42);
    assert.strictEqual(require.resolve("dep"), join(root, "node_modules", "dep", "lib", "main.js"));
    assert.deepStrictEqual(require("./data.json"), { a: 1 });
    assert.strictEqual(require("dep/package.json").version, "1.2.3");
  }
  assert.strictEqual(createRequire(join(root, "x.js"))("node:path").join("a", "b"), "a/b");
});

test("what is not there", () => {
  assert.throws(() => createRequire(join(root, "x.js"))("no-such-package"), { code: "MODULE_NOT_FOUND" });
  assert.throws(() => createRequire("relative.js"), { name: "TypeError", code: "ERR_INVALID_ARG_VALUE" });
});

test("names of built-in modules", () => {
  for (const name of ["fs", "node:fs", "fs/promises", "node:test", "node:sqlite"]) assert.strictEqual(isBuiltin(name), true, name);
  for (const name of ["test", "sqlite", "dep", "node:dep", ""]) assert.strictEqual(isBuiltin(name), false, name);
  assert.ok(builtinModules.includes("path") && builtinModules.includes("worker_threads"));
});

test("findPackageJSON", () => {
  const manifest = join(root, "node_modules", "dep", "package.json");
  assert.strictEqual(findPackageJSON("dep", join(root, "x.js")), manifest);
  assert.strictEqual(findPackageJSON(pathToFileURL(join(root, "node_modules", "dep", "lib", "main.js"))), manifest);
});

test("the default export is the class Module with the same names", () => {
  assert.strictEqual(typeof Module, "function");
  assert.strictEqual(Module.createRequire, createRequire);
  assert.deepStrictEqual((Module as any)._nodeModulePaths("/a/node_modules/b"), [
    "/a/node_modules/b/node_modules", "/a/node_modules", "/node_modules",
  ]);
});
