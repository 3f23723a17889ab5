// What is compared in strings and numbers.
const expressions = new Map<string, RegExp>();

/** The expression of a `pattern`; Unicode-aware where its syntax allows that. */
export function expression(pattern: string): RegExp {
  let found = expressions.get(pattern);
  if (!found) {
    try {
      found = new RegExp(pattern, "u");
    } catch {
      found = new RegExp(pattern);
    }
    expressions.set(pattern, found);
  }
  return found;
}

const joinsClusters = /[^\0-\u02ff]/;
const joiner = /^[\u200d\ufe00-\ufe0f\p{M}\p{Emoji_Modifier}\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}]$/u;
const regional = /^[\u{1f1e6}-\u{1f1ff}]$/u;

/** The number of user-perceived characters: what `minLength` and `maxLength` count. */
export function graphemeCount(text: string): number {
  if (!joinsClusters.test(text)) return text.length;
  let count = 0;
  let previous = "";
  let flags = 0;
  for (const character of text) {
    const isFlag = regional.test(character);
    flags = isFlag ? flags + 1 : 0;
    const joined = previous !== "" && (joiner.test(character) || previous === "\u200d" || (isFlag && flags % 2 === 0));
    if (!joined) count++;
    previous = character;
  }
  return count;
}

/** Whether `value` is a multiple of `divisor`, forgiving what binary fractions lose. */
export function isMultipleOf(value: any, divisor: any): boolean {
  if (typeof value === "bigint" || typeof divisor === "bigint") return BigInt(value) % BigInt(divisor) === 0n;
  if (!Number.isFinite(value)) return true;
  if (Number.isInteger(value) && (1 / divisor) % 1 === 0) return true;
  const rest = Math.abs(value % divisor);
  return Math.min(rest, Math.abs(rest - Math.abs(divisor))) < 1e-10;
}

/** Structural equality of data. */
export function deepEqual(left: any, right: any): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => deepEqual(item, right[at]));
  }
  const keys = Object.getOwnPropertyNames(left);
  if (keys.length !== Object.getOwnPropertyNames(right).length) return false;
  return keys.every((key) => deepEqual(left[key], right[key]));
}
