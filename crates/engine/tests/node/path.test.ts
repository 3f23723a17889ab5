import assert from "node:assert/strict";
import path, { basename, join } from "node:path";
import posix from "node:path/posix";
import win32 from "node:path/win32";
import { test } from "node:test";

test("the module is the POSIX flavour and knows both", () => {
  assert.equal(path.posix, path);
  assert.equal(posix, path);
  assert.equal(win32, path.win32);
  assert.equal(path.sep + path.delimiter + win32.sep + win32.delimiter, "/:\\;");
  assert.equal(join, path.join);
});

test("join and normalize fold dots and slashes", () => {
  assert.equal(path.join("/foo", "bar", "baz/asdf", "quux", ".."), "/foo/bar/baz/asdf");
  assert.equal(path.join("", ""), ".");
  assert.equal(path.join("a", "../../b/"), "../b/");
  assert.equal(path.normalize("/foo/bar//baz/asdf/quux/.."), "/foo/bar/baz/asdf");
  assert.equal(path.normalize("a/.."), ".");
  assert.equal(path.normalize("/.."), "/");
  assert.equal(path.normalize(""), ".");
  assert.equal(path.normalize("./x/"), "x/");
});

test("resolve and relative use the working directory", () => {
  assert.equal(path.resolve("/foo/bar", "./baz"), "/foo/bar/baz");
  assert.equal(path.resolve("/foo", "/bar", ".."), "/");
  assert.equal(path.resolve(), process.cwd());
  assert.equal(path.resolve("x"), join(process.cwd(), "x"));
  assert.equal(path.relative("/data/orandea/test/aaa", "/data/orandea/impl/bbb"), "../../impl/bbb");
  assert.equal(path.relative("/a/b", "/a/b"), "");
  assert.equal(path.relative("/a/b", "/a/b/c"), "c");
});

test("dirname, basename, extname, isAbsolute", () => {
  assert.deepEqual(["/a/b/c", "/a", "a", "", "/", "a/b/", "//a"].map((p) => path.dirname(p)), ["/a/b", "/", ".", ".", "/", "a", "//"]);
  assert.deepEqual(["/a/b.html", "/a/b/", "", "/"].map((p) => basename(p)), ["b.html", "b", "", ""]);
  assert.equal(basename("/a/b.html", ".html"), "b");
  assert.equal(basename("/.html", ".html"), ".html");
  assert.equal(basename(".html", ".html"), "");
  assert.deepEqual(["a.b.md", "a.", "a", ".bashrc", ".x.y", "..", "a/b.c/d"].map((p) => path.extname(p)), [".md", ".", "", "", ".y", "", ""]);
  assert.deepEqual(["/a", "a", "./a", ""].map((p) => path.isAbsolute(p)), [true, false, false, false]);
});

test("parse and format", () => {
  assert.deepEqual(path.parse("/home/user/dir/file.txt"), { root: "/", dir: "/home/user/dir", base: "file.txt", ext: ".txt", name: "file" });
  assert.deepEqual(path.parse("file"), { root: "", dir: "", base: "file", ext: "", name: "file" });
  assert.equal(path.format({ dir: "/home/user", base: "file.txt" }), "/home/user/file.txt");
  assert.equal(path.format({ root: "/", name: "file", ext: "txt" }), "/file.txt");
});

test("wrong arguments", () => {
  assert.throws(() => path.join("a", 5 as any), {
    name: "TypeError",
    code: "ERR_INVALID_ARG_TYPE",
    message: 'The "path" argument must be of type string. Received type number (5)',
  });
  assert.throws(() => path.basename(undefined as any), { message: 'The "path" argument must be of type string. Received undefined' });
  assert.throws(() => path.dirname({} as any), { message: 'The "path" argument must be of type string. Received an instance of Object' });
  assert.throws(() => path.format(null as any), { code: "ERR_INVALID_ARG_TYPE" });
});

test("Windows paths", () => {
  assert.equal(win32.join("C:\\foo", "..", "bar/baz"), "C:\\bar\\baz");
  assert.equal(win32.normalize("C:/temp\\\\/foo\\bar\\..\\"), "C:\\temp\\foo\\");
  assert.equal(win32.resolve("C:\\a", "..\\b"), "C:\\b");
  assert.equal(win32.relative("C:\\orandea\\test\\aaa", "C:\\orandea\\impl\\bbb"), "..\\..\\impl\\bbb");
  assert.equal(win32.relative("C:\\a", "D:\\b"), "D:\\b");
  assert.equal(win32.dirname("C:\\a\\b"), "C:\\a");
  assert.equal(win32.basename("C:\\a\\b.c", ".c"), "b");
  assert.deepEqual(win32.parse("C:\\path\\dir\\file.txt"), { root: "C:\\", dir: "C:\\path\\dir", base: "file.txt", ext: ".txt", name: "file" });
  assert.deepEqual(["C:\\", "C:x", "\\\\server", "/a", "a"].map((p) => win32.isAbsolute(p)), [true, false, true, true, false]);
  assert.equal(win32.toNamespacedPath("\\\\server\\share\\x"), "\\\\?\\UNC\\server\\share\\x");
  assert.equal(win32.toNamespacedPath("C:\\a"), "\\\\?\\C:\\a");
});
