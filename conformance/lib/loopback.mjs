// A model server on the loopback interface that plays a script.
//
// One step of the script answers one request, whichever of the two wire
// formats the request arrives in, so the same conversation can be replayed
// through both. Every request is recorded for later assertions.

import { createServer } from "node:http";

const DEFAULT_USAGE = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };

/**
 * Starts a server for `script`, an array of steps:
 *   { thinking?, signature?, text?, toolCalls?: [{ id, name, args | rawArgs }],
 *     usage?, stop? }                          a streamed answer
 *   { error: { status, body, headers? } }      an HTTP error
 * `text`, `thinking` may be an array: one delta per element.
 * An answer that the program does not show, such as a summary, is `unseen: true`.
 * With `progress`, each streamed event waits until the program has shown the one before.
 */
export async function startLoopback(script, { progress } = {}) {
	const steps = [...script];
	const requests = [];
	let unseen = 0;
	const server = createServer((request, response) => {
		const chunks = [];
		request.on("data", (chunk) => chunks.push(chunk));
		request.on("end", () => {
			const raw = Buffer.concat(chunks).toString("utf8");
			let body;
			try {
				body = JSON.parse(raw);
			} catch {
				body = raw;
			}
			const path = request.url.split("?")[0];
			const number = requests.length - unseen;
			requests.push({ method: request.method, url: request.url, path, headers: request.headers, body });
			const format = formatOf(path);
			const step = format ? steps.shift() : undefined;
			if (!format) return sendError(response, 404, { error: { message: `no route ${path}` } });
			if (!step) return sendError(response, 400, { error: { message: "the script has no step left" } });
			if (step.error) return sendError(response, step.error.status, step.error.body, step.error.headers);
			response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
			const events = format === "anthropic" ? anthropicEvents(step, body) : openaiEvents(step, body);
			if (step.unseen) unseen += 1;
			stream(response, events, (count) => (step.unseen ? undefined : progress?.reached(number, count)));
		});
	});
	// A program that reuses a connection must not find it closed, however long a tool took.
	server.keepAliveTimeout = 0;
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const origin = `http://127.0.0.1:${server.address().port}`;
	return {
		origin,
		requests,
		/** Bodies of the requests seen so far. */
		bodies: () => requests.map((request) => request.body),
		/** Steps that no request has asked for. */
		stepsLeft: () => steps.length,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** `records` is how many records of its output a program makes of an event. */
async function stream(response, events, shown) {
	let count = 0;
	for (const { data, records } of events) {
		if (response.destroyed) return;
		response.write(data);
		count += records;
		if (records > 0) await shown(count);
	}
	response.end();
}

function formatOf(path) {
	if (path.endsWith("/messages")) return "anthropic";
	if (path.endsWith("/chat/completions")) return "openai";
	return undefined;
}

function sendError(response, status, body, headers = {}) {
	response.writeHead(status, { "content-type": "application/json", ...headers });
	response.end(typeof body === "string" ? body : JSON.stringify(body));
}

function deltas(value) {
	return Array.isArray(value) ? value : [value];
}

/** Tool arguments arrive in two pieces so that partial JSON is exercised. */
function argumentPieces(call) {
	const json = call.rawArgs ?? JSON.stringify(call.args ?? {});
	const middle = Math.ceil(json.length / 2);
	return [json.slice(0, middle), json.slice(middle)].filter((piece) => piece.length > 0);
}

function* anthropicEvents(step, request) {
	const usage = { ...DEFAULT_USAGE, ...step.usage };
	const event = (type, fields, records = 1) => ({
		data: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
		records,
	});
	yield event("message_start", {
		message: {
			id: "msg_loop",
			type: "message",
			role: "assistant",
			model: request.model,
			content: [],
			stop_reason: null,
			stop_sequence: null,
			usage: {
				input_tokens: usage.input,
				output_tokens: 1,
				cache_read_input_tokens: usage.cacheRead,
				cache_creation_input_tokens: usage.cacheWrite,
			},
		},
	});
	let index = 0;
	const block = function* (content_block, pieces) {
		yield event("content_block_start", { index, content_block });
		for (const delta of pieces) {
			yield event("content_block_delta", { index, delta }, delta.type === "signature_delta" ? 0 : 1);
		}
		yield event("content_block_stop", { index });
		index += 1;
	};
	if (step.thinking !== undefined) {
		const pieces = deltas(step.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
		if (step.signature) pieces.push({ type: "signature_delta", signature: step.signature });
		yield* block({ type: "thinking", thinking: "", signature: "" }, pieces);
	}
	if (step.text !== undefined) {
		yield* block(
			{ type: "text", text: "" },
			deltas(step.text).map((text) => ({ type: "text_delta", text })),
		);
	}
	for (const call of step.toolCalls ?? []) {
		yield* block(
			{ type: "tool_use", id: call.id, name: call.name, input: {} },
			argumentPieces(call).map((partial_json) => ({ type: "input_json_delta", partial_json })),
		);
	}
	const stop_reason = step.stop ?? (step.toolCalls?.length ? "tool_use" : "end_turn");
	const delta = { stop_reason, stop_sequence: null };
	yield event("message_delta", { delta, usage: { output_tokens: usage.output } }, 0);
	yield event("message_stop", {}, 0);
}

const OPENAI_STOP = { end_turn: "stop", tool_use: "tool_calls", max_tokens: "length" };

function* openaiEvents(step, request) {
	const usage = { ...DEFAULT_USAGE, ...step.usage };
	const head = { id: "chatcmpl-loop", object: "chat.completion.chunk", created: 1700000000, model: request.model };
	const chunk = (choices, records, more = {}) => ({
		data: `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`,
		records,
	});
	const delta = (value, records) => chunk([{ index: 0, delta: value, finish_reason: null }], records);
	// There is no event for the start of a block: its first delta is both.
	const block = function* (field, pieces) {
		for (const [index, piece] of pieces.entries()) yield delta({ [field]: piece }, index === 0 ? 2 : 1);
	};
	yield delta({ role: "assistant", content: "" }, 1);
	if (step.thinking !== undefined) yield* block("reasoning_content", deltas(step.thinking));
	if (step.text !== undefined) yield* block("content", deltas(step.text));
	for (const [index, call] of (step.toolCalls ?? []).entries()) {
		const start = { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
		yield delta({ tool_calls: [start] }, 2);
		for (const piece of argumentPieces(call)) {
			yield delta({ tool_calls: [{ index, function: { arguments: piece } }] }, 1);
		}
	}
	const stop = step.stop ?? (step.toolCalls?.length ? "tool_use" : "end_turn");
	yield chunk([{ index: 0, delta: {}, finish_reason: OPENAI_STOP[stop] ?? stop }], 0);
	if (request.stream_options?.include_usage) {
		yield chunk([], 0, {
			usage: {
				prompt_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
				completion_tokens: usage.output,
				total_tokens: usage.input + usage.cacheRead + usage.cacheWrite + usage.output,
				prompt_tokens_details: { cached_tokens: usage.cacheRead },
			},
		});
	}
	yield { data: "data: [DONE]\n\n", records: 0 };
}
