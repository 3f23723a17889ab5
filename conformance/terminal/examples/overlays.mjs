// What lies over the screen.

import { lacks, press, sends, shows, types, until, whenNarrow, whenWide } from "../../lib/terminal/steps.mjs";

/** The column and the row of a text. */
export function placeOf(screen, text) {
	const rows = screen.split("\n");
	const row = rows.findIndex((one) => one.includes(text));
	return row < 0 ? undefined : { row, column: [...rows[row].slice(0, rows[row].indexOf(text))].length };
}

/** A box of a command in `overlay-qa-tests`, in wide terminals: where its left upper corner is. */
const corner = (title, column, row) =>
	until(`${title} at ${column},${row}`, (screen) => {
		const rows = screen.split("\n");
		return rows[row]?.includes(title) && [...rows[row]].indexOf("╭") === column;
	});

const qa = (command, steps, more = {}) => ({ example: "overlay-qa-tests", what: command, steps: [sends(`/overlay-${command}`), ...steps], ...more });

export const OVERLAYS = [
	{
		example: "overlay-test",
		steps: [
			sends("/overlay-test"),
			shows("🧪 Overlay Test", "▶ Search:", "─── Actions ───"),
			whenWide(
				shows(
					"│ Wide: 中文日本語한글テスト漢字繁體简体ひらがなカタカナ가나다라마바 │",
					/│ Emoji: .* 🎲 │$/m,
					/│ Styled: RED GREEN YELLOW ACCENT DIM more colors {20}│/,
					/╰─{68}╯/,
				),
			),
			types("hey"),
			shows("▶ Search: hey"),
			press("left", "backspace"),
			shows("▶ Search: hy"),
			press("down"),
			types("ho"),
			shows("Search: hy", "▶ Run: ho"),
			press("enter"),
			lacks("Overlay Test", "╭"),
			shows('Run: "ho"'),
			sends("/overlay-test"),
			shows("▶ Search:"),
			press("escape"),
			lacks("Actions"),
		],
		leaves: 'Run: "ho"',
	},
	qa("anchors", [
		...[
			["top-left", 0, 0],
			["top-center", 30, 0],
			["top-right", 60, 0],
			["left-center", 0, 10],
			["center", 30, 10],
			["right-center", 60, 10],
			["bottom-left", 0, 21],
			["bottom-center", 30, 21],
			["bottom-right", 60, 21],
		].flatMap(([anchor, column, row]) => [
			shows(`Current: ${anchor} `, "Anchor Test"),
			whenWide(corner("Anchor Test", column, row)),
			...(anchor === "bottom-right" ? [] : [press("right")]),
		]),
		press("enter"),
		lacks("Anchor Test"),
	], { leaves: "Selected: bottom-right" }),
	qa("margins", [
		shows("No margin (top-left)"),
		whenWide(corner("Margin Test", 0, 0)),
		types(" "),
		shows("Margin: 3 all sides"),
		whenWide(corner("Margin Test", 3, 3)),
		types(" "),
		shows("Margin: top=5"),
		whenWide(corner("Margin Test", 10, 5)),
		types(" "),
		shows("Center + offset (10, -3)"),
		whenWide(corner("Margin Test", 42, 8)),
		types(" "),
		shows("Bottom-right, margin: 2"),
		whenWide(corner("Margin Test", 63, 20)),
		press("escape"),
		lacks("Margin Test"),
	]),
	qa("stack", [
		shows("Layer: front"),
		// The newest lies over the others.
		press("enter"),
		lacks("Layer: front"),
		shows("Layer: middle"),
		press("enter"),
		lacks("Layer: middle"),
		shows("Overlay #1", "Layer: back (red border)"),
		press("enter"),
		lacks("Layer:"),
		shows("Closed in order: Overlay 1, Overlay 2, Overlay 3"),
	], { leaves: "Showing overlay 1 (back)... Showing overlay 2 (middle)... Showing overlay 3 (front)... Closed in order: Overlay 1, Overlay 2, Overlay 3" }),
	qa("overflow", [
		shows("Streaming Output (", "● Running"),
		shows(/│ ▶ read: \/Users\/nicobailon/),
		whenWide(shows(/^ {5}│ ▶ read: \/Users\/nicobailon\/Documents\/.*\.\.\.│$/m, /╰─{88}╯/)),
		press("up"),
		press("escape"),
		lacks("Streaming Output"),
	]),
	qa("edge", [
		shows("Edge Test", "Verify right border"),
		whenWide(until("the box at the edge", (screen) => screen.split("\n").some((row) => [...row].length === 100 && row.endsWith("╮")))),
		press("escape"),
		lacks("Edge Test"),
	]),
	qa("percent", [
		...[
			["rowPercent: 0 (top)", 35, 0],
			["rowPercent: 50 (middle)", 35, 11],
			["rowPercent: 100 (bottom)", 35, 22],
			["colPercent: 0 (left)", 0, 11],
			["colPercent: 100 (right)", 70, 11],
		].flatMap(([name, column, row], index) => [
			...(index === 0 ? [] : [types(" ")]),
			shows(name),
			whenWide(corner("Percent Test", column, row)),
		]),
		press("escape"),
		lacks("Percent Test"),
	]),
	qa("maxheight", [
		shows("MaxHeight Test", "Line 6 of 14"),
		lacks("Line 7 of 14", "╰"),
		press("escape"),
		lacks("MaxHeight Test"),
	]),
	qa("sidepanel", [
		whenWide(
			shows("Responsive Sidepanel", "→ Dashboard"),
			press("down"),
			shows("→ Messages"),
			until("the margin", (screen) => screen.split("\n").some((row) => [...row].length === 99 && row.endsWith("╮"))),
			press("escape"),
			lacks("Sidepanel"),
		),
		// Below a width of 100 it is not in sight: it has no keys either.
		whenNarrow(
			lacks("Responsive", "→ overlay-sidepanel"),
			until("the regular screen", (_, { isAlternate }, { mode }) => isAlternate === (mode === "fullscreen")),
			types("seen"),
			shows("seen"),
			press("ctrl+u"),
			lacks("seen"),
		),
	]),
	qa("toggle", [
		shows("Toggle count: 0"),
		types("t"),
		lacks("Toggle Demo"),
		shows("Toggle count: 1"),
		press("escape"),
		lacks("Toggle"),
	]),
	qa("passive", [
		shows("focused=true", "Timer", "nonCapturing: true"),
		whenWide(shows("Non-Capturing Demo")),
		types("abc"),
		shows("> abc", "inputs=3"),
		shows("00:01"),
		press("backspace"),
		shows("inputs=4"),
		press("escape"),
		lacks("Non-Capturing", "Timer"),
	]),
	qa("focus", [
		shows("Current focus: Controller"),
		whenWide(shows("Focus + Input Demo")),
		press("tab"),
		shows("Alpha FOCUSED"),
		whenWide(shows("Current focus: Alpha")),
		types("one"),
		whenWide(shows(/Input: > one/, 'Keys: "o" "n" "e"')),
		press("tab"),
		shows("Beta FOCUSED"),
		whenWide(shows("Current focus: Beta")),
		types("two"),
		press("tab"),
		shows("Gamma FOCUSED"),
		whenWide(shows("Current focus: Gamma")),
		press("shift+tab"),
		shows("Beta FOCUSED"),
		whenWide(shows(/Input: > two/)),
		// The one that has the keys lies on top, and the one that goes leaves them to the next.
		press("escape"),
		lacks("Beta"),
		shows("Gamma FOCUSED"),
		press("ctrl+c"),
		lacks("Focus + Input Demo", "Gamma", "Alpha"),
	]),
	qa("streaming", [
		shows("Current focus: Controller", "Streaming line"),
		whenWide(shows("(this panel)", "Streaming + Input Test")),
		// The panel that has the keys lies on top.
		press("tab"),
		types("xyz"),
		shows("> xyz"),
		press("tab"),
		types("uvw"),
		shows("> uvw"),
		press("escape"),
		lacks("Streaming + Input", "Panel"),
	]),
	qa("animation", [
		shows("Animation Demo (~30 FPS)", /Frame: \d{2}/),
		shows(/FPS: [1-9]/),
		press("escape"),
		lacks("Animation"),
	]),
];
