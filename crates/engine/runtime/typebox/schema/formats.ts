// The string formats of JSON Schema, each from its specification.

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** RFC 3339 full-date. */
export function IsDate(value: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number);
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && isLeap ? 29 : monthDays[month - 1]);
}

/** RFC 3339 full-time. A leap second is only possible at the end of a day in UTC. */
export function IsTime(value: string, needsZone = true): boolean {
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))?$/i.exec(value);
  if (!found) return false;
  const isUtc = /z$/i.test(value);
  if (needsZone && !isUtc && !found[4]) return false;
  const [hours, minutes, seconds] = found.slice(1, 4).map(Number);
  const [zoneHours, zoneMinutes] = [Number(found[5] ?? 0), Number(found[6] ?? 0)];
  if (hours > 23 || minutes > 59 || seconds > 60 || zoneHours > 23 || zoneMinutes > 59) return false;
  if (seconds < 60) return true;
  const offset = (zoneHours * 60 + zoneMinutes) * (found[4] === "-" ? -1 : 1);
  const inUtc = (((hours * 60 + minutes - offset) % 1440) + 1440) % 1440;
  return inUtc === 23 * 60 + 59;
}

/** RFC 3339 date-time. */
export function IsDateTime(value: string): boolean {
  const parts = value.split(/t/i);
  return parts.length === 2 && IsDate(parts[0]) && IsTime(parts[1]);
}

/** RFC 3339 appendix A duration: units in order, none skipped between two that are given. */
export function IsDuration(value: string): boolean {
  if (/^P\d+W$/.test(value)) return true;
  const found = /^P(\d+Y)?(\d+M)?(\d+D)?(?:T(\d+H)?(\d+M)?(\d+S)?)?$/.exec(value);
  if (!found || value.endsWith("T")) return false;
  const given = found.slice(1).map((part) => part !== undefined);
  const [[year, month, day], [hour, minute, second]] = [given.slice(0, 3), given.slice(3)];
  return given.includes(true) && !(year && day && !month) && !(hour && second && !minute);
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const localPart = /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[^"\\]|\\[ -~])*")$/;

/** RFC 5321 mailbox. */
export function IsEmail(value: string): boolean {
  const at = value.lastIndexOf("@");
  if (at < 1 || !localPart.test(value.slice(0, at))) return false;
  const domain = value.slice(at + 1);
  if (!domain.startsWith("[")) return domain.split(".").every((part) => label.test(part));
  if (!domain.endsWith("]")) return false;
  const address = domain.slice(1, -1);
  return /^IPv6:/i.test(address) ? /^[\da-f:]+$/i.test(address.slice(5)) : IsIPv4(address);
}

/** RFC 6531 mailbox: as `IsEmail`, with letters of any script. */
export function IsIdnEmail(value: string): boolean {
  const text = value.normalize("NFC");
  const at = text.lastIndexOf("@");
  if (at < 1) return false;
  const local = text.slice(0, at);
  const isLocal =
    /^"(?:[^"\\]|\\.)*"$/u.test(local) || local.split(".").every((part) => /^[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+$/u.test(part));
  return isLocal && text.slice(at + 1).split(".").every((part) => /^[\p{L}\p{N}][\p{L}\p{N}-]{0,62}$/u.test(part) && !part.endsWith("-"));
}

/** RFC 1123 host name; labels of other scripts must be in their `xn--` form. */
export function IsHostname(value: string): boolean {
  return value.length > 0 && value.length <= 253 && value.split(".").every((part) => label.test(part) && isPlainOrPuny(part));
}
const isPlainOrPuny = (part: string) => part.slice(2, 4) !== "--" || (/^xn--/i.test(part) && part.length > 4);

/** RFC 5890 host name, in any script. */
export function IsIdnHostname(value: string): boolean {
  const parts = value.normalize("NFC").split(/[.\u3002\uff0e\uff61]/);
  return value.length > 0 && parts.every((part) => {
    if (/^[\x00-\x7f]*$/.test(part)) return IsHostname(part);
    if (part.length > 63 || part.startsWith("-") || part.endsWith("-") || part.slice(2, 4) === "--") return false;
    return /^[\p{L}\p{N}][\p{L}\p{N}\p{M}\u00b7\u0375\u05f3\u05f4\u200c\u200d\u30fb-]*$/u.test(part);
  });
}

/** Four decimal numbers. */
export const IsIPv4 = (value: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(value) && value.split(".").every((part) => Number(part) < 256 && String(Number(part)) === part);

/** RFC 4291 address. */
export function IsIPv6(value: string): boolean {
  const halves = value.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  let count = groups.length;
  const last = groups.at(-1);
  if (last?.includes(".")) {
    if (!IsIPv4(last) || value.endsWith("::")) return false;
    groups.pop();
    count++;
  }
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group)) && (halves.length === 2 ? count < 8 : count === 8);
}

/** RFC 6901. */
export const IsJsonPointer = (value: string): boolean => /^(?:\/(?:[^~/]|~[01])*)*$/.test(value);
export const IsJsonPointerUriFragment = (value: string): boolean =>
  /^#(?:\/(?:[\w\-.!$&'()*+,;:=@]|%[\da-f]{2}|~[01])*)*$/i.test(value);
export const IsRelativeJsonPointer = (value: string): boolean =>
  /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(value);

/** A regular expression of the language. */
export function IsRegex(value: string): boolean {
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    return false;
  }
}

export const IsUuid = (value: string): boolean => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(value);

// RFC 3986. `other` holds further characters that may appear anywhere.
const pathChars = (other: string) => `(?:[\\w\\-.~!$&'()*+,;=:@${other}]|%[\\da-f]{2})`;

function isReference(value: string, needsScheme: boolean, other = ""): boolean {
  const found = /^([^:/?#]+:)?(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/su.exec(value);
  if (!found) return false;
  const [, scheme, host, path, query, hash] = found;
  if (scheme ? !/^[a-z][a-z\d+\-.]*:$/i.test(scheme) : needsScheme) return false;
  if (host !== undefined && !isAuthority(host.slice(2), other)) return false;
  const chars = pathChars(other);
  const matches = (text: string, more: string) => new RegExp(`^(?:${chars}|[${more}])*$`, "iu").test(text);
  if (!matches(path, "/")) return false;
  if (host === undefined && path.startsWith("//")) return false;
  if (!scheme && host === undefined && path.split("/")[0].includes(":")) return false;
  return matches(query?.slice(1) ?? "", "/?") && matches(hash?.slice(1) ?? "", "/?");
}

function isAuthority(text: string, other: string): boolean {
  const found = /^(?:(.*)@)?(\[[^\]]*\]|[^:@]*)(?::(\d*))?$/su.exec(text);
  if (!found) return false;
  const [, user, host] = found;
  const plain = new RegExp(`^(?:[\\w\\-.~!$&'()*+,;=${other}]|%[\\da-f]{2})*$`, "iu");
  if (user !== undefined && !plain.test(user.replaceAll(":", ""))) return false;
  if (!host.startsWith("[")) return plain.test(host);
  const address = host.slice(1, -1);
  return IsIPv6(address) || /^v[\da-f]+\.[\w\-.~!$&'()*+,;=:]+$/i.test(address);
}

const international = "\\u{a0}-\\u{d7ff}\\u{e000}-\\u{10ffff}";
/** RFC 3986 URI with a scheme. */
export const IsUri = (value: string): boolean => isReference(value, true);
export const IsUriReference = (value: string): boolean => isReference(value, false);
/** RFC 3987: as the URI forms, with letters of any script. */
export const IsIri = (value: string): boolean => isReference(value, true, international);
export const IsIriReference = (value: string): boolean => isReference(value, false, international);

/** RFC 6570. */
export const IsUriTemplate = (value: string): boolean => {
  const name = "(?:\\w|%[\\da-f]{2})+(?:\\.(?:\\w|%[\\da-f]{2})+)*(?::[1-9]\\d{0,3}|\\*)?";
  const literal = "[^\\x00-\\x20\"<>%\\\\^`{|}\\x7f]|%[\\da-f]{2}";
  return new RegExp(`^(?:${literal}|\\{[+#./;?&=,!@|]?${name}(?:,${name})*\\})*$`, "i").test(value);
};

/** What the `URL` class accepts. */
export const IsUrl = (value: string): boolean => URL.canParse(value);
