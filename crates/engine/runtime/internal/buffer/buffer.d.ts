// `Buffer` for the type checker: a function with methods that are put in place by name.

type Order = "LE" | "BE";
type UInt = "UInt" | "Uint";
type Sized = "8" | `16${Order}` | `32${Order}`;

type Numbers = {
  [name in `read${UInt | "Int"}${Sized}` | `read${"Float" | "Double"}${Order}`]: (offset?: number) => number;
} & {
  [name in `write${UInt | "Int"}${Sized}` | `write${"Float" | "Double"}${Order}`]: (value: number, offset?: number) => number;
} & {
  [name in `readBig${UInt | "Int"}64${Order}`]: (offset?: number) => bigint;
} & {
  [name in `writeBig${UInt | "Int"}64${Order}`]: (value: bigint, offset?: number) => number;
} & {
  [name in `read${UInt | "Int"}${Order}`]: (offset: number, byteLength: number) => number;
} & {
  [name in `write${UInt | "Int"}${Order}`]: (value: number, offset: number, byteLength: number) => number;
};

type Texts = {
  [name in `${"utf8" | "ascii" | "latin1" | "ucs2" | "hex" | "base64" | "base64url"}Slice`]: (start?: number, end?: number) => string;
} & {
  [name in `${"utf8" | "ascii" | "latin1" | "ucs2" | "hex" | "base64" | "base64url"}Write`]: (text: string, offset?: number, length?: number) => number;
};

type Searched = string | number | Uint8Array;

export interface Buffer extends Uint8Array<ArrayBuffer>, Numbers, Texts {
  readonly parent: ArrayBuffer;
  readonly offset: number;
  copy(target: Uint8Array, targetStart?: number, sourceStart?: number, sourceEnd?: number): number;
  toString(encoding?: string | null, start?: number, end?: number): string;
  toLocaleString(encoding?: any, start?: any, end?: any): string;
  equals(other: Uint8Array): boolean;
  inspect(depth?: number, options?: object): string;
  compare(target: Uint8Array, targetStart?: number, targetEnd?: number, sourceStart?: number, sourceEnd?: number): number;
  indexOf(value: Searched, byteOffset?: number | string, encoding?: string): number;
  lastIndexOf(value: Searched, byteOffset?: number | string, encoding?: string): number;
  includes(value: Searched, byteOffset?: number | string, encoding?: string): boolean;
  fill(value: Searched, offset?: number | string, end?: number | string, encoding?: string): this;
  write(text: string, encoding?: string): number;
  write(text: string, offset: number, encoding?: string): number;
  write(text: string, offset: number, length: number, encoding?: string): number;
  toJSON(): { type: "Buffer"; data: number[] };
  subarray(start?: number, end?: number): Buffer;
  slice(start?: number, end?: number): Buffer;
  swap16(): this;
  swap32(): this;
  swap64(): this;
}

export interface BufferClass {
  new (size: number): Buffer;
  new (value: string, encoding?: string): Buffer;
  new (value: ArrayLike<number> | ArrayBufferLike, byteOffset?: number, length?: number): Buffer;
  (value: any, encodingOrOffset?: any, length?: number): Buffer;
  readonly prototype: Buffer;
  readonly BYTES_PER_ELEMENT: number;
  poolSize: number;
  from(value: string | object, encoding?: string | null): Buffer;
  from(value: ArrayLike<number> | ArrayBufferLike | object, byteOffset?: number, length?: number): Buffer;
  copyBytesFrom(view: ArrayBufferView, offset?: number, length?: number): Buffer;
  of(...items: number[]): Buffer;
  alloc(size: number, fill?: Searched, encoding?: string): Buffer;
  allocUnsafe(size: number): Buffer;
  allocUnsafeSlow(size: number): Buffer;
  isBuffer(value: unknown): value is Buffer;
  isEncoding(encoding: unknown): boolean;
  compare(left: Uint8Array, right: Uint8Array): number;
  concat(list: readonly Uint8Array[], length?: number): Buffer;
  byteLength(value: string | ArrayBufferView | ArrayBufferLike, encoding?: string): number;
}
