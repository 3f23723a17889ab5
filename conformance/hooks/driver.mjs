// Plays one case with one published hook: a throw-away home, a scripted model, the hook as `--hook` names it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseLines, run } from "../lib/agents.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { Rpc } from "../lib/rpc.mjs";

const helper = (name) => new URL(`helpers/${name}.ts`, import.meta.url);
const extension = (name) => fileURLToPath(new URL(`../extensions/helpers/${name}.ts`, import.meta.url));

/** Steps of a model's script. */
export const say = (text) => ({ text });
export const call = (...calls) => ({ toolCalls: calls.map(([id, name, args = {}]) => ({ id, name, args })) });

const textOf = (content) => (content ?? []).map((block) => block.text ?? "").join("\n");
const plain = (text) => text.replace(/\x1b\[[\d;]*m/g, "");

/**
 * A case: `script` of the model, `files` below the working directory, `settings`, `setup` (shell commands before),
 * `answers` to dialogs by method (`null` closes one), and
 *   redirect(origin)   providers that are the loopback server
 *   models             further providers of the user's `models.json`
 *   with               further extensions: paths, or names of `../extensions/helpers`
 *   terminal           the hook is told that there is a terminal; `keys` go to what it draws
 *   play(test)         what happens, in RPC mode; or `prompts` of one run in JSON mode
 *   check(test)        called when the program has ended
 */
export async function play(set, item) {
	const server = await startLoopback(item.script ?? []);
	const home = makeHome({ origin: server.origin, files: item.files, settings: item.settings });
	const hook = set.hooks.get(item.hook);
	let rpc;
	try {
		const shell = (command) => {
			const env = { PATH: process.env.PATH, HOME: home.root };
			return execFileSync("bash", ["-ec", command], { cwd: home.work, env, stdio: ["ignore", "pipe", "pipe"] }).toString();
		};
		if (item.setup) shell(item.setup);
		if (item.models) {
			const path = join(home.agent, "models.json");
			const { providers } = JSON.parse(readFileSync(path, "utf8"));
			writeFileSync(path, JSON.stringify({ providers: { ...providers, ...item.models } }));
		}
		const drawn = join(home.root, "drawn.jsonl");
		const probe = join(home.root, "probe.jsonl");
		const env = {
			HOOK_DRAWN: drawn,
			HOOK_KEYS: JSON.stringify(item.keys ?? []),
			PROBE_LOG: probe,
			LOOPBACK_PROVIDERS: JSON.stringify(item.redirect?.(server.origin) ?? {}),
		};
		const others = [...(item.redirect ? ["loopback"] : []), ...(item.with ?? [])];
		const paths = others.map((name) => (name.includes("/") ? name : extension(name)));
		const args = ["--model", MODELS.anthropic, ...paths.flatMap((path) => ["-e", path])];
		args.push("--hook", item.terminal ? withTerminal(home, hook, item.hook) : hook);
		const answers = new Map(Object.entries(item.answers ?? {}).map(([method, list]) => [method, [...list]]));
		const lines = (path) => (existsSync(path) ? parseLines(readFileSync(path, "utf8")) : []);
		const test = {
			set,
			home,
			server,
			shell,
			/** Whether all dialogs were shown that an answer was given for. */
			unasked: () => [...answers].filter(([, list]) => list.length > 0),
			user: (number) => textOf(server.bodies()[number].messages.findLast(({ role }) => role === "user").content),
			exists: (name) => existsSync(join(home.work, name)),
			drawn: () => lines(drawn).map((screen) => screen.map((line) => plain(line).trimEnd())),
			probed: () => lines(probe),
			entries: (type) => home.sessions().flatMap(lines).filter((entry) => entry.type === type || entry.customType === type),
		};
		if (!item.play) {
			const result = await run("tau", home, ["--mode", "json", ...args, ...item.prompts], { env, stdin: "" });
			Object.assign(test, { ...result, ...observed(() => parseLines(result.stdout)) });
			assertEnd(result);
		} else {
			const answer = ({ method }) => {
				const [given] = answers.get(method)?.splice(0, 1) ?? [];
				if (given === undefined) return undefined;
				if (given === null) return { cancelled: true };
				return method === "confirm" ? { confirmed: given } : { value: given };
			};
			rpc = new Rpc("tau", home, args, { env, answers: answer });
			Object.assign(test, { rpc, ...observed(() => rpc.records), ...sessions(rpc) });
			await item.play(test);
			assertEnd({ ...(await rpc.close()), stderr: rpc.stderr });
		}
		item.check?.(test);
		const left = { steps: server.stepsLeft(), unasked: test.unasked() };
		if (left.steps || left.unasked.length) throw new Error(`not everything was used: ${JSON.stringify(left)}`);
	} catch (error) {
		if (rpc) error.stack += `\n${rpc.stderr}\n${rpc.records.slice(-12).map((record) => JSON.stringify(record).slice(0, 400)).join("\n")}`;
		throw error;
	} finally {
		rpc?.child.kill("SIGKILL");
		await server.close();
		home.remove();
	}
}

/** The hook's own source, so that it is told for what it is, with a terminal behind it. */
function withTerminal(home, hook, name) {
	const source = readFileSync(hook, "utf8");
	const factory = "export default function (pi: HookAPI) {";
	if (source.split(factory).length !== 2) throw new Error(`${hook} has no factory that is known`);
	const text = `${source.replace(factory, "function publishedHook(pi: HookAPI) {")}
${readFileSync(helper("terminal"), "utf8")}
export default (pi: HookAPI) => publishedHook(shownInTerminal(pi));
`;
	const folder = join(home.root, "shown");
	mkdirSync(folder);
	const path = join(folder, `${name}.ts`);
	writeFileSync(path, text);
	return path;
}

function assertEnd({ code, stderr }) {
	if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
	const complaint = stderr.split("\n").find((line) => /error|failed/i.test(line));
	if (complaint) throw new Error(complaint);
}

/** What records say. */
function observed(records) {
	const shown = (method) => records().filter((record) => record.type === "extension_ui_request" && record.method === method);
	return {
		records,
		tool(id) {
			const end = records().find((event) => event.type === "tool_execution_end" && event.toolCallId === id);
			if (!end) throw new Error(`the tool call ${id} did not end`);
			return [textOf(end.result.content).trim(), end.isError];
		},
		shown,
		notices: () => shown("notify").map(({ message, notifyType }) => [message, notifyType]),
		titles: (method) => shown(method).map(({ title }) => title),
		statuses: () => shown("setStatus").map(({ statusText }) => statusText && plain(statusText)),
	};
}

/** Going to other sessions: each says whether somebody was against it. */
function sessions(rpc) {
	const cancelled = async (type, args) => {
		const { data, error } = await rpc.send(type, args);
		if (error) throw new Error(error);
		return data.cancelled;
	};
	return {
		file: async () => (await rpc.send("get_state")).data.sessionFile,
		renew: () => cancelled("new_session"),
		switchTo: (sessionPath) => cancelled("switch_session", { sessionPath }),
		fork: async (number = 0) => {
			const { messages } = (await rpc.send("get_fork_messages")).data;
			return cancelled("fork", { entryId: messages[number].entryId });
		},
	};
}
