// A model server on the loopback interface. Each answer is one piece of bytes, made before anybody asks for it: what is
// measured is the program that reads it.

import { createServer } from "node:http";

/**
 * Plays `answers` (from `say` and `call`), one per request, again and again.
 * @returns {Promise<{ origin: string, requests: () => number, bytes: () => number, close: () => Promise<void> }>}
 */
export async function startServer(answers) {
	let requests = 0;
	let bytes = 0;
	const server = createServer((request, response) => {
		request.on("data", (chunk) => (bytes += chunk.length));
		request.on("end", () => {
			response.writeHead(200, { "content-type": "text/event-stream" });
			response.end(answers[requests++ % answers.length]);
		});
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		origin: `http://127.0.0.1:${server.address().port}`,
		requests: () => requests,
		/** How much all requests have brought. */
		bytes: () => bytes,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** An answer of some pieces of text. */
export function say(...pieces) {
	return answer("end_turn", [{ start: { type: "text", text: "" }, deltas: pieces.map((text) => ({ type: "text_delta", text })) }]);
}

/** An answer that calls a tool `count` times. */
export function call(name, count = 1, args = {}) {
	const blocks = Array.from({ length: count }, (_, index) => ({
		start: { type: "tool_use", id: `call_${index}`, name, input: {} },
		deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(args) }],
	}));
	return answer("tool_use", blocks);
}

function answer(stop_reason, blocks) {
	const events = [];
	const event = (type, fields) => events.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
	const usage = { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
	event("message_start", {
		message: { id: "msg", type: "message", role: "assistant", model: "loop-a", content: [], stop_reason: null, stop_sequence: null, usage },
	});
	blocks.forEach(({ start, deltas }, index) => {
		event("content_block_start", { index, content_block: start });
		for (const delta of deltas) event("content_block_delta", { index, delta });
		event("content_block_stop", { index });
	});
	event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } });
	event("message_stop", {});
	return Buffer.from(events.join(""));
}
