// The npm packages that extend pi do their main job in tau.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { call, play, report, say } from "../extensions/driver.mjs";

const modules = fileURLToPath(new URL("../node_modules/", import.meta.url));

/** Some of these packages are large; how long a busy machine takes to load them is no matter of these tests. */
const SETTINGS = { tau: { limits: { softMs: 120_000, observeMs: 120_000, stretchMs: 120_000, loadMs: 600_000 } } };
const cache = mkdtempSync(join(tmpdir(), "conformance-cache-"));

/** Node, for servers that are child processes. */
const node = process.execPath;
const everything = `${modules}@modelcontextprotocol/server-everything/dist/index.js`;

const DIAGRAM = "graph LR\n  A[Parse] --> B[Check]";
const PAGE = `<!doctype html><html><head><title>Tide tables</title></head><body><nav><a href="/">Home</a></nav><article>
<h1>Tide tables</h1>
${Array.from({ length: 8 }, (_, day) => `<p>On day ${day + 1} the water is highest at ${day + 3} o'clock, which the harbour master wrote into the book with the sea-green cover.</p>`).join("\n")}
</article></body></html>`;

const pages = createServer((request, response) => {
	response.writeHead(request.url === "/tides" ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
	response.end(request.url === "/tides" ? PAGE : "");
});
before(() => new Promise((resolve) => pages.listen(0, "127.0.0.1", resolve)));
after(async () => {
	await new Promise((resolve) => pages.close(resolve));
	rmSync(cache, { recursive: true, force: true });
});

/** `package`, `what` and the fields of a case, see ../extensions/driver.mjs. */
const CASES = [
	{
		package: "pi-aliases",
		what: "/exit ends the program",
		prompts: ["/exit", "Hi"],
		stepsLeft: true,
		script: [say("Hello.")],
		check(seen) {
			// In print mode a shutdown takes effect when all prompts are done.
			assert.deepEqual(seen.probed("session_shutdown"), ["quit"]);
		},
	},
	{
		package: "pi-aliases",
		what: "/clear starts a new session",
		prompts: ["Hi", "/clear", "Hello"],
		script: [say("One."), say("Two.")],
		check(seen) {
			assert.doesNotMatch(seen.messages(1), /One\./);
			assert.equal(seen.home.sessions().length, 2);
		},
	},
	{
		package: "pi-mermaid",
		what: "draws the diagrams of an answer",
		prompts: ["Draw"],
		// The drawing is a message of its own, which the model sees.
		script: [say(`Here:\n\n\`\`\`mermaid\n${DIAGRAM}\n\`\`\`\n`), say("Done.")],
		check(seen) {
			const [{ details, display }] = seen.entries("pi-mermaid");
			assert.equal(display, true);
			assert.equal(details.source, DIAGRAM);
			assert.deepEqual(details.variants.map(({ presetKey }) => presetKey), ["default", "compact", "tight", "squeezed"]);
			assert.match(details.ascii, /│ Parse ├────►│ Check │/);
		},
	},
	{
		package: "pi-mermaid",
		what: "says what is wrong with a diagram",
		prompts: ["Draw ```mermaid\ngraph LR\n  A[Parse --> B\n```"],
		script: [say("Done.")],
		check(seen) {
			const [{ details }] = seen.entries("pi-mermaid");
			assert.equal(details.ascii, "[parse failed]");
			assert.match(details.issues[0].message, /^Mermaid parse error: Parse error on line 3:/);
		},
	},
	{
		package: "pi-prompt-template-model",
		what: "runs a template with its model and thinking level, then goes back",
		agentFiles: { "prompts/review.md": "---\ndescription: Review\nmodel: loop-openai/loop-o\nthinking: high\n---\nReview $@ now.\n" },
		prompts: ["/review the parser", "Thanks"],
		script: [say("Reviewed."), say("Welcome.")],
		check(seen) {
			assert.deepEqual(seen.requests.map(({ body }) => body.model), ["loop-o", "loop-a"]);
			assert.equal(seen.user(0), "Review the parser now.");
			assert.equal(seen.requests[0].body.reasoning_effort, "high");
		},
	},
	{
		package: "pi-subagents",
		what: "delegates a task to a child that is tau",
		// 0.34.0 is the newest version that runs each child as a process of its own without a worker thread around it:
		// those up to 0.49.0 run a script in a worker, later ones run the child with `createAgentSession`.
		agentFiles: {
			"agents/scout-one.md": "---\nname: scout-one\ndescription: Looks\ntools: read\nmodel: loop-anthropic/loop-a\n---\nYou look at one file.\n",
		},
		files: { "note.txt": "The word is heron.\n" },
		prompts: ["Ask the scout"],
		script: [
			call(["s1", "subagent", { agent: "scout-one", task: "Which word is in note.txt?", async: false, clarify: false }]),
			call(["r1", "read", { path: "note.txt" }]),
			say("The word is heron."),
			say("It says heron."),
		],
		check(seen) {
			assert.match(seen.system(1), /You look at one file\./);
			assert.deepEqual(seen.tools(1).filter((name) => name === "bash"), []);
			assert.match(seen.user(1), /Which word is in note\.txt\?/);
			const result = seen.tool("s1");
			assert.equal(result.isError, false);
			assert.match(result.text, /The word is heron\./);
		},
	},
	{
		package: "pi-mcp-adapter",
		what: "lists and calls the tools of a server",
		agentFiles: { "mcp.json": JSON.stringify({ mcpServers: { every: { command: node, args: [everything, "stdio"] } } }) },
		prompts: ["Use the server"],
		script: [
			call(["c1", "mcp", { connect: "every" }]),
			call(["l1", "mcp", { server: "every" }]),
			call(["t1", "mcp", { tool: "every_get-sum", args: { a: 19, b: 23 } }]),
			say("Done."),
		],
		check(seen) {
			assert.match(seen.tool("l1").text, /get-sum/);
			const result = seen.tool("t1");
			assert.equal(result.isError, false);
			assert.match(result.text, /\b42\b/);
		},
	},
	{
		package: "pi-web-access",
		what: "fetches a page as Markdown",
		agentFiles: { "web-search.json": JSON.stringify({ ssrf: { allowRanges: ["127.0.0.0/8"] } }) },
		prompts: ["Fetch it"],
		script: [
			call(["f1", "fetch_content", { get url() { return `http://127.0.0.1:${pages.address().port}/tides`; } }]),
			say("Done."),
		],
		check(seen) {
			const result = seen.tool("f1");
			assert.equal(result.isError, false);
			assert.match(result.text, /On day 8 the water is highest at 10 o'clock/);
			assert.doesNotMatch(result.text, /<p>/);
		},
	},
];

describe("packages", { concurrency: 2 }, () => {
	for (const item of CASES) {
		const { version } = JSON.parse(readFileSync(join(modules, item.package, "package.json"), "utf8"));
		test(`${item.package} ${version} ${item.what}`, async () => {
			const seen = await play("tau", [join(modules, item.package)], { ...item, agentSettings: SETTINGS, env: () => ({ XDG_CACHE_HOME: cache }) });
			try {
				assert.deepEqual(seen.outputs.map(({ code }) => code), [0]);
				assert.doesNotMatch(seen.outputs[0].stderr, /Failed to load extension|Extension error/);
				item.check(seen);
				if (!item.stepsLeft) assert.equal(seen.stepsLeft, 0, "the model was asked for each step");
			} catch (error) {
				error.stack += `\n${report(seen)}`;
				throw error;
			} finally {
				seen.home.remove();
			}
		});
	}
});
