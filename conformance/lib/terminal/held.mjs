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
	const model = await served([{ text: pieces }], progress, resolve);
	return { ...model, close: () => (resolve(), model.close()) };
}

/**
 * A model that plays steps of `startLoopback` in their order. Of those that are `held`, each `goOn()` begins the next.
 * `other` is `provider/id` of another name for it.
 */
export async function startPlaying(steps, other) {
	const gates = steps.map(({ held }) => (held ? Promise.withResolvers() : undefined));
	const waiting = gates.filter(Boolean);
	const progress = { reached: (number, count) => (count === 1 ? gates[number]?.promise : undefined) };
	const goOn = () => waiting.shift().resolve();
	const model = await served(steps, progress, goOn, other);
	return { ...model, close: () => (waiting.forEach(({ resolve }) => resolve()), model.close()) };
}

/** The model with a server, as the tests start it. */
async function served(steps, progress, goOn, other) {
	const { origin, close } = await startLoopback(steps, { progress });
	const provider = (id) => {
		const model = { id, name: id, reasoning: false, input: ["text"], contextWindow: 200000, maxTokens: 8192 };
		return { baseUrl: origin, api: "anthropic-messages", apiKey: "loop-key", models: [model] };
	};
	const [name, id] = other?.split("/") ?? [];
	const providers = { [PROVIDER]: provider(ID), ...(other && { [name]: provider(id) }) };
	return {
		files: { "agent/models.json": JSON.stringify({ providers }) },
		args: ["--model", `${PROVIDER}/${ID}`],
		goOn,
		close,
	};
}
