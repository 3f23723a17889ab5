// The keys of vi in the editor, and the same keys in Vim: random commands in short texts.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findProgram } from "../lib/programs.mjs";
import { randomFrom } from "../lib/random.mjs";

const { command: vim, reason } = findProgram("Vim", ["vim"], "--version");

/** How many sequences are compared. */
const COUNT = 1000;
/**
 * Of these so many may end with another text. Vim's word objects go on in the next line, its `b` and `ge` give up where there
 * is less text than they count, and it changes the case of a line where an operator has no text: see docs/terminal.md.
 */
const MOST = 40;

const LINES = [
	"foo bar baz", "  indented line", "a", "", "foo(bar, baz) {", '  if (x) { y[1] = "q s"; }', "}", "say 'hi there', ok",
	"one  two   three  ", "x.y->z = w;", "ends with space ", "Hello World", "été déjà vu", "日本 text 語", "last (deep (er) one) end",
	'"a" and "b c" x', "  ", "word",
];
const MOTIONS = [
	"h", "l", " ", "j", "k", "+", "-", "_", "0", "^", "$", "g_", "|", "gg", "G", "w", "W", "b", "B", "e", "E", "ge", "gE", "}", "{",
	"%", ";", ",", "fa", "fo", "t ", "To", "F ", "f(", "te",
];
const OBJECTS = ["i", "a"].flatMap((way) => ["w", "W", '"', "'", "(", "{", "[", "b", "B", "p"].map((kind) => way + kind));
const OPERATORS = ["d", "c", "y", ">", "<", "g~", "gu", "gU"];
const COMMANDS = [
	"x", "X", "D", "C", "s", "S", "Y", "~", "J", "gJ", "p", "P", "u", ".", "i", "a", "I", "A", "o", "O", "rz", "dd", "cc", "yy", ">>",
	"<<", "g~~", "guu", "gUU", "\x12",
];
const INSERTING = ["i", "a", "I", "A", "o", "O", "s", "S", "C", "cc"];
const SELECTED = ["d", "x", "D", "c", "y", "Y", ">", "<", "~", "u", "U", "J", "gJ", "p", "rq", "gU"];

function sequences(seed) {
	const { next, one, below } = randomFrom(seed);
	const count = (often) => (next() < often ? String(1 + below(4)) : "");
	const atom = () => {
		const kind = next();
		if (kind < 0.25) return count(0.2) + one(MOTIONS);
		if (kind < 0.65) {
			const operator = one(OPERATORS);
			const target = kind < 0.5 ? count(0.15) + one(MOTIONS) : one(OBJECTS);
			return count(0.1) + operator + target + (operator === "c" ? "new\x1b" : "");
		}
		if (kind < 0.85) {
			const command = one(COMMANDS);
			return count(0.2) + command + (INSERTING.includes(command) ? "ins\x1b" : "");
		}
		if (kind < 0.9) return `${count(0.1)}.`;
		const moves = Array.from({ length: below(3) }, () => count(0.1) + one(MOTIONS)).join("");
		const command = one(SELECTED);
		return `${one(["v", "V"])}${moves}${command}${command === "c" ? "vis\x1b" : ""}\x1b`;
	};
	return Array.from({ length: COUNT }, () => {
		const lines = Array.from({ length: 1 + below(6) }, () => one(LINES));
		const line = below(lines.length);
		const column = Buffer.byteLength([...lines[line]].slice(0, below([...lines[line]].length || 1)).join(""));
		const keys = Array.from({ length: 1 + below(3) }, atom).join("");
		// Both know what `.` and `;` repeat, and have something to put.
		const begin = `ix\x1bufQ${lines[line] ? "yl" : ""}`;
		return [lines.join("\n"), line, column, begin + keys];
	});
}

/** A string of Vim's scripts. */
const quoted = (text) => `"${text.replace(/[\\"]/g, "\\$&").replaceAll("<", "\\<lt>").replaceAll("\n", "\\n").replaceAll("\x1b", "\\<Esc>").replaceAll("\x12", "\\<C-r>")}"`;

function ofVim(cases) {
	const folder = mkdtempSync(join(tmpdir(), "tau-vim-"));
	const [script, output] = [join(folder, "script.vim"), join(folder, "output")];
	const lines = ["set encoding=utf-8 shiftwidth=4 softtabstop=4 expandtab shiftround nojoinspaces noautoindent", "let g:out = []"];
	for (const [text, line, column, keys] of cases) {
		lines.push(
			"enew!",
			"set shiftwidth=4 expandtab",
			`call setline(1, split(${quoted(text)}, "\\n", 1))`,
			// What was set is a step of the past of its own.
			"let &undolevels = &undolevels",
			"call setreg('\"', '')",
			"call setcharsearch({'char': ''})",
			`call cursor(${line + 1}, ${column + 1})`,
			`execute 'silent! normal! ' . ${quoted(`${keys}\x1b`)}`,
			"call add(g:out, json_encode(join(getline(1, '$'), \"\\n\")))",
		);
	}
	lines.push(`call writefile(g:out, ${quoted(output)})`, "qa!");
	writeFileSync(script, `${lines.join("\n")}\n`);
	try {
		spawnSync(vim, ["-u", "NONE", "-N", "-i", "NONE", "-n", "-es", "-S", script]);
		return readFileSync(output, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function ofTau(cases) {
	const input = cases.map((one) => `${JSON.stringify(one)}\n`).join("");
	const cwd = fileURLToPath(new URL("../..", import.meta.url));
	// It is built with the tests of the workspace.
	const built = join(dirname(process.env.TAU_BIN ?? ""), "examples", "vi");
	const [command, ...args] = existsSync(built) ? [built] : ["cargo", "run", "--quiet", "--package", "tau-view", "--example", "vi"];
	const done = spawnSync(command, args, { cwd, input, encoding: "utf8" });
	assert.equal(done.status, 0, done.stderr);
	return done.stdout.trimEnd().split("\n").map((line) => JSON.parse(line)[0]);
}

test("random commands of vi do to a text what they do in Vim", { skip: reason }, () => {
	const cases = sequences(7);
	const [expected, results] = [ofVim(cases), ofTau(cases)];
	assert.equal(expected.length, COUNT);
	const different = cases.flatMap(([text, line, column, keys], at) =>
		expected[at] === results[at] ? [] : [{ text, line, column, keys, vim: expected[at], tau: results[at] }],
	);
	assert.ok(different.length <= MOST, `${different.length} differ: ${JSON.stringify(different, null, 1)}`);
	console.log(`# ${different.length} of ${COUNT} differ`);
});
