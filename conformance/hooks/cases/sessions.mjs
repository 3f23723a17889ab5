// Hooks that guard sessions, and those that end with them.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { say } from "../driver.mjs";

const HI = say("Hello.");
const USER = "git config user.email a@b; git config user.name n";
const REPOSITORY = `git init -q .; ${USER}; echo one > f; git add .; git commit -qm first`;
const DIRTY = `${REPOSITORY}; echo two > f`;
const PROCEED = "Yes, proceed anyway";
const COMMIT_FIRST = "No, let me commit first";
const SESSIONS = fileURLToPath(new URL("../../extensions/helpers/sessions.ts", import.meta.url));

const original = ({ set }) => set.dialect === "original";
const went = (test) => test.probed().filter(({ went }) => went).map(({ went, cancelled }) => [went, cancelled]);

const guard = (what, more) => ({ hook: "dirty-repo-guard", what, setup: DIRTY, script: [HI], ...more });
const confirm = (what, more) => ({ hook: "confirm-destructive", what, ...more });

/** Tries to leave the session in each way; whether somebody was against it. */
async function leave(test) {
	const first = await test.file();
	return [await test.fork(), await test.renew(), await test.switchTo(first)];
}

export const SESSION_CASES = [
	guard("keeps the session where nobody can be asked", {
		with: [SESSIONS],
		prompts: ["Hi", "/go new", "/go first", "/go fork"],
		check(test) {
			assert.deepEqual(went(test), [["new", true], ["first", true], ["fork", true]]);
			assert.equal(test.home.sessions().length, 1);
		},
	}),
	guard("lets a clean repository go", {
		setup: REPOSITORY,
		terminal: true,
		play: async (test) => {
			await test.rpc.prompt("Hi");
			assert.deepEqual(await leave(test), [false, false, false]);
			assert.deepEqual(test.titles("select"), []);
		},
	}),
	guard("lets a folder go that is no repository", {
		setup: "true",
		play: async (test) => {
			await test.rpc.prompt("Hi");
			assert.deepEqual(await leave(test), [false, false, false]);
		},
	}),
	guard("asks, and does what the user says", {
		terminal: true,
		answers: { select: [COMMIT_FIRST, null, COMMIT_FIRST, PROCEED, PROCEED] },
		play: async (test) => {
			await test.rpc.prompt("Hi");
			const first = await test.file();
			assert.deepEqual(await leave(test), [true, true, true]);
			assert.equal(await test.file(), first);
			assert.deepEqual([await test.renew(), await test.switchTo(first)], [false, false]);
		},
		check(test) {
			const renew = original(test) && test.set.version === "0.27.9" ? "clear session" : "new session";
			const question = (action) => `You have 1 uncommitted file(s). ${action} anyway?`;
			assert.deepEqual(test.titles("select"), ["branch", renew, "switch session", renew, "switch session"].map(question));
			assert.deepEqual(test.notices(), Array(3).fill(["Commit your changes first", "warning"]));
		},
	}),

	confirm("is silent where nobody can be asked", {
		with: [SESSIONS],
		prompts: ["Hi", "/go new", "/go first", "/go fork"],
		script: [HI],
		check: (test) => assert.deepEqual(went(test), [["new", false], ["first", false], ["fork", false]]),
	}),
	confirm("asks before the session is left or branched", {
		terminal: true,
		script: [HI, HI],
		answers: {
			select: ["No, stay in current session", null, "Yes, create branch"],
			confirm: [false, true, false, true],
		},
		play: async (test) => {
			const { rpc, fork, renew, switchTo } = test;
			await rpc.prompt("Hi");
			const first = await test.file();
			assert.deepEqual([await fork(), await fork(), await renew()], [true, true, true]);
			assert.equal(await renew(), false);
			await rpc.prompt("Hi again");
			assert.deepEqual([await switchTo(first), await switchTo(first)], [true, false]);
			assert.equal(await test.file(), first);
			assert.equal(await fork(), false);
		},
		check(test) {
			const [clear, change] = ["Clear session?", "Switch session?"];
			assert.deepEqual(test.titles("confirm"), [clear, clear, change, change]);
			const questions = test.titles("select");
			const first = test.home.sessions()[0];
			const lines = test.shell(`cat '${first}'`).trim().split("\n").map((line) => JSON.parse(line));
			const at = lines.findIndex(({ message }) => message?.role === "user");
			// The original hooks name a place in the list of entries, the later ones the entry.
			const where = original(test) ? `turn ${at}` : `entry ${lines[at].id.slice(0, 8)}`;
			assert.deepEqual(questions, Array(3).fill(`Branch from ${where}?`));
			const notices = ["Branch cancelled", "Branch cancelled", "Clear cancelled", "Switch cancelled"];
			assert.deepEqual(test.notices(), notices.map((text) => [text, "info"]));
		},
	}),

	{
		hook: "auto-commit-on-exit",
		what: "commits once, when the program ends, with the last answer of the session that is open",
		terminal: true,
		setup: DIRTY,
		script: [say("An answer."), say("The last answer, which is so long that it does not fit.\nMore.")],
		play: async ({ rpc, renew, shell }) => {
			await rpc.prompt("Hi");
			assert.equal(await renew(), false);
			assert.equal(shell("git log --format=%s"), "first\n");
			await rpc.prompt("Hi again");
		},
		check(test) {
			const by = test.set.scope === "@mariozechner" ? "[pi]" : "[omp]";
			const subject = `${by} The last answer, which is so long that it does not...`;
			assert.equal(test.shell("git log --format=%s"), `${subject}\nfirst\n`);
			assert.equal(test.shell("git status --porcelain"), "");
			assert.deepEqual(test.notices(), [[`Auto-committed: ${subject}`, "info"]]);
		},
	},
	{
		hook: "auto-commit-on-exit",
		what: "leaves a clean repository as it is",
		setup: REPOSITORY,
		prompts: ["Hi"],
		script: [HI],
		check: (test) => assert.equal(test.shell("git log --format=%s"), "first\n"),
	},
];
