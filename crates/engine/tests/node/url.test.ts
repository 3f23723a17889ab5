import assert from "node:assert/strict";
import { test } from "node:test";
import url, { domainToASCII, domainToUnicode, fileURLToPath, pathToFileURL, urlToHttpOptions } from "node:url";
import { inspect } from "node:util";

test("URL parts", () => {
  const u = new URL("https://user:pa%20ss@sub.Example.com:8080/p/a/../th?query=string#hash");
  assert.deepEqual(
    {
      href: u.href, origin: u.origin, protocol: u.protocol, username: u.username, password: u.password, host: u.host,
      hostname: u.hostname, port: u.port, pathname: u.pathname, search: u.search, hash: u.hash,
    },
    {
      href: "https://user:pa%20ss@sub.example.com:8080/p/th?query=string#hash", origin: "https://sub.example.com:8080",
      protocol: "https:", username: "user", password: "pa%20ss", host: "sub.example.com:8080", hostname: "sub.example.com",
      port: "8080", pathname: "/p/th", search: "?query=string", hash: "#hash",
    },
  );
  assert.equal(String(new URL("../x?y", "http://a.b/c/d/e")), "http://a.b/c/x?y");
  assert.equal(JSON.stringify({ u: new URL("http://é.com/é") }), '{"u":"http://xn--9ca.com/%C3%A9"}');
  assert.equal(url.URL, URL);
  assert.equal(new URL("data:text/plain,hi").origin, "null");
});

test("setting parts", () => {
  const u = new URL("http://a.b/c?d#e");
  u.protocol = "https";
  u.hostname = "x.y";
  u.port = "444";
  u.pathname = "p q";
  u.search = "s=1";
  u.hash = "";
  u.username = "me";
  assert.equal(u.href, "https://me@x.y:444/p%20q?s=1");
  u.port = "nonsense";
  u.protocol = "mailto";
  assert.equal(u.href, "https://me@x.y:444/p%20q?s=1");
  u.searchParams.append("t", "2 3");
  assert.equal(u.search, "?s=1&t=2+3");
  u.search = "";
  assert.equal(u.searchParams.size, 0);
  assert.equal(u.href, "https://me@x.y:444/p%20q");
});

test("what is no URL", () => {
  assert.throws(() => new URL("bad"), { name: "TypeError", code: "ERR_INVALID_URL", message: "Invalid URL", input: "bad" });
  assert.throws(() => new URL("x", "also bad"), { code: "ERR_INVALID_URL", input: "x", base: "also bad" });
  assert.deepEqual([URL.canParse("bad"), URL.canParse("/x", "http://a"), URL.parse("bad")], [false, true, null]);
});

test("URLSearchParams", () => {
  const params = new URLSearchParams("?a=1&b=2&a=3&c");
  assert.deepEqual([...params], [["a", "1"], ["b", "2"], ["a", "3"], ["c", ""]]);
  assert.deepEqual([params.get("a"), params.getAll("a"), params.get("z"), params.has("b"), params.has("b", "9"), params.size], ["1", ["1", "3"], null, true, false, 4]);
  params.delete("a", "1");
  params.set("b", "é&=+");
  params.append("d", "x y");
  params.sort();
  assert.equal(params.toString(), "a=3&b=%C3%A9%26%3D%2B&c=&d=x+y");
  assert.equal(new URLSearchParams({ x: "1", y: "*-._~!'()" }).toString(), "x=1&y=*-._%7E%21%27%28%29");
  assert.equal(new URLSearchParams([["k", "v"]]).toString(), "k=v");
  assert.equal(new URLSearchParams(new Map([["m", "n"]])).toString(), "m=n");
  assert.deepEqual([...new URLSearchParams("a=%zz&b=%E9&c=%F0%9F%98%80").values()], ["%zz", "\ufffd", "😀"]);
  const seen: string[] = [];
  params.forEach((value, name) => seen.push(`${name}:${value}`));
  assert.deepEqual(seen, ["a:3", "b:é&=+", "c:", "d:x y"]);
  assert.throws(() => new URLSearchParams([["only"]] as any), { code: "ERR_INVALID_TUPLE" });
});

test("files", () => {
  assert.equal(fileURLToPath("file:///a%20b/%C3%A9.txt"), "/a b/é.txt");
  assert.equal(fileURLToPath(new URL("file:///x#y")), "/x");
  assert.equal(pathToFileURL("/a b/50%#?é[1]").href, "file:///a%20b/50%25%23%3F%C3%A9%5B1%5D");
  assert.equal(pathToFileURL("/dir/").href, "file:///dir/");
  for (const name of ["/päth/with space", "/100%/a?b#c", "/back\\slash", "/tilde~"]) assert.equal(fileURLToPath(pathToFileURL(name)), name);
  assert.throws(() => fileURLToPath("http://a/b"), { code: "ERR_INVALID_URL_SCHEME", message: "The URL must be of scheme file" });
  assert.throws(() => fileURLToPath("file://host/b"), { code: "ERR_INVALID_FILE_URL_HOST" });
  assert.throws(() => fileURLToPath("file:///a%2Fb"), { code: "ERR_INVALID_FILE_URL_PATH" });
  assert.throws(() => fileURLToPath(5 as any), { code: "ERR_INVALID_ARG_TYPE" });
});

test("the old parser", () => {
  assert.deepEqual({ ...url.parse("http://user:pass@host.com:8080/p/a/t/h?query=string#hash") }, {
    protocol: "http:", slashes: true, auth: "user:pass", host: "host.com:8080", port: "8080", hostname: "host.com",
    hash: "#hash", search: "?query=string", query: "query=string", pathname: "/p/a/t/h", path: "/p/a/t/h?query=string",
    href: "http://user:pass@host.com:8080/p/a/t/h?query=string#hash",
  });
  assert.deepEqual({ ...url.parse("/a?x=1&y=2", true).query }, { x: "1", y: "2" });
  assert.equal(url.parse("//host/path", false, true).host, "host");
  assert.equal(url.parse("mailto:a@b.c").auth, "a");
  assert.equal(url.format({ protocol: "https", hostname: "h", port: 1, pathname: "p", query: { a: [1, 2] } } as any), "https://h:1/p?a=1&a=2");
  assert.deepEqual(
    [["/one/two/three", "four"], ["http://example.com/", "/one"], ["http://example.com/one", "/two"], ["http://a/b/c/d", "../e?f"], ["/a", "//h/p"]]
      .map(([from, to]) => url.resolve(from, to)),
    ["/one/two/four", "http://example.com/one", "http://example.com/two", "http://a/b/e?f", "//h/p"],
  );
});

test("other functions", () => {
  assert.equal(domainToASCII("español.com"), "xn--espaol-zwa.com");
  assert.equal(domainToUnicode("xn--espaol-zwa.com"), "español.com");
  assert.equal(domainToASCII("xn--iñvalid.com"), "");
  assert.equal(url.format(new URL("https://a:b@測試?abc#foo"), { fragment: false, unicode: true, auth: false }), "https://測試/?abc");
  const options = urlToHttpOptions(new URL("https://a:b@[::1]:81/x?y"));
  assert.deepEqual([options.hostname, options.port, options.path, options.auth, options.protocol], ["::1", 81, "/x?y", "a:b", "https:"]);
  assert.equal(inspect(new URLSearchParams("a=1&b=2")), "URLSearchParams { 'a' => '1', 'b' => '2' }");
  assert.match(inspect(new URL("http://a.b/?c")), /^URL \{\n  href: 'http:\/\/a\.b\/\?c',\n[^]*searchParams: URLSearchParams \{ 'c' => '' \},\n  hash: ''\n\}$/);
});
