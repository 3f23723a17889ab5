// What most extensions do in a session: look at calls, keep something in the session, show a status.
import * as fs from "node:fs";
import * as path from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI) {
	let calls = 0;
	pi.on("session_start", async (_event, ctx) => {
		ctx.ui.setStatus("calls", "0 calls");
		calls = ctx.sessionManager.getEntries().length;
	});
	pi.on("before_agent_start", async (event) => ({ systemPrompt: `${event.systemPrompt}\nBe brief.` }));
	pi.on("tool_call", async (event, ctx) => {
		calls += 1;
		ctx.ui.setStatus("calls", `${calls} calls`);
		if (event.toolName === "bash" && /\brm -rf\b/.test(String(event.input.command))) {
			return { block: true, reason: "That removes too much." };
		}
		return undefined;
	});
	pi.on("tool_result", async () => undefined);
	pi.on("agent_end", async (_event, ctx) => {
		if (fs.existsSync(path.join(ctx.cwd, ".git"))) ctx.ui.setStatus("git", "in git");
	});
}
