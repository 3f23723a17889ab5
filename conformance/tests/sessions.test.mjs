// Sessions pass from one program to the other and back.

import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { selfCheck } from "../lib/agents.mjs";
import { ENTRY_TYPES, writeEveryEntry } from "../lib/every-entry.mjs";
import { assertNoStaleRows, assertSame } from "../lib/differences.mjs";
import { makeHome } from "../lib/home.mjs";
import { normaliser } from "../lib/normalise.mjs";
import { FILES, TOOLS } from "../lib/scripts.mjs";
import { ask, conversation, MANAGERS, openIn, readSession, wire, withoutSystemEntries } from "../lib/sessions.mjs";

const NOWHERE = "http://127.0.0.1:9";
const FORMATS = ["anthropic", "openai"];
/** The published versions whose sessions tau takes over and hands back; the files of both formats are of one kind. */
const VERSIONS_OF = { anthropic: Object.keys(MANAGERS), openai: ["reference"] };
/** Extensions whose commands write entries. */
const ACTING = ["recorder.mjs", "acts.mjs"].flatMap((name) => ["--extension", fileURLToPath(new URL(`../traces/${name}`, import.meta.url))]);
const ANSWER = "The file is changed.";

/** A home that is removed at the end of the test. */
function homeFor(t) {
	const home = makeHome({ origin: NOWHERE, files: FILES });
	t.after(() => home.remove());
	return home;
}

/** `program` changes a file with tools; the session file it leaves, and its last request. */
async function toolSession(program, home, format) {
	const result = await ask(program, home, format, TOOLS, ["-p", "Change beta"]);
	assert.equal(result.code, 0, result.stderr);
	assert.equal(result.stdout, `${ANSWER}\n`);
	assert.equal(result.stepsLeft, 0);
	const files = home.sessions();
	assert.equal(files.length, 1, "one session file");
	return { file: files[0], history: [...conversation(result.bodies.at(-1)), wire[format].assistant(ANSWER)] };
}

for (const format of FORMATS) {
	const versions = VERSIONS_OF[format];
	describe(`${format}: sessions of both programs`, () => {
		for (const version of versions) test(`a session written by tau opens in the ${version}`, async (t) => {
			const home = homeFor(t);
			const { file } = await toolSession("tau", home, format);
			const { manager, entries, messages } = openIn(version, file);

			assert.equal(manager.getHeader().version, 3);
			assert.equal(manager.getCwd(), home.work);
			assert.deepEqual(
				entries.map((entry) => entry.parentId),
				[null, ...entries.slice(0, -1).map((entry) => entry.id)],
				"each entry is the child of the one before",
			);
			assert.equal(manager.getTree().length, 1, "one root");
			assert.equal(manager.getLeafId(), entries.at(-1).id);
			assert.deepEqual(
				messages.map(({ role }) => role),
				["user", "assistant", "toolResult", "toolResult", "assistant", "toolResult", "assistant"],
			);
			assert.deepEqual(messages.at(-1).content, [{ type: "text", text: ANSWER }]);
			if (!selfCheck) {
				assert.deepEqual(entries.filter(({ message }) => message?.role === "system"), [], "no stored prompt");
			}
			const [listed] = await MANAGERS[version].list(home.work, join(file, ".."));
			assert.equal(listed.path, file);
			assert.equal(listed.firstMessage, "Change beta");
		});

		test("both programs write the same entries", async (t) => {
			const [first, second] = [homeFor(t), homeFor(t)];
			const reference = await toolSession("reference", first, format);
			const tau = await toolSession("tau", second, format);
			const entries = ({ file }, home) => withoutSystemEntries(readSession(file)).map(normaliser(home));
			assertSame("session", "session file", entries(reference, first), entries(tau, second));
		});

		test("both programs put the file in the same place under the same kind of name", async (t) => {
			const shape = ({ file }, home) =>
				file
					.slice(home.agent.length)
					.replace(home.work.slice(1).replaceAll("/", "-"), "WORK")
					.replace(/\d/g, "0")
					.replace(/_[0-9a-f-]{36}\./, "_ID.");
			const [first, second] = [homeFor(t), homeFor(t)];
			const reference = await toolSession("reference", first, format);
			const tau = await toolSession("tau", second, format);
			assert.equal(shape(tau, second), shape(reference, first));
		});

		for (const [writer, reader] of versions.flatMap((version) => [["tau", version], [version, "tau"]])) {
			for (const how of ["--continue", "--session PATH", "--session ID"]) {
				test(`the ${reader} continues a session of the ${writer} with ${how}`, async (t) => {
					const home = homeFor(t);
					const { file, history } = await toolSession(writer, home, format);
					const before = readFileSync(file);
					const id = readSession(file)[0].id;
					const choose = { "--continue": ["-c"], "--session PATH": ["--session", file], "--session ID": ["--session", id] };
					const next = await ask(reader, home, format, [{ text: "Yes." }], [...choose[how], "-p", "Is it so?"]);

					assert.equal(next.code, 0, next.stderr);
					assert.equal(next.stdout, "Yes.\n");
					assert.deepEqual(conversation(next.bodies[0]), [...history, wire[format].user("Is it so?")]);
					assert.deepEqual(home.sessions(), [file], "the same file goes on");
					assert.ok(readFileSync(file).subarray(0, before.length).equals(before), "nothing written before is touched");
					for (const version of versions) {
						assert.deepEqual(openIn(version, file).messages.at(-1).content, [{ type: "text", text: "Yes." }]);
					}
				});
			}
		}

		test("a session goes back and forth", async (t) => {
			const home = homeFor(t);
			const { file, history } = await toolSession("tau", home, format);
			const expected = [...history];
			for (const [turn, program] of ["reference", "tau", "previous", "tau", "tau", "reference", "previous", "tau"].entries()) {
				const next = await ask(program, home, format, [{ text: `Answer ${turn}.` }], ["-c", "-p", `Question ${turn}`]);
				expected.push(wire[format].user(`Question ${turn}`));
				assert.deepEqual(conversation(next.bodies[0]), expected, `turn ${turn} by the ${program}`);
				expected.push(wire[format].assistant(`Answer ${turn}.`));
			}
			assert.deepEqual(home.sessions(), [file]);
		});
	});

	for (const [version, leaf] of versions.flatMap((version) => [[version, "main"], [version, "side"]])) {
		describe(`${format}: a session of the ${version} with every type of entry, on its ${leaf} branch`, () => {
			/** The same file twice, one for each program. */
			const prepare = (t) => {
				const home = homeFor(t);
				const { file } = writeEveryEntry(MANAGERS[version], { work: home.work, directory: join(home.agent, "sessions"), format, leaf });
				const copy = file.replace(/\.jsonl$/, "-copy.jsonl");
				copyFileSync(file, copy);
				return { home, theirs: file, tau: copy };
			};
			const finish = (program, home, file, options) =>
				ask(program, home, format, [{ text: "All of it." }], ["--session", file, "-p", "What do you remember?"], options);

			test("the file has every type of entry", (t) => {
				const types = readSession(prepare(t).theirs).map(({ type }) => type);
				assert.deepEqual([...new Set(types)].sort(), [...ENTRY_TYPES, "session"].sort());
			});

			test("both programs send the same messages", async (t) => {
				const { home, theirs, tau } = prepare(t);
				const [expected, actual] = [await finish(version, home, theirs), await finish("tau", home, tau)];
				assert.equal(actual.code, 0, actual.stderr);
				assertSame("conversation", "messages", conversation(expected.bodies[0]), conversation(actual.bodies[0]));
			});

			test("both programs take model and thinking level from the session", async (t) => {
				const { home, theirs, tau } = prepare(t);
				const settings = ({ bodies: [body] }) => [
					body.model,
					body.thinking,
					body.reasoning_effort,
					body.max_tokens ?? body.max_completion_tokens,
				];
				const expected = await finish(version, home, theirs, { model: false });
				const actual = await finish("tau", home, tau, { model: false });
				assert.equal(actual.code, 0, actual.stderr);
				assert.deepEqual(settings(actual), settings(expected));
			});

			test("tau only appends, and the writer sees the same session after it", async (t) => {
				const { home, tau } = prepare(t);
				const before = { bytes: readFileSync(tau), view: openIn(version, tau) };
				await finish("tau", home, tau);
				assert.ok(readFileSync(tau).subarray(0, before.bytes.length).equals(before.bytes), "only appended");

				const view = openIn(version, tau);
				const { entries, manager } = before.view;
				assert.deepEqual(view.entries.slice(0, entries.length), entries);
				assert.equal(view.entries[entries.length].parentId, manager.getLeafId(), "it goes on at the leaf");
				assert.equal(view.manager.getSessionName(), "a session with everything");
				for (const { id } of entries) assert.equal(view.manager.getLabel(id), manager.getLabel(id));
				assert.deepEqual(view.messages.slice(0, before.view.messages.length), before.view.messages);
				assert.deepEqual(
					view.messages.slice(before.view.messages.length).map(({ role, content }) => [role, content]),
					[
						["user", [{ type: "text", text: "What do you remember?" }]],
						["assistant", [{ type: "text", text: "All of it." }]],
					],
				);
			});

			test("the writer continues what tau continued, and tau again", async (t) => {
				const { home, tau: file } = prepare(t);
				const first = await finish("tau", home, file);
				const expected = [...conversation(first.bodies[0]), wire[format].assistant("All of it.")];
				for (const [turn, program] of [version, "tau", version].entries()) {
					const next = await ask(program, home, format, [{ text: `Answer ${turn}.` }], ["--session", file, "-p", `Question ${turn}`]);
					assert.equal(next.code, 0, next.stderr);
					expected.push(wire[format].user(`Question ${turn}`));
					assertSame("conversation", `turn ${turn} by the ${program}`, expected, conversation(next.bodies[0]));
					expected.push(wire[format].assistant(`Answer ${turn}.`));
				}
			});

			test("tau adds every type of entry, goes to another place, and the writer reads it all", async (t) => {
				const { home, tau: file } = prepare(t);
				const before = readFileSync(file);
				const known = openIn(version, file).entries.length;
				const trace = join(home.root, "trace.jsonl");
				writeFileSync(trace, "");
				writeFileSync(join(home.agent, "settings.json"), JSON.stringify({ compaction: { keepRecentTokens: 5 } }));
				const said = ["Said.", "Said again.", "And once more.", "The way there.", "Second.", "The summary.", "Third."];
				const prompts = ["Say it", "/go tree", "Two", "/go compact", "/go choose", "Three"];
				const done = await ask("tau", home, format, said.map((text) => ({ text })), ["--session", file, ...ACTING, "-p", ...prompts], {
					env: { TRACE_FILE: trace, TRACE_ACT: "boundaries" },
				});
				assert.equal(done.code, 0, done.stderr);
				assert.equal(done.stepsLeft, 0);
				assert.ok(readFileSync(file).subarray(0, before.length).equals(before), "only appended");

				const { entries, manager } = openIn(version, file);
				const added = entries.slice(known);
				// Usage of its own is written for a cache that is kept warm, which tau does not do.
				assert.deepEqual([...new Set(added.map(({ type }) => type))].sort(), ENTRY_TYPES.filter((type) => type !== "usage"));
				const ids = new Set(entries.map(({ id }) => id));
				assert.equal(ids.size, entries.length, "every id stands once");
				assert.deepEqual(entries.slice(1).filter(({ parentId }) => !ids.has(parentId)), [], "every entry has a parent");
				assert.equal(manager.getLeafId(), entries.at(-1).id);
				assert.equal(manager.getSessionName(), "Kettle");
				const labelled = added.filter(({ type }) => type === "label");
				assert.deepEqual(labelled.map(({ targetId }) => manager.getLabel(targetId)), ["left", "first"]);

				const copy = file.replace(/\.jsonl$/, "-copy.jsonl");
				copyFileSync(file, copy);
				const [expected, actual] = [await finish(version, home, copy, { model: false }), await finish("tau", home, file, { model: false })];
				assert.equal(actual.code, 0, actual.stderr);
				assertSame("conversation", "messages", conversation(expected.bodies[0]), conversation(actual.bodies[0]));
				const other = format === "openai" ? "loop-a" : "loop-o";
				assert.deepEqual([expected.bodies[0].model, actual.bodies[0].model], [other, other]);
			});
		});
	}
}

describe("where a session is kept", () => {
	const SessionManager = MANAGERS.reference;
	const start = (program, home, args) => ask(program, home, "anthropic", [{ text: "Kept." }], [...args, "-p", "Keep it"]);

	test("--session with a path that does not exist starts a session there", async (t) => {
		for (const program of ["reference", "tau"]) {
			const home = homeFor(t);
			const file = join(home.work, "new.jsonl");
			const { code, stderr } = await start(program, home, ["--session", file]);
			assert.equal(code, 0, stderr);
			assert.deepEqual(openIn("reference", file).messages.map(({ role }) => role), ["user", "assistant"], program);
			assert.deepEqual(home.sessions(), []);
		}
	});

	test("--session-dir", async (t) => {
		for (const program of ["reference", "tau"]) {
			const home = homeFor(t);
			const directory = join(home.root, "elsewhere");
			await start(program, home, ["--session-dir", directory]);
			assert.deepEqual(home.sessions(), []);
			const [listed] = await SessionManager.list(home.work, directory);
			assert.equal(listed?.firstMessage, "Keep it", program);
		}
	});

	test("--no-session", async (t) => {
		for (const program of ["reference", "tau"]) {
			const home = homeFor(t);
			const { stdout } = await start(program, home, ["--no-session"]);
			assert.equal(stdout, "Kept.\n");
			assert.deepEqual(home.sessions(), [], program);
		}
	});

	test("--name", async (t) => {
		for (const program of ["reference", "tau"]) {
			const home = homeFor(t);
			await start(program, home, ["--name", "A name"]);
			assert.equal(openIn("reference", home.sessions()[0]).manager.getSessionName(), "A name", program);
		}
	});

	test("--continue takes the session of this directory that was used last", async (t) => {
		const home = homeFor(t);
		await start("reference", home, []);
		await start("tau", home, []);
		const [older, newer] = home.sessions();
		// The older file becomes the one used last.
		await ask("reference", home, "anthropic", [{ text: "Touched." }], ["--session", older, "-p", "Touch"]);
		assert.ok(statSync(older).mtimeMs > statSync(newer).mtimeMs);
		const { bodies } = await ask("tau", home, "anthropic", [{ text: "Here." }], ["-c", "-p", "Which?"]);
		assert.deepEqual(
			conversation(bodies[0]).map(({ content }) => content[0].text),
			["Keep it", "Kept.", "Touch", "Touched.", "Which?"],
		);
		assert.ok(existsSync(newer));
	});
});

after(() => {
	// A part of the tests cannot say which rows are stale.
	if (process.execArgv.some((arg) => arg.startsWith("--test-name-pattern"))) return;
	assertNoStaleRows(["session", "conversation"], ({ run }) => !run);
});
