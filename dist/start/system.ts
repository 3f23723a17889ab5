// What larger extensions use: files, programs, patterns, timers, the session.
import { execFile, spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { complete, StringEnum } from "@earendil-works/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { createBashTool, createReadTool, DynamicBorder, getAgentDir } from "@earendil-works/pi-coding-agent";
import { Container, matchesKey, Text, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { Type } from "typebox";

interface Todo {
	id: number;
	text: string;
	done: boolean;
}

class Store extends EventEmitter {
	#todos: Todo[] = [];
	add(text: string) {
		this.#todos.push({ id: this.#todos.length + 1, text, done: false });
		this.emit("change", this.#todos.length);
	}
	get sorted() {
		return [...this.#todos].sort((a, b) => b.id - a.id || a.text.localeCompare(b.text));
	}
}

const WORDS = new RegExp(`${/a|b/.source}|(c)(?=d)`, "y");
const PATTERNS = [/\brm\s+(-rf?|--recursive)/i, /^(?:sudo|chmod\s+777)\b/u, /(?<key>\w+)=(?<value>[^;]*)/g];

export default async function (pi: ExtensionAPI) {
	const store = new Store();
	const sizes = new Map<string, number>();
	store.on("change", (count: number) => sizes.set("todos", count));
	const home = join(homedir(), ".start");
	mkdirSync(home, { recursive: true });
	writeFileSync(join(home, "state.json"), JSON.stringify({ at: Date.now(), id: randomUUID() }));

	async function look(ctx: ExtensionContext) {
		const { stdout, code } = await pi.exec("sh", ["-c", "echo 'a=1;b=2'"], { cwd: ctx.cwd, timeout: 5000 });
		for (const found of stdout.matchAll(PATTERNS[2])) sizes.set(found.groups?.key ?? "", Number(found.groups?.value));
		const listed = await promisify(execFile)("ls", ["-a", tmpdir()]).catch(() => ({ stdout: "" }));
		const state = JSON.parse(await readFile(join(home, "state.json"), "utf8"));
		await writeFile(join(home, "copy.json"), JSON.stringify({ ...state, code, lines: listed.stdout.split("\n").length }));
		spawnSync("true", [], { stdio: "ignore" });
		const names = readdirSync(home).filter((name) => statSync(join(home, name)).isFile());
		const hash = createHash("sha256").update(readFileSync(fileURLToPath(import.meta.url))).digest("hex");
		return `${names.map((name) => basename(name, ".json")).join(", ")} ${hash.slice(0, 8)} ${relative(home, resolve(dirname(home)))}`;
	}

	pi.on("session_start", async (_event, ctx) => {
		for (const entry of ctx.sessionManager.getBranch()) {
			if (entry.type === "message" && entry.message.role === "toolResult") store.add(entry.message.toolName);
		}
		store.add("first");
		store.add("second");
		pi.appendEntry("start", { todos: store.sorted, sizes: Object.fromEntries(sizes) });
		ctx.ui.setWidget("todos", store.sorted.map((todo) => truncateToWidth(`${todo.done ? "x" : " "} ${todo.text}`, 40)));
		ctx.ui.setTitle(`${ctx.cwd} ${visibleWidth("title")} ${getAgentDir().length}`);
		const timer = setTimeout(() => ctx.ui.setStatus("start", undefined), 10_000);
		ctx.ui.setStatus("start", ctx.ui.theme.fg("accent", await look(ctx)));
		clearTimeout(timer);
		pi.events.emit("start:ready", {});
	});
	pi.on("tool_call", async (event) => {
		const command = String((event.input as { command?: unknown }).command ?? "").trim();
		if (PATTERNS.slice(0, 2).some((pattern) => pattern.test(command))) return { block: true, reason: "dangerous" };
		return undefined;
	});
	pi.on("context", async (event) => ({ messages: event.messages.filter((message) => message.role !== "custom") }));
	pi.on("input", async () => ({ action: "continue" as const }));
	pi.on("model_select", async (event) => sizes.set(event.model.id.replace(WORDS, "$1"), event.model.contextWindow));
	pi.on("turn_end", async () => undefined);
	pi.on("message_update", async () => undefined);

	pi.registerTool({
		name: "todo",
		label: "Todo",
		description: "Manages a list",
		promptSnippet: "Keep a list",
		promptGuidelines: ["Use todo for lists"],
		parameters: Type.Object({
			action: StringEnum(["list", "add"] as const),
			text: Type.Optional(Type.String({ description: "What to add" })),
			items: Type.Array(Type.Union([Type.Literal("a"), Type.Number()])),
		}),
		async execute(_id, params, signal, onUpdate) {
			onUpdate?.({ content: [{ type: "text", text: "..." }], details: {} });
			if (signal?.aborted) throw new Error("aborted");
			if (params.text) store.add(params.text);
			return { content: [{ type: "text", text: JSON.stringify(store.sorted) }], details: { todos: store.sorted } };
		},
		renderCall: (args, theme) => new Text(theme.fg("toolTitle", `todo ${args.action}`), 0, 0),
		renderResult: (result, _options, theme) => new Text(theme.fg("muted", String(result.content.length)), 0, 0),
	});
	pi.registerShortcut("ctrl+shift+y", { description: "Shows the list", handler: (ctx) => ctx.ui.notify("list", "info") });
	pi.registerMessageRenderer("start", (message, _options, theme) => {
		const box = new Container();
		box.addChild(new DynamicBorder((line) => theme.fg("border", line)));
		box.addChild(new Text(String(message.content), 1, 0));
		return box;
	});
	pi.registerCommand("todos", {
		description: "Shows the list",
		getArgumentCompletions: (prefix) => ["all", "open"].filter((word) => word.startsWith(prefix)).map((value) => ({ value, label: value })),
		handler: async (_args, ctx) => {
			if (!ctx.hasUI || matchesKey("x", "escape")) return;
			await ctx.ui.select("Todos", store.sorted.map((todo) => todo.text));
			if (ctx.model) await complete(ctx.model, { messages: [] }, {});
		},
	});
	pi.events.on("start:ready", () => pi.setActiveTools(pi.getActiveTools()));
	for (const tool of [createReadTool(process.cwd()), createBashTool(process.cwd())]) {
		pi.registerTool({ ...tool, name: `my_${tool.name}`, label: tool.label.padStart(8) });
	}
}
