// node:punycode (RFC 3492).

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;

function adapt(delta: number, count: number, first: boolean): number {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return Math.floor(k + ((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

function threshold(k: number, bias: number): number {
  return Math.min(Math.max(k - bias, T_MIN), T_MAX);
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return 26 + (code - 0x30);
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return BASE;
}

function charOf(digit: number): string {
  return String.fromCharCode(digit < 26 ? digit + 0x61 : digit - 26 + 0x30);
}

function decode(input: string): string {
  const output: number[] = [];
  const basic = Math.max(input.lastIndexOf("-"), 0);
  for (let i = 0; i < basic; i++) {
    if (input.charCodeAt(i) >= 0x80) throw new RangeError("Illegal input >= 0x80 (not a basic code point)");
    output.push(input.charCodeAt(i));
  }
  let n = 128;
  let index = 0;
  let bias = 72;
  for (let at = basic > 0 ? basic + 1 : 0; at < input.length; ) {
    const old = index;
    for (let weight = 1, k = BASE; ; k += BASE) {
      if (at >= input.length) throw new RangeError("Invalid input");
      const digit = digitOf(input.charCodeAt(at++));
      if (digit >= BASE) throw new RangeError("Invalid input");
      index += digit * weight;
      if (index > 0x7fffffff) throw new RangeError("Overflow: input needs wider integers to process");
      const t = threshold(k, bias);
      if (digit < t) break;
      weight *= BASE - t;
    }
    const length = output.length + 1;
    bias = adapt(index - old, length, old === 0);
    n += Math.floor(index / length);
    index %= length;
    output.splice(index++, 0, n);
  }
  return String.fromCodePoint(...output);
}

function encode(input: string): string {
  const points = ucs2.decode(input);
  const basic = points.filter((point) => point < 0x80);
  let output = String.fromCharCode(...basic);
  let handled = basic.length;
  if (handled > 0) output += "-";
  let n = 128;
  let delta = 0;
  let bias = 72;
  while (handled < points.length) {
    const next = Math.min(...points.filter((point) => point >= n));
    delta += (next - n) * (handled + 1);
    if (delta > 0x7fffffff) throw new RangeError("Overflow: input needs wider integers to process");
    n = next;
    for (const point of points) {
      if (point < n) delta++;
      if (point !== n) continue;
      let q = delta;
      for (let k = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        if (q < t) break;
        output += charOf(t + ((q - t) % (BASE - t)));
        q = Math.floor((q - t) / (BASE - t));
      }
      output += charOf(q);
      bias = adapt(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return output;
}

const ucs2 = {
  /** The code points of a string; lone surrogates stand for themselves. */
  decode(text: string): number[] {
    return Array.from(text, (char) => char.codePointAt(0)!);
  },
  encode(points: number[]): string {
    return String.fromCodePoint(...points);
  },
};

function mapLabels(domain: string, change: (label: string) => string): string {
  const at = domain.lastIndexOf("@");
  const labels = domain.slice(at + 1).split(/[.\u3002\uff0e\uff61]/);
  return domain.slice(0, at + 1) + labels.map(change).join(".");
}

function toUnicode(domain: string): string {
  return mapLabels(domain, (label) => (label.startsWith("xn--") ? decode(label.slice(4).toLowerCase()) : label));
}

function toASCII(domain: string): string {
  return mapLabels(domain, (label) => (/[^\0-\x7f]/.test(label) ? `xn--${encode(label)}` : label));
}

const version = "2.1.0";

export { decode, encode, toASCII, toUnicode, ucs2, version };
export default { version, ucs2, decode, encode, toASCII, toUnicode };
