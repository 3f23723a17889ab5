// As `recorder.ts`, for the reasons of `session` that came in the last versions with original hooks, and what they bring.
import { appendFileSync } from "node:fs";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

const KNOWN = ["before_switch", "before_clear", "before_branch", "branch", "before_compact", "compact", "shutdown"];

export default function (pi: HookAPI) {
	pi.on("session", async (event: any, ctx) => {
		const { reason, targetTurnIndex, entries } = event;
		const brought = Object.fromEntries(Object.entries(event).map(([name, value]) => [name, Array.isArray(value) ? "array" : value === null ? "null" : typeof value]));
		const compaction = event.compactionEntry && Object.keys(event.compactionEntry).sort();
		const record = { reason, known: KNOWN.includes(reason), brought, compaction, target: entries[targetTurnIndex]?.message?.role };
		appendFileSync(process.env.RECORDED!, `${JSON.stringify(record)}\n`);
		if (reason === process.env.AGAINST) return { cancel: true };
	});
}
