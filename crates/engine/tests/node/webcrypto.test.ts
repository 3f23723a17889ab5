import { test } from "node:test";
import assert from "node:assert";
import { webcrypto, KeyObject, createSecretKey } from "node:crypto";

const { subtle } = globalThis.crypto;
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: ArrayBuffer) => new TextDecoder().decode(data);
const hex = (data: ArrayBuffer) => Buffer.from(data).toString("hex");
const named = (name: string) => (error: any) => error.name === name;

test("random values", () => {
  const array = new Uint8Array(32);
  assert.strictEqual(crypto.getRandomValues(array), array);
  assert.ok(array.some((byte) => byte !== 0));
  assert.match(crypto.randomUUID(), /^[0-9a-f-]{36}$/);
  assert.throws(() => crypto.getRandomValues(new Float32Array(1) as any), named("TypeMismatchError"));
  assert.throws(() => crypto.getRandomValues(new Uint8Array(65537)), named("QuotaExceededError"));
  assert.strictEqual(typeof webcrypto.subtle.digest, "function");
});

test("digests", async () => {
  assert.strictEqual(hex(await subtle.digest("SHA-256", bytes("abc"))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.strictEqual(hex(await subtle.digest({ name: "sha-1" }, bytes("abc"))), "a9993e364706816aba3e25717850c26c9cd0d89d");
  assert.strictEqual((await subtle.digest("SHA-512", new ArrayBuffer(3))).byteLength, 64);
  await assert.rejects(subtle.digest("MD5", bytes("abc")), named("NotSupportedError"));
});

test("HMAC", async () => {
  const key = await subtle.importKey("raw", bytes("key"), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  const signature = await subtle.sign("HMAC", key, bytes("The quick brown fox jumps over the lazy dog"));
  assert.strictEqual(hex(signature), "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
  assert.strictEqual(await subtle.verify("HMAC", key, signature, bytes("The quick brown fox jumps over the lazy dog")), true);
  assert.strictEqual(await subtle.verify("HMAC", key, signature, bytes("another")), false);
  assert.deepStrictEqual(
    { type: key.type, extractable: key.extractable, algorithm: key.algorithm, usages: key.usages },
    { type: "secret", extractable: false, algorithm: { name: "HMAC", length: 24, hash: { name: "SHA-256" } }, usages: ["sign", "verify"] },
  );
  await assert.rejects(subtle.exportKey("raw", key));
  const only = await subtle.importKey("raw", bytes("key"), { name: "HMAC", hash: "SHA-256" }, true, ["verify"]);
  await assert.rejects(subtle.sign("HMAC", only, bytes("x")), named("InvalidAccessError"));
  assert.deepStrictEqual(await subtle.exportKey("jwk", only), { key_ops: ["verify"], ext: true, alg: "HS256", kty: "oct", k: "a2V5" });
  const made = await subtle.generateKey({ name: "HMAC", hash: "SHA-512" }, true, ["sign"]);
  assert.strictEqual((await subtle.exportKey("raw", made) as ArrayBuffer).byteLength, 128);
});

test("AES", async () => {
  const iv = new Uint8Array(16).fill(7);
  for (const [name, options] of [
    ["AES-GCM", { iv: iv.subarray(0, 12), additionalData: bytes("about") }],
    ["AES-CBC", { iv }],
    ["AES-CTR", { counter: iv, length: 64 }],
  ] as [string, any][]) {
    const key = (await subtle.generateKey({ name, length: 256 }, true, ["encrypt", "decrypt"])) as CryptoKey;
    const encrypted = await subtle.encrypt({ name, ...options }, key, bytes("secret"));
    assert.strictEqual(encrypted.byteLength, { "AES-GCM": 22, "AES-CBC": 16, "AES-CTR": 6 }[name]);
    assert.strictEqual(text(await subtle.decrypt({ name, ...options }, key, encrypted)), "secret");
    const copy = await subtle.importKey("jwk", await subtle.exportKey("jwk", key), name, false, ["decrypt"]);
    assert.strictEqual(text(await subtle.decrypt({ name, ...options }, copy, encrypted)), "secret");
    if (name === "AES-GCM") {
      new Uint8Array(encrypted)[0] ^= 1;
      await assert.rejects(subtle.decrypt({ name, ...options }, key, encrypted), named("OperationError"));
    }
  }
});

test("keys from passwords and other keys", async () => {
  const password = await subtle.importKey("raw", bytes("password"), "PBKDF2", false, ["deriveBits", "deriveKey"]);
  const pbkdf2 = { name: "PBKDF2", salt: bytes("salt"), iterations: 1, hash: "SHA-256" };
  assert.strictEqual(hex(await subtle.deriveBits(pbkdf2, password, 160)), "120fb6cffcf8b32c43e7225256c4f837a86548c9");
  const derived = await subtle.deriveKey(pbkdf2, password, { name: "AES-GCM", length: 256 }, true, ["encrypt"]);
  assert.deepStrictEqual(derived.algorithm, { name: "AES-GCM", length: 256 });
  assert.strictEqual(hex(await subtle.exportKey("raw", derived) as ArrayBuffer).slice(0, 40), "120fb6cffcf8b32c43e7225256c4f837a86548c9");
  const secret = await subtle.importKey("raw", bytes("key"), "HKDF", false, ["deriveBits"]);
  const hkdf = { name: "HKDF", salt: bytes("salt"), info: bytes("info"), hash: "SHA-256" };
  assert.strictEqual(hex(await subtle.deriveBits(hkdf, secret, 128)), "9ca0d662557439e3b83365f2da4626d3");
});

test("signatures", async () => {
  for (const [make, use] of [
    [{ name: "ECDSA", namedCurve: "P-256" }, { name: "ECDSA", hash: "SHA-256" }],
    [{ name: "Ed25519" }, { name: "Ed25519" }],
    [{ name: "RSASSA-PKCS1-v1_5", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }, "RSASSA-PKCS1-v1_5"],
    [{ name: "RSA-PSS", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }, { name: "RSA-PSS", saltLength: 32 }],
  ] as any[]) {
    const { publicKey, privateKey } = (await subtle.generateKey(make, true, ["sign", "verify"])) as CryptoKeyPair;
    assert.deepStrictEqual([publicKey.usages, privateKey.usages], [["verify"], ["sign"]]);
    const signature = await subtle.sign(use, privateKey, bytes("text"));
    assert.strictEqual(await subtle.verify(use, publicKey, signature, bytes("text")), true, make.name);
    assert.strictEqual(await subtle.verify(use, publicKey, signature, bytes("other")), false, make.name);
    const spki = await subtle.exportKey("spki", publicKey);
    const imported = await subtle.importKey("spki", spki, make, true, ["verify"]);
    assert.strictEqual(await subtle.verify(use, imported, signature, bytes("text")), true, make.name);
    const pkcs8 = await subtle.exportKey("pkcs8", privateKey);
    const again = await subtle.importKey("pkcs8", pkcs8, make, false, ["sign"]);
    assert.strictEqual(await subtle.verify(use, publicKey, await subtle.sign(use, again, bytes("text")), bytes("text")), true);
    const jwk = await subtle.exportKey("jwk", privateKey);
    await subtle.importKey("jwk", jwk, make, false, ["sign"]);
  }
});

test("agreed secrets", async () => {
  for (const algorithm of [{ name: "ECDH", namedCurve: "P-256" }, { name: "X25519" }] as any[]) {
    const a = (await subtle.generateKey(algorithm, false, ["deriveBits"])) as CryptoKeyPair;
    const b = (await subtle.generateKey(algorithm, false, ["deriveBits"])) as CryptoKeyPair;
    const raw = await subtle.exportKey("raw", b.publicKey);
    const theirs = await subtle.importKey("raw", raw, algorithm, true, []);
    const one = await subtle.deriveBits({ name: algorithm.name, public: theirs }, a.privateKey, 256);
    const two = await subtle.deriveBits({ name: algorithm.name, public: a.publicKey }, b.privateKey, 256);
    assert.strictEqual(hex(one), hex(two));
  }
});

test("RSA-OAEP and wrapped keys", async () => {
  const make = { name: "RSA-OAEP", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-1" };
  const pair = (await subtle.generateKey(make, true, ["encrypt", "decrypt", "wrapKey", "unwrapKey"])) as CryptoKeyPair;
  const encrypted = await subtle.encrypt("RSA-OAEP" as any, pair.publicKey, bytes("secret"));
  assert.strictEqual(text(await subtle.decrypt("RSA-OAEP" as any, pair.privateKey, encrypted)), "secret");
  const key = await subtle.importKey("raw", new Uint8Array(16), "AES-GCM", true, ["encrypt"]);
  const wrapped = await subtle.wrapKey("raw", key, pair.publicKey, "RSA-OAEP" as any);
  const unwrapped = await subtle.unwrapKey("raw", wrapped, pair.privateKey, "RSA-OAEP" as any, "AES-GCM", true, ["encrypt"]);
  assert.strictEqual(hex(await subtle.exportKey("raw", unwrapped) as ArrayBuffer), "00".repeat(16));
});

test("Node's keys and Web Crypto's keys are each other's", async () => {
  const key = await subtle.importKey("raw", bytes("key"), { name: "HMAC", hash: "SHA-1" }, true, ["sign"]);
  const object = KeyObject.from(key as any);
  assert.ok(object.equals(createSecretKey(Buffer.from("key"))));
});

test("mistakes", async () => {
  await assert.rejects(subtle.importKey("raw", new Uint8Array(5), "AES-GCM", false, ["encrypt"]), named("DataError"));
  await assert.rejects(subtle.importKey("raw", new Uint8Array(16), "AES-GCM", false, ["sign"]), named("SyntaxError"));
  await assert.rejects(subtle.importKey("raw", new Uint8Array(16), "nope", false, ["sign"]), named("NotSupportedError"));
});
