/** Reading from and writing to descriptors: `read`, `write`, `readv`, `writev`. */

import { ops } from "tau:ops";
import { invalidArgType, invalidArgValue } from "../errors.ts";
import { validateBuffer, validateInteger } from "../validators.ts";
import { bufferClass, checkRange, toData, toFd, toPosition } from "./args.ts";
import { checkBuffers } from "./table.ts";

/** A read that was checked. */
export interface Reading {
  fd: number;
  buffer: any;
  offset: number;
  length: number;
  position: number | null;
}

function view(buffer: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength);
}

/** `(buffer, offset, length, position)`, `(buffer, options)`, `(options)` or nothing but a descriptor. */
export function reading(fd: unknown, args: any[]): Reading {
  let [buffer, offset, length, position] = args;
  if (buffer === undefined || buffer === null || (typeof buffer === "object" && !ArrayBuffer.isView(buffer))) {
    const options = buffer ?? {};
    buffer = options.buffer ?? bufferClass().alloc(16384);
    ({ offset, length, position } = options);
  } else if (typeof offset === "object" && offset !== null) ({ offset, length, position } = offset);
  validateBuffer(buffer);
  offset = offset ?? 0;
  length = length ?? buffer.byteLength - offset;
  if (typeof length === "number") length |= 0;
  if (length !== 0 && buffer.byteLength === 0) {
    throw invalidArgValue("buffer", buffer, "is empty and cannot be written");
  }
  checkRange(offset, length, buffer.byteLength);
  return { fd: toFd(fd), buffer, offset, length, position: toPosition(position) };
}

/** Puts what was read where it belongs; gives how much it was. */
function fill({ buffer, offset }: Reading, bytes: Uint8Array): number {
  view(buffer).set(bytes, offset);
  return bytes.length;
}

export function readSync(fd: unknown, ...args: any[]): number {
  const wanted = reading(fd, args);
  if (wanted.length === 0) return 0;
  return fill(wanted, ops.fsRead(wanted.fd, wanted.length, wanted.position));
}

/** Reads in the background; gives how many bytes. */
export async function readAsync(wanted: Reading): Promise<number> {
  if (wanted.length === 0) return 0;
  return fill(wanted, await ops.fsReadAsync(wanted.fd, wanted.length, wanted.position));
}

/** A write that was checked. */
export interface Writing {
  fd: number;
  data: string | Uint8Array;
  position: number | null;
  /** What the callback hears of. */
  given: any;
}

/** `(buffer, offset, length, position)`, `(buffer, options)` or `(text, position, encoding)`. */
export function writing(fd: unknown, args: any[]): Writing {
  let [given, offset, length, position] = args;
  if (typeof given === "string") {
    return { fd: toFd(fd), data: toData(given, length), position: toPosition(offset), given };
  }
  validateBuffer(given);
  if (typeof offset === "object" && offset !== null) ({ offset, length, position } = offset);
  offset = offset ?? 0;
  validateInteger(offset, "offset", 0);
  length = length ?? given.byteLength - offset;
  checkRange(offset, length, given.byteLength);
  return { fd: toFd(fd), data: view(given).subarray(offset, offset + length), position: toPosition(position), given };
}

export function writeSync(fd: unknown, ...args: any[]): number {
  const wanted = writing(fd, args);
  return ops.fsWrite(wanted.fd, wanted.data, wanted.position);
}

/** Writes in the background; gives how many bytes. */
export function writeAsync(wanted: Writing): Promise<number> {
  return ops.fsWriteAsync(wanted.fd, wanted.data, wanted.position);
}

function* parts(buffers: unknown, position: unknown): Generator<[Uint8Array, number | null]> {
  let at = toPosition(position);
  for (const buffer of checkBuffers(buffers)) {
    yield [view(buffer), at];
    if (at !== null) at += buffer.byteLength;
  }
}

export function readvSync(fd: unknown, buffers: unknown, position?: unknown): number {
  toFd(fd);
  let total = 0;
  for (const [target, at] of parts(buffers, position)) {
    const count = readSync(fd, target, 0, target.length, at);
    total += count;
    if (count < target.length) break;
  }
  return total;
}

export async function readvAsync(fd: unknown, buffers: unknown, position?: unknown): Promise<number> {
  let total = 0;
  for (const [target, at] of parts(buffers, position)) {
    const count = await readAsync(reading(fd, [target, 0, target.length, at]));
    total += count;
    if (count < target.length) break;
  }
  return total;
}

export function writevSync(fd: any, buffers: unknown, position?: unknown): number {
  toFd(fd);
  let total = 0;
  for (const [source, at] of parts(buffers, position)) {
    ops.fsWriteAll(fd, source, at);
    total += source.length;
  }
  return total;
}

export async function writevAsync(fd: any, buffers: unknown, position?: unknown): Promise<number> {
  let total = 0;
  for (const [source, at] of parts(buffers, position)) {
    await ops.fsWriteAllAsync(fd, source, at);
    total += source.length;
  }
  return total;
}

/** Checks the arguments of `readv` and `writev` where errors must be thrown at once. */
export function checkVector(fd: unknown, buffers: unknown): void {
  toFd(fd);
  if (!Array.isArray(buffers)) throw invalidArgType("buffers", "ArrayBufferView[]", buffers);
  checkBuffers(buffers);
}
