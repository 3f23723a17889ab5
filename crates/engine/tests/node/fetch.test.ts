import assert from "node:assert/strict";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

let server: http.Server;
let base: string;
/** Told when a request for an endless answer has come, and when its client has gone away. */
let arrived: (() => void) | undefined;
let aborted: (() => void) | undefined;

const routes: Record<string, (request: http.IncomingMessage, response: http.ServerResponse) => void> = {
  "/text": (_request, response) => response.writeHead(200, { "content-type": "text/plain", "x-many": ["1", "2"], "set-cookie": ["a=1", "b=2"] }).end("héllo"),
  "/status": (_request, response) => response.writeHead(404).end("missing"),
  "/empty": (_request, response) => response.writeHead(204).end(),
  "/echo": (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method, headers } = request;
      response.end(JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString() }));
    });
  },
  "/slow": async (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let n = 0; n < 3; n++) {
      response.write(`data: ${n}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    response.end();
  },
  "/hang": (request, response) => {
    response.on("close", () => aborted?.());
    request.resume();
    arrived?.();
  },
  "/half": (_request, response) => {
    response.on("close", () => aborted?.());
    response.writeHead(200, { "content-type": "text/plain" });
    response.write("start");
    arrived?.();
  },
  "/break": (request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("part");
    setTimeout(() => request.socket.destroy(), 10);
  },
  "/drop": (request) => request.socket.destroy(),
  "/gzip": (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed ".repeat(1_000))),
  "/deflate": (_request, response) => response.writeHead(200, { "content-encoding": "deflate" }).end(deflateSync("packed ".repeat(1_000))),
  "/br": (_request, response) => response.writeHead(200, { "content-encoding": "br" }).end(brotliCompressSync("packed ".repeat(1_000))),
  "/to-text": (_request, response) => response.writeHead(302, { location: "/text" }).end("moved"),
  "/to-echo-302": (request, response) => void request.resume().on("end", () => response.writeHead(302, { location: "/echo" }).end()),
  "/to-echo-307": (request, response) => void request.resume().on("end", () => response.writeHead(307, { location: "/echo" }).end()),
  "/loop": (_request, response) => response.writeHead(302, { location: "/loop" }).end(),
};

before(async () => {
  server = http.createServer((request, response) => routes[request.url!.split("?")[0]!]!(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

describe("fetch", () => {
  it("gets", async () => {
    const response = await fetch(`${base}/text?q=1#hash`);
    const { status, statusText, ok, url, redirected, type } = response;
    assert.deepEqual(
      { status, statusText, ok, url, redirected, type: type === "error" },
      { status: 200, statusText: "OK", ok: true, url: `${base}/text?q=1`, redirected: false, type: false },
    );
    assert.equal(response.headers.get("X-Many"), "1, 2");
    assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
    assert.throws(() => response.headers.set("a", "b"), { name: "TypeError" });
    assert.equal(await response.text(), "héllo");
    const missing = await fetch(new URL(`${base}/status`));
    assert.deepEqual([missing.status, missing.ok, await missing.text()], [404, false, "missing"]);
    const empty = await fetch(`${base}/empty`);
    assert.deepEqual([empty.status, empty.body, await empty.text()], [204, null, ""]);
    const head = await fetch(`${base}/text`, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
  });

  it("sends bodies and headers", async () => {
    const send = async (init: any) => (await fetch(`${base}/echo`, init)).json() as any;
    const plain = await send({});
    assert.deepEqual([plain.method, plain.headers.accept, plain.headers["user-agent"] !== undefined], ["GET", "*/*", true]);
    const json = await send({ method: "post", headers: { "Content-Type": "application/json", "X-A": "é" }, body: JSON.stringify({ a: 1 }) });
    assert.deepEqual([json.method, json.body, json.headers["content-type"], json.headers["content-length"], json.headers["x-a"]], ["POST", '{"a":1}', "application/json", "7", "é"]);
    assert.equal((await send({ method: "PUT", body: new URLSearchParams({ q: "x y" }) })).body, "q=x+y");
    assert.equal((await send({ method: "POST", body: new Blob(["blob"]) })).body, "blob");
    const form = new FormData();
    form.append("f", "v");
    assert.match((await send({ method: "POST", body: form })).body, /name="f"\r\n\r\nv\r\n/);
    assert.equal((await send({ method: "POST" })).headers["content-length"], "0");
    const request = new Request(`${base}/echo`, { method: "POST", body: "from request" });
    assert.equal(((await (await fetch(request)).json()) as any).body, "from request");
  });

  it("streams up", async () => {
    const body = (ReadableStream as any).from((async function* () {
      yield Buffer.from("one ");
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield Buffer.from("two");
    })());
    const response = await fetch(`${base}/echo`, { method: "POST", body, duplex: "half" } as any);
    const echoed: any = await response.json();
    assert.deepEqual([echoed.body, echoed.headers["transfer-encoding"]], ["one two", "chunked"]);
    const failing = new ReadableStream({ pull: (controller) => controller.error(new Error("upload broke")) });
    await assert.rejects(fetch(`${base}/echo`, { method: "POST", body: failing, duplex: "half" } as any), (error: any) => error instanceof Error);
  });

  it("streams down as the data comes", async () => {
    const response = await fetch(`${base}/slow`);
    const seen: string[] = [];
    for await (const chunk of response.body as any) seen.push(Buffer.from(chunk).toString());
    assert.equal(seen.join(""), "data: 0\n\ndata: 1\n\ndata: 2\n\n");
    assert.ok(seen.length > 1, "the chunks came one by one");
  });

  it("unpacks", async () => {
    for (const path of ["/gzip", "/deflate", "/br"]) {
      assert.equal(await (await fetch(base + path)).text(), "packed ".repeat(1_000), path);
    }
  });

  it("follows redirects as asked", async () => {
    const followed = await fetch(`${base}/to-text`);
    assert.deepEqual([followed.url, followed.redirected, await followed.text()], [`${base}/text`, true, "héllo"]);
    const manual = await fetch(`${base}/to-text`, { redirect: "manual" });
    assert.deepEqual([manual.status, manual.headers.get("location"), await manual.text()], [302, "/text", "moved"]);
    await assert.rejects(fetch(`${base}/to-text`, { redirect: "error" }), { name: "TypeError", message: "fetch failed" });
    await assert.rejects(fetch(`${base}/loop`), (error: any) => error.cause.message === "redirect count exceeded");
    const changed: any = await (await fetch(`${base}/to-echo-302`, { method: "POST", body: "x" })).json();
    assert.deepEqual([changed.method, changed.body], ["GET", ""]);
    const kept: any = await (await fetch(`${base}/to-echo-307`, { method: "POST", body: "x" })).json();
    assert.deepEqual([kept.method, kept.body], ["POST", "x"]);
  });

  it("is aborted before and during the answer", async () => {
    for (const path of ["/hang", "/half"]) {
      const there = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const gone = new Promise<void>((resolve) => {
        aborted = resolve;
      });
      const controller = new AbortController();
      const running = (async () => (await fetch(base + path, { signal: controller.signal })).text())();
      running.catch(() => {});
      await there;
      controller.abort();
      await assert.rejects(running, { name: "AbortError", code: 20 }, path);
      await gone;
    }
    await assert.rejects(fetch(`${base}/hang`, { signal: AbortSignal.timeout(10) }), { name: "TimeoutError" });
    const reason = new Error("mine");
    const controller = new AbortController();
    const running = fetch(`${base}/hang`, { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(running, (error) => error === reason);
  });

  it("lets go of a body nobody wants", async () => {
    const gone = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const response = await fetch(`${base}/half`);
    await response.body!.cancel();
    await gone;
  });

  it("fails with a cause", async () => {
    const refused = http.createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => refused.once("listening", resolve));
    const { port } = refused.address() as AddressInfo;
    await new Promise((resolve) => refused.close(resolve));
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`), (error: any) => {
      assert.deepEqual(
        [error.name, error.message, error.cause.code, error.cause.syscall, error.cause.message],
        ["TypeError", "fetch failed", "ECONNREFUSED", "connect", `connect ECONNREFUSED 127.0.0.1:${port}`],
      );
      return true;
    });
    await assert.rejects(fetch(`${base}/drop`), (error: any) => error.message === "fetch failed" && error.cause instanceof Error);
    const broken = await fetch(`${base}/break`);
    await assert.rejects(broken.text(), { name: "TypeError", message: "terminated" });
  });
});
