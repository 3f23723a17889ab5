import { test } from "node:test";
import assert from "node:assert";
import tls from "node:tls";
import net from "node:net";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { once } from "node:events";

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

// The certificate of an authority, and a key for localhost with the certificate that the authority gave it.
const ROOT = `-----BEGIN CERTIFICATE-----
MIIBtDCCAVmgAwIBAgIUAahDwQiKV3PAvNgYZkFRTxBpcHEwCgYIKoZIzj0EAwIw
JjEVMBMGA1UECgwMRXhhbXBsZSwgSW5jMQ0wCwYDVQQDDARyb290MCAXDTI2MTEy
ODA5MzYwNFoYDzIxMjYxMTA0MDkzNjA0WjAmMRUwEwYDVQQKDAxFeGFtcGxlLCBJ
bmMxDTALBgNVBAMMBHJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASX34/N
ilXDD/PcryOLh/b+jz6eFJb6caqqydPiMX6aWUqjN6Cmt4vCbqH2Iei64drlnWt5
IiKzzuZP2m0NCYRMo2MwYTAdBgNVHQ4EFgQUeNp8pEZmZ2N8bPTetHFCOnnaHRww
HwYDVR0jBBgwFoAUeNp8pEZmZ2N8bPTetHFCOnnaHRwwDwYDVR0TAQH/BAUwAwEB
/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSQAwRgIhAOhcri0XK822VG51
dR7fWog88YematIiyEbXOM3RgtNVAiEAvkQfldcw66Bc7vUTz3K9k6P1HjnlRo60
8UMO3lN9BPY=
-----END CERTIFICATE-----
`;
const ISSUED_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgFJ7wTdwkV0rgPxXk
cQZ8JHgistfxAWMWOueWHGY1Q76hRANCAATnJH9H5KLjz+V+Fbxlf5Z7tBl+bBK3
YOaV1RoUFrpQVNNupeIDUGZmEqYj6L0Qr6tFfcqpa8YlXA2WUJp3x2BP
-----END PRIVATE KEY-----
`;
const ISSUED = `-----BEGIN CERTIFICATE-----
MIIBtTCCAVygAwIBAgIUGFaXr412w0zDKj+oeSDeAS3qsr8wCgYIKoZIzj0EAwIw
JjEVMBMGA1UECgwMRXhhbXBsZSwgSW5jMQ0wCwYDVQQDDARyb290MCAXDTI2MTEy
ODA5MzYwNFoYDzIxMjYwNzI3MDkzNjA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATnJH9H5KLjz+V+Fbxlf5Z7tBl+bBK3
YOaV1RoUFrpQVNNupeIDUGZmEqYj6L0Qr6tFfcqpa8YlXA2WUJp3x2BPo3gwdjAJ
BgNVHRMEAjAAMBQGA1UdEQQNMAuCCWxvY2FsaG9zdDATBgNVHSUEDDAKBggrBgEF
BQcDATAdBgNVHQ4EFgQUaZorVTD1BgAktq3nBdA6jpDpqVEwHwYDVR0jBBgwFoAU
eNp8pEZmZ2N8bPTetHFCOnnaHRwwCgYIKoZIzj0EAwIDRwAwRAIgBPWjHlMN/ZiC
O8qBQ33aA3F+iLz1J7FPjQQIQE9T+usCIBFxz9DcALuGV5sEKNMmgLd9SjsICRgc
+Y7KQXEDkg6T
-----END CERTIFICATE-----
`;

async function listening(server: any): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server.address().port;
}

const read = (socket: any) =>
  new Promise<string>((done, fail) => {
    const parts: Buffer[] = [];
    socket.on("data", (part: Buffer) => parts.push(part));
    socket.on("end", () => done(Buffer.concat(parts).toString()));
    socket.on("error", fail);
  });

// Node reads the variable as it starts.
test("NODE_EXTRA_CA_CERTS adds certificates", { skip: !("quickjs" in process.versions) }, async () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "tls-")), "extra.pem");
  fs.writeFileSync(file, ROOT);
  process.env.NODE_EXTRA_CA_CERTS = file;
  const server = tls.createServer({ key: ISSUED_KEY, cert: ISSUED }, (socket) => socket.end("hello"));
  server.on("tlsClientError", () => {});
  const port = await listening(server);
  const socket = tls.connect({ port, host: "127.0.0.1", servername: "localhost" });
  assert.strictEqual(await read(socket), "hello");
  assert.ok(socket.authorized);
  server.close();
  await once(server, "close");
});

test("an encrypted conversation", async () => {
  const server = tls.createServer({ key: KEY, cert: CERT, ALPNProtocols: ["one", "two"] }, (socket) => {
    socket.write("welcome, ");
    socket.pipe(socket);
  });
  const port = await listening(server);
  const socket = tls.connect({ port, host: "127.0.0.1", servername: "localhost", ca: CERT, ALPNProtocols: ["two"] });
  await once(socket, "secureConnect");
  assert.deepStrictEqual(
    [socket.authorized, socket.encrypted, socket.alpnProtocol, socket.getProtocol(), socket.servername],
    [true, true, "two", "TLSv1.3", "localhost"],
  );
  assert.strictEqual(socket.getPeerCertificate().subject.CN, "localhost");
  assert.match(socket.getCipher().name, /^TLS_/);
  assert.ok(socket instanceof net.Socket);
  const big = "x".repeat(300_000);
  const reply = read(socket);
  socket.end(big);
  assert.strictEqual(await reply, `welcome, ${big}`);
  server.close();
  await once(server, "close");
});

test("certificates nobody vouches for", async () => {
  const server = tls.createServer({ key: KEY, cert: CERT }, (socket) => socket.end("hello"));
  server.on("tlsClientError", () => {});
  const port = await listening(server);
  const refused = tls.connect({ port, host: "127.0.0.1", servername: "localhost" });
  const error: any = await new Promise((done) => refused.on("error", done));
  assert.strictEqual(error.code, "DEPTH_ZERO_SELF_SIGNED_CERT");
  const trusting = tls.connect({ port, host: "127.0.0.1", servername: "localhost", rejectUnauthorized: false });
  assert.strictEqual(await read(trusting), "hello");
  assert.strictEqual(trusting.authorized, false);
  assert.strictEqual(`${(trusting as any).authorizationError.code ?? trusting.authorizationError}`, "DEPTH_ZERO_SELF_SIGNED_CERT");
  const other = tls.connect({ port, host: "127.0.0.1", servername: "example.com", ca: CERT });
  const name: any = await new Promise((done) => other.on("error", done));
  assert.strictEqual(name.code, "ERR_TLS_CERT_ALTNAME_INVALID");
  const own = tls.connect({ port, host: "127.0.0.1", servername: "example.com", ca: CERT, checkServerIdentity: () => undefined });
  assert.strictEqual(await read(own), "hello");
  server.close();
  await once(server, "close");
});

test("over a stream that is already there", async () => {
  const server = tls.createServer({ key: KEY, cert: CERT }, (socket) => socket.end("inside"));
  const port = await listening(server);
  const plain = net.connect(port, "127.0.0.1");
  await once(plain, "connect");
  const socket = tls.connect({ socket: plain, servername: "localhost", ca: CERT });
  assert.strictEqual(await read(socket), "inside");
  server.close();
  await once(server, "close");
});

test("a server that speaks no TLS", async () => {
  const server = net.createServer((socket) => socket.end("plain text, and enough of it"));
  const port = await listening(server);
  const socket = tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  const error: any = await new Promise((done) => socket.on("error", done));
  assert.match(error.code, /^ERR_SSL_|ECONNRESET|EPROTO/);
  server.close();
});

test("names in certificates", () => {
  const certificate: any = { subject: { CN: "ignored" }, subjectaltname: "DNS:*.example.com, DNS:one.test, IP Address:127.0.0.1" };
  for (const host of ["a.example.com", "one.test", "127.0.0.1"]) assert.strictEqual(tls.checkServerIdentity(host, certificate), undefined);
  for (const host of ["example.com", "a.b.example.com", "two.test", "127.0.0.2", "ignored"]) {
    assert.strictEqual((tls.checkServerIdentity(host, certificate) as any).code, "ERR_TLS_CERT_ALTNAME_INVALID", host);
  }
});
