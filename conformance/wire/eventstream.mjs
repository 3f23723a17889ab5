// Frames events as application/vnd.amazon.eventstream: length, length of the headers, their checksum, headers, the event as
// JSON, a checksum of all of it. Numbers are big-endian.

import { crc32 } from "node:zlib";

/** The type of a header's value that is text. */
const TEXT = 7;

/** The bytes of `[{ name: fields }, { exception: name, body }]`. */
export function frames(events) {
	return Buffer.concat(events.map(frame));
}

function frame(event) {
	const [name] = Object.keys(event);
	const headers = event.exception
		? { ":exception-type": event.exception, ":content-type": "application/json", ":message-type": "exception" }
		: { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
	return message(headers, JSON.stringify(event.exception ? event.body : event[name]));
}

function message(headers, json) {
	const head = Buffer.concat(Object.entries(headers).map(([name, value]) => {
		const bytes = Buffer.from(value);
		const length = Buffer.alloc(2);
		length.writeUInt16BE(bytes.length);
		return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([TEXT]), length, bytes]);
	}));
	const body = Buffer.from(json);
	const prelude = Buffer.alloc(8);
	prelude.writeUInt32BE(16 + head.length + body.length, 0);
	prelude.writeUInt32BE(head.length, 4);
	const checked = Buffer.concat([prelude, checksum(prelude), head, body]);
	return Buffer.concat([checked, checksum(checked)]);
}

function checksum(bytes) {
	const sum = Buffer.alloc(4);
	sum.writeUInt32BE(crc32(bytes));
	return sum;
}
