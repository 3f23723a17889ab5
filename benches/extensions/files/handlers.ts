// Registers HANDLERS handlers of the event EVENT, of which the first starts a clock and the last stops it, and a tool for
// the model to call. Says in the end how many events there were and how long it took from handler to handler.

export default function (pi: any) {
	pi.registerTool({
		name: "noop",
		label: "Noop",
		description: "Does nothing.",
		parameters: { type: "object", properties: {} },
		execute: async () => ({ content: [{ type: "text", text: "done" }], details: undefined }),
	});
	const count = Number(process.env.HANDLERS);
	let [events, begun, taken] = [0, 0, 0];
	for (let index = 0; index < count; index++) {
		pi.on(process.env.EVENT, () => {
			if (index === 0) begun = performance.now();
			if (index === count - 1) {
				taken += performance.now() - begun;
				events += 1;
			}
		});
	}
	pi.on("agent_end", () => {
		console.error(`handled ${events} in ${taken} ms`);
	});
}
