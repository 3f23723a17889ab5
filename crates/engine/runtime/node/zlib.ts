/** `node:zlib`. The stream classes are loaded when they are first used. */
import { lazyExports } from "../internal/lazy_exports.ts";
import { constants } from "../internal/zlib/constants.ts";

const NAMES = ["Deflate", "Inflate", "Gzip", "Gunzip", "DeflateRaw", "InflateRaw", "Unzip", "BrotliCompress", "BrotliDecompress"] as const;
const lower = <Name extends string>(name: Name) => (name[0].toLowerCase() + name.slice(1)) as Uncapitalize<Name>;

const all = lazyExports("node/zlib.ts", {
  "internal/zlib/whole.ts": [...NAMES.flatMap((name) => [lower(name), `${lower(name)}Sync`] as const), "crc32"],
  "internal/zlib/streams.ts": [...NAMES, ...NAMES.map((name) => `create${name}` as const)],
  "internal/zlib/constants.ts": ["codes", "constants"],
});

// Older programs take the numbers of zlib from here.
for (const [name, value] of Object.entries(constants)) {
  if (!name.startsWith("BROTLI")) Object.defineProperty(all, name, { value });
}
type Older = Omit<typeof constants, `BROTLI${string}`>;

export default all as typeof all & Older;
