/** `node:sqlite`: databases of SQLite. What calls back into JavaScript in the middle of a statement is not there. */

import { ops, type SqliteColumn } from "tau:ops";
import { codeError, codeTypeError } from "../internal/errors.ts";
import { absence, unavailable } from "../internal/loader.ts";
import { toPath } from "../internal/fs/args.ts";

export const constants = Object.freeze({
  SQLITE_CHANGESET_OMIT: 0,
  SQLITE_CHANGESET_REPLACE: 1,
  SQLITE_CHANGESET_ABORT: 2,
  SQLITE_CHANGESET_DATA: 1,
  SQLITE_CHANGESET_NOTFOUND: 2,
  SQLITE_CHANGESET_CONFLICT: 3,
  SQLITE_CHANGESET_CONSTRAINT: 4,
  SQLITE_CHANGESET_FOREIGN_KEY: 5,
});

const wrong = (name: string, expected: string) =>
  codeTypeError("ERR_INVALID_ARG_TYPE", `The "${name}" argument must be ${expected}.`);
const state = (message: string) => codeError("ERR_INVALID_STATE", message);

function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw wrong(name, "a string");
  return value;
}

function flag(value: unknown, name: string): boolean {
  if (typeof value !== "boolean") throw wrong(name, "a boolean");
  return value;
}

/** The options of a database; each one that is not given is as in Node. */
function readOptions(given: any) {
  if (given !== undefined && (given === null || typeof given !== "object")) throw wrong("options", "an object");
  const option = (name: string, otherwise: boolean) =>
    given?.[name] === undefined ? otherwise : flag(given[name], `options.${name}`);
  const timeout = given?.timeout ?? 0;
  if (!Number.isInteger(timeout)) throw wrong("options.timeout", "an integer");
  return {
    open: option("open", true),
    readOnly: option("readOnly", false),
    foreignKeys: option("enableForeignKeyConstraints", true),
    doubleQuotes: option("enableDoubleQuotedStringLiterals", false),
    allowExtension: option("allowExtension", false),
    readBigInts: option("readBigInts", false),
    returnArrays: option("returnArrays", false),
    bare: option("allowBareNamedParameters", true),
    unknown: option("allowUnknownNamedParameters", false),
    timeout: Math.max(timeout, 0),
  };
}

type Options = ReturnType<typeof readOptions>;

/** What a statement is made from; only a database has it. */
const INSIDE = Symbol("statement");

export class DatabaseSync {
  #path: string;
  #options: Options;
  #rid: number | undefined;

  constructor(path: any, options?: any) {
    try {
      // What a URL asks for behind its path is SQLite's.
      this.#path = path instanceof URL && toPath(path) ? path.href : toPath(path);
    } catch {
      throw wrong("path", "a string, Uint8Array, or URL without null bytes");
    }
    this.#options = readOptions(options);
    if (this.#options.open) this.open();
  }

  get isOpen(): boolean {
    return this.#rid !== undefined;
  }

  get isTransaction(): boolean {
    return ops.sqliteInTransaction(this.#open());
  }

  #open(): number {
    if (this.#rid === undefined) throw state("database is not open");
    return this.#rid;
  }

  open(): void {
    if (this.#rid !== undefined) throw state("database is already open");
    const { readOnly, foreignKeys, doubleQuotes, timeout } = this.#options;
    this.#rid = ops.sqliteOpen(this.#path, { readOnly, foreignKeys, doubleQuotes, timeout });
  }

  close(): void {
    ops.sqliteClose(this.#open());
    this.#rid = undefined;
  }

  exec(sql: string): void {
    const rid = this.#open();
    ops.sqliteExec(rid, text(sql, "sql"));
  }

  prepare(sql: string, options?: any): StatementSync {
    const rid = this.#open();
    const names = ops.sqlitePrepare(rid, text(sql, "sql"));
    const form = { ...this.#options };
    for (const name of ["readBigInts", "returnArrays"] as const) {
      if (options?.[name] !== undefined) form[name] = flag(options[name], `options.${name}`);
    }
    // What was prepared before the database was closed stays closed when it is opened again.
    return new StatementSync(INSIDE, { sql, names, form, rid: () => (this.#rid === rid ? rid : undefined) });
  }

  location(name: string = "main"): string | null {
    const rid = this.#open();
    return ops.sqliteLocation(rid, text(name, "dbName")) ?? null;
  }

  enableLoadExtension(allow: boolean): void {
    this.#open();
    if (flag(allow, "allow") && !this.#options.allowExtension) {
      throw state("Cannot enable extension loading because it was disabled at database creation.");
    }
  }

  loadExtension(_path: string): void {
    this.#open();
    if (!this.#options.allowExtension) throw state("extension loading is not allowed");
    throw new Error(absence("sqlite.DatabaseSync.loadExtension"));
  }

  function(): void {
    throw new Error(absence("sqlite.DatabaseSync.function"));
  }

  aggregate(): void {
    throw new Error(absence("sqlite.DatabaseSync.aggregate"));
  }

  createSession(): void {
    throw new Error(absence("sqlite.DatabaseSync.createSession"));
  }

  applyChangeset(): void {
    throw new Error(absence("sqlite.DatabaseSync.applyChangeset"));
  }

  [Symbol.dispose](): void {
    if (this.isOpen) this.close();
  }
}

interface Inside {
  sql: string;
  /** The names of the parameters, the first one's first; nothing for those without one. */
  names: (string | undefined | null)[];
  form: { readBigInts: boolean; returnArrays: boolean; bare: boolean; unknown: boolean };
  /** The database, as long as it is open. */
  rid: () => number | undefined;
}

export class StatementSync {
  #inside: Inside;
  /** The values that were bound last. */
  #values: any[] = [];

  constructor(key: symbol, inside: Inside) {
    if (key !== INSIDE) throw codeError("ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
    this.#inside = inside;
  }

  #rid(): number {
    const rid = this.#inside.rid();
    if (rid === undefined) throw state("statement has been finalized");
    return rid;
  }

  get sourceSQL(): string {
    this.#rid();
    return this.#inside.sql;
  }

  get expandedSQL(): string | undefined {
    return ops.sqliteExpanded(this.#rid(), this.#inside.sql, this.#values);
  }

  #rows(given: any[], one: boolean): any[] {
    const { sql, form } = this.#inside;
    const rid = this.#rid();
    this.#values = bind(this.#inside, given);
    return ops.sqliteRows(rid, sql, this.#values, { big: form.readBigInts, arrays: form.returnArrays, one });
  }

  all(...given: any[]): any[] {
    return this.#rows(given, false);
  }

  get(...given: any[]): any {
    return this.#rows(given, true)[0];
  }

  iterate(...given: any[]): any {
    return new Rows(this.#rows(given, false));
  }

  run(...given: any[]): { lastInsertRowid: number | bigint; changes: number | bigint } {
    const { sql, form } = this.#inside;
    const rid = this.#rid();
    this.#values = bind(this.#inside, given);
    const [lastInsertRowid, changes] = ops.sqliteRun(rid, sql, this.#values, form.readBigInts);
    return { lastInsertRowid, changes };
  }

  columns(): SqliteColumn[] {
    return ops.sqliteColumns(this.#rid(), this.#inside.sql);
  }

  setReadBigInts(on: boolean): void {
    this.#rid();
    this.#inside.form.readBigInts = flag(on, "readBigInts");
  }

  setReturnArrays(on: boolean): void {
    this.#rid();
    this.#inside.form.returnArrays = flag(on, "returnArrays");
  }

  setAllowBareNamedParameters(on: boolean): void {
    this.#rid();
    this.#inside.form.bare = flag(on, "allowBareNamedParameters");
  }

  setAllowUnknownNamedParameters(on: boolean): void {
    this.#rid();
    this.#inside.form.unknown = flag(on, "enabled");
  }
}

/** The rows of `iterate`. */
class Rows {
  #rows: any[];
  #at = 0;

  constructor(rows: any[]) {
    this.#rows = rows;
  }

  next(): any {
    const done = this.#at >= this.#rows.length;
    return { __proto__: null, done, value: done ? null : this.#rows[this.#at++] };
  }

  return(): any {
    this.#at = this.#rows.length;
    return { __proto__: null, done: true, value: null };
  }
}
// Helpers such as `map`, where the engine has them.
Object.setPrototypeOf(Rows.prototype, Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())));

/** A value of a parameter; `place` counts from one. */
function cell(value: any, place: number): any {
  if (value === null || typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "bigint") {
    if (BigInt.asIntN(64, value) === value) return value;
    throw codeTypeError("ERR_INVALID_ARG_VALUE", "BigInt value is too large to bind.");
  }
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw codeTypeError("ERR_INVALID_ARG_TYPE", `Provided value cannot be bound to SQLite parameter ${place}.`);
}

/** Where a name stands for a parameter: counted from zero, negative when it does not. */
function placeOf({ names, form }: Inside, name: string): number {
  const exact = names.indexOf(name);
  if (exact >= 0 || !form.bare) return exact;
  const meant = names.flatMap((known, place) => (known?.slice(1) === name ? [place] : []));
  if (meant.length > 1) {
    const [one, other] = meant.map((place) => `'${names[place]}'`);
    throw state(`Cannot create bare named parameter '${name}' because of conflicting names ${one} and ${other}.`);
  }
  return meant[0] ?? -1;
}

/** The values of all parameters: an object in front has those with names, the rest are those without one in turn. */
function bind(inside: Inside, given: any[]): any[] {
  const { names, form } = inside;
  const values: any[] = new Array(names.length).fill(null);
  let rest = given;
  const [first] = given;
  if (first !== null && ["object", "function"].includes(typeof first) && !ArrayBuffer.isView(first)) {
    rest = given.slice(1);
    for (const [name, value] of Object.entries(first)) {
      const place = placeOf(inside, name);
      if (place >= 0) values[place] = cell(value, place + 1);
      else if (!form.unknown) throw state(`Unknown named parameter '${name}'`);
    }
  }
  let place = 0;
  for (const value of rest) {
    // `?1` has no name that anybody would write as a key.
    while (names[place] != null && !/^\?/.test(names[place] as string)) place += 1;
    values[place] = cell(value, place + 1);
    place += 1;
  }
  return values;
}

export const backup = unavailable("sqlite.backup");

export default { backup, constants, DatabaseSync, StatementSync };
