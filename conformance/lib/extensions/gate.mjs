// For both programs: asks before each call of a tool.

export default function (pi) {
	pi.on("tool_call", async (event, ctx) => {
		const allowed = await ctx.ui.confirm("Allow?", `${event.toolName} ${JSON.stringify(event.input)}`);
		return allowed ? undefined : { block: true, reason: "The user said no." };
	});
}
