// Five observers of tool calls, and a tool for the model to call.

export default function (pi: any) {
	pi.registerTool({
		name: "noop",
		label: "Noop",
		description: "Does nothing.",
		parameters: { type: "object", properties: {} },
		execute: async () => ({ content: [{ type: "text", text: "done" }], details: undefined }),
	});
	let seen = 0;
	for (let index = 0; index < 5; index++) {
		pi.on("tool_call", () => {
			seen += 1;
		});
	}
	pi.on("agent_end", () => {
		console.error(`observed ${seen}`);
	});
}
