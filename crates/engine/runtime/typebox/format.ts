// typebox/format: the string formats and the registry that `format` looks in.
import * as f from "./schema/formats.ts";

export const {
  IsDate, IsDateTime, IsDuration, IsEmail, IsHostname, IsIPv4, IsIPv6, IsIdnEmail, IsIdnHostname, IsIri, IsIriReference,
  IsJsonPointer, IsJsonPointerUriFragment, IsRegex, IsRelativeJsonPointer, IsTime, IsUri, IsUriReference, IsUriTemplate,
  IsUrl, IsUuid,
} = f;

const formats = new Map<string, (value: string) => boolean>();

export const Clear = () => formats.clear();
export const Delete = (format: string) => formats.delete(format);
export const Entries = () => [...formats.entries()];
const set = (format: string, check: any) => void formats.set(format, check);
export const Has = (format: string) => formats.has(format);
export const Get = (format: string) => formats.get(format);
/** Whether a value has a format; unknown formats accept everything. */
export const Test = (format: string, value: string): boolean => formats.get(format)?.(value) ?? true;
/** Puts back the formats that are built in. */
export const Reset = () => {
  Clear();
  for (const [name, check] of [
    ["date-time", IsDateTime], ["date", IsDate], ["duration", IsDuration], ["email", IsEmail], ["hostname", IsHostname],
    ["idn-email", IsIdnEmail], ["idn-hostname", IsIdnHostname], ["ipv4", IsIPv4], ["ipv6", IsIPv6],
    ["iri-reference", IsIriReference], ["iri", IsIri], ["json-pointer-uri-fragment", IsJsonPointerUriFragment],
    ["json-pointer", IsJsonPointer], ["regex", IsRegex], ["relative-json-pointer", IsRelativeJsonPointer], ["time", IsTime],
    ["uri-reference", IsUriReference], ["uri-template", IsUriTemplate], ["uri", IsUri], ["url", IsUrl], ["uuid", IsUuid],
  ] as const) set(name, check);
};
Reset();
export { set as Set };
/** Every export by name. */
export const Format: any = {
  Clear, Entries, Get, Has, IsDate, IsDateTime, IsDuration, IsEmail, IsHostname, IsIPv4, IsIPv6, IsIdnEmail, IsIdnHostname,
  IsIri, IsIriReference, IsJsonPointer, IsJsonPointerUriFragment, IsRegex, IsRelativeJsonPointer, IsTime, IsUri,
  IsUriReference, IsUriTemplate, IsUrl, IsUuid, Reset, Set: set, Test,
};
export default Format;
