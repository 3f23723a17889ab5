// Old and damaged session files: both programs read the same conversation
// out of them, and what tau leaves behind is whole again.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { selfCheck } from "../lib/agents.mjs";
import { assertNoStaleRows, assertSame } from "../lib/differences.mjs";
import { makeHome } from "../lib/home.mjs";
import { FILES } from "../lib/scripts.mjs";
import { ask, conversation, openIn } from "../lib/sessions.mjs";

const TIME = "2025-01-02T03:04:05.000Z";
const USAGE = {
	input: 1,
	output: 1,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 2,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const user = (content) => ({ type: "message", timestamp: TIME, message: { role: "user", content, timestamp: 1 } });
const assistant = (text) => ({
	type: "message",
	timestamp: TIME,
	message: {
		role: "assistant",
		content: [{ type: "text", text }],
		api: "anthropic-messages",
		provider: "loop-anthropic",
		model: "loop-a",
		usage: USAGE,
		stopReason: "stop",
		timestamp: 2,
	},
});

/** Gives entries ids and chains them. */
function chain(entries) {
	return entries.map((entry, index) => ({
		...entry,
		id: `0000000${index}`,
		parentId: index === 0 ? null : `0000000${index - 1}`,
	}));
}

const TALK = [user("One?"), assistant("One."), user([{ type: "text", text: "Two?" }]), assistant("Two.")];
const header = (cwd, version) => ({ type: "session", ...(version && { version }), id: "damaged-session", timestamp: TIME, cwd });
const jsonl = (values) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** Name to a function from the working directory to the file's text. */
const READABLE = {
	"a file of version 1": (cwd) => jsonl([header(cwd), ...TALK]),
	"a file of version 1 with a compaction": (cwd) =>
		jsonl([
			header(cwd),
			...TALK,
			{ type: "compaction", timestamp: TIME, summary: "One and two.", firstKeptEntryIndex: 3, tokensBefore: 100 },
			user("Three?"),
			assistant("Three."),
		]),
	"a file of version 2 with a hook message": (cwd) =>
		jsonl([
			header(cwd, 2),
			...chain([
				...TALK,
				{
					type: "message",
					timestamp: TIME,
					message: { role: "hookMessage", customType: "old", content: "From a hook.", display: true, timestamp: 3 },
				},
				assistant("Noted."),
			]),
		]),
	"a truncated last line": (cwd) => {
		const whole = jsonl([header(cwd, 3), ...chain(TALK)]);
		return `${whole}${JSON.stringify({ ...user("Lost"), id: "ffffffff", parentId: "00000003" }).slice(0, 60)}`;
	},
	"a line that is no JSON": (cwd) => {
		const lines = jsonl([header(cwd, 3), ...chain(TALK)]).split("\n");
		return [...lines.slice(0, 3), "{ this is no JSON", "", ...lines.slice(3)].join("\n");
	},
	"no newline at the end": (cwd) => jsonl([header(cwd, 3), ...chain(TALK)]).trimEnd(),
	"Windows line ends": (cwd) => jsonl([header(cwd, 3), ...chain(TALK)]).replaceAll("\n", "\r\n"),
	"an entry whose parent is missing": (cwd) => {
		const entries = chain(TALK);
		return jsonl([header(cwd, 3), ...entries.slice(0, 1), ...entries.slice(2)]);
	},
	"an entry type from the future": (cwd) =>
		jsonl([header(cwd, 3), ...chain([...TALK, { type: "hologram", timestamp: TIME, depth: 3 }, user("Four?"), assistant("Four.")])]),
	"fields from the future": (cwd) =>
		jsonl([{ ...header(cwd, 3), mood: "good" }, ...chain(TALK.map((entry) => ({ ...entry, colour: { r: 1 } })))]),
};

const REFUSED = {
	"a file that is no session": () => "Dear diary,\ntoday was a good day.\n",
	"a first line that is no header": (cwd) => jsonl([...chain(TALK), header(cwd, 3)]),
	"a header without an id": (cwd) => jsonl([{ type: "session", version: 3, timestamp: TIME, cwd }, ...chain(TALK)]),
};

/** Both programs on a copy of the file each. */
async function askBoth(t, content) {
	const home = makeHome({ origin: "http://127.0.0.1:9", files: FILES });
	t.after(() => home.remove());
	const results = {};
	for (const program of ["reference", "tau"]) {
		const file = join(home.root, `${program}.jsonl`);
		writeFileSync(file, content(home.work));
		const result = await ask(program, home, "anthropic", [{ text: "Fine." }], ["--session", file, "-p", "And now?"]);
		results[program] = { ...result, file, home };
	}
	return results;
}

describe("readable session files", () => {
	for (const [name, content] of Object.entries(READABLE)) {
		test(name, async (t) => {
			const { reference, tau } = await askBoth(t, content);
			assert.equal(reference.code, 0, reference.stderr);
			assert.equal(tau.code, 0, tau.stderr);
			assertSame("conversation", "messages", conversation(reference.bodies[0]), conversation(tau.bodies[0]));

			const roles = (file) => openIn("reference", file).messages.map(({ role, content }) => [role, content]);
			assertSame("session", "the continued file", roles(reference.file), roles(tau.file));
		});
	}
});

test("an empty file", async (t) => {
	const { reference, tau } = await askBoth(t, () => "");
	const outcome = ({ code, bodies }) => ({ code, requests: bodies.length });
	assertSame("session", "outcome", outcome(reference), outcome(tau), { run: "an empty file" });
	assert.equal(reference.code, 0, reference.stderr);
	if (!selfCheck) {
		assert.notEqual(tau.stderr, "", "the reason is on stderr");
		assert.equal(readFileSync(tau.file, "utf8"), "", "the file is untouched");
	}
});

describe("refused session files", () => {
	for (const [name, content] of Object.entries(REFUSED)) {
		test(name, async (t) => {
			const { reference, tau } = await askBoth(t, content);
			for (const { code, bodies, file, home, stderr } of [reference, tau]) {
				assert.notEqual(code, 0);
				assert.deepEqual(bodies, [], "nothing was sent");
				assert.notEqual(stderr, "", "the reason is on stderr");
				assert.equal(readFileSync(file, "utf8"), content(home.work), "the file is untouched");
			}
		});
	}
});

after(() => {
	// A part of the tests cannot say which rows are stale.
	if (process.execArgv.some((arg) => arg.startsWith("--test-name-pattern"))) return;
	assertNoStaleRows(["session"], ({ run }) => run);
});
