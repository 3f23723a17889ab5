// A server with many tools, as `node plenty.mjs NAME COUNT`: what a service with a large interface offers. It answers nothing
// but what a client needs to list and call them.

import { createInterface } from "node:readline";

const [name, count] = [process.argv[2], Number(process.argv[3])];

const NOUNS = ["ticket", "invoice", "customer", "shipment", "article", "branch", "release", "calendar"];
const VERBS = ["list", "get", "create", "update", "delete"];

/** The tool at a place: like one of a real service, with a few arguments. */
function tool(at) {
	const [verb, noun] = [VERBS[at % VERBS.length], NOUNS[Math.floor(at / VERBS.length) % NOUNS.length]];
	const properties = {
		id: { type: "string", description: `The id of the ${noun}` },
		fields: { type: "array", items: { type: "string" }, description: "Which fields to give back" },
		limit: { type: "integer", minimum: 1, maximum: 100, description: "How many at most" },
		filter: { type: "string", description: "A filter, such as `status:open`" },
	};
	return {
		name: `${verb}_${noun}`,
		description: `${verb} one or several of the kind ${noun} of the service ${name}, with all the fields that were asked for.`,
		inputSchema: { type: "object", properties, required: ["id"] },
		annotations: { readOnlyHint: verb === "list" || verb === "get" },
	};
}

const ANSWERS = {
	initialize: ({ protocolVersion }) => ({
		protocolVersion,
		capabilities: { tools: {} },
		serverInfo: { name, version: "1.0.0" },
		instructions: `The service ${name}. Look for an id before you change something.`,
	}),
	ping: () => ({}),
	"tools/list": () => ({ tools: Array.from({ length: count }, (_, at) => tool(at)) }),
	"tools/call": ({ arguments: args }) => ({ content: [{ type: "text", text: `${name} did it: ${JSON.stringify(args)}` }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) continue;
	const answer = ANSWERS[method];
	const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: `no method ${method}` } };
	process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
}
