import { test } from "node:test";
import assert from "node:assert";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

async function serve(handler: http.RequestListener | undefined, work: (port: number, server: http.Server) => Promise<void>, options: any = {}): Promise<void> {
  const server = http.createServer(options, handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await work((server.address() as any).port, server);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

function read(stream: any): Promise<string> {
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  return new Promise((done, fail) => {
    stream.on("end", () => done(Buffer.concat(parts).toString()));
    stream.on("error", fail);
  });
}

/** Sends a request and reads the answer. */
async function ask(options: any, body?: any): Promise<{ res: http.IncomingMessage; text: string; req: http.ClientRequest }> {
  const req = http.request({ host: "127.0.0.1", ...options });
  req.end(body);
  const [res] = await once(req, "response");
  return { res, req, text: await read(res) };
}

/** Speaks to a server without a client's help; ends when the server does. */
async function raw(port: number, text: string): Promise<string> {
  const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.write(text);
  const answer = await read(socket);
  socket.end();
  return answer;
}

const withoutDate = (text: string) => text.replace(/Date: [^\r]+ GMT\r\n/, "");

test("a request and its answer", async () => {
  await serve(
    async (req, res) => {
      assert.ok(req instanceof http.IncomingMessage && res instanceof http.ServerResponse);
      assert.strictEqual(res.headersSent, false);
      res.setHeader("X-Method", req.method!);
      res.statusCode = 201;
      res.end(`${req.url} ${req.headers["x-one"]} ${await read(req)}`);
      assert.strictEqual(res.headersSent, true);
    },
    async (port) => {
      const { res, text } = await ask({ port, path: "/a?b=c", method: "POST", headers: { "X-One": "1", "content-type": "text/plain" } }, "body");
      assert.deepStrictEqual([res.statusCode, res.statusMessage, res.httpVersion, res.complete], [201, "Created", "1.1", true]);
      assert.strictEqual(text, "/a?b=c 1 body");
      assert.deepStrictEqual([res.headers["x-method"], res.headers["content-length"], res.headers.connection], ["POST", "13", "keep-alive"]);
      assert.ok(res.rawHeaders.includes("X-Method"));
    },
  );
});

test("what goes over the wire", async () => {
  await serve(
    (req, res) => {
      if (req.url === "/length") res.end("hello");
      else if (req.url === "/chunks") {
        res.writeHead(200, "Fine", { "X-A": ["1", "2"] });
        res.write("one");
        res.write("two");
        res.addTrailers({ "X-End": "yes" });
        res.end();
      } else if (req.url === "/empty") res.writeHead(204).end();
      else {
        res.setHeader("Set-Cookie", ["a=1", "b=2"]);
        res.end();
      }
    },
    async (port) => {
      const ask = (line: string) => raw(port, `${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
      assert.strictEqual(withoutDate(await ask("GET /length HTTP/1.1")), "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello");
      assert.strictEqual(
        withoutDate(await ask("GET /chunks HTTP/1.1")),
        "HTTP/1.1 200 Fine\r\nX-A: 1\r\nX-A: 2\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\nX-End: yes\r\n\r\n",
      );
      assert.strictEqual(withoutDate(await ask("GET /empty HTTP/1.1")), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
      assert.strictEqual(withoutDate(await ask("HEAD /length HTTP/1.1")), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
      assert.strictEqual(
        withoutDate(await ask("GET /cookies HTTP/1.1")),
        "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
      );
      assert.strictEqual(withoutDate(await raw(port, "GET /length HTTP/1.0\r\n\r\n")), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello");
    },
  );
});

test("several requests on one connection, one after the other", async () => {
  const seen: string[] = [];
  await serve(
    (req, res) => {
      seen.push(`start ${req.url}`);
      // The first takes longest; the answers keep their order.
      setTimeout(() => {
        seen.push(`end ${req.url}`);
        res.end(req.url);
      }, req.url === "/1" ? 30 : 1);
    },
    async (port) => {
      const text = await raw(port, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assert.deepStrictEqual([...text.matchAll(/\r\n\r\n(\/\d)/g)].map((found) => found[1]), ["/1", "/2", "/3"]);
      assert.ok(seen.indexOf("end /1") < seen.indexOf("end /2") || seen.includes("start /2"));
    },
  );
});

test("chunked requests", async () => {
  await serve(
    async (req, res) => res.end(`${await read(req)}|${JSON.stringify(req.trailers)}`),
    async (port) => {
      const head = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
      assert.match(await raw(port, `${head}4\r\nwiki\r\n5;ext=1\r\npedia\r\n0\r\nX-T: v\r\n\r\n`), /wikipedia\|\{"x-t":"v"\}$/);
      const req = http.request({ port, host: "127.0.0.1", method: "POST" });
      req.write("one ");
      req.write("two");
      req.end();
      const [res] = await once(req, "response");
      assert.strictEqual(await read(res), "one two|{}");
    },
  );
});

test("bytes in small pieces", async () => {
  await serve(
    async (req, res) => res.end(await read(req)),
    async (port) => {
      const socket = net.connect(port, "127.0.0.1");
      const answer = read(socket);
      for (const byte of "POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n") {
        socket.write(byte);
        await new Promise((done) => setImmediate(done));
      }
      assert.match(await answer, /\r\n\r\nabc$/);
    },
  );
});

test("much data both ways", async () => {
  const big = Buffer.alloc(2_000_000, "0123456789");
  await serve(
    (req, res) => void pipeline(req, res),
    async (port) => {
      const req = http.request({ port, host: "127.0.0.1", method: "PUT" });
      const [[res]] = await Promise.all([once(req, "response"), pipeline(Readable.from([big.subarray(0, 1_000_000), big.subarray(1_000_000)]), req)]);
      let total = 0;
      for await (const chunk of res) {
        await new Promise((done) => setImmediate(done));
        total += chunk.length;
      }
      assert.strictEqual(total, big.length);
    },
  );
});

test("connections are used again", async () => {
  const ports = new Set<number>();
  await serve(
    (req, res) => {
      ports.add(req.socket.remotePort!);
      res.end("ok");
    },
    async (port) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const first = await ask({ port, agent });
      assert.strictEqual(first.req.reusedSocket, false);
      await new Promise((done) => setTimeout(done, 5));
      assert.strictEqual(Object.values(agent.freeSockets).flat().length, 1);
      const second = await ask({ port, agent });
      assert.strictEqual(second.req.reusedSocket, true);
      await Promise.all([ask({ port, agent }), ask({ port, agent }), ask({ port, agent })]);
      assert.strictEqual(ports.size, 1);
      agent.destroy();
      const closing = await ask({ port, agent: false });
      assert.strictEqual(closing.res.headers.connection, "close");
      assert.strictEqual(ports.size, 2);
    },
  );
});

test("agents of others", async () => {
  // As proxy agents do it: they look at the stack for the module that asks, and open the connection themselves.
  class Own extends http.Agent {
    asked: string[] = [];
    get protocol(): string {
      return new Error().stack!.includes("node:https:") ? "https:" : "http:";
    }
    set protocol(_value: string) {}
    createConnection(options: any): any {
      this.asked.push(`${options.host}:${options.port}`);
      return net.connect(this.options.port as any, "127.0.0.1");
    }
  }
  await serve(
    (req, res) => res.end(`${req.headers.host}${req.url}`),
    async (port) => {
      const agent = new Own({ port } as any);
      assert.strictEqual((await ask({ host: "example.test", path: "/p", agent, port: 80 })).text, "example.test/p");
      const req = https.get("https://example.test/s", { agent: agent as any, port: 443 });
      const [res] = await once(req, "response");
      assert.strictEqual(await read(res), "example.test:443/s");
      assert.strictEqual(agent.asked.length, 2);
    },
  );
});

test("URLs and options", async () => {
  await serve(
    (req, res) => res.end(`${req.method} ${req.url} ${req.headers.host} ${req.headers.authorization}`),
    async (port) => {
      const res: any = await new Promise((done) => http.get(`http://user:pass@127.0.0.1:${port}/p?q=1`, done));
      assert.strictEqual(await read(res), `GET /p?q=1 127.0.0.1:${port} Basic dXNlcjpwYXNz`);
      const other: any = await new Promise((done) => http.get(new URL(`http://127.0.0.1:${port}`), { headers: { Host: "own" }, method: "DELETE" }, done));
      assert.strictEqual(await read(other), "DELETE / own undefined");
      assert.throws(() => http.get("https://127.0.0.1/"), { code: "ERR_INVALID_PROTOCOL" });
      assert.throws(() => http.get({ path: "/a b" }), { code: "ERR_UNESCAPED_CHARACTERS" });
      assert.throws(() => http.get("nope"), { code: "ERR_INVALID_URL" });
      assert.throws(() => http.request({ method: "A B" }), { code: "ERR_INVALID_HTTP_TOKEN" });
    },
  );
});

test("Unix sockets", async () => {
  const socketPath = join(mkdtempSync(join(tmpdir(), "http-")), "s.sock");
  const server = http.createServer((req, res) => res.end(`at ${req.url}`));
  server.listen(socketPath);
  await once(server, "listening");
  const { text } = await ask({ socketPath, path: "/here", host: undefined });
  assert.strictEqual(text, "at /here");
  server.closeAllConnections();
  server.close();
});

test("headers", async () => {
  await serve(
    (req, res) => {
      res.setHeader("A", 1);
      res.appendHeader("B", "2");
      res.appendHeader("B", "3");
      assert.deepStrictEqual([res.getHeader("a"), res.hasHeader("B"), res.getHeaderNames()], [1, true, ["a", "b"]]);
      assert.deepStrictEqual({ ...res.getHeaders() }, { a: 1, b: ["2", "3"] });
      res.removeHeader("A");
      assert.throws(() => res.setHeader("bad name", "x"), { code: "ERR_INVALID_HTTP_TOKEN" });
      assert.throws(() => res.setHeader("x", "a\nb"), { code: "ERR_INVALID_CHAR" });
      assert.throws(() => res.setHeader("x", undefined as any), { code: "ERR_HTTP_INVALID_HEADER_VALUE" });
      assert.throws(() => res.writeHead(1000), { code: "ERR_HTTP_INVALID_STATUS_CODE" });
      res.end(JSON.stringify({ headers: req.headers, distinct: req.headersDistinct.x }));
      assert.throws(() => res.setHeader("x", "y"), { code: "ERR_HTTP_HEADERS_SENT" });
      assert.throws(() => res.writeHead(200), { code: "ERR_HTTP_HEADERS_SENT" });
    },
    async (port) => {
      const text = await raw(port, "GET / HTTP/1.1\r\nHost: x\r\nX: 1\r\nX: 2\r\nCookie: a\r\nCookie: b\r\nAge: 1\r\nAge: 2\r\nConnection: close\r\n\r\n");
      const { headers, distinct } = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));
      assert.deepStrictEqual(headers, { host: "x", x: "1, 2", cookie: "a; b", age: "1", connection: "close" });
      assert.deepStrictEqual(distinct, ["1", "2"]);
      assert.match(text, /B: 2\r\nB: 3\r\n/);
    },
  );
});

test("permission to go on", async () => {
  await serve(
    async (req, res) => res.end(await read(req)),
    async (port) => {
      const req = http.request({ port, host: "127.0.0.1", method: "POST", headers: { Expect: "100-continue", "Content-Length": 4 } });
      await once(req, "continue");
      req.end("data");
      const [res] = await once(req, "response");
      assert.strictEqual(await read(res), "data");
    },
  );
});

test("upgrades", async () => {
  await serve(undefined, async (port, server) => {
    server.on("upgrade", (req, socket, head) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${req.headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`);
      // What follows the request may come with it or after it.
      const answer = (data: Buffer) => socket.end(`echo ${data}`);
      if (head.length > 0) answer(head);
      else socket.on("data", answer);
    });
    const req = http.request({ port, host: "127.0.0.1", headers: { Connection: "Upgrade", Upgrade: "own" } });
    req.end();
    const [res, socket, head] = await once(req, "upgrade");
    assert.deepStrictEqual([res.statusCode, res.headers.upgrade], [101, "own"]);
    const rest = read(socket);
    socket.write("ping");
    assert.strictEqual(head.toString() + (await rest), "echo ping");
    assert.match(await raw(port, "GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: z\r\n\r\nearly"), /echo early$/);
  });
});

test("tunnels", async () => {
  await serve(undefined, async (port, server) => {
    server.on("connect", (req, socket) => {
      socket.end(`HTTP/1.1 200 OK\r\n\r\nto ${req.url}`);
    });
    const req = http.request({ port, host: "127.0.0.1", method: "CONNECT", path: "example.com:443" });
    req.end();
    const [res, socket, head] = await once(req, "connect");
    assert.strictEqual(res.statusCode, 200);
    assert.strictEqual(head.toString() + (await read(socket)), "to example.com:443");
  });
});

test("what is wrong with a request", async () => {
  await serve(
    (_req, res) => res.end("ok"),
    async (port, server) => {
      assert.match(await raw(port, "rubbish\r\n\r\n"), /^HTTP\/1.1 400 Bad Request\r\nConnection: close\r\n\r\n$/);
      assert.match(await raw(port, "GET / HTTP/1.1\r\n\r\n"), /^HTTP\/1.1 400 /);
      assert.match(await raw(port, `GET / HTTP/1.1\r\nHost: x\r\nA: ${"x".repeat(17000)}\r\n\r\n`), /^HTTP\/1.1 431 /);
      assert.match(await raw(port, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), /^HTTP\/1.1 400 /);
      server.once("clientError", (error: any, socket) => socket.end(`HTTP/1.1 418 Own\r\n\r\n${error.code.slice(0, 4)}`));
      assert.match(await raw(port, "rubbish\r\n\r\n"), /418 Own\r\n\r\nHPE_/);
    },
  );
});

test("connections that break", async () => {
  await serve(
    (req, res) => {
      if (req.url === "/hang") req.socket.destroy();
      else {
        res.writeHead(200, { "Content-Length": 10 });
        res.write("part");
        setTimeout(() => req.socket.destroy(), 10);
      }
    },
    async (port) => {
      const req = http.get({ port, host: "127.0.0.1", path: "/hang" });
      const error: any = await new Promise((done) => req.on("error", done));
      assert.deepStrictEqual([error.code, error.message], ["ECONNRESET", "socket hang up"]);
      const cut = http.get({ port, host: "127.0.0.1", path: "/cut" });
      const [res] = await once(cut, "response");
      await assert.rejects(read(res), { code: "ECONNRESET", message: "aborted" });
      assert.strictEqual(res.complete, false);
    },
  );
  const refused = http.get({ port: 1, host: "127.0.0.1" });
  const error: any = await new Promise((done) => refused.on("error", done));
  assert.strictEqual(error.code, "ECONNREFUSED");
});

test("requests that are given up", async () => {
  await serve(
    () => {},
    async (port) => {
      const req = http.get({ port, host: "127.0.0.1", timeout: 20 });
      await once(req, "timeout");
      req.destroy(new Error("enough"));
      const events: string[] = [];
      req.on("error", (error) => events.push(error.message));
      await once(req, "close").catch(() => once(req, "close"));
      assert.deepStrictEqual(events, ["enough"]);
      const controller = new AbortController();
      const other = http.get({ port, host: "127.0.0.1", signal: controller.signal });
      setTimeout(() => controller.abort(), 10);
      const error: any = await new Promise((done) => other.on("error", done));
      assert.deepStrictEqual([error.name, error.code], ["AbortError", "ABORT_ERR"]);
    },
  );
});

test("the server hears of clients that leave", async () => {
  const gone = new Promise<string[]>((done) => {
    void serve(
      (req, res) => {
        const events: string[] = [];
        req.on("aborted", () => events.push("aborted"));
        res.on("close", () => {
          events.push(`close ${res.writableFinished}`);
          done(events);
        });
        res.write("x");
      },
      async (port) => {
        const req = http.get({ port, host: "127.0.0.1" });
        req.on("error", () => {});
        const [res] = await once(req, "response");
        res.on("error", () => {});
        req.destroy();
        await gone;
      },
    );
  });
  assert.ok((await gone).includes("close false"));
});

test("events of an answer", async () => {
  const events: string[] = [];
  await serve(
    (req, res) => {
      res.on("finish", () => events.push("finish"));
      res.on("close", () => events.push("close"));
      (res as any).writeHeader(200);
      req.on("close", () => events.push("req close"));
      res.end("x", () => events.push("callback"));
      assert.strictEqual(res.writableEnded, true);
    },
    async (port) => {
      await ask({ port });
      await new Promise((done) => setTimeout(done, 10));
      assert.deepStrictEqual(events.filter((name) => name !== "req close"), ["finish", "callback", "close"]);
    },
  );
});

test("lists and checks", () => {
  assert.strictEqual(http.STATUS_CODES[404], "Not Found");
  assert.ok(http.METHODS.includes("PATCH"));
  assert.strictEqual(http.maxHeaderSize, 16384);
  assert.throws(() => http.validateHeaderName("a b"), { code: "ERR_INVALID_HTTP_TOKEN" });
  assert.throws(() => http.validateHeaderValue("a", "\u0000"), { code: "ERR_INVALID_CHAR" });
  assert.ok(http.globalAgent instanceof http.Agent);
  assert.strictEqual(new http.Agent().getName({ host: "a", port: 1 }), "a:1:");
  assert.strictEqual(https.globalAgent.options.keepAlive, true);
});

// A certificate for localhost that vouches for itself, and its key: good for nothing but these tests.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSXxmFyt0dIQXRyeP
dxnkFfnrKJ2IZxx+Yn/425e/pMihRANCAAR0lxUH6d0jsY/+yXypi2yjCwLzncMz
KOZiH8paYLpDFO4CIUksXtbyF22DuntYhYj4dw6qpl0pKxi7eoQU8G91
-----END PRIVATE KEY-----
`;
const CERT = `-----BEGIN CERTIFICATE-----
MIIB9TCCAZygAwIBAgIUMKurp7URn3d2KOyxi6gOEvcA1eUwCgYIKoZIzj0EAwIw
ODELMAkGA1UEBhMCQ0gxFTATBgNVBAoMDEV4YW1wbGUsIEluYzESMBAGA1UEAwwJ
bG9jYWxob3N0MCAXDTI2MTEyMjA1MDQxNFoYDzIxMjYxMDI5MDUwNDE0WjA4MQsw
CQYDVQQGEwJDSDEVMBMGA1UECgwMRXhhbXBsZSwgSW5jMRIwEAYDVQQDDAlsb2Nh
bGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR0lxUH6d0jsY/+yXypi2yj
CwLzncMzKOZiH8paYLpDFO4CIUksXtbyF22DuntYhYj4dw6qpl0pKxi7eoQU8G91
o4GBMH8wHQYDVR0OBBYEFCZRnSv01yJ8Hbyg2xQriLc1VJwdMB8GA1UdIwQYMBaA
FCZRnSv01yJ8Hbyg2xQriLc1VJwdMA8GA1UdEwEB/wQFMAMBAf8wLAYDVR0RBCUw
I4IJbG9jYWxob3N0hwR/AAABhxAAAAAAAAAAAAAAAAAAAAABMAoGCCqGSM49BAMC
A0cAMEQCIGlNnn7/5DWPyzSc19bjgUQMu65GdL+QjG4fk8EkOLgKAiAxOIqZPDtt
E2MXoP4kX3jVhh4OegEVQV5c8zF4xqfQAA==
-----END CERTIFICATE-----
`;

test("over TLS", async () => {
  const server = https.createServer({ key: KEY, cert: CERT }, async (req, res) => res.end(`safe ${req.method} ${await read(req)}`));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as any;
  const agent = new https.Agent({ ca: CERT, keepAlive: true });
  for (const reused of [false, true]) {
    const req = https.request({ port, host: "localhost", family: 4, method: "POST", agent });
    req.end("data");
    const [res] = await once(req, "response");
    assert.strictEqual(await read(res), "safe POST data");
    assert.strictEqual(req.reusedSocket, reused);
    await new Promise((done) => setTimeout(done, 10));
  }
  agent.destroy();
  const refused = https.get(`https://localhost:${port}`, { family: 4 } as any);
  const error: any = await new Promise((done) => refused.on("error", done));
  assert.strictEqual(error.code, "DEPTH_ZERO_SELF_SIGNED_CERT");
  server.closeAllConnections();
  server.close();
});
