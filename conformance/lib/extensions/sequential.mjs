// For the reference only: makes it run the tool calls of one message one
// after another, which is what tau does unless told otherwise.

import { createBashToolDefinition, createReadToolDefinition } from "@earendil-works/pi-coding-agent";

export default function (pi) {
	for (const create of [createReadToolDefinition, createBashToolDefinition]) {
		pi.registerTool({ ...create(process.cwd()), executionMode: "sequential" });
	}
}
