// `FormatRegistry` and `TypeRegistry` of version 0.34.
import { lazyModule } from "../../internal/lazy.ts";

const formats = lazyModule("typebox/format.ts");
const kinds = new Map<string, any>();

/** Kinds that a program defined: `(schema, value) => boolean` by the value of `schema[Kind]`. */
export const TypeRegistry = {
  Entries: () => new Map(kinds),
  Clear: () => kinds.clear(),
  Delete: (kind: string) => kinds.delete(kind),
  Has: (kind: string) => kinds.has(kind),
  Set: (kind: string, check: unknown) => void kinds.set(kind, check),
  Get: (kind: string) => kinds.get(kind),
};

/** The string formats; the same table as `typebox/format`. */
export const FormatRegistry = {
  Entries: () => new Map(formats().Entries()),
  Clear: () => formats().Clear(),
  Delete: (format: string) => formats().Delete(format),
  Has: (format: string) => formats().Has(format),
  Set: (format: string, check: unknown) => void formats().Set(format, check),
  Get: (format: string) => formats().Get(format),
};
