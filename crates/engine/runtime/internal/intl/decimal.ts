// Decimal numbers as digits, so that rounding sees what a person would read.

/** `0.digits × 10^point`, negative or not; no leading zeros, and no digits for zero. */
export interface Decimal {
  negative: boolean;
  digits: string;
  point: number;
}

/** Reads a finite number, a BigInt or numeric text. */
export function toDecimal(value: number | bigint | string): Decimal {
  const negative = typeof value === "number" ? value < 0 || Object.is(value, -0) : String(value).startsWith("-");
  const text = String(value).replace(/^[-+]/, "").toLowerCase();
  const [mantissa, exponent = "0"] = text.split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  const digits = all.replace(/^0+/, "");
  const point = whole.length - (all.length - digits.length) + Number(exponent);
  const trimmed = digits.replace(/0+$/, "");
  return { negative, digits: trimmed, point: trimmed === "" ? 0 : point };
}

function roundsUp(decimal: Decimal, rest: string, last: number, mode: string): boolean {
  if (/^0*$/.test(rest)) return false;
  const { negative } = decimal;
  const half = rest[0] > "5" || (rest[0] === "5" && /[1-9]/.test(rest.slice(1))) ? 1 : rest[0] === "5" ? 0 : -1;
  switch (mode) {
    case "ceil":
      return !negative;
    case "floor":
      return negative;
    case "expand":
      return true;
    case "trunc":
      return false;
    case "halfCeil":
      return half > 0 || (half === 0 && !negative);
    case "halfFloor":
      return half > 0 || (half === 0 && negative);
    case "halfTrunc":
      return half > 0;
    case "halfEven":
      return half > 0 || (half === 0 && last % 2 === 1);
  }
  return half >= 0;
}

/** Keeps `keep` digits (counted from the first; 0 or less leaves at most one rounded up in front). */
export function roundDigits(decimal: Decimal, keep: number, mode = "halfExpand"): Decimal {
  const { negative, digits, point } = decimal;
  if (keep >= digits.length) return decimal;
  const kept = keep > 0 ? digits.slice(0, keep) : "";
  const rest = keep >= 0 ? digits.slice(keep) : "0".repeat(-keep) + digits;
  if (!roundsUp(decimal, rest, Number(kept[kept.length - 1] ?? 0), mode)) {
    const left = kept.replace(/0+$/, "");
    return { negative, digits: left, point: left === "" ? 0 : point };
  }
  if (kept === "") return { negative, digits: "1", point: point - keep + 1 };
  // Adds one in the last place; nines carry to the left.
  const at = kept.search(/[0-8]9*$/);
  if (at === -1) return { negative, digits: "1", point: point + 1 };
  return { negative, digits: kept.slice(0, at) + String(Number(kept[at]) + 1), point };
}

/** `decimal × 10^places`. */
export function shift(decimal: Decimal, places: number): Decimal {
  return decimal.digits === "" ? decimal : { ...decimal, point: decimal.point + places };
}

/** The digits before and after the decimal point. */
export function splitDecimal({ digits, point }: Decimal): [whole: string, fraction: string] {
  if (point <= 0) return ["0", digits === "" ? "" : "0".repeat(-point) + digits];
  return [digits.slice(0, point).padEnd(point, "0"), digits.slice(point)];
}
