// A model with a key, which packages that ask models themselves want, and which costs nothing.

import { startLoopback } from "../lib/loopback.mjs";

const ID = "scripted";

/** Starts a server whose model gives these replies, one to each request. */
export async function startModel(replies) {
	const { origin, close } = await startLoopback(replies);
	const model = { id: ID, name: ID, reasoning: false, input: ["text"], contextWindow: 200000, maxTokens: 8192 };
	const provider = { baseUrl: origin, api: "anthropic-messages", apiKey: "loop-key", models: [model] };
	return {
		files: { "agent/models.json": JSON.stringify({ providers: { loop: provider } }) },
		args: ["--model", `loop/${ID}`],
		close,
	};
}
