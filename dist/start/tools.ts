// What most extensions do when they are loaded: a tool, a command, a shortcut, a flag.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

export default function (pi: ExtensionAPI) {
	pi.registerFlag("greeting", { description: "What is said first", type: "string", default: "Hello" });
	pi.registerTool({
		name: "greet",
		label: "Greet",
		description: "Greets somebody",
		parameters: Type.Object({ name: Type.String(), times: Type.Optional(Type.Number()) }),
		async execute(_id, { name }) {
			return { content: [{ type: "text", text: `${pi.getFlag("greeting")}, ${name}` }], details: {} };
		},
	});
	pi.registerCommand("greet", {
		description: "Greets",
		handler: async (args, ctx) => ctx.ui.notify(`Hello, ${args}`, "info"),
	});
}
