// Template literal types: lists of types written as one regular expression, and back.
import { evaluateEnum } from "./algebra.ts";
import {
  BigIntPattern, IntegerPattern, NeverPattern, NumberPattern, StringPattern,
  bigint, integer, literal, never, number, string, union,
} from "./builders.ts";
import { IsLiteral, IsUnion, kindOf } from "./guards.ts";
import { make } from "./make.ts";

export const templateOf = (pattern: string) => make("TemplateLiteral", { type: "string", pattern });

/**
 * The expression, without anchors, that matches what `types` print in sequence. One type that
 * cannot be printed makes the whole sequence impossible.
 */
export function encodeTypes(types: any[]): string {
  const parts = types.map(encodeType);
  return parts.includes(undefined) ? NeverPattern : parts.join("");
}

function encodeType(type: any): string | undefined {
  switch (kindOf(type)) {
    case "Literal": return `${type.const}`;
    case "BigInt": return BigIntPattern;
    case "Integer": return IntegerPattern;
    case "Number": return NumberPattern;
    case "String": return StringPattern;
    case "Boolean": return "(false|true)";
    case "Enum": return encodeType(evaluateEnum(type.enum));
    case "TemplateLiteral": return type.pattern.slice(1, -1);
    case "Union": return `(${type.anyOf.map((variant: any) => encodeTypes([variant])).join("|")})`;
    case "Deferred":
      if (type.action === "TemplateLiteral") return encodeTypes(type.parameters[0]);
      return undefined;
    default: return undefined;
  }
}

const tokens: [string, () => any][] = [
  [BigIntPattern, bigint],
  [StringPattern, string],
  [NumberPattern, number],
  [IntegerPattern, integer],
  [NeverPattern, never],
];
const stops = [...tokens.map(([text]) => text), "(", ")", "$", "|"];

/** The types of an anchored pattern; an empty list when it is not one that templates make. */
export function parsePattern(pattern: string): any[] {
  if (!pattern.startsWith("^")) return [];
  let at = 1;
  const term = (): any[] => {
    const types: any[] = [];
    for (;;) {
      const token = tokens.find(([text]) => pattern.startsWith(text, at));
      if (token) {
        at += token[0].length;
        types.push(token[1]());
      } else if (pattern[at] === "(") {
        const start = at++;
        const inner = group();
        if (pattern[at] !== ")") {
          at = start;
          return types;
        }
        at++;
        types.push(inner);
      } else {
        const ends = stops.map((stop) => pattern.indexOf(stop, at)).filter((index) => index >= 0);
        const end = ends.length > 0 ? Math.min(...ends) : at;
        if (end === at) return types;
        types.push(literal(pattern.slice(at, end)));
        at = end;
      }
    }
  };
  // Alternatives of several parts become template types of their own.
  const single = (types: any[]) => (types.length === 1 ? types[0] : templateOf(`^${encodeTypes(types)}$`));
  const alternatives = (): any[][] => {
    const lists = [term()];
    while (pattern[at] === "|") {
      at++;
      lists.push(term());
    }
    return lists;
  };
  const group = () => union(alternatives().filter((list) => list.length > 0).map(single));
  const lists = alternatives();
  if (pattern[at] !== "$") return [];
  return lists.length === 1 ? lists[0] : [union(lists.filter((list) => list.length > 0).map(single))];
}

const finite = (type: any): boolean => (IsUnion(type) ? isFinite(type.anyOf) : IsLiteral(type));
/** Whether the listed types can only print a known set of strings. */
export const isFinite = (types: any[]): boolean => types.length > 0 && types.every(finite);

function expand(prefixes: string[], type: any): string[] {
  if (IsUnion(type)) return type.anyOf.flatMap((variant: any) => expand(prefixes, variant));
  return prefixes.length === 0 ? [`${type.const}`] : prefixes.map((prefix) => `${prefix}${type.const}`);
}

/** The literals a pattern stands for; an endless one stays a template, an unknown one is a string. */
export function decodePatternOpen(pattern: string): any {
  const types = parsePattern(pattern);
  if (types.length === 0) return string();
  if (!isFinite(types)) return templateOf(pattern);
  if (types.length === 1 && IsLiteral(types[0])) return types[0];
  return union(types.reduce(expand, []).map((text: string) => literal(text)));
}

/** As `decodePatternOpen`, with `string` for endless patterns. */
export function decodePattern(pattern: string): any {
  const type = decodePatternOpen(pattern);
  return kindOf(type) === "TemplateLiteral" ? string() : type;
}
