import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after, before, describe, it } from "node:test";

/** The frames of a small server: opcode and payload. */
function frame(opcode: number, payload: Buffer): Buffer {
  const head = payload.length < 126 ? [0x80 | opcode, payload.length] : [0x80 | opcode, 126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from(head), payload]);
}

function serve(socket: Socket, onFrame: (opcode: number, payload: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (;;) {
      if (rest.length < 6) return;
      const short = rest[1]! & 127;
      const head = short === 126 ? 4 : 2;
      const length = short === 126 ? rest.readUInt16BE(2) : short;
      if (rest.length < head + 4 + length) return;
      const mask = rest.subarray(head, head + 4);
      const payload = Buffer.from(rest.subarray(head + 4, head + 4 + length).map((byte, index) => byte ^ mask[index % 4]!));
      const opcode = rest[0]! & 15;
      rest = rest.subarray(head + 4 + length);
      onFrame(opcode, payload);
    }
  });
}

let server: http.Server;
let base: string;
const sockets = new Set<Socket>();

before(async () => {
  server = http.createServer((_request, response) => response.writeHead(400).end("no"));
  server.on("upgrade", (request, socket: Socket) => {
    sockets.add(socket);
    const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    const protocol = request.headers["sec-websocket-protocol"]?.split(",")[0];
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n` +
        (protocol ? `Sec-WebSocket-Protocol: ${protocol}\r\n` : "") +
        "\r\n",
    );
    if (request.url === "/drop") setTimeout(() => socket.destroy(), 10);
    if (request.url === "/bye") socket.write(frame(8, Buffer.concat([Buffer.from([0x0f, 0xa1]), Buffer.from("done")])));
    serve(socket, (opcode, payload) => {
      socket.write(frame(opcode, payload));
      if (opcode === 8) socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const next = (target: EventTarget, type: string) => new Promise<any>((resolve) => target.addEventListener(type, resolve, { once: true }));

describe("WebSocket", () => {
  it("sends and receives text and bytes", async () => {
    const socket = new WebSocket(`${base}/echo`, ["chat", "other"]);
    assert.deepEqual([socket.readyState, socket.url, socket.binaryType], [WebSocket.CONNECTING, `${base}/echo`, "blob"]);
    assert.throws(() => socket.send("early"), { name: "InvalidStateError" });
    await next(socket, "open");
    assert.deepEqual([socket.readyState, socket.protocol], [WebSocket.OPEN, "chat"]);
    socket.send("héllo");
    assert.equal((await next(socket, "message")).data, "héllo");
    socket.send(new Uint8Array([1, 2, 3]));
    const { data } = await next(socket, "message");
    assert.ok(data instanceof Blob);
    assert.deepEqual([...new Uint8Array(await data.arrayBuffer())], [1, 2, 3]);
    socket.binaryType = "arraybuffer";
    socket.send(new Blob(["blob"]));
    assert.equal(Buffer.from((await next(socket, "message")).data).toString(), "blob");
    const long = "x".repeat(1_000);
    socket.send(long);
    assert.equal((await next(socket, "message")).data, long);
    const closed = new Promise<any>((resolve) => {
      socket.onclose = resolve;
    });
    socket.close(4_000, "bye");
    assert.equal(socket.readyState, WebSocket.CLOSING);
    const event = await closed;
    assert.deepEqual([event.code, event.reason, event.wasClean, socket.readyState], [4_000, "bye", true, WebSocket.CLOSED]);
  });

  it("keeps the order of messages", async () => {
    const socket = new WebSocket(base);
    await next(socket, "open");
    const seen: string[] = [];
    const all = new Promise<void>((resolve) => {
      socket.onmessage = (event) => {
        seen.push(event.data);
        if (seen.length === 20) resolve();
      };
    });
    for (let n = 0; n < 20; n++) socket.send(String(n));
    await all;
    assert.deepEqual(seen, Array.from({ length: 20 }, (_, n) => String(n)));
    socket.close();
    await next(socket, "close");
  });

  it("is closed by the server", async () => {
    const socket = new WebSocket(`${base}/bye`);
    const event = await next(socket, "close");
    assert.deepEqual([event.code, event.reason, event.wasClean], [4001, "done", true]);
  });

  it("tells of lost and refused connections", async () => {
    const lost = new WebSocket(`${base}/drop`);
    assert.equal((await next(lost, "close")).code, 1006);
    const refused = new WebSocket(`${base.replace("ws:", "http:")}/x`.replace(/:\d+/, ":1"));
    assert.equal((await next(refused, "error")).type, "error");
  });

  it("refuses nonsense", () => {
    for (const args of [["nonsense"], ["ftp://x.y"], ["ws://x.y#hash"], ["ws://x.y", ["a", "a"]], ["ws://x.y", "bad protocol"]] as [string, any?][]) {
      assert.throws(() => new WebSocket(...args), { name: "SyntaxError" });
    }
  });
});
