// An original hook that writes down what it is told and with which context, a line each, into the file RECORDED.
import { appendFileSync } from "node:fs";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const plain = (_key: string, value: unknown) => (typeof value === "function" ? "(function)" : value);

export default function (pi: HookAPI) {
	const write = (event: any, { cwd, hasUI, sessionFile, ui }: any, ran?: unknown) => {
		const methods = ["select", "confirm", "input", "notify"].every((name) => typeof ui[name] === "function");
		const record = { event, context: { cwd, hasUI, sessionFile, methods, ran } };
		appendFileSync(process.env.RECORDED!, `${JSON.stringify(record, plain)}\n`);
	};
	const record = async (event: any, ctx: any) => write(event, ctx);
	pi.on("session", async (event, ctx) => {
		const { stdout, stderr, code } = await ctx.exec("sh", ["-c", "echo out; echo err >&2; exit 4"]);
		const missing = await ctx.exec("no-such-program", []);
		write(event, ctx, [stdout, stderr, code, missing.stdout, missing.code]);
	});
	pi.on("agent_start", record);
	pi.on("agent_end", record);
	pi.on("turn_start", record);
	pi.on("turn_end", record);
	pi.on("tool_call", record);
	pi.on("tool_result", record);
}
