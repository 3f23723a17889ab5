// `/shrink WHAT` compacts the conversation and says what came of it.

export default function (pi) {
	pi.registerCommand("shrink", {
		description: "Compacts.",
		handler: (args, ctx) =>
			new Promise((resolve, reject) => {
				ctx.compact({ customInstructions: args, onComplete: resolve, onError: reject });
			}).then(({ summary, tokensBefore }) => pi.appendEntry("shrunk", { summary, tokensBefore })),
	});
}
