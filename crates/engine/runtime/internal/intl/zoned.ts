// Moments in time zones: fields and names.
import { ops } from "tau:ops";

/** A moment as a calendar and a clock show it. */
export interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
  /** 0 is Sunday. */
  weekday: number;
  /** Seconds east of UTC. */
  offset: number;
  abbreviation: string;
}

/** A fixed offset such as `+05:30`, in canonical form, or undefined. */
function fixedOffset(name: string): string | undefined {
  const match = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(name);
  return match === null ? undefined : `${match[1]}${match[2]}:${match[3] ?? "00"}`;
}

/** The name of a time zone in canonical form; throws a RangeError for an unknown one. */
export function canonicalZone(name: unknown): string {
  const text = String(name);
  const offset = fixedOffset(text);
  if (offset !== undefined) return offset;
  if (/^(?:utc|gmt|etc\/(?:utc|gmt|uct|zulu|universal|greenwich)|zulu|uct|universal)$/i.test(text)) return "UTC";
  const known: string | null | undefined = /^[A-Za-z][\w+\-/]*$/.test(text) ? ops.intlTimeZone(text) : undefined;
  if (known == null) throw new RangeError(`Invalid time zone specified: ${text}`);
  return known;
}

/** The time zone of the machine. */
export function systemZone(): string {
  return canonicalZone(ops.intlSystemTimeZone());
}

/** A moment (milliseconds since the epoch) in a canonical time zone. */
export function fieldsOf(time: number, zone: string): Fields {
  const fixed = /^([+-])(\d\d):(\d\d)$/.exec(zone);
  const offset = fixed === null ? 0 : (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 3600 + Number(fixed[3]) * 60);
  const list: any[] = ops.intlZoned(Math.floor(time) + offset * 1000, fixed === null ? zone : "UTC");
  const [year, month, day, hour, minute, second, millisecond, weekday, zoneOffset, abbreviation] = list;
  return {
    year, month, day, hour, minute, second, millisecond, weekday,
    offset: fixed === null ? zoneOffset : offset,
    abbreviation: fixed === null ? abbreviation : "",
  };
}

function offsetName(offset: number, long: boolean): string {
  if (offset === 0) return "GMT";
  const minutes = Math.round(Math.abs(offset) / 60);
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  const sign = offset < 0 ? "-" : "+";
  if (long) return `GMT${sign}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
  return `GMT${sign}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}

// Zones that English readers know by letters; others are named by their offset.
const AMERICAN: Record<string, string> = {
  EST: "Eastern", EDT: "Eastern", CST: "Central", CDT: "Central", MST: "Mountain", MDT: "Mountain", PST: "Pacific", PDT: "Pacific",
  AKST: "Alaska", AKDT: "Alaska", HST: "Hawaii-Aleutian", AST: "Atlantic", ADT: "Atlantic",
};

const LONG: Record<string, string> = {
  GMT: "Greenwich Mean Time", BST: "British Summer Time", IST: "India Standard Time", JST: "Japan Standard Time",
  CET: "Central European Standard Time", CEST: "Central European Summer Time", EET: "Eastern European Standard Time",
  EEST: "Eastern European Summer Time", WET: "Western European Standard Time", WEST: "Western European Summer Time",
  MSK: "Moscow Standard Time", AEST: "Australian Eastern Standard Time", AEDT: "Australian Eastern Daylight Time",
  ACST: "Australian Central Standard Time", ACDT: "Australian Central Daylight Time", AWST: "Australian Western Standard Time",
  NZST: "New Zealand Standard Time", NZDT: "New Zealand Daylight Time", KST: "Korean Standard Time",
};

/** The name of a time zone at a moment, for `timeZoneName: style`. */
export function zoneName(fields: Fields, zone: string, style: string): string {
  const { offset, abbreviation } = fields;
  if (style === "shortOffset" || style === "longOffset") return offsetName(offset, style === "longOffset");
  const long = style.startsWith("long");
  if (zone === "UTC") return long ? "Coordinated Universal Time" : "UTC";
  const american = /^(?:America|Pacific|US|Canada|Atlantic)\//.test(zone) ? AMERICAN[abbreviation] : undefined;
  if (american !== undefined) {
    const fixed = !abbreviation.endsWith("DT") && zone.match(/Phoenix|Honolulu|Puerto_Rico/);
    if (style.endsWith("Generic") && !fixed) return long ? `${american} Time` : abbreviation.replace(/[SD]T$/, "T");
    return long ? `${american} ${abbreviation.endsWith("DT") ? "Daylight" : "Standard"} Time` : abbreviation;
  }
  const name = LONG[abbreviation];
  const ambiguous = (abbreviation === "IST" && offset !== 19800) || (abbreviation === "BST" && offset !== 3600);
  if (long) return name === undefined || ambiguous ? offsetName(offset, true) : name;
  return offsetName(offset, false);
}
