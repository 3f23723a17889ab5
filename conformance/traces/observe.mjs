// For the reference only, with `node --import`: writes the session's events to the file of the run at the moment they
// are told. Its JSON mode prints them a little later, so what an extension writes would stand in another place.

import { appendFileSync } from "node:fs";

const dist = new URL("../node_modules/@earendil-works/pi-coding-agent/dist/", import.meta.url);
const { AgentSession } = await import(new URL("core/agent-session.js", dist));
const { toJsonEvent } = await import(new URL("modes/json-event.js", dist));

const tell = AgentSession.prototype._emit;
if (typeof tell !== "function") throw new Error("the reference tells its events in another way now");
AgentSession.prototype._emit = function (event) {
	appendFileSync(process.env.TRACE_FILE, `${JSON.stringify(toJsonEvent(event))}\n`);
	return tell.call(this, event);
};
