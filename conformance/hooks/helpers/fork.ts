// `/fork-at CALL` forks the session at the answer that made a tool call.
export default function (pi: any) {
	pi.registerCommand("fork-at", {
		description: "Forks at the answer with a tool call.",
		handler: async (call: string, ctx: any) => {
			const calls = ({ message }: any) => message?.role === "assistant" && message.content.some(({ id }: any) => id === call);
			const { id } = ctx.sessionManager.getBranch().find(calls);
			await ctx.fork(id, { position: "at" });
		},
	});
}
