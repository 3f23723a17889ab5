// A model server that plays fixtures byte for byte and keeps each request.

import { createServer } from "node:http";
import { zstdDecompressSync } from "node:zlib";
import { answerOf } from "./fixtures.mjs";

/** Starts a server. `play(format, names)` says what it answers next, one name for each request. */
export async function startWire() {
	const requests = [];
	let format;
	let names = [];
	const server = createServer(async (request, response) => {
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		const url = new URL(request.url, "http://server");
		// Somebody tries for a socket instead of a request; there is none.
		if (request.method !== "POST") return response.writeHead(404).end();
		requests.push({ method: request.method, path: url.pathname, query: url.search, headers: request.headers, body: decoded(request, Buffer.concat(chunks)) });
		const name = format?.route.test(url.pathname) ? names.shift() : undefined;
		if (!name) {
			response.writeHead(404, { "content-type": "application/json" });
			return response.end(JSON.stringify({ error: { message: `nothing to play for ${request.method} ${request.url}` } }));
		}
		const { status, headers, body, dropped } = answerOf(format, name);
		response.writeHead(status, headers);
		if (!dropped) return response.end(body);
		// What was written has to arrive before the connection is lost.
		response.write(body, () => setTimeout(() => response.destroy(), 50));
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		origin: `http://127.0.0.1:${server.address().port}`,
		play(of, next) {
			format = of;
			names = [...next];
		},
		/** Requests since the last call. */
		taken: () => requests.splice(0),
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

function decoded(request, bytes) {
	const text = (request.headers["content-encoding"] === "zstd" ? zstdDecompressSync(bytes) : bytes).toString("utf8");
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
