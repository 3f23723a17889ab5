// For all programs: writes the names of everything that an extension is given to the file that SURFACE names.

import { writeFileSync } from "node:fs";
import { Theme } from "@earendil-works/pi-coding-agent";

/** What an object has, its class included; of an instance of a class, only what can be called. */
function names(object: any): string[] {
	const found = new Set<string>();
	const isPlain = Object.getPrototypeOf(object) === Object.prototype;
	for (let at = object; at && at !== Object.prototype && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
		for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
			if (name === "constructor" || name.startsWith("_")) continue;
			if (isPlain || get || typeof value === "function") found.add(name);
		}
	}
	return [...found].sort();
}

export default function (pi: any) {
	const surface: Record<string, string[]> = { pi: names(pi), "pi.events": names(pi.events), theme: names(Theme.prototype) };
	pi.on("session_start", (_event: object, ctx: any) => {
		surface.ctx = names(ctx);
		surface["ctx.ui"] = names(ctx.ui);
		surface["ctx.modelRegistry"] = names(ctx.modelRegistry);
		surface["ctx.sessionManager"] = names(ctx.sessionManager);
	});
	pi.registerTool({
		name: "look",
		label: "Look",
		description: "Looks.",
		parameters: { type: "object", properties: {} },
		reachesTools: () => "all",
		async execute(_id: string, _params: object, _signal: unknown, _update: unknown, ctx: any) {
			surface["ctx of a tool"] = names(ctx);
			return { content: [{ type: "text", text: "Looked." }], details: {} };
		},
	});
	pi.registerCommand("surface", {
		description: "Writes the names.",
		handler: async (_args: string, ctx: any) => {
			surface["ctx of a command"] = names(ctx);
			surface["tools of getAllTools"] = [...new Set<string>(pi.getAllTools().flatMap(names))].sort();
			writeFileSync(process.env.SURFACE!, JSON.stringify(surface));
		},
	});
}
