// Colours as values, and small texts of the terminal.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as tui from "@earendil-works/pi-tui";

const {
  backgroundAnsi, colorToHex, colorToOkhsl, colorToOklch, colorToRgb, foregroundAnsi, formatProgramStatus,
  getSelectPageIndex, indexedColor, mixColors, oklabToOkhslLightness, okhslColor, oklchColor, parseColor,
  renderFakeCursor, replaceControlCharacters, rgbColor, styleText, styleTextWithAnsi,
} = tui as any;

/** The same values to nine digits: engines differ in the last ones. */
function near(actual: any, expected: any): void {
  const rounded = (value: any) =>
    Object.fromEntries(Object.entries(value).map(([key, part]) => [key, typeof part === "number" ? Math.round(part * 1e9) / 1e9 : part]));
  assert.deepEqual(rounded(actual), rounded(expected));
}

test("colours are read", () => {
  assert.deepEqual(parseColor("#ff8800"), { kind: "rgb", r: 255, g: 136, b: 0 });
  assert.deepEqual(parseColor("#F80"), { kind: "rgb", r: 255, g: 136, b: 0 });
  assert.deepEqual(parseColor(200), { kind: "indexed", index: 200 });
  assert.deepEqual(parseColor("oklch(70% 0.1 120deg)"), { kind: "oklch", l: 0.7, c: 0.1, h: 120 });
  assert.deepEqual(parseColor("OKHSL(120 50% 50%)"), { kind: "rgb", r: 113, g: 126, b: 71 });
  for (const bad of ["#ff880080", "red", "", "oklch(0.7, 0.1, 120)", " #ff8800 ", "#gggggg", "oklch(0.7 0.1 120 / 0.5)"]) {
    assert.throws(() => parseColor(bad), { message: `Invalid color value: ${bad}` });
  }
  assert.throws(() => parseColor("okhsl(120 50 50)"), /s must be between 0 and 1: 50/);
  for (const bad of [256, -1, 1.5]) assert.throws(() => parseColor(bad), new RegExp(`from 0 to 255: ${bad}$`));
});

test("colours are made within their limits", () => {
  assert.deepEqual(okhslColor(480, 0.5, 0.5), parseColor("okhsl(120 0.5 0.5)"));
  assert.throws(() => rgbColor(300, 0, 0), /r must be between 0 and 255: 300/);
  assert.throws(() => rgbColor(NaN, 0, 0), /r must be finite/);
  assert.throws(() => oklchColor(2, -1, 500), /l must be between 0 and 1: 2/);
  assert.throws(() => indexedColor(300), /from 0 to 255: 300/);
});

test("colours are converted", () => {
  const rgb = rgbColor(200, 100, 50);
  assert.equal(colorToHex(rgb), "#c86432");
  near(colorToOklch(rgb), { l: 0.613837642501415, c: 0.142264862219593, h: 45.08309044839484 });
  near(colorToOkhsl(rgb), { h: 45.08309044839484, s: 0.7723299104882648, l: 0.5518016623869746 });
  assert.deepEqual(colorToRgb(indexedColor(123)), { r: 135, g: 255, b: 255 });
  near(colorToOkhsl(indexedColor(3)), { h: 109.76923612816614, s: 1, l: 0.5135979933875638 });
  assert.equal(colorToHex(oklchColor(0.7, 0.1, 120)), "#96a85e");
  assert.deepEqual([0, 1].map(oklabToOkhslLightness), [0, 1]);
  near({ l: oklabToOkhslLightness(0.5) }, { l: 0.42114056260896976 });
});

test("colours are mixed", () => {
  const mixed = mixColors(indexedColor(3), indexedColor(123), 0.5);
  near(mixed, { kind: "oklch", l: 0.7555425555240566, c: 0.11763237395085269, h: 152.6077512957918 });
  // A gray has no hue, and hues take the shorter way.
  near(mixColors(oklchColor(0, 0, 10), oklchColor(1, 0.2, 300), 0.5), { kind: "oklch", l: 0.5, c: 0.1, h: 300 });
  near(mixColors(oklchColor(0.5, 0.1, 350), oklchColor(0.5, 0.1, 20), 0.5), { kind: "oklch", l: 0.5, c: 0.1, h: 5 });
  assert.deepEqual(mixColors(rgbColor(0, 0, 0), rgbColor(100, 50, 200), 0.5, "srgb"), { kind: "rgb", r: 50, g: 25, b: 100 });
  assert.throws(() => mixColors(rgbColor(0, 0, 0), rgbColor(0, 0, 0), 2), /amount must be between 0 and 1: 2/);
});

test("colours and styles of text", () => {
  const rgb = rgbColor(200, 100, 50);
  assert.equal(foregroundAnsi(rgb, "truecolor"), "\x1b[38;2;200;100;50m");
  assert.equal(backgroundAnsi(rgb, "256color"), "\x1b[48;5;167m");
  assert.equal(styleText("x", {}, "truecolor"), "x");
  assert.equal(styleText("x", { fg: rgb, bold: true, dim: true }, "truecolor"), "\x1b[38;2;200;100;50m\x1b[1m\x1b[2mx\x1b[22m\x1b[39m");
  assert.equal(styleTextWithAnsi("x", "\x1b[31m", "\x1b[42m", { bold: true }), "\x1b[31m\x1b[42m\x1b[1mx\x1b[22m\x1b[49m\x1b[39m");
  assert.throws(() => styleText("x", { fg: "red" }, "truecolor"), TypeError);
});

test("small texts of the terminal", () => {
  assert.equal(replaceControlCharacters("a\x07b\x1b[31mc\td\x7f\x85e"), "a b [31mc d e");
  assert.equal(renderFakeCursor("x"), "\x1b_pi:fc\x07x\x1b_pi:/fc\x07");
  assert.equal(formatProgramStatus({ state: "working" }), "\x1b]7501;state=working\x1b\\");
  assert.equal(
    formatProgramStatus({ state: "blocked", app: "pi", kind: "permission", message: " a\nb " }),
    "\x1b]7501;state=blocked:app=pi:kind=permission:msg=YSBi\x1b\\",
  );
  const keys = (action: string) => ({ matches: (_: string, wanted: string) => wanted === action });
  assert.equal(getSelectPageIndex(keys("tui.select.pageDown"), "", 7, 10, 5), 9);
  assert.equal(getSelectPageIndex(keys("tui.select.pageUp"), "", 7, 10, 5), 2);
  assert.equal(getSelectPageIndex(keys("tui.select.up"), "", 7, 10, 5), undefined);
});
