// Runs the factory of every example in INVENTORY with a `pi` that writes down what is registered, and saves the lists.
import { readFileSync, writeFileSync } from "node:fs";

const plain = (_key: string, value: unknown) => (typeof value === "function" ? "(function)" : value);

export default async function (pi: any) {
	const examples: Record<string, string> = JSON.parse(readFileSync(process.env.INVENTORY!, "utf8"));
	const found: Record<string, object> = {};
	for (const [name, file] of Object.entries(examples)) {
		const lists: Record<string, unknown[]> = {};
		const note = (kind: string, value: unknown) => (lists[kind] ??= []).push(value);
		const register: Record<string, (...args: any[]) => unknown> = {
			on: (event) => note("events", event),
			registerTool: (tool) => note("tools", { ...tool }),
			registerCommand: (name, options) => note("commands", { name, ...options }),
			registerFlag: (name, options) => note("flags", { name, ...options }),
			registerShortcut: (key, options) => note("shortcuts", { key, ...options }),
			registerProvider: (name, config) => note("providers", { name, ...config }),
			registerMessageRenderer: (type) => note("messageRenderers", type),
			registerEntryRenderer: (type) => note("entryRenderers", type),
		};
		try {
			const module = await import(file);
			await module.default(new Proxy(pi, { get: (target, key) => register[key as string] ?? target[key] }));
		} catch (error) {
			note("errors", String(error));
		}
		found[name] = lists;
	}
	writeFileSync(process.env.INVENTORY_OUT!, JSON.stringify(found, plain));
}
