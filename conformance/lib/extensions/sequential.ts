// For the reference only: makes it run the tool calls of one message one after another, which is what tau does by
// default. TypeScript, because only then is the import the reference's own.

import { createBashToolDefinition, createReadToolDefinition } from "@earendil-works/pi-coding-agent";

export default function (pi: any) {
	for (const create of [createReadToolDefinition, createBashToolDefinition]) {
		pi.registerTool({ ...create(process.cwd()), executionMode: "sequential" });
	}
}
