import { test } from "node:test";
import assert from "node:assert";
import crypto, { createHash, createHmac, randomUUID } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { promisify } from "node:util";

const code = (name: string) => (error: any) => error.code === name;

// Made with OpenSSL.
const RSA_PEM = `-----BEGIN RSA PRIVATE KEY-----
MIICXAIBAAKBgQCilv4GGzGBM8+lQoC+7znkK+wPzNOcN6kvUIQYy0v2i6cdHjNh
Z+glXxcBprg91UUTjoN8NfceUik7NPfGF0dtY/1JWaK1Ycdxb0J5BdH/5GYPMpY1
U9VLOfgLpv3O8yXNijnYysu26SuLnrSCmxArcigm+2EPtn/ZJ37UIhdt1QIDAQAB
AoGARZlJCCgf2uTo4B9FqXYSXAAJPwI5G0ggXiajRVHRJKrHUImbCPlHwKeh240Y
lS90MFjzI/qd3Bbjm3qjDeLtKdGKtSbYZO7FracHDBlBQ5pr/igSbHp70pCuLwYs
qSrvuZMUfphAuXBbLD8jswkmkq8NmczKUb0Y0gE7jcvOZgECQQDYRWq/IfSgPIx7
5hrQpjk1ZuHHXc84paYnB9C8MEdTPnybRpzg2LUIzKlnSusZUTxA2g0Aaxb7pi2X
ENUZ6hFBAkEAwHUaUsOpT8y9AxYciiIKbq+G4dyTUpw1I5N3KKzLWyCi6Em+lKu5
P26Xg6U29C4eNZdjRVSh2DEnMVSLrR+jlQJAHmEx64Njj5axzT23ipOu+ZdoI89D
qptqSZVJdwX5HvJqIo26v8LxOzk0mrPlbnsA0cNPjD1+zv667LuKk8dTgQJAMChd
SN567GPv2+jZhVsVPzMezj+SgbZiuZ85zuzGCex1tyhUzwDVXuD+esuJn7o2hvR1
u7B8uws5omdkeBKVrQJBALB8hxUU2g+xd+aj/oTWw2zih+Ckd4bxqTzgsBCrOmhE
eIL9f5dndAGpwIXvEO6VviftfReVyKnaDFGT4vKF3ew=
-----END RSA PRIVATE KEY-----
`;
const RSA_SIGNATURE = "16276e74f33b813e";
const EC_PEM = `-----BEGIN EC PARAMETERS-----
BggqhkjOPQMBBw==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIEl8ZhcrdHSEF0cnj3cZ5BX56yidiGccfmJ/+NuXv6TIoAoGCCqGSM49
AwEHoUQDQgAEdJcVB+ndI7GP/sl8qYtsowsC853DMyjmYh/KWmC6QxTuAiFJLF7W
8hdtg7p7WIWI+HcOqqZdKSsYu3qEFPBvdQ==
-----END EC PRIVATE KEY-----
`;
const EC_SIGNATURE = "MEUCIA2wxofszyXhqBUBm3ibwMQdh5zVUfwQGzsQPRa35DCdAiEApQLTxjgQws03X4/94FfKvnK7ggjHR1z6j7soz+wn87g=";
const LOCKED_PEM = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj1pD4bHOKGAQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEKg5ZuuRJkJ2+rDXCIANWksEQMXQ
/iBzeGAwbcJmPV/VE4iwF75OCDoA0TkpWX7dPMZJPItKn3Luv0FXyrVJOGewL/ly
gfjzIkRhlerXDjo8JxY=
-----END ENCRYPTED PRIVATE KEY-----
`;
const ED_SIGNATURE = "fQxOEvbT4zO09ua9pTuo4prfZioD5/SDH+0aB904pPqQ0Ww2GvaKGjxnwow3fdv+zhal5uLcugcU3Ezt0PtWDw==";
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
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
const CERTIFICATE_FIELDS = {
  subject: "C=CH\nO=Example\\, Inc\nCN=localhost",
  issuer: "C=CH\nO=Example\\, Inc\nCN=localhost",
  subjectAltName: "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
  validFrom: "Nov 22 05:04:14 2026 GMT",
  validTo: "Oct 29 05:04:14 2126 GMT",
  serialNumber: "30ABABA7B5119F777628ECB18BA80E12F700D5E5",
  fingerprint256: "DB:39:67:2F:48:10:38:15:B3:06:E2:C1:CE:4F:5A:F1:94:06:6D:20:03:90:C8:C1:A4:1C:3B:25:64:A9:81:31",
  ca: true
};

test("digests of a text", () => {
  const digests: Record<string, string> = {
    md5: "900150983cd24fb0d6963f7d28e17f72",
    sha1: "a9993e364706816aba3e25717850c26c9cd0d89d",
    sha224: "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
    sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    sha384: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
    "sha512-256": "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
  };
  for (const [name, digest] of Object.entries(digests)) assert.strictEqual(createHash(name).update("abc").digest("hex"), digest);
  assert.strictEqual(createHash("SHA-256").update("a").update(Buffer.from("bc")).digest("hex"), digests.sha256);
  assert.strictEqual(createHash("RSA-SHA256").update("abc").digest("base64"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  assert.strictEqual(createHash("md5").update("ÿ", "latin1").digest("hex"), "00594fd4f42ba43fc1ca0427a0576295");
  assert.strictEqual(crypto.hash("sha1", "abc"), digests.sha1);
  assert.ok(Buffer.isBuffer(createHash("md5").digest()));
});

test("a digest is read once, copied and streamed", async () => {
  const hash = createHash("sha1").update("a");
  const copy = hash.copy();
  assert.strictEqual(hash.digest("hex"), "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8");
  assert.strictEqual(copy.update("bc").digest("hex"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  assert.throws(() => hash.digest(), code("ERR_CRYPTO_HASH_FINALIZED"));
  assert.throws(() => hash.update("x"), code("ERR_CRYPTO_HASH_FINALIZED"));
  assert.throws(() => createHash("nope"), { message: "Digest method not supported" });
  assert.throws(() => createHash("md5").update(5 as any), code("ERR_INVALID_ARG_TYPE"));
  const stream = createHash("sha1");
  await pipeline(Readable.from([Buffer.from("a"), Buffer.from("bc")]), stream);
  assert.strictEqual(stream.read().toString("hex"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  const text = createHash("sha1").setEncoding("hex");
  text.end("abc");
  const parts: string[] = [];
  for await (const part of text) parts.push(part);
  assert.deepStrictEqual(parts, ["a9993e364706816aba3e25717850c26c9cd0d89d"]);
});

test("keyed digests", () => {
  const expected = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
  const text = "The quick brown fox jumps over the lazy dog";
  assert.strictEqual(createHmac("sha256", "key").update(text).digest("hex"), expected);
  assert.strictEqual(createHmac("sha256", crypto.createSecretKey(Buffer.from("key"))).update(text).digest("hex"), expected);
  assert.throws(() => createHmac("nope", "key"), code("ERR_CRYPTO_INVALID_DIGEST"));
  assert.throws(() => (createHmac as any)("sha256"), code("ERR_INVALID_ARG_TYPE"));
  const long = createHmac("sha512", Buffer.alloc(300, 1)).update("x").digest("hex");
  assert.strictEqual(long.slice(0, 16), "5b829f55da282c0e");
});

test("random values", async () => {
  assert.match(randomUUID(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.strictEqual(crypto.randomBytes(20).length, 20);
  assert.notDeepStrictEqual(crypto.randomBytes(20), crypto.randomBytes(20));
  assert.strictEqual((await promisify(crypto.randomBytes)(7)).length, 7);
  const filled = crypto.randomFillSync(new Uint8Array(64), 32);
  assert.ok(filled.subarray(0, 32).every((byte) => byte === 0));
  assert.ok(filled.subarray(32).some((byte) => byte !== 0));
  for (let round = 0; round < 50; round++) {
    const number = crypto.randomInt(3, 6);
    assert.ok(number >= 3 && number < 6);
  }
  assert.throws(() => crypto.randomInt(5, 5), code("ERR_OUT_OF_RANGE"));
  assert.throws(() => crypto.randomBytes(-1), code("ERR_OUT_OF_RANGE"));
  assert.ok(crypto.timingSafeEqual(Buffer.from("ab"), Buffer.from("ab")));
  assert.ok(!crypto.timingSafeEqual(Buffer.from("ab"), Buffer.from("ac")));
  assert.throws(() => crypto.timingSafeEqual(Buffer.alloc(1), Buffer.alloc(2)), code("ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH"));
});

test("keys from passwords", async () => {
  const pbkdf2 = "120fb6cffcf8b32c43e7225256c4f837a86548c9";
  assert.strictEqual(crypto.pbkdf2Sync("password", "salt", 1, 20, "sha256").toString("hex"), pbkdf2);
  assert.strictEqual((await promisify(crypto.pbkdf2)("password", "salt", 1, 20, "sha256")).toString("hex"), pbkdf2);
  const scrypt = "f876178f94837d87";
  assert.strictEqual(crypto.scryptSync("password", "salt", 8, { N: 16 }).toString("hex"), scrypt);
  assert.strictEqual((await promisify<any, any, any, any, Buffer>(crypto.scrypt)("password", "salt", 8, { N: 16 })).toString("hex"), scrypt);
  assert.throws(() => crypto.scryptSync("a", "b", 1, { N: 3 }), code("ERR_CRYPTO_INVALID_SCRYPT_PARAMS"));
  assert.throws(() => crypto.scryptSync("a", "b", 1, { N: 2 ** 20 }), code("ERR_CRYPTO_INVALID_SCRYPT_PARAMS"));
  assert.throws(() => crypto.pbkdf2Sync("a", "b", 0, 1, "sha1"), code("ERR_OUT_OF_RANGE"));
  assert.throws(() => crypto.pbkdf2Sync("a", "b", 1, 1, "nope"), code("ERR_CRYPTO_INVALID_DIGEST"));
  const hkdf = crypto.hkdfSync("sha256", "key", "salt", "info", 16);
  assert.ok(hkdf instanceof ArrayBuffer);
  assert.strictEqual(Buffer.from(hkdf).toString("hex"), "9ca0d662557439e3b83365f2da4626d3");
  assert.throws(() => crypto.hkdfSync("sha1", "k", "s", "i", 300000), code("ERR_CRYPTO_INVALID_KEYLEN"));
});

const key = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index));
const text = "The quick brown fox jumps over the lazy dog";

test("ciphers without authentication", () => {
  const expected: Record<string, string> = {
    "aes-128-cbc": "d5f239401cf82914",
    "aes-192-cbc": "10acab422ae42b35",
    "aes-256-cbc": "4846f83aa211e239",
    "aes-256-ecb": "bce46469e2f7ab6b",
    "aes-128-ctr": "5efc6e95301b9926",
    "aes-256-ctr": "0e066177798e18f5",
  };
  for (const [name, start] of Object.entries(expected)) {
    const size = Number(name.slice(4, 7)) / 8;
    const iv = name.endsWith("ecb") ? null : key(16);
    const cipher = crypto.createCipheriv(name, key(size), iv);
    const encrypted = Buffer.concat([cipher.update(text.slice(0, 5)), cipher.update(text.slice(5), "utf8"), cipher.final()]);
    assert.strictEqual(encrypted.toString("hex").slice(0, 16), start, name);
    const decipher = crypto.createDecipheriv(name, key(size), iv);
    assert.strictEqual(decipher.update(encrypted, undefined, "utf8") + decipher.final("utf8"), text);
  }
});

test("padding and what is wrong with it", () => {
  const raw = crypto.createCipheriv("aes-128-cbc", key(16), key(16)).setAutoPadding(false);
  assert.strictEqual(raw.update(Buffer.alloc(32)).length + raw.final().length, 32);
  const short = crypto.createCipheriv("aes-128-cbc", key(16), key(16)).setAutoPadding(false);
  short.update("abc");
  assert.throws(() => short.final(), code("ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH"));
  const wrong = crypto.createDecipheriv("aes-128-cbc", key(16), key(16));
  wrong.update(Buffer.alloc(16));
  assert.throws(() => wrong.final(), code("ERR_OSSL_BAD_DECRYPT"));
  assert.throws(() => crypto.createCipheriv("nope", key(16), null), code("ERR_CRYPTO_UNKNOWN_CIPHER"));
  assert.throws(() => crypto.createCipheriv("aes-128-cbc", key(15), key(16)), code("ERR_CRYPTO_INVALID_KEYLEN"));
  assert.throws(() => crypto.createCipheriv("aes-128-cbc", key(16), key(15)), code("ERR_CRYPTO_INVALID_IV"));
});

test("authenticated ciphers", () => {
  const known: Record<string, [string, string]> = {
    "aes-128-gcm": ["c704c2ee176e9e37", "2111b3ee7eb4f553798f8f1cb5d57739"],
    "aes-256-gcm": ["136ab33bb490ab78", "28f5cff3752fde647c21ad9662ce4c92"],
    "chacha20-poly1305": ["dd936d205862cc23", "de131088f3a4bca0c0df6536d7403ade"],
  };
  for (const name of Object.keys(known)) {
    const size = name === "aes-128-gcm" ? 16 : 32;
    const cipher = crypto.createCipheriv(name as any, key(size), key(12), { authTagLength: 16 } as any) as crypto.CipherGCM;
    cipher.setAAD(Buffer.from("header that is not secret"));
    const encrypted = Buffer.concat([cipher.update(text.slice(0, 20)), cipher.update(text.slice(20)), cipher.final()]);
    assert.deepStrictEqual([encrypted.toString("hex").slice(0, 16), cipher.getAuthTag().toString("hex")], known[name], name);
    const open = (tag: Buffer) => {
      const decipher = crypto.createDecipheriv(name as any, key(size), key(12), { authTagLength: 16 } as any) as crypto.DecipherGCM;
      decipher.setAAD(Buffer.from("header that is not secret"));
      decipher.setAuthTag(tag);
      return decipher.update(encrypted, undefined, "utf8") + decipher.final("utf8");
    };
    assert.strictEqual(open(cipher.getAuthTag()), text);
    assert.throws(() => open(Buffer.alloc(16)), { message: "Unsupported state or unable to authenticate data" });
  }
  const early = crypto.createCipheriv("aes-128-gcm", key(16), key(12));
  assert.throws(() => early.getAuthTag(), code("ERR_CRYPTO_INVALID_STATE"));
  const odd = crypto.createCipheriv("aes-128-gcm", key(16), key(20));
  odd.final();
  assert.strictEqual(odd.getAuthTag().toString("hex"), "1f30a80e482815c0ee7320d1aa31a3b7");
  assert.throws(() => crypto.createDecipheriv("aes-128-gcm", key(16), key(12)).setAuthTag(Buffer.alloc(3)), code("ERR_CRYPTO_INVALID_AUTH_TAG"));
});

test("a tag has the length that was asked for", () => {
  const take = (name: string, length: number | undefined, tag: number) =>
    (crypto.createDecipheriv as any)(name, key(name.startsWith("aes") ? 16 : 32), key(12), length && { authTagLength: length }).setAuthTag(Buffer.alloc(tag));
  for (const [length, tag] of [[16, 4], [16, 12], [12, 16]]) {
    assert.throws(() => take("aes-128-gcm", length, tag), code("ERR_CRYPTO_INVALID_AUTH_TAG"));
  }
  for (const [length, tag] of [[undefined, 4], [4, 4], [12, 12], [undefined, 16]]) take("aes-128-gcm", length, tag as number);
  for (const length of [undefined, 16]) {
    assert.throws(() => take("chacha20-poly1305", length, 12), code("ERR_CRYPTO_INVALID_AUTH_TAG"));
    take("chacha20-poly1305", length, 16);
  }
});

test("every member of a stream", async () => {
  assert.strictEqual(crypto.createHash("md5").getMaxListeners(), 10);
  const hash = crypto.createHash("sha1");
  hash.end("abc");
  const [digest] = await (hash as any).take(1).toArray();
  assert.strictEqual(digest.toString("hex"), "a9993e364706816aba3e25717850c26c9cd0d89d");
});

test("ciphers as streams", async () => {
  const cipher = crypto.createCipheriv("aes-256-cbc", key(32), key(16));
  const decipher = crypto.createDecipheriv("aes-256-cbc", key(32), key(16));
  const parts: Buffer[] = [];
  decipher.on("data", (part) => parts.push(part));
  await pipeline(Readable.from([Buffer.from(text)]), cipher, decipher);
  assert.strictEqual(Buffer.concat(parts).toString(), text);
});

const PAIRS: [string, any][] = [
  ["rsa", { modulusLength: 1024 }],
  ["ec", { namedCurve: "P-256" }],
  ["ec", { namedCurve: "secp384r1" }],
  ["ed25519", undefined],
];

test("signatures with fresh keys", async () => {
  for (const [type, options] of PAIRS) {
    const { publicKey, privateKey } = crypto.generateKeyPairSync(type as any, options);
    const digest = type === "ed25519" ? null : "sha256";
    const signature = crypto.sign(digest, Buffer.from(text), privateKey);
    assert.ok(crypto.verify(digest, Buffer.from(text), publicKey, signature), type);
    assert.ok(!crypto.verify(digest, Buffer.from(`${text}.`), publicKey, signature), type);
    assert.ok(crypto.verify(digest, Buffer.from(text), privateKey, signature), "the private key has the public one");
    if (digest) {
      const signer = crypto.createSign("SHA256");
      signer.update(text.slice(0, 10));
      signer.end(text.slice(10));
      const other = signer.sign(privateKey.export({ type: "pkcs8", format: "pem" }), "base64");
      assert.ok(crypto.createVerify("sha256").update(text).verify(publicKey, other, "base64"), type);
    }
  }
  const made = await promisify(crypto.generateKeyPair)("ec", { namedCurve: "P-256" });
  const plain = crypto.sign("sha256", Buffer.from(text), { key: made.privateKey, dsaEncoding: "ieee-p1363" });
  assert.strictEqual(plain.length, 64);
  assert.ok(crypto.verify("sha256", Buffer.from(text), { key: made.publicKey, dsaEncoding: "ieee-p1363" }, plain));
  assert.throws(() => crypto.createSign("nope"), code("ERR_CRYPTO_INVALID_DIGEST"));
});

test("RSA with PSS and as a cipher", () => {
  const { publicKey, privateKey } = crypto.generateKeyPairSync("rsa", { modulusLength: 1024 });
  const padding = crypto.constants.RSA_PKCS1_PSS_PADDING;
  for (const saltLength of [undefined, crypto.constants.RSA_PSS_SALTLEN_DIGEST, 20]) {
    const signature = crypto.sign("sha256", Buffer.from(text), { key: privateKey, padding, saltLength });
    assert.ok(crypto.verify("sha256", Buffer.from(text), { key: publicKey, padding, saltLength }, signature));
  }
  for (const options of [{}, { oaepHash: "sha256", oaepLabel: Buffer.from("l") }, { padding: crypto.constants.RSA_PKCS1_PADDING }]) {
    const encrypted = crypto.publicEncrypt({ key: publicKey, ...options }, Buffer.from("secret"));
    assert.strictEqual(encrypted.length, 128);
    assert.strictEqual(crypto.privateDecrypt({ key: privateKey, ...options }, encrypted).toString(), "secret");
  }
  assert.throws(() => crypto.publicEncrypt(publicKey, Buffer.alloc(128)), code("ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE"));
  assert.throws(() => crypto.privateDecrypt(privateKey, Buffer.alloc(128)), code("ERR_OSSL_RSA_OAEP_DECODING_ERROR"));
});

test("keys in all their forms", () => {
  for (const [type, options] of [...PAIRS, ["x25519", undefined] as [string, any]]) {
    const { publicKey, privateKey } = crypto.generateKeyPairSync(type as any, options);
    assert.strictEqual(privateKey.type, "private");
    assert.strictEqual(privateKey.asymmetricKeyType, type);
    const forms: any[] = [["pkcs8", "pem"], ["pkcs8", "der"]];
    if (type === "rsa") forms.push(["pkcs1", "pem"], ["pkcs1", "der"]);
    if (type === "ec") forms.push(["sec1", "pem"], ["sec1", "der"]);
    for (const [form, format] of forms) {
      const exported = privateKey.export({ type: form, format } as any);
      const read = crypto.createPrivateKey(format === "pem" ? exported : { key: exported as any, type: form, format });
      assert.ok(read.equals(privateKey), `${type} ${form} ${format}`);
      if (format === "pem") assert.ok(crypto.createPublicKey(exported as string).equals(publicKey));
    }
    const spki = publicKey.export({ type: "spki", format: "pem" });
    assert.match(spki as string, /^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=\n]+\n-----END PUBLIC KEY-----\n$/);
    assert.ok(crypto.createPublicKey(spki).equals(publicKey));
    assert.ok(crypto.createPublicKey({ key: publicKey.export({ format: "jwk" }), format: "jwk" }).equals(publicKey));
    assert.ok(crypto.createPrivateKey({ key: privateKey.export({ format: "jwk" }), format: "jwk" }).equals(privateKey));
    const locked = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "open" });
    assert.match(locked as string, /^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
    assert.ok(crypto.createPrivateKey({ key: locked, passphrase: "open" }).equals(privateKey));
    // What it says depends on what the wrong passphrase happens to give.
    assert.throws(() => crypto.createPrivateKey({ key: locked, passphrase: "shut" }), /error:/);
  }
  assert.throws(() => crypto.createPrivateKey("nope"), code("ERR_OSSL_UNSUPPORTED"));
  assert.throws(() => crypto.createPrivateKey({ key: { kty: "nope" }, format: "jwk" } as any), code("ERR_INVALID_ARG_VALUE"));
  assert.deepStrictEqual(crypto.createSecretKey(Buffer.alloc(3)).export({ format: "jwk" }), { kty: "oct", k: "AAAA" });
});

test("keys made by others", () => {
  const rsa = crypto.createPrivateKey(RSA_PEM);
  assert.deepStrictEqual(rsa.asymmetricKeyDetails, { modulusLength: 1024, publicExponent: 65537n });
  assert.strictEqual(crypto.sign("sha256", Buffer.from("x"), rsa).toString("hex").slice(0, 16), RSA_SIGNATURE);
  const ec = crypto.createPrivateKey(EC_PEM);
  assert.deepStrictEqual(ec.asymmetricKeyDetails, { namedCurve: "prime256v1" });
  assert.ok(crypto.verify("sha256", Buffer.from("x"), crypto.createPublicKey(ec), Buffer.from(EC_SIGNATURE, "base64")));
  const locked = crypto.createPrivateKey({ key: LOCKED_PEM, passphrase: "open" });
  assert.strictEqual(crypto.sign(null, Buffer.from("x"), locked).toString("base64"), ED_SIGNATURE);
});

test("secrets that two sides agree on", () => {
  for (const [type, options] of [["x25519", undefined], ["ec", { namedCurve: "P-256" }]] as any) {
    const a = crypto.generateKeyPairSync(type, options) as any;
    const b = crypto.generateKeyPairSync(type, options) as any;
    const one = crypto.diffieHellman({ privateKey: a.privateKey, publicKey: b.publicKey });
    const two = crypto.diffieHellman({ privateKey: b.privateKey, publicKey: a.publicKey });
    assert.deepStrictEqual(one, two);
    assert.strictEqual(one.length, 32);
  }
  const [alice, bob] = [crypto.createECDH("prime256v1"), crypto.createECDH("prime256v1")];
  alice.generateKeys();
  const point = bob.generateKeys("hex");
  assert.strictEqual(alice.computeSecret(point, "hex", "hex"), bob.computeSecret(alice.getPublicKey()).toString("hex"));
  bob.setPrivateKey(alice.getPrivateKey("hex"), "hex");
  assert.strictEqual(bob.getPublicKey("hex"), alice.getPublicKey("hex"));
  const empty = crypto.createECDH("prime256v1");
  assert.throws(() => empty.computeSecret(point, "hex"), { name: "RangeError", code: "ERR_CRYPTO_INVALID_KEYPAIR" });
  assert.throws(() => empty.getPrivateKey(), { message: "Failed to get ECDH private key" });
  assert.throws(() => empty.getPublicKey(), { message: "Failed to get ECDH public key" });
});

test("certificates", () => {
  const certificate = new crypto.X509Certificate(CERTIFICATE);
  const { subject, issuer, subjectAltName, validFrom, validTo, serialNumber, fingerprint256, ca } = certificate;
  assert.deepStrictEqual({ subject, issuer, subjectAltName, validFrom, validTo, serialNumber, fingerprint256, ca }, CERTIFICATE_FIELDS);
  assert.strictEqual(certificate.checkHost("localhost"), "localhost");
  assert.strictEqual(certificate.checkHost("example.com"), undefined);
  assert.strictEqual(certificate.checkIP("127.0.0.1"), "127.0.0.1");
  assert.ok(certificate.verify(certificate.publicKey));
  assert.strictEqual(certificate.toString(), CERTIFICATE);
});

test("what there is", () => {
  for (const name of ["md5", "sha1", "sha256", "sha512", "RSA-SHA256"]) assert.ok(crypto.getHashes().includes(name), name);
  for (const name of ["aes-128-cbc", "aes-256-gcm", "chacha20-poly1305"]) assert.ok(crypto.getCiphers().includes(name), name);
  assert.ok(crypto.getCurves().includes("prime256v1"));
  const { mode, ivLength, keyLength, blockSize } = crypto.getCipherInfo("aes-256-cbc")!;
  assert.deepStrictEqual({ mode, ivLength, keyLength, blockSize }, { mode: "cbc", ivLength: 16, keyLength: 32, blockSize: 16 });
  assert.strictEqual(crypto.getCipherInfo("nope"), undefined);
});
