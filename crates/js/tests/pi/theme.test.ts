// Colours, and the parts of the interface that extensions build with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mixColors, parseColor } from "@earendil-works/pi-tui";
import {
  DynamicBorder, getMarkdownTheme, getSelectListTheme, getSettingsListTheme, highlightCode, initTheme, keyHint, keyText,
  rawKeyHint, renderDiff, Theme, truncateToVisualLines,
} from "@earendil-works/pi-coding-agent";

initTheme();
const plain = (text: string) => text.replace(/\x1b\[[0-9;]*m/g, "");

const FG = `accent border borderAccent borderMuted success error warning muted dim text thinkingText userMessageText
  customMessageText customMessageLabel toolTitle toolOutput mdHeading mdLink mdLinkUrl mdCode mdCodeBlock
  mdCodeBlockBorder mdQuote mdQuoteBorder mdHr mdListBullet toolDiffAdded toolDiffRemoved toolDiffContext syntaxComment
  syntaxKeyword syntaxFunction syntaxVariable syntaxString syntaxNumber syntaxType syntaxOperator syntaxPunctuation
  thinkingOff thinkingMinimal thinkingLow thinkingMedium thinkingHigh thinkingXhigh bashMode`.split(/\s+/);
const BG = "selectedBg userMessageBg customMessageBg toolPendingBg toolSuccessBg toolErrorBg".split(" ");
const make = (fg: any, bg: any, mode: any): any =>
  new Theme(Object.fromEntries(FG.map((name) => [name, fg])) as any, Object.fromEntries(BG.map((name) => [name, bg])) as any, mode, { name: "mine" });

test("a theme makes escape sequences", () => {
  const theme = make("#ff0010", "#00ff00", "truecolor");
  assert.equal(theme.fg("accent", "x"), "\x1b[38;2;255;0;16mx\x1b[39m");
  assert.equal(theme.bg("selectedBg", "x"), "\x1b[48;2;0;255;0mx\x1b[49m");
  assert.deepEqual([theme.getFgAnsi("accent"), theme.getColorMode(), theme.name], ["\x1b[38;2;255;0;16m", "truecolor", "mine"]);
  assert.equal(theme.fg("thinkingMax", "x"), theme.fg("thinkingXhigh", "x"));
  assert.throws(() => theme.fg("zzz", "x"), /Unknown theme color: zzz/);
  assert.throws(() => theme.bg("zzz", "x"), /Unknown theme color: zzz/);
  assert.equal(theme.getThinkingBorderColor("high")("x"), theme.fg("thinkingHigh", "x"));
  assert.equal(theme.getBashModeBorderColor()("x"), theme.fg("bashMode", "x"));
});

test("a theme styles text, and gives its colours as values", () => {
  const theme = make("#ff0010", "", "truecolor");
  assert.equal(theme.style("x", { fg: "accent", bold: true }), "\x1b[38;2;255;0;16m\x1b[1mx\x1b[22m\x1b[39m");
  assert.equal(theme.style("x", { fg: parseColor(5), bg: "selectedBg" }), "\x1b[38;5;5m\x1b[49mx\x1b[49m\x1b[39m");
  assert.throws(() => theme.style("x", { fg: "zzz" }), /Unknown theme color: zzz/);
  assert.deepEqual(theme.colors.accent, { kind: "rgb", r: 255, g: 0, b: 16 });
  const appearances = [["#ffffff", "#000000"], ["#000000", "#ffffff"], ["#eeeeee", ""], ["#222222", ""]].map(([fg, bg]) => make(fg, bg, "truecolor").appearance);
  assert.deepEqual(appearances, ["dark", "light", "dark", "light"]);
  // What is left to the terminal is what terminals of that appearance usually show.
  assert.deepEqual(make("#222222", "", "truecolor").colors.selectedBg, { kind: "rgb", r: 255, g: 255, b: 255 });
  assert.equal(make("#fff", "", "truecolor").fg("accent", "x"), "\x1b[38;2;255;255;255mx\x1b[39m");
});

test("faint colours", () => {
  const colors = (names: string[], color: string) => Object.fromEntries(names.map((name) => [name, color])) as any;
  const theme: any = new Theme(colors(FG, "#ffffff"), colors(BG, "#000000"), "truecolor", { dim: ["muted"], appearance: "dark" } as any);
  assert.equal(theme.fg("muted", "x"), "\x1b[38;2;255;255;255m\x1b[2mx\x1b[22;39m");
  assert.equal(theme.getFgAnsi("muted"), "\x1b[38;2;255;255;255m\x1b[2m");
  assert.equal(theme.style("x", { fg: "muted" }), "\x1b[38;2;255;255;255m\x1b[2mx\x1b[22m\x1b[39m");
  assert.deepEqual(theme.colors.muted, mixColors(parseColor("#ffffff"), parseColor("#000000"), 0.4));
});

test("colours of poorer terminals", () => {
  assert.deepEqual([make(5, "", "256color").fg("accent", "x"), make(5, "", "256color").bg("selectedBg", "x")], ["\x1b[38;5;5mx\x1b[39m", "\x1b[49mx\x1b[49m"]);
  const ansi = (color: string) => make(color, color, "256color").getFgAnsi("accent");
  assert.deepEqual(["#5f87ff", "#808080", "#ffffff", "#000000"].map(ansi), ["69", "244", "231", "16"].map((n) => `\x1b[38;5;${n}m`));
});

test("themes for components", () => {
  assert.deepEqual(Object.keys(getMarkdownTheme()), [
    "heading", "link", "linkUrl", "code", "codeBlock", "codeBlockBorder", "quote", "quoteBorder", "hr", "listBullet", "bold", "italic", "underline", "strikethrough", "highlightCode",
  ]);
  assert.deepEqual(Object.keys(getSelectListTheme()), ["selectedPrefix", "selectedText", "description", "scrollInfo", "noMatch"]);
  const settings: any = getSettingsListTheme();
  assert.deepEqual([Object.keys(settings), plain(settings.cursor), plain(settings.label("x", true))], [["label", "value", "description", "cursor", "hint"], "→ ", "x"]);
  assert.equal(plain((getMarkdownTheme() as any).heading("x")), "x");
});

test("code keeps its lines", () => {
  assert.deepEqual(highlightCode("const x = 1;\n\n// end", "typescript").map(plain), ["const x = 1;", "", "// end"]);
});

test("a border fills the width", () => {
  assert.deepEqual(new DynamicBorder((text) => `<${text}>`).render(5), ["<─────>"]);
  assert.deepEqual(new DynamicBorder((text) => text).render(0), ["─"]);
});

test("keys of actions", () => {
  assert.equal(keyText("tui.select.cancel" as any), "escape/ctrl+c");
  assert.equal(plain(keyHint("tui.select.confirm" as any, "choose")), "enter choose");
  assert.equal(plain(rawKeyHint("ctrl+x", "cut")), "ctrl+x cut");
});

test("a diff is coloured, and shows what differs within a line", () => {
  const shown = renderDiff(" 1 a\n-2 foo bar\n+2 foo baz\n 3 c");
  assert.equal(plain(shown), " 1 a\n-2 foo bar\n+2 foo baz\n 3 c");
  assert.match(shown, /foo \x1b\[7mbar\x1b\[27m/);
  assert.match(shown, /foo \x1b\[7mbaz\x1b\[27m/);
});

test("only the last lines of a long text", () => {
  const { visualLines, skippedCount } = truncateToVisualLines("one\ntwo\nthree\nfour", 2, 20);
  assert.deepEqual([visualLines.map((line) => line.trimEnd()), skippedCount], [["three", "four"], 2]);
  assert.deepEqual(truncateToVisualLines("", 2, 20), { visualLines: [], skippedCount: 0 });
});
