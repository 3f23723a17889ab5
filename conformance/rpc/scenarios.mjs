// What is asked of both programs. `play` gets a client; everything that the program says meanwhile is compared. Where
// the responses with the ids in `anywhere` stand among the events does not matter.

import { TOOLS } from "../lib/scripts.mjs";

/** All but the last exchange is old enough to be summarised. */
const LITTLE = { compaction: { keepRecentTokens: 5 } };

const OVERLOADED = {
	error: { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
};

const ANSWERS = {
	select: (request) => ({ value: request.options[1] ?? request.options[0] }),
	confirm: () => ({ confirmed: true }),
	input: () => ({ cancelled: true }),
	editor: (request) => ({ value: `${request.prefill}, finished` }),
};

export const SCENARIOS = [
	{
		name: "a conversation and what is left of it",
		script: TOOLS,
		async play(rpc) {
			await rpc.send("get_state");
			await rpc.send("get_last_assistant_text");
			await rpc.prompt("Change beta");
			for (const asked of ["get_state", "get_messages", "get_last_assistant_text", "get_session_stats"]) await rpc.send(asked);
			for (const asked of ["get_fork_messages", "get_entries", "get_tree", "get_commands"]) await rpc.send(asked);
		},
		// The calls of one message run one after another in tau.
		extensions: ["sequential.ts"],
	},
	{
		name: "pictures",
		script: [{ text: "One pixel." }],
		async play(rpc) {
			const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
			await rpc.prompt("Look", { images: [{ type: "image", data, mimeType: "image/png" }] });
		},
	},
	{
		name: "text that comes during a run",
		script: [
			{ toolCalls: [{ id: "call_b", name: "bash", args: { command: "until [ -e go ]; do sleep 0.05; done" } }] },
			{ text: "Steering." },
			{ text: "Following." },
			{ text: "Later." },
		],
		async play(rpc, { write }) {
			await rpc.send("prompt", { message: "Begin" });
			await rpc.event("tool_execution_update", 0);
			await rpc.send("prompt", { message: "Refused" });
			await rpc.send("prompt", { message: "Steer one", streamingBehavior: "steer" });
			await rpc.send("follow_up", { message: "Follow" });
			await rpc.send("get_state");
			const from = rpc.records.length;
			write("go", "");
			await rpc.event("agent_settled", from);
			await rpc.send("steer", { message: "For the next run" });
			await rpc.send("follow_up", { message: "Taken back" });
			await rpc.send("get_state");
			await rpc.send("clear_queue");
			await rpc.prompt("And now");
			await rpc.send("clear_queue");
		},
	},
	{
		name: "an abort",
		script: [{ toolCalls: [{ id: "call_b", name: "bash", args: { command: "sleep 60" } }] }, { text: "Again." }],
		async play(rpc) {
			await rpc.send("abort");
			await rpc.send("prompt", { message: "Begin" });
			await rpc.event("tool_execution_update", 0);
			await rpc.send("abort");
			await rpc.send("get_state");
			await rpc.prompt("Go on");
		},
	},
	{
		name: "an abort while something is queued",
		script: [{ toolCalls: [{ id: "call_b", name: "bash", args: { command: "sleep 60" } }] }],
		async play(rpc) {
			await rpc.send("prompt", { message: "Begin" });
			await rpc.event("tool_execution_update", 0);
			await rpc.send("steer", { message: "Queued" });
			await rpc.send("abort");
			await rpc.send("clear_queue");
		},
	},
	{
		name: "shell commands of the user",
		script: [{ text: "Seen." }],
		async play(rpc) {
			await rpc.send("bash", { command: "echo one; exit 3" });
			await rpc.send("bash", { command: "echo hidden", excludeFromContext: true });
			const slow = rpc.send("bash", { command: "echo begun; sleep 60" });
			await rpc.record((item) => item.delta === "begun\n", "the output");
			await rpc.send("abort_bash");
			await slow;
			await rpc.send("get_messages");
			await rpc.prompt("What was that?");
		},
	},
	{
		name: "models and thinking",
		async play(rpc) {
			await rpc.send("set_model", { provider: "loop-openai", modelId: "loop-o" });
			await rpc.send("set_model", { provider: "loop-openai", modelId: "nothing" });
			await rpc.send("cycle_model");
			await rpc.send("get_available_thinking_levels");
			await rpc.send("set_thinking_level", { level: "high" });
			await rpc.send("set_thinking_level", { level: "xhigh" });
			await rpc.send("cycle_thinking_level");
			await rpc.send("get_state");
			await rpc.send("get_entries");
		},
	},
	{
		name: "switches",
		async play(rpc) {
			await rpc.send("set_steering_mode", { mode: "all" });
			await rpc.send("set_follow_up_mode", { mode: "all" });
			await rpc.send("set_auto_compaction", { enabled: false });
			await rpc.send("set_auto_retry", { enabled: false });
			await rpc.send("get_state");
		},
	},
	{
		name: "a retry that is given up",
		// Its end and the response race each other.
		anywhere: ["c2"],
		settings: { retry: { baseDelayMs: 60_000 } },
		script: [OVERLOADED, { text: "Fine." }],
		async play(rpc) {
			const from = rpc.records.length;
			await rpc.send("prompt", { message: "Begin" });
			await rpc.event("entry_appended", from);
			await rpc.send("abort_retry");
			await rpc.event("agent_settled", from);
			await rpc.send("set_auto_retry", { enabled: true });
			await rpc.prompt("Again");
		},
	},
	{
		name: "no retry",
		script: [OVERLOADED],
		async play(rpc) {
			await rpc.send("set_auto_retry", { enabled: false });
			await rpc.prompt("Begin");
		},
	},
	{
		name: "sessions in place of each other",
		script: [{ text: "One." }, { text: "Two." }, { text: "Three." }, { text: "Four." }],
		async play(rpc) {
			await rpc.prompt("First");
			await rpc.prompt("Second");
			const first = (await rpc.send("get_state")).data.sessionFile;
			const { messages } = (await rpc.send("get_fork_messages")).data;
			await rpc.send("fork", { entryId: messages[1].entryId });
			await rpc.send("get_messages");
			await rpc.prompt("Another way");
			await rpc.send("new_session");
			await rpc.send("get_state");
			await rpc.prompt("Third");
			await rpc.send("switch_session", { sessionPath: first });
			await rpc.send("get_last_assistant_text");
			await rpc.send("clone");
			await rpc.send("get_state");
		},
	},
	{
		name: "a fork that an extension stops",
		script: [{ text: "One." }],
		extensions: ["dialogs.mjs"],
		flags: ["--no-forks"],
		async play(rpc) {
			await rpc.prompt("First");
			const { messages } = (await rpc.send("get_fork_messages")).data;
			await rpc.send("fork", { entryId: messages[0].entryId });
			await rpc.send("clone");
		},
	},
	{
		name: "a session that is not there",
		async play(rpc) {
			await rpc.send("switch_session", { sessionPath: "nowhere/session.jsonl" });
		},
	},
	{
		name: "the model that is in use",
		async play(rpc) {
			await rpc.send("set_model", { provider: "loop-anthropic", modelId: "loop-a" });
			await rpc.send("get_entries");
		},
	},
	{
		name: "names",
		async play(rpc) {
			await rpc.send("set_session_name", { name: " A name " });
			await rpc.send("set_session_name", { name: "  " });
			await rpc.send("get_state");
		},
	},
	{
		name: "pages",
		script: [{ text: "One." }],
		async play(rpc) {
			await rpc.prompt("First");
			await rpc.send("export_html", { outputPath: "page.html" });
		},
	},
	{
		name: "a compaction",
		settings: LITTLE,
		script: [
			{ text: "Three words.", usage: { input: 100, output: 5 } },
			{ text: "Nothing.", usage: { input: 120, output: 5 } },
			{ text: "The summary.", unseen: true, usage: { input: 50, output: 5 } },
			{ text: "Fine.", usage: { input: 60, output: 5 } },
		],
		async play(rpc) {
			await rpc.send("compact");
			await rpc.prompt("What is in the notes?");
			await rpc.prompt("And what follows?");
			await rpc.send("compact", { customInstructions: "the notes" });
			await rpc.send("get_session_stats");
			await rpc.prompt("Go on.");
			await rpc.send("get_session_stats");
		},
	},
	{
		name: "dialogs",
		extensions: ["dialogs.mjs"],
		answers: (request) => (request.timeout ? undefined : ANSWERS[request.method]?.(request)),
		async play(rpc) {
			await rpc.send("prompt", { message: "/ask" });
			await rpc.send("prompt", { message: "/at-once" });
			await rpc.send("prompt", { message: "/in-time" });
			await rpc.send("get_commands");
		},
	},
	{
		name: "what extensions show",
		extensions: ["dialogs.mjs"],
		async play(rpc) {
			await rpc.send("prompt", { message: "/show" });
		},
	},
	{
		name: "what extensions show without saying how",
		extensions: ["dialogs.mjs"],
		async play(rpc) {
			await rpc.send("prompt", { message: "/plain" });
		},
	},
	{
		name: "extensions that fail or swallow",
		extensions: ["dialogs.mjs"],
		script: [{ text: "Break." }],
		async play(rpc) {
			await rpc.send("prompt", { message: "/fail" });
			await rpc.send("prompt", { message: "swallow me" });
			await rpc.send("steer", { message: "/fail" });
			await rpc.prompt("Go");
		},
	},
	{
		name: "what is no command",
		async play(rpc) {
			await rpc.send("nonsense");
			await rpc.send("get_entries", { since: "nothing" });
			await rpc.send("fork", { entryId: "nothing" });
			await rpc.send("clone");
			const refused = async (line) => {
				const from = rpc.records.length;
				rpc.write(line);
				await rpc.record((item) => item.type === "response", line, from);
			};
			await refused("{no json\n");
			await refused("\n");
			await refused('{"id":7,"type":"get_last_assistant_text"}\r\n');
			await refused('{"id":"x"}\n');
			await refused('{"id":"y","type":"prompt"}\n');
			await refused('{"id":"z","type":"set_session_name"}\n');
		},
	},
];
