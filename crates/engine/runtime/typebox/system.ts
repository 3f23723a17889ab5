// typebox/system (version 1) and @sinclair/typebox/system (version 0.34).
import { lazyModule } from "../internal/lazy.ts";
import { absentNames, forwarders } from "./forward.ts";
import { FormatRegistry, TypeRegistry } from "./legacy/registry.ts";
import { english, getLocale, setLocale } from "./schema/messages.ts";
import { Settings, current } from "./settings.ts";
import { clone, extended, make, without } from "./type/make.ts";

export { Settings };
export const Arguments = {
  /** Calls the entry of `match` for the number of arguments. */
  Match(given: any[], match: any): any {
    if (!match[given.length]) throw Error("Invalid Arguments");
    return match[given.length](...given);
  },
};
export const Environment = {
  /** Never: code is not generated from schemas here. */
  CanEvaluate: () => false,
  Evaluate: absentNames("typebox/system").Evaluate,
};
const { Hash, HashCode } = forwarders(lazyModule("typebox/value/hash.ts"));
export const Hashing = { Hash, HashCode };

/** Messages: English is built in, another language is a function given to `Set`. */
export const Locale: any = { Get: getLocale, Set: setLocale, Reset: () => setLocale(english), en_US: english };
for (const name of (
  "ar_001 bn_BD cs_CZ de_DE el_GR es_419 es_AR es_ES es_MX fa_IR fil_PH fr_CA fr_FR ha_NG hi_IN hu_HU id_ID it_IT " +
  "ja_JP ko_KR ms_MY nl_NL pl_PL pt_BR pt_PT ro_RO ru_RU sv_SE sw_TZ th_TH tr_TR uk_UA ur_PK vi_VN yo_NG zh_Hans zh_Hant"
).split(" ")) Locale[name] = english;

export const Memory = {
  Assign: (left: any, right: any) => ({ ...left, ...right }),
  Clone: clone,
  Create(hidden: any, keywords: any, options: any = {}) {
    const schema = make(hidden["~kind"], { ...keywords, ...options });
    for (const key of Object.keys(hidden)) {
      Object.defineProperty(schema, key, {
        value: hidden[key], enumerable: current.enumerableKind, writable: true, configurable: true,
      });
    }
    return schema;
  },
  Discard: without,
  Update(schema: any, hidden: any, keywords: any) {
    const copy = extended(schema, keywords);
    for (const key of Object.keys(hidden)) {
      Object.defineProperty(copy, key, {
        value: hidden[key], enumerable: current.enumerableKind, writable: true, configurable: true,
      });
    }
    return copy;
  },
  /** Counters of the published implementation; nothing is counted here. */
  Metrics: { assign: 0, create: 0, clone: 0, discard: 0, update: 0 },
};
export const System = { Arguments, Environment, Hashing, Locale, Memory, Settings };
export default System;

// ---- version 0.34 ----
export const { Evaluate } = absentNames("@sinclair/typebox/system");
export class TypeSystemDuplicateTypeKind extends Error {
  constructor(kind: string) {
    super(`Duplicate type kind '${kind}' detected`);
  }
}
export class TypeSystemDuplicateFormat extends Error {
  constructor(format: string) {
    super(`Duplicate string format '${format}' detected`);
  }
}
export const TypeSystem = {
  /** Registers a kind; answers with a builder for it. */
  Type(kind: string, check: any) {
    if (TypeRegistry.Has(kind)) throw new TypeSystemDuplicateTypeKind(kind);
    TypeRegistry.Set(kind, check);
    return (options: any = {}) => ({ ...options, [Symbol.for("TypeBox.Kind")]: kind });
  },
  Format(format: string, check: any) {
    if (FormatRegistry.Has(format)) throw new TypeSystemDuplicateFormat(format);
    FormatRegistry.Set(format, check);
    return format;
  },
};
const isObject = (value: any) => typeof value === "object" && value !== null;
/** The policy flags; only `ExactOptionalPropertyTypes` has an effect. */
export const TypeSystemPolicy = {
  InstanceMode: "default",
  get ExactOptionalPropertyTypes() {
    return current.exactOptionalPropertyTypes;
  },
  set ExactOptionalPropertyTypes(exact: boolean) {
    current.exactOptionalPropertyTypes = exact;
  },
  AllowArrayObject: false,
  AllowNaN: false,
  AllowNullVoid: false,
  IsExactOptionalProperty: (value: any, key: PropertyKey) =>
    current.exactOptionalPropertyTypes ? key in value : value[key] !== undefined,
  IsObjectLike: (value: any) => isObject(value) && !Array.isArray(value),
  IsRecordLike: (value: unknown) => isObject(value) && !Array.isArray(value) && !(value instanceof Date),
  IsNumberLike: (value: unknown) => Number.isFinite(value),
  IsVoidLike: (value: unknown) => value === undefined,
};
