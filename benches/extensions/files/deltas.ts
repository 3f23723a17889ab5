// Looks at every delta of an answer.

export default function (pi: any) {
	let length = 0;
	pi.on("message_update", (event: any) => {
		if (event.assistantMessageEvent.type === "text_delta") length += event.assistantMessageEvent.delta.length;
	});
	pi.on("agent_end", () => {
		console.error(`handled ${length}`);
	});
}
