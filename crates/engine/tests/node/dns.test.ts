import { test } from "node:test";
import assert from "node:assert";
import dns from "node:dns";
import dnsPromises, { lookup } from "node:dns/promises";
import { promisify } from "node:util";

test("addresses stand for themselves", async () => {
  assert.deepStrictEqual(await lookup("127.0.0.1"), { address: "127.0.0.1", family: 4 });
  assert.deepStrictEqual(await lookup("::1", { all: true }), [{ address: "::1", family: 6 }]);
  const [address, family] = await new Promise<any[]>((done) => dns.lookup("10.1.2.3", (_error, ...found) => done(found)));
  assert.deepStrictEqual([address, family], ["10.1.2.3", 4]);
});

test("localhost", async () => {
  assert.deepStrictEqual(await lookup("localhost", 4), { address: "127.0.0.1", family: 4 });
  assert.deepStrictEqual(await promisify(dns.lookup)("localhost", { family: 4 }), { address: "127.0.0.1", family: 4 });
  const all = await lookup("localhost", { all: true });
  assert.ok(all.length > 0 && all.every(({ address, family }) => ["127.0.0.1", "::1"].includes(address) && [4, 6].includes(family)));
  const sorted = await lookup("localhost", { all: true, order: "ipv4first" } as any);
  assert.strictEqual(sorted[0].family, 4);
});

test("a name that does not exist", async () => {
  const check = (error: any) => {
    assert.ok(["ENOTFOUND", "EAI_AGAIN"].includes(error.code), error.code);
    assert.strictEqual(error.syscall, "getaddrinfo");
    assert.strictEqual(error.hostname, "does-not-exist.invalid");
    assert.strictEqual(error.message, `getaddrinfo ${error.code} does-not-exist.invalid`);
    return true;
  };
  await assert.rejects(lookup("does-not-exist.invalid"), check);
  const error = await new Promise((done) => dns.lookup("does-not-exist.invalid", (error) => done(error)));
  check(error);
});

test("arguments", () => {
  assert.throws(() => dns.lookup("localhost", { family: 5 }, () => {}), { code: "ERR_INVALID_ARG_VALUE" });
  assert.throws(() => (dns as any).lookup("localhost"), { code: "ERR_INVALID_ARG_TYPE" });
  assert.strictEqual(dns.NOTFOUND, "ENOTFOUND");
  assert.strictEqual(dns.promises, dnsPromises);
  const before = dns.getDefaultResultOrder();
  dns.setDefaultResultOrder("ipv4first");
  assert.strictEqual(dns.getDefaultResultOrder(), "ipv4first");
  dns.setDefaultResultOrder(before);
});
