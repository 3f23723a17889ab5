// A session whose user answers what servers ask: in RPC mode, where a client shows dialogs.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { Rpc } from "../lib/rpc.mjs";

/**
 * Calls tools, a call a request. `answers(request)` gives what is answered to a dialog.
 * @returns what was declared at first, the dialogs as `[method, title, options]`, and the texts of the results
 */
export async function ask(program, servers, calls, answers) {
	const steps = calls.map((name, at) => ({ toolCalls: [{ id: `call_${at}`, name, args: {} }] }));
	const model = await startLoopback([...steps, { text: "Done." }]);
	const home = makeHome({ origin: model.origin });
	writeFileSync(join(home.agent, "mcp.json"), JSON.stringify({ mcpServers: servers }));
	const dialogs = [];
	const rpc = new Rpc(program, home, ["--model", MODELS.anthropic], {
		answers(request) {
			if (!["select", "confirm", "input"].includes(request.method)) return undefined;
			dialogs.push([request.method, request.title, request.options]);
			return answers(request);
		},
	});
	try {
		await rpc.prompt("Use the servers");
		await rpc.close();
		const ends = rpc.records.filter(({ type }) => type === "tool_execution_end");
		return {
			declared: model.bodies()[0].tools.map(({ name }) => ({ name })),
			dialogs,
			results: ends.map(({ result }) => result.content.map(({ text }) => text).join("\n")),
		};
	} finally {
		rpc.child.kill("SIGKILL");
		await model.close();
		home.remove();
	}
}

/** Answers to the form of server-everything, by the title of the field; all others are left out. */
const FORM = {
	String: { value: "Ada" },
	Boolean: { value: "Yes" },
	"Integer": { value: "7" },
	"Untitled Multiple Select Enum": { value: "Violin" },
	"Titled Single Select Enum": { value: "Wonder Woman" },
	"Legacy Titled Single Select Enum": { value: "Fish" },
};

export function fillIn({ method, title, options = [] }) {
	const field = /\(([^()]*)\)(?: — .*)?(?:: .*)?$/.exec(title)?.[1];
	// What was chosen of several stands behind the title.
	if (options.includes("Done")) return { value: "Done" };
	if (FORM[field]) return FORM[field];
	return { value: method === "select" ? "Leave it out" : "" };
}
