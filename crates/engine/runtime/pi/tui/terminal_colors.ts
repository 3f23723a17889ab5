// What terminals answer when asked for their colours.

type Rgb = { r: number; g: number; b: number };

/** A channel of any length in hexadecimal digits, as 0 to 255. */
function channel(digits: string | undefined): number {
  if (digits === undefined || !/^[0-9a-f]+$/i.test(digits)) return NaN;
  return Math.round((parseInt(digits, 16) / (16 ** digits.length - 1)) * 255);
}

/** The background colour in an answer to OSC 11: `rgb:r/g/b` in channels of any length, or `#rrggbb`. */
export function parseOsc11BackgroundColor(data: string): Rgb | undefined {
  const value = /^\x1b\]11;([^\x07\x1b]*)(?:\x07|\x1b\\)$/i.exec(data)?.[1].trim();
  if (value === undefined) return undefined;
  const hex = /^#(?:[0-9a-f]{6}|[0-9a-f]{12})$/i.test(value) ? value.slice(1) : undefined;
  if (hex === undefined && value.startsWith("#")) return undefined;
  const third = hex === undefined ? 0 : hex.length / 3;
  const parts = hex === undefined
    ? value.replace(/^rgba?:/i, "").split("/")
    : [hex.slice(0, third), hex.slice(third, 2 * third), hex.slice(2 * third)];
  const [r, g, b] = [channel(parts[0]), channel(parts[1]), channel(parts[2])];
  return Number.isNaN(r + g + b) ? undefined : { r, g, b };
}

/** Whether a terminal reports a light or a dark colour scheme. */
export function parseTerminalColorSchemeReport(data: string): "light" | "dark" | undefined {
  const report = /^(?:\x1b\[\?997;(1|2)n)+$/.exec(data)?.[1];
  return report === undefined ? undefined : report === "2" ? "light" : "dark";
}
