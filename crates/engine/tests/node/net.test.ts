import { test } from "node:test";
import assert from "node:assert";
import net from "node:net";
import { once } from "node:events";
import { mkdtempSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

async function listening(server: net.Server, options: any = { port: 0, host: "127.0.0.1" }): Promise<any> {
  server.listen(options);
  await once(server, "listening");
  return server.address();
}

const closed = (server: net.Server) => new Promise<void>((done, fail) => server.close((error) => (error ? fail(error) : done())));

/** Reads to the end; a loop over the socket would close it too. */
function text(socket: any): Promise<string> {
  const parts: Buffer[] = [];
  socket.on("data", (part: Buffer) => parts.push(part));
  return new Promise((done, fail) => {
    socket.on("end", () => done(Buffer.concat(parts).toString()));
    socket.on("error", fail);
  });
}

test("an echo", async () => {
  const server = net.createServer((socket) => socket.pipe(socket));
  const { port, family, address } = await listening(server);
  assert.deepStrictEqual([family, address], ["IPv4", "127.0.0.1"]);
  const events: string[] = [];
  const socket = net.connect(port, "127.0.0.1", () => events.push("callback"));
  for (const name of ["lookup", "connect", "ready", "end", "close"]) socket.on(name, () => events.push(name));
  const gone = once(socket, "close");
  assert.strictEqual(socket.connecting, true);
  assert.strictEqual(socket.readyState, "opening");
  socket.write("early ");
  await once(socket, "connect");
  assert.strictEqual(socket.readyState, "open");
  assert.deepStrictEqual([socket.remoteAddress, socket.remotePort, socket.remoteFamily], ["127.0.0.1", port, "IPv4"]);
  assert.strictEqual(socket.localAddress, "127.0.0.1");
  socket.end("late");
  assert.strictEqual(await text(socket), "early late");
  await gone;
  assert.deepStrictEqual(events.filter((name) => name !== "lookup"), ["callback", "connect", "ready", "end", "close"]);
  assert.deepStrictEqual([socket.bytesRead, socket.bytesWritten], [10, 10]);
  await closed(server);
  assert.strictEqual(server.listening, false);
});

test("much data arrives whole, with backpressure", async () => {
  const size = 5_000_000;
  const server = net.createServer((socket) => socket.end(Buffer.alloc(size, 7)));
  const { port } = await listening(server);
  const socket = net.connect({ port, host: "127.0.0.1" });
  let received = 0;
  await pipeline(socket, async (source) => {
    for await (const chunk of source) received += chunk.length;
  });
  assert.strictEqual(received, size);
  await closed(server);
});

test("Unix sockets", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "net-")), "s.sock");
  const server = net.createServer((socket) => socket.end("hello"));
  assert.strictEqual(await listening(server, { path }), path);
  assert.ok(existsSync(path));
  assert.strictEqual(await text(net.connect(path)), "hello");
  await closed(server);
  assert.ok(!existsSync(path));
  const socket = net.connect({ path });
  const [error] = await once(socket, "error").catch((error) => [error]);
  assert.deepStrictEqual([error.code, error.syscall, error.address], ["ENOENT", "connect", path]);
  assert.strictEqual(error.message, `connect ENOENT ${path}`);
});

test("nobody listens", async () => {
  const server = net.createServer();
  const { port } = await listening(server);
  await closed(server);
  const socket = net.connect(port, "127.0.0.1");
  const error: any = await new Promise((done) => socket.on("error", done));
  const { code, syscall, address, errno } = error;
  assert.deepStrictEqual({ code, syscall, address, port: error.port }, { code: "ECONNREFUSED", syscall: "connect", address: "127.0.0.1", port });
  assert.ok(errno < 0);
  assert.strictEqual(error.message, `connect ECONNREFUSED 127.0.0.1:${port}`);
  const hadError = await new Promise((done) => socket.on("close", done));
  assert.strictEqual(hadError, true);
  assert.ok(socket.destroyed);
});

test("a name has several addresses", async () => {
  const server = net.createServer((socket) => socket.end("ok"));
  const { port } = await listening(server);
  const socket = net.connect(port, "localhost");
  assert.strictEqual(await text(socket), "ok");
  await closed(server);
  const own = net.connect({
    port, host: "example.test",
    lookup: (_host: string, options: any, callback: any) => callback(null, options.all ? [{ address: "127.0.0.1", family: 4 }] : "127.0.0.1", 4),
  } as any);
  const error: any = await new Promise((done) => own.on("error", done));
  assert.strictEqual(error.code, "ECONNREFUSED");
});

test("a port that is taken", async () => {
  const first = net.createServer();
  const { port } = await listening(first);
  const second = net.createServer();
  second.listen(port, "127.0.0.1");
  const error: any = await new Promise((done) => second.on("error", done));
  assert.strictEqual(error.message, `listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
  assert.deepStrictEqual([error.code, error.syscall, error.port], ["EADDRINUSE", "listen", port]);
  await closed(first);
  await assert.rejects(closed(second), { code: "ERR_SERVER_NOT_RUNNING" });
});

test("half closed", async () => {
  const server = net.createServer({ allowHalfOpen: true }, async (socket) => {
    const request = await text(socket);
    socket.end(`got ${request}`);
  });
  const { port } = await listening(server);
  const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end("this");
  assert.strictEqual(await text(socket), "got this");
  await closed(server);
});

test("the server ends when its connections have", async () => {
  const server = net.createServer((socket) => socket.resume());
  const { port } = await listening(server);
  const socket = net.connect(port, "127.0.0.1");
  await once(socket, "connect");
  if ((await new Promise((done) => server.getConnections((_error, count) => done(count)))) === 0) await once(server, "connection");
  let over = false;
  server.close(() => (over = true));
  await new Promise((done) => setTimeout(done, 20));
  assert.strictEqual(over, false);
  socket.destroy();
  await once(server, "close");
  assert.strictEqual(over, true);
  assert.strictEqual(server.address(), null);
});

test("timeouts and destruction", async () => {
  const server = net.createServer((socket) => socket.resume());
  const { port } = await listening(server);
  const socket = net.connect(port, "127.0.0.1");
  socket.setTimeout(20);
  assert.strictEqual(socket.timeout, 20);
  await once(socket, "timeout");
  assert.ok(!socket.destroyed);
  const errors: any[] = [];
  socket.on("error", (error) => errors.push(error));
  socket.destroy(new Error("mine"));
  assert.strictEqual(await new Promise((done) => socket.on("close", done)), true);
  assert.deepStrictEqual(errors.map((error) => error.message), ["mine"]);
  await closed(server);
});

test("limits", async () => {
  const server = net.createServer((socket) => socket.resume());
  server.maxConnections = 1;
  const { port } = await listening(server);
  const first = net.connect(port, "127.0.0.1");
  await once(server, "connection");
  const second = net.connect(port, "127.0.0.1");
  second.on("error", () => {});
  second.resume();
  const [dropped] = await once(server, "drop");
  assert.strictEqual(dropped.localPort, port);
  first.destroy();
  second.destroy();
  await closed(server);
});

test("abort signals", async () => {
  const controller = new AbortController();
  const server = net.createServer();
  server.listen({ port: 0, host: "127.0.0.1", signal: controller.signal });
  await once(server, "listening");
  controller.abort();
  await once(server, "close");
});

test("kinds of addresses", () => {
  assert.deepStrictEqual(["127.0.0.1", "::1", "::ffff:1.2.3.4", "1.2.3", "nope", "fe80::1%eth0", "1:2:3:4:5:6:7:8", "256.1.1.1", "::1::"].map(net.isIP), [4, 6, 6, 0, 0, 6, 6, 0, 0]);
  assert.strictEqual(net.isIPv4("1.2.3.4"), true);
  assert.strictEqual(net.isIPv6("1.2.3.4"), false);
  const list = new net.BlockList();
  list.addAddress("123.123.123.123");
  list.addRange("10.0.0.1", "10.0.0.10");
  list.addSubnet("8592:757c:efae:4e45::", 64, "ipv6");
  assert.deepStrictEqual(
    [["123.123.123.123"], ["10.0.0.3"], ["10.0.0.11"], ["222.111.111.222"], ["::ffff:7b7b:7b7b", "ipv6"], ["8592:757c:efae:4e45:1::", "ipv6"]].map(
      ([address, family]) => list.check(address, (family ?? "ipv4") as any),
    ),
    [true, true, false, false, true, true],
  );
  assert.strictEqual(list.rules.length, 3);
  const address = new net.SocketAddress({ address: "1.2.3.4", port: 80 });
  assert.deepStrictEqual([address.address, address.port, address.family], ["1.2.3.4", 80, "ipv4"]);
  assert.throws(() => net.connect({ port: 70000 }), { code: "ERR_SOCKET_BAD_PORT" });
  assert.throws(() => net.connect({} as any), { code: "ERR_MISSING_ARGS" });
});
