import assert from "node:assert/strict";
import { describe, it } from "node:test";

describe("Headers", () => {
  it("joins, sorts and ignores case", () => {
    const headers = new Headers({ "X-B": " two ", "Content-Type": "a/b" });
    headers.append("x-b", "three");
    headers.append("X-A", "1");
    assert.deepEqual([...headers], [["content-type", "a/b"], ["x-a", "1"], ["x-b", "two, three"]]);
    assert.deepEqual([headers.get("x-B"), headers.get("none"), headers.has("X-a")], ["two, three", null, true]);
    headers.set("x-b", "only");
    headers.delete("x-a");
    assert.deepEqual([[...headers.keys()], [...headers.values()]], [["content-type", "x-b"], ["a/b", "only"]]);
    const seen: any[] = [];
    headers.forEach((value, name, all) => seen.push([name, value, all === headers]));
    assert.deepEqual(seen, [["content-type", "a/b", true], ["x-b", "only", true]]);
  });

  it("is made from pairs and other headers", () => {
    const headers = new Headers([["a", "1"], ["a", "2"]]);
    const copy = new Headers(headers);
    headers.set("a", "changed");
    assert.equal(copy.get("a"), "1, 2");
    assert.deepEqual(Object.fromEntries(new Headers(new Map([["m", "v"]]) as any)), { m: "v" });
  });

  it("keeps cookies apart", () => {
    const headers = new Headers([["Set-Cookie", "a=1"], ["set-cookie", "b=2"]]);
    assert.deepEqual(headers.getSetCookie(), ["a=1", "b=2"]);
    assert.equal(headers.get("set-cookie"), "a=1, b=2");
    assert.deepEqual([...headers], [["set-cookie", "a=1"], ["set-cookie", "b=2"]]);
  });

  it("refuses bad names and values", () => {
    const headers = new Headers();
    for (const [name, value] of [["bad name", "x"], ["", "x"], ["a", "x\ny"], ["a", "€"]]) {
      assert.throws(() => headers.append(name!, value!), { name: "TypeError" });
    }
    assert.throws(() => new Headers([["one"]] as any), { name: "TypeError" });
    assert.throws(() => new Headers(5 as any), { name: "TypeError" });
  });
});

describe("Response", () => {
  it("has defaults", () => {
    const response = new Response();
    const { status, statusText, ok, type, url, redirected, body, bodyUsed } = response;
    assert.deepEqual(
      { status, statusText, ok, type, url, redirected, body, bodyUsed },
      { status: 200, statusText: "", ok: true, type: "default", url: "", redirected: false, body: null, bodyUsed: false },
    );
    const made = new Response("x", { status: 404, statusText: "Gone", headers: { a: "b" } });
    assert.deepEqual([made.status, made.statusText, made.ok, made.headers.get("a")], [404, "Gone", false, "b"]);
  });

  it("reads bodies of all kinds", async () => {
    const bytes = new Uint8Array([104, 105]);
    const bodies: any[] = ["hi", bytes, bytes.buffer, new Blob(["hi"]), new DataView(bytes.buffer)];
    for (const body of bodies) assert.equal(await new Response(body).text(), "hi");
    assert.equal(await new Response((ReadableStream as any).from([bytes])).text(), "hi");
    assert.equal(await new Response(new URLSearchParams({ a: "é" })).text(), "a=%C3%A9");
    assert.deepEqual(await new Response('{"a":[1]}').json(), { a: [1] });
    assert.deepEqual(new Uint8Array(await new Response("ab").arrayBuffer()), new Uint8Array([97, 98]));
    assert.deepEqual(await (new Response("ab") as any).bytes(), new Uint8Array([97, 98]));
    const blob = await new Response("ab", { headers: { "content-type": "t/x" } }).blob();
    assert.deepEqual([blob.size, blob.type], [2, "t/x"]);
    await assert.rejects(new Response("{").json(), { name: "SyntaxError" });
    assert.equal(await new Response().text(), "");
  });

  it("sets the type that belongs to the body", () => {
    const type = (body: any, init?: any) => new Response(body, init).headers.get("content-type");
    assert.equal(type("x"), "text/plain;charset=UTF-8");
    assert.equal(type(new URLSearchParams("a=b")), "application/x-www-form-urlencoded;charset=UTF-8");
    assert.equal(type(new Blob(["x"], { type: "q/r" })), "q/r");
    assert.equal(type(new Uint8Array(1)), null);
    assert.equal(type("x", { headers: { "Content-Type": "own/type" } }), "own/type");
  });

  it("can be read once, or cloned before", async () => {
    const response = new Response("text");
    const copy = response.clone();
    assert.equal(await response.text(), "text");
    assert.equal(response.bodyUsed, true);
    await assert.rejects(response.text(), { name: "TypeError", message: /^Body is unusable/ });
    assert.throws(() => response.clone(), { name: "TypeError" });
    assert.equal(await copy.text(), "text");
    const streamed = new Response((ReadableStream as any).from([new Uint8Array([65])]));
    const second = streamed.clone();
    assert.deepEqual([await streamed.text(), await second.text()], ["A", "A"]);
  });

  it("streams", async () => {
    const response = new Response("stream me");
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    assert.equal(Buffer.from(value!).toString(), "stream me");
    assert.equal((await reader.read()).done, true);
    assert.equal(response.bodyUsed, true);
    const chunks: string[] = [];
    for await (const chunk of new Response("abc").body as any) chunks.push(Buffer.from(chunk).toString());
    assert.equal(chunks.join(""), "abc");
    await assert.rejects(new Response((ReadableStream as any).from(["text"])).text(), { name: "TypeError" });
  });

  it("has short forms", async () => {
    const json = Response.json({ a: 1 }, { status: 201 });
    assert.deepEqual([json.status, json.headers.get("content-type"), await json.json()], [201, "application/json", { a: 1 }]);
    const error = Response.error();
    assert.deepEqual([error.type, error.status, error.ok], ["error", 0, false]);
    const redirect = Response.redirect("http://x.y/z", 301);
    assert.deepEqual([redirect.status, redirect.headers.get("location")], [301, "http://x.y/z"]);
    assert.throws(() => redirect.headers.set("a", "b"), { name: "TypeError" });
    assert.throws(() => Response.redirect("http://x.y", 200), { name: "RangeError" });
    assert.throws(() => new Response("x", { status: 99 }), { name: "RangeError" });
    assert.throws(() => new Response("x", { status: 204 }), { name: "TypeError" });
    assert.throws(() => Response.json(undefined), { name: "TypeError" });
  });
});

describe("Request", () => {
  it("normalizes", () => {
    const request = new Request("http://x.y/a/../b#c", { method: "post", headers: { A: "1" }, body: "x" });
    const { method, url, redirect, credentials, mode, cache } = request;
    assert.deepEqual(
      { method, url, redirect, credentials, mode, cache },
      { method: "POST", url: "http://x.y/b#c", redirect: "follow", credentials: "same-origin", mode: "cors", cache: "default" },
    );
    assert.deepEqual([...request.headers], [["a", "1"], ["content-type", "text/plain;charset=UTF-8"]]);
    assert.equal(new Request("http://x.y", { method: "patch" }).method, "patch");
    assert.equal(request.signal.aborted, false);
  });

  it("copies another request and moves its body", async () => {
    const first = new Request("http://x.y/", { method: "PUT", body: "text", headers: { a: "b" } });
    const clone = first.clone();
    const second = new Request(first, { headers: { c: "d" } });
    assert.deepEqual([second.method, second.headers.get("a"), second.headers.get("c")], ["PUT", null, "d"]);
    assert.deepEqual([await second.text(), first.bodyUsed, await clone.text()], ["text", true, "text"]);
    assert.throws(() => new Request(first), { name: "TypeError" });
  });

  it("follows the given signal", () => {
    const controller = new AbortController();
    const request = new Request("http://x.y", { signal: controller.signal });
    assert.notEqual(request.signal, controller.signal);
    controller.abort("stop");
    assert.deepEqual([request.signal.aborted, request.signal.reason], [true, "stop"]);
  });

  it("refuses nonsense", () => {
    const bad: [any, any?][] = [
      ["not a url"],
      ["http://user:pass@x.y"],
      ["http://x.y", { method: "bad method" }],
      ["http://x.y", { method: "TRACE" }],
      ["http://x.y", { body: "x" }],
      ["http://x.y", { method: "POST", body: new ReadableStream() }],
      ["http://x.y", { redirect: "sometimes" }],
    ];
    for (const [url, init] of bad) assert.throws(() => new Request(url, init), { name: "TypeError" }, String(url));
  });
});

describe("fetch without a network", () => {
  it("reads data: URLs", async () => {
    const plain = await fetch("data:text/x;charset=utf-8,a%20b%C3%A9");
    assert.deepEqual([plain.status, plain.headers.get("content-type"), await plain.text()], [200, "text/x;charset=utf-8", "a bé"]);
    assert.equal(await (await fetch("data:;base64,aGVsbG8=")).text(), "hello");
    assert.equal((await fetch("data:,x")).headers.get("content-type"), "text/plain;charset=US-ASCII");
  });

  it("rejects what it cannot fetch", async () => {
    await assert.rejects(fetch("nonsense"), { name: "TypeError", message: "Failed to parse URL from nonsense" });
    for (const url of ["unknown:thing", "file:///etc/hosts", "about:blank", "blob:nodedata:none"]) {
      await assert.rejects(fetch(url), (error: any) => error.name === "TypeError" && error.message === "fetch failed" && error.cause instanceof Error, url);
    }
    await assert.rejects(fetch("http://x.y", { signal: AbortSignal.abort() }), { name: "AbortError" });
  });
});
