/** What is known about files: `Stats`, `BigIntStats`, `StatFs`, `Dirent`. */

import { toBuffer } from "./args.ts";
import { constants } from "./constants.ts";

const { S_IFMT } = constants;
const KINDS: [string, number, number][] = [
  ["isFile", constants.S_IFREG, 1], ["isDirectory", constants.S_IFDIR, 2], ["isSymbolicLink", constants.S_IFLNK, 3],
  ["isFIFO", constants.S_IFIFO, 4], ["isSocket", constants.S_IFSOCK, 5], ["isCharacterDevice", constants.S_IFCHR, 6],
  ["isBlockDevice", constants.S_IFBLK, 7],
];
const TIMES = ["atime", "mtime", "ctime", "birthtime"];
const FIELDS = ["dev", "mode", "nlink", "uid", "gid", "rdev", "blksize", "ino", "size", "blocks"];

/** What both kinds of `Stats` can be asked. */
class StatsBase {
  [field: string]: any;
}
for (const [name, bits] of KINDS) {
  Object.defineProperty(StatsBase.prototype, name, {
    configurable: true, writable: true, enumerable: true,
    value: { [name](this: any): boolean { return (Number(this.mode) & S_IFMT) === bits; } }[name],
  });
}
for (const name of TIMES) {
  Object.defineProperty(StatsBase.prototype, name, {
    configurable: true, enumerable: true,
    get(this: any) {
      const value = new Date(Math.round(Number(this[`${name}Ms`])));
      Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true });
      return value;
    },
    set(this: any, value: unknown) {
      Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true });
    },
  });
}

/** Metadata of a file. */
export class Stats extends StatsBase {
  constructor(...values: any[]) {
    super();
    FIELDS.forEach((field, at) => (this[field] = values[at]));
    TIMES.forEach((time, at) => (this[`${time}Ms`] = values[FIELDS.length + at]));
  }
}

/** Metadata of a file in big integers. */
export class BigIntStats extends StatsBase {}

/** Metadata from the numbers of an op. */
export function makeStats(numbers: number[], bigint = false): any {
  if (!bigint) {
    const times = TIMES.map((_, at) => numbers[10 + at * 2] * 1000 + numbers[11 + at * 2] / 1_000_000);
    return new Stats(...numbers.slice(0, 10), ...times);
  }
  const stats = new BigIntStats();
  FIELDS.forEach((field, at) => (stats[field] = BigInt(numbers[at])));
  const nanos = TIMES.map((_, at) => BigInt(numbers[10 + at * 2]) * 1_000_000_000n + BigInt(numbers[11 + at * 2]));
  TIMES.forEach((time, at) => (stats[`${time}Ms`] = nanos[at] / 1_000_000n));
  TIMES.forEach((time, at) => (stats[`${time}Ns`] = nanos[at]));
  return stats;
}

/** What `watchFile` shows for a file that is not there. */
export function zeroStats(bigint = false): any {
  return makeStats(new Array(18).fill(0), bigint);
}

/** Room on a file system. */
export class StatFs {
  [field: string]: any;
}

/** Room on a file system from the numbers of an op. */
export function makeStatFs(numbers: number[], bigint = false): StatFs {
  const stats = new StatFs();
  ["type", "bsize", "blocks", "bfree", "bavail", "files", "ffree"].forEach((field, at) => {
    stats[field] = bigint ? BigInt(numbers[at]) : numbers[at];
  });
  return stats;
}

const kType = Symbol("type");

/** An entry of a directory. */
export class Dirent {
  name: any;
  parentPath: string;
  /** The older name of `parentPath`. */
  path: string;
  constructor(name: any, parentPath: string, type: number) {
    this.name = name;
    this.parentPath = parentPath;
    this.path = parentPath;
    (this as any)[kType] = type;
  }
}
for (const [name, , type] of KINDS) {
  Object.defineProperty(Dirent.prototype, name, {
    configurable: true, writable: true,
    value: { [name](this: any): boolean { return this[kType] === type; } }[name],
  });
}

/** The answer of `readdir` from the three lists of an op. */
export function makeListing([names, kinds, parents]: [string[], number[], string[]], path: string, options: any): any[] {
  const { recursive, withFileTypes, encoding } = options;
  const bytes = encoding === "buffer";
  const named = (name: string) => (bytes ? toBuffer(new Uint8Array(encodeUtf8(name))) : name);
  if (withFileTypes) {
    const base = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const below = (parent: string) => (parent === "" ? path : `${base === "/" ? "" : base}/${parent}`);
    return names.map((name, at) => new Dirent(named(name), recursive ? below(parents[at]) : path, kinds[at]));
  }
  if (!recursive) return bytes ? names.map(named) : names;
  return names.map((name, at) => named(parents[at] === "" ? name : `${parents[at]}/${name}`));
}

function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
