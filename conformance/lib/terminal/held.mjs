// A model that answers when it is told to.

import { startLoopback } from "../loopback.mjs";

const PROVIDER = "loop";
const ID = "scripted";

/** Events in front of the first piece of text. */
const BEFORE = 2;

/** A model that answers with these pieces of text: `held` of them at once, and the others after `goOn()`. */
export async function startHeld(pieces, held) {
	const { promise, resolve } = Promise.withResolvers();
	const progress = { reached: (_, count) => (count === BEFORE + held ? promise : undefined) };
	const { origin, close } = await startLoopback([{ text: pieces }], { progress });
	const model = { id: ID, name: ID, reasoning: false, input: ["text"], contextWindow: 200000, maxTokens: 8192 };
	const provider = { baseUrl: origin, api: "anthropic-messages", apiKey: "loop-key", models: [model] };
	return {
		files: { "agent/models.json": JSON.stringify({ providers: { [PROVIDER]: provider } }) },
		args: ["--model", `${PROVIDER}/${ID}`],
		goOn: resolve,
		close() {
			resolve();
			return close();
		},
	};
}
