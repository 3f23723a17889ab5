import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import sqlite, { DatabaseSync, StatementSync } from "node:sqlite";

const memory = (sql = "", options: any = undefined) => {
  const database = options ? new DatabaseSync(":memory:", options) : new DatabaseSync(":memory:");
  database.exec(sql);
  return database;
};
const invalid = (message: string) => ({ name: "TypeError", code: "ERR_INVALID_ARG_TYPE", message });
const state = (message: string) => ({ name: "Error", code: "ERR_INVALID_STATE", message });
const plain = (value: any) => JSON.parse(JSON.stringify(value));

describe("databases", () => {
  it("are in memory or in files", () => {
    const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
    try {
      const file = join(folder, "a b.db");
      for (const [path, n] of [[file, 1], [pathToFileURL(file), 2], [Buffer.from(file), 3]] as const) {
        const database = new DatabaseSync(path as any);
        assert.equal(database.location(), file);
        database.exec("CREATE TABLE IF NOT EXISTS t (n)");
        database.prepare("INSERT INTO t VALUES (?)").run(n);
        assert.equal(database.prepare("SELECT count(*) AS n FROM t").get().n, n);
        database.close();
      }
      assert.ok(existsSync(file));
      const only = new URL(`${pathToFileURL(file)}?mode=ro`);
      for (const read of [new DatabaseSync(file, { readOnly: true }), new DatabaseSync(only)]) {
        assert.throws(() => read.exec("DELETE FROM t"), { code: "ERR_SQLITE_ERROR", errcode: 8, message: "attempt to write a readonly database" });
        read.close();
      }
      const before = process.cwd();
      process.chdir(folder);
      try {
        new DatabaseSync("here.db").close();
      } finally {
        process.chdir(before);
      }
      assert.ok(existsSync(join(folder, "here.db")));
      writeFileSync(join(folder, "no.db"), "this is no database, but it is long enough to be looked at as one".repeat(20));
      assert.throws(() => new DatabaseSync(join(folder, "no.db")).exec("SELECT * FROM t"), { errcode: 26, errstr: "file is not a database" });
      assert.throws(() => new DatabaseSync(join(folder, "no/where.db")).exec("SELECT 1"), { code: "ERR_SQLITE_ERROR", errcode: 14 });
      assert.equal(memory().location(), null);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("are open or closed", () => {
    const database = new DatabaseSync(":memory:", { open: false });
    assert.equal(database.isOpen, false);
    assert.throws(() => database.exec("SELECT 1"), state("database is not open"));
    database.open();
    assert.equal(database.isOpen, true);
    assert.throws(() => database.open(), state("database is already open"));
    const statement = database.prepare("SELECT 1 AS one");
    database.close();
    for (const use of [() => database.close(), () => database.prepare("SELECT 1"), () => database.location(), () => database.isTransaction]) {
      assert.throws(use, state("database is not open"));
    }
    database.open();
    for (const use of [() => statement.all(), () => statement.run(), () => statement.sourceSQL]) {
      assert.throws(use, state("statement has been finalized"));
    }
    database[Symbol.dispose]();
    database[Symbol.dispose]();
  });

  it("check what they are given", () => {
    assert.throws(() => new (DatabaseSync as any)(), invalid('The "path" argument must be a string, Uint8Array, or URL without null bytes.'));
    assert.throws(() => new DatabaseSync("a\0b"), invalid('The "path" argument must be a string, Uint8Array, or URL without null bytes.'));
    assert.throws(() => new DatabaseSync(":memory:", 1 as any), invalid('The "options" argument must be an object.'));
    assert.throws(() => new DatabaseSync(":memory:", { open: 1 } as any), invalid('The "options.open" argument must be a boolean.'));
    assert.throws(() => new DatabaseSync(":memory:", { timeout: "x" } as any), invalid('The "options.timeout" argument must be an integer.'));
    assert.throws(() => memory().exec(1 as any), invalid('The "sql" argument must be a string.'));
    assert.throws(() => memory().prepare(1 as any), invalid('The "sql" argument must be a string.'));
    assert.throws(() => new (StatementSync as any)(), { code: "ERR_ILLEGAL_CONSTRUCTOR", message: "Illegal constructor" });
    assert.throws(() => memory().loadExtension("x"), state("extension loading is not allowed"));
    assert.equal(Object.keys(sqlite).sort().join(), "DatabaseSync,StatementSync,backup,constants");
  });

  it("say what SQLite says", () => {
    const database = memory("CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1); CREATE TABLE c (p REFERENCES t (a))");
    const failing = (sql: string, errcode: number, errstr: string, message: string) =>
      assert.throws(() => database.exec(sql), { name: "Error", code: "ERR_SQLITE_ERROR", errcode, errstr, message });
    failing("selec", 1, "SQL logic error", 'near "selec": syntax error');
    failing("INSERT INTO t VALUES (1)", 1555, "constraint failed", "UNIQUE constraint failed: t.a");
    failing("INSERT INTO c VALUES (9)", 787, "constraint failed", "FOREIGN KEY constraint failed");
    assert.throws(() => database.prepare("SELECT * FROM nope"), { code: "ERR_SQLITE_ERROR", message: "no such table: nope" });
    assert.throws(() => database.prepare('SELECT "zz"').get(), { message: 'no such column: "zz" - should this be a string literal in single-quotes?' });
    assert.equal(memory("", { enableDoubleQuotedStringLiterals: true }).prepare('SELECT "zz" AS z').get().z, "zz");
    memory("CREATE TABLE t (a PRIMARY KEY); CREATE TABLE c (p REFERENCES t (a)); INSERT INTO c VALUES (9)", { enableForeignKeyConstraints: false });
  });

  it("know their transactions", () => {
    const database = memory("CREATE TABLE t (a)");
    database.exec("BEGIN; INSERT INTO t VALUES (1)");
    assert.equal(database.isTransaction, true);
    database.exec("ROLLBACK");
    assert.equal(database.isTransaction, false);
    assert.deepEqual(database.prepare("SELECT * FROM t").all(), []);
  });
});

describe("statements", () => {
  it("give rows", () => {
    const database = memory("CREATE TABLE t (a INTEGER, b TEXT, c BLOB, d REAL); INSERT INTO t VALUES (1, 'é😀', x'0102', 1.5), (2, NULL, NULL, NULL)");
    const all = database.prepare("SELECT * FROM t");
    const rows = all.all();
    assert.equal(Object.getPrototypeOf(rows[0]), null);
    assert.deepEqual(plain(rows[1]), { a: 2, b: null, c: null, d: null });
    assert.deepEqual([rows[0].a, rows[0].b, rows[0].d], [1, "é😀", 1.5]);
    assert.deepEqual(rows[0].c, new Uint8Array([1, 2]));
    assert.equal(all.get().a, 1);
    assert.equal(database.prepare("SELECT a FROM t WHERE a = 9").get(), undefined);
    assert.equal(database.prepare("CREATE TABLE u (x)").get(), undefined);
    assert.deepEqual(database.prepare("INSERT INTO u VALUES (1)").all(), []);
    assert.deepEqual(plain(database.prepare("SELECT 1 AS a, 2 AS a, NULL AS n").get()), { a: 2, n: null });
    assert.deepEqual(plain(database.prepare("SELECT 1 AS x; SELECT 2 AS y").all()), [{ x: 1 }]);
    all.setReturnArrays(true);
    assert.deepEqual(all.all()[1], [2, null, null, null]);
    assert.deepEqual(all.get().length, 4);
  });

  it("give rows one by one", () => {
    const database = memory("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)");
    const statement = database.prepare("SELECT a FROM t");
    assert.deepEqual([...statement.iterate()].map((row: any) => row.a), [1, 2, 3]);
    const rows = statement.iterate();
    assert.equal(rows[Symbol.iterator](), rows);
    assert.equal(rows.next().value.a, 1);
    assert.deepEqual({ ...rows.return() }, { done: true, value: null });
    assert.deepEqual({ ...rows.next() }, { done: true, value: null });
  });

  it("say what they changed", () => {
    const database = memory("CREATE TABLE t (a)");
    const insert = database.prepare("INSERT INTO t VALUES (?)");
    assert.deepEqual(insert.run(1), { lastInsertRowid: 1, changes: 1 });
    insert.setReadBigInts(true);
    assert.deepEqual(insert.run(1), { lastInsertRowid: 2n, changes: 1n });
    assert.deepEqual(database.prepare("UPDATE t SET a = a + 1").run().changes, 2);
  });

  it("read large numbers as they are told", () => {
    const statement = memory().prepare("SELECT 9007199254740993 AS x");
    assert.throws(() => statement.get(), { name: "RangeError", code: "ERR_OUT_OF_RANGE", message: "Value is too large to be represented as a JavaScript number: 9007199254740993" });
    statement.setReadBigInts(true);
    assert.equal(statement.get().x, 9007199254740993n);
    assert.throws(() => statement.setReadBigInts(1 as any), invalid('The "readBigInts" argument must be a boolean.'));
    assert.equal(memory().prepare("SELECT 9007199254740991 AS x").get().x, Number.MAX_SAFE_INTEGER);
  });

  it("take values without names", () => {
    const database = memory();
    const types = database.prepare("SELECT typeof(?) AS a, typeof(?) AS b, typeof(?) AS c, typeof(?) AS d, typeof(?) AS e");
    assert.deepEqual(plain(types.get(1, 1n, "x", null, new DataView(new ArrayBuffer(2)) as any)), { a: "real", b: "integer", c: "text", d: "null", e: "blob" });
    assert.deepEqual(plain(types.get(1)), { a: "real", b: "null", c: "null", d: "null", e: "null" });
    assert.deepEqual(plain(database.prepare("SELECT ?2 AS a, ?1 AS b").get(1, 2)), { a: 2, b: 1 });
    const one = database.prepare("SELECT ? AS v");
    assert.throws(() => one.get(1, 2), { code: "ERR_SQLITE_ERROR", errcode: 25, message: "column index out of range" });
    for (const value of [undefined, true, Symbol("x")]) {
      assert.throws(() => one.get(value as any), invalid("Provided value cannot be bound to SQLite parameter 1."));
    }
    assert.throws(() => one.get(1n << 64n), { name: "TypeError", code: "ERR_INVALID_ARG_VALUE", message: "BigInt value is too large to bind." });
    const bytes = new Uint8Array([0, 1, 2, 3]).subarray(1, 3);
    assert.deepEqual(one.get(bytes).v, new Uint8Array([1, 2]));
    assert.equal(one.get("it's").v, "it's");
    assert.equal(one.expandedSQL, "SELECT 'it''s' AS v");
    assert.equal(one.sourceSQL, "SELECT ? AS v");
  });

  it("take values with names", () => {
    const database = memory();
    const statement = database.prepare("SELECT :a AS a, $b AS b, @c AS c, ? AS d");
    assert.deepEqual(plain(statement.get({ a: 1, $b: 2, c: "x" }, 4)), { a: 1, b: 2, c: "x", d: 4 });
    assert.throws(() => statement.get({ z: 1 }), state("Unknown named parameter 'z'"));
    assert.throws(() => statement.get({ a: undefined }), invalid("Provided value cannot be bound to SQLite parameter 1."));
    assert.throws(() => statement.get([1] as any), state("Unknown named parameter '0'"));
    statement.setAllowUnknownNamedParameters(true);
    assert.equal(statement.get({ z: 1, ":a": 3 }).a, 3);
    statement.setAllowBareNamedParameters(false);
    assert.deepEqual(plain(statement.get({ a: 1, ":a": 2 })), { a: 2, b: null, c: null, d: null });
    assert.throws(() => database.prepare("SELECT :k, $k").get({ k: 1 }), state("Cannot create bare named parameter 'k' because of conflicting names ':k' and '$k'."));
  });

  it("know their columns", () => {
    const database = memory("CREATE TABLE t (a INTEGER, b TEXT)");
    assert.deepEqual(plain(database.prepare("SELECT a, b AS bb, 1 + 1 FROM t").columns()), [
      { column: "a", database: "main", name: "a", table: "t", type: "INTEGER" },
      { column: "b", database: "main", name: "bb", table: "t", type: "TEXT" },
      { column: null, database: null, name: "1 + 1", table: null, type: null },
    ]);
  });

  it("do not trust files", () => {
    const folder = mkdtempSync(join(tmpdir(), "sqlite-"));
    const file = join(folder, "odd.db");
    const made = new DatabaseSync(file);
    made.exec("CREATE TABLE t (abc INTEGER); INSERT INTO t VALUES (1)");
    made.close();
    const bytes = readFileSync(file);
    bytes[bytes.indexOf("abc") + 1] = 0xff;
    writeFileSync(file, bytes);
    const database = new DatabaseSync(file);
    rmSync(folder, { recursive: true });
    try {
      assert.equal(Object.values(database.prepare("SELECT * FROM t").get())[0], 1);
    } catch (error: any) {
      // Which Node makes a text of.
      assert.equal(error.message, "the database has a name that is no text");
    }
    assert.equal(database.prepare("SELECT 1 AS one").get().one, 1);
    new DatabaseSync(":memory:", { timeout: 2 ** 31 - 1 }).close();
  });

  it("search texts", () => {
    const database = memory("CREATE VIRTUAL TABLE f USING fts5 (x); INSERT INTO f VALUES ('hello world'), ('good bye')");
    const found = database.prepare("SELECT x, bm25(f) AS rank, snippet(f, 0, '[', ']', '…', 5) AS part FROM f WHERE f MATCH ? ORDER BY rank").all("hello");
    assert.deepEqual(found.map((row: any) => row.part), ["[hello] world"]);
    assert.equal(database.prepare("SELECT json_extract('{\"a\": [1, 2]}', '$.a[1]') AS v").get().v, 2);
  });
});
