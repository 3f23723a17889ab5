// Examples that are commands of the user.

import assert from "node:assert/strict";
import { call, say } from "../driver.mjs";

const DONE = say("Done.");

export const COMMAND_CASES = [
	{
		example: "bookmark",
		prompts: ["/bookmark", "Hi", "/bookmark here", "/unbookmark"],
		script: [DONE],
		check(seen) {
			const answer = seen.entries("message").find(({ message }) => message.role === "assistant");
			const labels = seen.entries("label").map(({ targetId, label }) => [targetId, label]);
			assert.deepEqual(labels, [[answer.id, "here"], [answer.id, undefined]]);
			const notes = seen.ui("notify").map(([text]) => text);
			assert.deepEqual(notes, ["No assistant message to bookmark", "Bookmarked as: here", "Removed bookmark: here"]);
		},
	},
	{
		example: "commands",
		with: ["hello", "pirate"],
		prompts: ["/commands extension"],
		answers: { select: ["/pirate - Toggle pirate mode (agent speaks like a pirate)"], confirm: [true] },
		check(seen, set, paths) {
			const [title, items] = seen.ui("select")[0];
			assert.equal(title, "Available Commands");
			assert.equal(items[0], "--- Extensions ---");
			assert.ok(items.includes("/commands - List available slash commands"));
			// What the first generation reads of a command is no longer there in the reference.
			if (set === "current") assert.equal(seen.ui("notify").at(-1)[0], paths.pirate);
		},
	},
	{
		example: "event-bus",
		what: "talks to another extension",
		prompts: ["/emit hi there"],
		check(seen) {
			const [started, emitted] = seen.probe("bus");
			assert.deepEqual(started, { message: "Session started", from: "event-bus-example" });
			assert.deepEqual(emitted, { message: "hi there", from: "/emit command" });
			assert.equal(seen.ui("notify").at(-1)[0], "Event from /emit command: hi there");
		},
	},
	{
		example: "entry-renderer",
		sets: ["current"],
		what: "keeps an entry that the model does not see",
		prompts: ["/status-card All is well", "Hi"],
		script: [DONE],
		check(seen) {
			assert.equal(seen.entries("status-card")[0].data.message, "All is well");
			assert.doesNotMatch(seen.messages(0), /All is well/);
		},
	},
	{
		example: "message-renderer",
		what: "keeps a message that the model sees",
		prompts: ["/status warn All is well", "Hi"],
		script: [DONE],
		check(seen) {
			const [{ type, content, details, display }] = seen.entries("status-update");
			assert.deepEqual([type, content, details.level, display], ["custom_message", "All is well", "warn", true]);
			assert.match(seen.messages(0), /All is well/);
		},
	},
	{
		example: "send-user-message",
		// The reference ends before the answers to such messages.
		unlessReference: true,
		runs: ["/ask What is it?", "/askwith Why?", "/steer Now", "/followup Then", "/ask"].map((prompt) => ({
			prompts: [prompt],
			script: prompt === "/ask" ? [] : [DONE],
		})),
		check(seen) {
			const users = [0, 1, 2, 3].map((number) => seen.user(number));
			assert.deepEqual(users, ["What is it?", "User request: Why?\nPlease respond concisely.", "Now", "Then"]);
			assert.deepEqual(seen.ui("notify"), [["Usage: /ask <message>", "warning"]]);
		},
	},
	{
		example: "session-name",
		prompts: ["/session-name", "/session-name a good name", "/session-name", "Hi"],
		script: [DONE],
		check(seen) {
			assert.equal(seen.entries("session_info").at(-1).name, "a good name");
			const notes = seen.ui("notify").map(([text]) => text);
			assert.deepEqual(notes, ["No session name set", "Session named: a good name", "Session: a good name"]);
		},
	},
	{
		example: "timed-confirm",
		prompts: ["/timed", "/timed-select", "/timed-signal", "/timed"],
		answers: { confirm: [true], select: ["Option B"] },
		check(seen) {
			assert.deepEqual(seen.ui("confirm")[0][2], { timeout: 5000 });
			const notes = seen.ui("notify").map(([text]) => text);
			assert.deepEqual(notes, [
				"Confirmed by user!",
				"Selected: Option B",
				"Dialog will auto-cancel in 5 seconds...",
				"Cancelled by user",
				"Cancelled or timed out",
			]);
		},
	},
];

const REPOSITORY = "git init -q -b main .; git config user.email a@b; git config user.name n; echo one > f; git add .; git commit -qm first";

export const GIT_CASES = [
	{
		example: "auto-commit-on-exit",
		setup: REPOSITORY,
		script: [call(["c1", "write", { path: "f", content: "two" }]), say("I wrote two.\nMore.")],
		check(seen) {
			assert.equal(seen.shell("git log --format=%s"), "[pi] I wrote two.\nfirst\n");
			assert.equal(seen.shell("git status --porcelain"), "");
		},
	},
	{
		example: "git-checkpoint",
		what: "stashes before each turn",
		setup: `${REPOSITORY}; echo dirty > f`,
		script: [call(["c1", "write", { path: "f", content: "two\n" }]), DONE],
		check(seen) {
			const stashes = seen.shell("git fsck --lost-found 2>/dev/null | cut -d' ' -f3").trim().split("\n");
			const contents = stashes.map((commit) => seen.shell(`git show ${commit}:f`));
			assert.deepEqual(contents.sort(), ["dirty\n", "two\n"]);
			assert.equal(seen.file("work/f"), "two\n");
		},
	},
	{
		example: "git-merge-and-resolve",
		sets: ["current"],
		what: "asks the model to resolve a conflict",
		setup: [
			REPOSITORY,
			"git init -q --bare -b main ../origin; git remote add origin ../origin; git push -qu origin main",
			"git clone -q ../origin ../other; cd ../other; git config user.email a@b; git config user.name n",
			"echo theirs > f; git commit -qam theirs; git push -q; cd ../work; echo ours > f; git commit -qam ours",
		].join("\n"),
		script: [say("Hello."), call(["c1", "bash", { command: "echo both > f; git commit -qam merged" }]), DONE],
		check(seen) {
			assert.match(seen.user(1), /^Merged origin\/main with conflicts:\n\n {2}f:1-5 \(ours 2, theirs 4\)\n\nResolve/);
			assert.equal(seen.shell("git log --merges --format=%s"), "merged\n");
		},
	},
];
