// Registers HANDLERS handlers of the event EVENT that do next to nothing, and a tool for the model to call.

export default function (pi: any) {
	pi.registerTool({
		name: "noop",
		label: "Noop",
		description: "Does nothing.",
		parameters: { type: "object", properties: {} },
		execute: async () => ({ content: [{ type: "text", text: "done" }], details: undefined }),
	});
	let seen = 0;
	for (let index = 0; index < Number(process.env.HANDLERS); index++) {
		pi.on(process.env.EVENT, () => {
			seen += 1;
		});
	}
	pi.on("agent_end", () => {
		console.error(`handled ${seen}`);
	});
}
