// For the reference only, with `node --import`: writes the session's events to the file of the run at the moment they
// are told. Its JSON mode prints them a little later, so what an extension writes would stand in another place.

import { appendFileSync } from "node:fs";
import { AgentSession } from "../reference/pi/dist/bundle/index.js";

/** What JSON mode makes of an event: of a message that grows, only what is new. */
function told(event) {
	if (event.type !== "message_update") return event;
	const { partial, ...news } = event.assistantMessageEvent;
	if (news.type === "toolcall_start") {
		const { id, name } = partial.content[news.contentIndex];
		Object.assign(news, { id, toolName: name });
	}
	return { type: event.type, usage: event.message.usage, assistantMessageEvent: news };
}

const tell = AgentSession.prototype._emit;
if (typeof tell !== "function") throw new Error("the reference tells its events in another way now");
AgentSession.prototype._emit = function (event) {
	appendFileSync(process.env.TRACE_FILE, `${JSON.stringify(told(event))}\n`);
	return tell.call(this, event);
};
