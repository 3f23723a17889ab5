// For both programs: writes a line for every event an extension can hear, with the whole of what it is told. It
// decides nothing, so it can run beside any other extension.

import { appendFileSync } from "node:fs";

const EVENTS = [
	...["resources_discover", "session_directory", "session_start", "session_switch", "session_fork", "session_shutdown"],
	...["session_before_switch", "session_before_fork", "session_before_tree", "session_tree", "session_info_changed"],
	...["session_before_compact", "session_compact", "session_compact_failed"],
	...["input", "user_bash", "before_agent_start", "agent_start", "agent_end", "agent_before_settle", "agent_settled"],
	...["turn_start", "turn_end", "context", "context_with_system", "before_provider_headers", "before_provider_request"],
	...["after_provider_response", "message_start", "message_update", "message_end", "tool_execution_start"],
	...["tool_execution_update", "tool_execution_end", "tool_call", "tool_result", "model_select"],
	...["thinking_level_select", "ui_prompt_start", "ui_prompt_end", "cache_warming_decision"],
	// Further ones that the run names.
	...(process.env.TRACE_EVENTS ?? "").split(",").filter(Boolean),
];

/** Takes a line to the file of the run. The program's own events are in the same file, in between. */
export function note(line) {
	appendFileSync(process.env.TRACE_FILE, `${JSON.stringify(line)}\n`);
}

/** A value as JSON can hold it. What it cannot hold is named; what is undefined is left out. */
function plain(value) {
	if (typeof value === "function") return "<function>";
	if (value === null || typeof value !== "object") return value;
	if (value instanceof AbortSignal) return value.aborted ? "<aborted signal>" : "<signal>";
	if (value instanceof Set) return { "<set>": [...value] };
	if (Array.isArray(value)) return Array.from(value, plain);
	return Object.fromEntries(Object.keys(value).map((key) => [key, plain(value[key])]));
}

export default function (pi) {
	note({ factory: "recorder" });
	for (const name of EVENTS) {
		pi.on(name, (event, ctx) => {
			const { type, ...told } = plain(event);
			note({ hook: name, ...(type === name ? {} : { type }), told, idle: ctx?.isIdle(), pending: ctx?.hasPendingMessages() });
		});
	}
	pi.on("project_trust", (event) => {
		note({ hook: "project_trust", told: plain(event) });
		return { trusted: "undecided" };
	});
}
