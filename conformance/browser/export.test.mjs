// Exported pages in a real browser: they show the session, and nothing in it runs.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run, selfCheck } from "../lib/agents.mjs";
import { findBrowser, open } from "../lib/browser.mjs";
import { writeEveryEntry } from "../lib/every-entry.mjs";
import { makeHome } from "../lib/home.mjs";
import { MANAGERS } from "../lib/sessions.mjs";

const ATTACKS = [
	"<script>document.title='owned'; document.documentElement.dataset.owned = 1</script>",
	"<img src=x onerror=\"document.title='owned'\">",
	"</script></style></title></pre><script>document.title='owned'</script>",
	"<svg onload=\"document.title='owned'\"></svg><iframe srcdoc=\"<script>top.document.title='owned'</script>\"></iframe>",
	"[a](javascript:document.title='owned') ![b](x\" onerror=\"document.title='owned')",
	"<meta http-equiv=\"refresh\" content=\"0;url=data:text/html,owned\"><base href=\"https://evil.example/\">",
];

const { command, reason } = selfCheck ? { reason: "the pages of the reference are others" } : findBrowser();
if (reason) console.log(`browser: skipped, ${reason}`);

async function exported(home, session, name, warning = /^$/) {
	const { stderr, ...done } = await run("tau", home, ["--export", session, name]);
	assert.deepEqual(done, { code: 0, signal: null, stdout: `Exported to: ${name}\n` });
	assert.match(stderr, warning);
	return join(home.work, name);
}

/** The texts of the elements of that name, with what stands for `<` and the like put back. */
const texts = (dom, name) =>
	[...dom.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^]*?)</${name}>`, "g"))].map(([, inner]) =>
		inner.replace(/<[^>]*>/g, "").replace(/&(lt|gt|quot|amp|nbsp);/g, (_, what) => ({ lt: "<", gt: ">", quot: '"', amp: "&", nbsp: "\u00a0" })[what]),
	);

test("a page shows every entry, with its style and its own script at work", { skip: reason ?? false }, async () => {
	const home = makeHome({ origin: "http://127.0.0.1:1" });
	try {
		const { file } = writeEveryEntry(MANAGERS.reference, { work: home.work, directory: home.agent, format: "anthropic", leaf: "main" });
		const before = readFileSync(file, "utf8");
		const page = await exported(home, file, "page.html");
		assert.equal(readFileSync(file, "utf8"), before);
		const { dom, colours } = await open(command, page);
		assert.deepEqual(texts(dom, "title"), ["a session with everything"]);
		const shown = texts(dom, "main")[0];
		for (const text of [
			"Words from before the compaction.",
			"Thoughts.",
			"I look twice.",
			"Command exited with code 3",
			"They talked about pixels.",
			"A hidden note with a picture.",
			"SECRET",
			"crossroads",
			"Aborted: Request was aborted",
			"Failed: 529 overloaded",
			"The main branch ended well.",
			"The end of the side branch.",
			"Welcome back.",
		])
			assert.ok(shown.includes(text), text);
		// Its script ran: the buttons that need it are there to be used.
		assert.equal((dom.match(/<button [^>]*>/g) ?? []).length, 2);
		assert.ok(!/<button [^>]*hidden/.test(dom));
		const pixels = [...colours.values()].reduce((sum, count) => sum + count, 0);
		assert.equal(pixels, 1200 * 1600);
		// A page, its cards, those of the user, lines, and text with soft edges.
		assert.ok(colours.size > 50, `${colours.size} colours`);
		assert.ok(Math.max(...colours.values()) < pixels * 0.95, "something is drawn");
		// With the style refused, the page would be plain white.
		assert.ok((colours.get(0xeaf2fb) ?? 0) > 1000, "messages of the user stand on their colour");
		const size = readFileSync(page).length;
		console.log(`browser: ${texts(dom, "article").length} entries, ${size} bytes, ${colours.size} colours on the screenshot`);
	} finally {
		home.remove();
	}
});

test("nothing of a hostile session runs", { skip: reason ?? false }, async () => {
	const home = makeHome({ origin: "http://127.0.0.1:1" });
	try {
		const file = join(home.work, "hostile.jsonl");
		writeFileSync(file, hostile());
		const { dom } = await open(command, await exported(home, file, "hostile.html", /^Warning: .*: 6 lines have problems .*: line 6: unknown message role/));
		assert.deepEqual(texts(dom, "title"), [ATTACKS[0]]);
		assert.match(dom, /<html lang="en">/);
		assert.equal((dom.match(/<script/g) ?? []).length, 1);
		assert.equal((dom.match(/<(iframe|svg|base|object|embed|form|link)/g) ?? []).length, 0);
		assert.deepEqual((dom.match(/<img [^>]*>/g) ?? []).filter((image) => !/ src="data:image\/png;/.test(image)), []);
		const shown = texts(dom, "main")[0];
		for (const attack of ATTACKS.slice(0, 4)) assert.ok(shown.includes(attack), attack);
		console.log(`browser: ${ATTACKS.length} attacks in every field, none ran`);
	} finally {
		home.remove();
	}
});

/** A session whose every field is an attack. */
function hostile() {
	const lines = [{ type: "session", version: 3, id: ATTACKS[0], timestamp: ATTACKS[1], cwd: ATTACKS[2], parentSession: ATTACKS[3] }];
	let parentId = null;
	const add = (entry) => {
		const id = `${lines.length}${ATTACKS[lines.length % ATTACKS.length]}`;
		lines.push({ ...entry, id, parentId, timestamp: ATTACKS[1] });
		parentId = id;
	};
	for (const attack of ATTACKS) {
		const content = [
			{ type: "text", text: attack },
			{ type: "image", data: attack, mimeType: "text/html" },
			{ type: "image", data: "AAAA", mimeType: attack },
		];
		const call = { type: "toolCall", id: attack, name: attack, arguments: { [attack]: attack, path: attack } };
		add({ type: "message", message: { role: "user", content, timestamp: 1 } });
		add({ type: "message", message: { role: "assistant", content: [{ type: "thinking", thinking: attack }, ...content, call], provider: attack, model: attack, stopReason: "error", errorMessage: attack, timestamp: 1 } });
		add({ type: "message", message: { role: "toolResult", toolCallId: attack, toolName: attack, content, details: { diff: attack }, isError: true, timestamp: 1 } });
		add({ type: "message", message: { role: "bashExecution", command: attack, output: `\u001b[31m${attack}`, fullOutputPath: attack, timestamp: 1 } });
		add({ type: "message", message: { role: attack, timestamp: 1 } });
		add({ type: "compaction", summary: attack, firstKeptEntryId: attack, tokensBefore: 1, details: { [attack]: attack } });
		add({ type: "branch_summary", summary: attack, fromId: attack });
		add({ type: "custom", customType: attack, data: attack });
		add({ type: "custom_message", customType: attack, content: attack, display: true, details: attack });
		add({ type: "label", targetId: parentId, label: attack });
		add({ type: "model_change", provider: attack, modelId: attack });
		add({ type: "thinking_level_change", thinkingLevel: attack });
		add({ type: attack, [attack]: attack });
	}
	add({ type: "session_info", name: ATTACKS[0] });
	return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
