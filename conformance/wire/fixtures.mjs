// Reads the fixtures. `NAME.sse` is an event stream as it is on the wire, `NAME.json` the events of a stream that AWS frames
// in its own way, `NAME.http` a whole answer that is no stream: status, headers, an empty line, the body.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { frames } from "./eventstream.mjs";

/** A comment of an event stream with which the server loses the connection. */
const DROPPED = ": the connection is lost here\n";

const folderOf = (format) => new URL(`fixtures/${format.fixtures}/`, import.meta.url);

/** Names of a format's fixtures, in order. */
export function namesOf(format) {
	return readdirSync(folderOf(format)).map((file) => file.replace(/\.\w+$/, "")).sort();
}

/** What the server answers for one of them. */
export function answerOf(format, name) {
	const file = (ending) => new URL(`${name}.${ending}`, folderOf(format));
	if (existsSync(file("http"))) {
		const [head, ...body] = readFileSync(file("http"), "utf8").split("\n\n");
		const [status, ...lines] = head.split("\n");
		const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
		return { status: Number(status.slice("HTTP ".length)), headers, body: body.join("\n\n"), dropped: false };
	}
	if (format.framing === "eventstream") {
		const events = JSON.parse(readFileSync(file("json"), "utf8"));
		const headers = { "content-type": "application/vnd.amazon.eventstream", "x-amzn-requestid": "3f2d9f2e-2b0e-4f6c-9a55-5c5b5d3c1f10" };
		return { status: 200, headers, body: frames(events.filter((event) => !event.dropped)), dropped: events.some((event) => event.dropped) };
	}
	const stream = readFileSync(file("sse"), "utf8");
	const dropped = stream.endsWith(DROPPED);
	const body = Buffer.from(dropped ? stream.slice(0, -DROPPED.length) : stream);
	return { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, body, dropped };
}
