// A throw-away home for one run: an agent directory whose models point at a
// loopback server, and a working directory with a few files.

import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const API_KEY = "loop-key";

/** The model of each wire format, as `--model` takes it. */
export const MODELS = { anthropic: "loop-anthropic/loop-a", openai: "loop-openai/loop-o" };

const LIMITS = { contextWindow: 200000, maxTokens: 8192 };
const COST = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

function modelsJson(origin) {
	const model = (id) => ({ id, name: id, reasoning: true, input: ["text", "image"], cost: COST, ...LIMITS });
	return {
		providers: {
			"loop-anthropic": {
				baseUrl: origin,
				api: "anthropic-messages",
				apiKey: API_KEY,
				models: [model("loop-a")],
			},
			"loop-openai": {
				baseUrl: `${origin}/v1`,
				api: "openai-completions",
				apiKey: API_KEY,
				models: [model("loop-o")],
			},
		},
	};
}

/**
 * Makes the directories. `origin` is the loopback server's, `files` maps
 * names in the working directory to their text or bytes.
 */
export function makeHome({ origin, files = {}, settings = {} }) {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "conformance-")));
	const agent = join(root, "agent");
	const work = join(root, "work");
	mkdirSync(agent);
	mkdirSync(work);
	const home = {
		root,
		agent,
		work,
		/** Points the models at another server. */
		connect(newOrigin) {
			writeFileSync(join(agent, "models.json"), JSON.stringify(modelsJson(newOrigin), null, 2));
		},
		/** Session files below the agent directory, oldest first. */
		sessions() {
			const sessions = join(agent, "sessions");
			return listFiles(sessions)
				.filter((path) => path.endsWith(".jsonl"))
				.sort();
		},
		remove() {
			rmSync(root, { recursive: true, force: true });
		},
	};
	home.connect(origin);
	writeFileSync(join(agent, "settings.json"), JSON.stringify(settings, null, 2));
	for (const [name, content] of Object.entries(files)) {
		const path = join(work, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, content);
	}
	return home;
}

function listFiles(directory) {
	let entries;
	try {
		entries = readdirSync(directory, { withFileTypes: true });
	} catch (error) {
		if (error.code === "ENOENT") return [];
		throw error;
	}
	return entries.flatMap((entry) => {
		const path = join(directory, entry.name);
		return entry.isDirectory() ? listFiles(path) : [path];
	});
}
