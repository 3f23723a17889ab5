// Plays one case with one example: a throw-away home, a scripted model, the example and the probe.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandOf, parseLines, run, selfCheck } from "../lib/agents.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { normaliser } from "../lib/normalise.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { entryFile } from "./sets.mjs";

const helper = (name) => fileURLToPath(new URL(`helpers/${name}.ts`, import.meta.url));

/** Steps of a model's script. */
export const say = (text) => ({ text });
export const call = (...calls) => ({ toolCalls: calls.map(([id, name, args = {}]) => ({ id, name, args })) });

/**
 * A case: `prompts`, `flags` (or a function of the home), `script` and `model` of one run, or several `runs` of these in
 * one home, and
 *   files, agentFiles   texts below the working and the agent directory; agentSettings its settings
 *   bin                 programs of the PATH: name → shell script
 *   setup               shell commands, run in the working directory before
 *   before(home, n)     called before each run with its number; after() at the end
 *   env, answers        environment; answers to dialogs, by method
 *   redirect(origin)    { providers, hosts } that the helper `loopback.ts` redirects; `moved` are base URLs by backend that the
 *                       helper `moved.ts` writes into the example's own models
 *   rpc                 commands of RPC mode in the place of prompts, each sent when the one before was answered
 *   terminal            the example is told that there is a terminal, by the helper `terminal.ts`
 *   sessions            there is the command `/go`, see the helper `sessions.ts`
 *   atOnce, animated    requests come in any order; what is shown depends on the clock: not compared
 *   routes              path → { headers, body }: a second server, for what is no model
 * `paths` are the extensions.
 */
export async function play(program, paths, test) {
	const runs = test.runs ?? [test];
	const model = await startLoopback(runs.flatMap(({ script = [] }) => script));
	const other = test.routes && (await startRoutes(test.routes));
	const home = makeHome({ origin: model.origin, files: test.files, settings: test.agentSettings });
	try {
		prepare(home, test);
		const { providers = {}, hosts = {}, moved } = test.redirect?.(model.origin, other?.origin) ?? {};
		const env = {
			PATH: `${join(home.root, "bin")}:${process.env.PATH}`,
			PROBE_LOG: join(home.root, "probe.jsonl"),
			PROBE_ANSWERS: JSON.stringify(test.answers ?? {}),
			LOOPBACK_PROVIDERS: JSON.stringify(providers),
			LOOPBACK_HOSTS: JSON.stringify(hosts),
			...((test.terminal || moved) && { EXAMPLE: entryFile(paths.at(-1)) }),
			...(moved && { MOVED_MODELS: JSON.stringify(moved) }),
			...test.env?.(home),
		};
		const through = test.terminal ? "terminal" : moved && "moved";
		const given = through ? [...paths.slice(0, -1), helper(through)] : paths;
		const helpers = [...(test.redirect ? [helper("loopback")] : []), ...(test.sessions ? [helper("sessions")] : [])];
		const outputs = [];
		for (const [number, { prompts = ["Go"], rpc, flags = [], model: pattern = MODELS.anthropic }] of runs.entries()) {
			test.before?.(home, number);
			const extensions = [helper("probe"), ...given, ...helpers];
			const args = ["--mode", rpc ? "rpc" : "json", "--model", pattern, ...extensions.flatMap((path) => ["-e", path])];
			// Last, because a flag of an extension takes the next word in the reference.
			args.push(...(rpc ? [] : prompts), ...(typeof flags === "function" ? flags(home) : flags));
			outputs.push(await run(program, home, args, { env, ...(rpc ? conversation(rpc) : { stdin: "" }) }));
		}
		return observed(home, model, other, outputs);
	} catch (error) {
		home.remove();
		throw error;
	} finally {
		await model.close();
		await other?.close();
	}
}

/** Sends commands one after another; ends the input when the last one was answered. */
function conversation(commands) {
	let input;
	let text = "";
	let sent = 0;
	const next = () => {
		if (sent === commands.length) return input.end();
		input.write(`${JSON.stringify({ id: `c${sent}`, ...commands[sent] })}\n`);
		sent += 1;
	};
	return {
		stdin(stream) {
			input = stream;
			next();
		},
		onStdout(chunk) {
			const lines = (text + chunk).split("\n");
			text = lines.pop();
			const answer = parseLines(lines.join("\n")).find(({ type, id }) => type === "response" && id === `c${sent - 1}`);
			if (answer) next();
		},
	};
}

function prepare(home, { agentFiles = {}, bin = {}, setup }) {
	const write = (path, text) => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	};
	for (const [name, text] of Object.entries(agentFiles)) write(join(home.agent, name), text);
	mkdirSync(join(home.root, "bin"));
	// tau gives extensions a `pi` that is tau; the reference has to be installed as one.
	if (selfCheck) {
		const [node, [cli]] = commandOf("reference");
		bin = { pi: `exec '${node}' '${cli}' "$@"`, ...bin };
	}
	for (const [name, text] of Object.entries(bin)) {
		write(join(home.root, "bin", name), `#!/bin/sh\n${text}\n`);
		chmodSync(join(home.root, "bin", name), 0o755);
	}
	if (setup) {
		const env = { PATH: process.env.PATH, HOME: home.root };
		execFileSync("bash", ["-ec", setup], { cwd: home.work, env, stdio: ["ignore", "pipe", "pipe"] });
	}
}

/** What a check looks at. */
function observed(home, model, other, outputs) {
	const events = outputs.flatMap(({ stdout }) => parseLines(stdout));
	const bodies = model.bodies();
	const text = (content) =>
		typeof content === "string" ? content : (content ?? []).map((block) => block.text ?? "").join("\n");
	const lines = (path) => (existsSync(path) ? parseLines(readFileSync(path, "utf8")) : []);
	const probe = lines(join(home.root, "probe.jsonl"));
	return {
		home,
		outputs,
		events,
		requests: model.requests,
		/** A value without what is different in each run. */
		normalised: normaliser(home, model.origin),
		otherRequests: other?.requests ?? [],
		stepsLeft: model.stepsLeft(),
		/** What commands of RPC mode were answered. */
		answers: () => events.filter(({ type }) => type === "response").map(({ data }) => data),
		/** The result of a tool call: text, details, isError. */
		tool(id) {
			const end = events.find((event) => event.type === "tool_execution_end" && event.toolCallId === id);
			if (!end) throw new Error(`the tool call ${id} did not end`);
			return { text: text(end.result.content), content: end.result.content, details: end.result.details, isError: end.isError };
		},
		/** System prompt, names of the tools, last user message and all messages of a request. */
		system: (number) => text(bodies[number].system ?? bodies[number].messages[0].content),
		tools: (number) => (bodies[number].tools ?? []).map((tool) => tool.name ?? tool.function.name),
		user: (number) => text(bodies[number].messages.findLast(({ role }) => role === "user").content),
		messages: (number) => JSON.stringify(bodies[number].messages),
		/** Calls of a method of the user interface, each with its arguments; other things that the probe saw. */
		ui: (method) => probe.filter((record) => record.ui === method).map(({ args }) => args),
		probe: (key) => probe.filter((record) => key in record).map((record) => record[key]),
		records: (pick) => probe.map(pick).filter(Boolean),
		probed: (event) => probe.filter((record) => record.event === event).map(({ reason }) => reason),
		/** Entries of the session file of a type, or of a custom type. */
		entries: (type) =>
			home.sessions().flatMap(lines).filter((entry) => entry.type === type || entry.customType === type),
		file: (name) => readFileSync(join(home.root, name), "utf8"),
		exists: (name) => existsSync(join(home.root, name)),
		shell: (command) =>
			execFileSync("bash", ["-ec", command], { cwd: home.work, env: { PATH: process.env.PATH, HOME: home.root } }).toString(),
	};
}

/** Whether the program under test has RPC mode: it ends by itself when its input does. */
export async function hasRpc() {
	const home = makeHome({ origin: "http://127.0.0.1:9" });
	try {
		return (await run("tau", home, ["--mode", "rpc"], { stdin: "" })).code === 0;
	} finally {
		home.remove();
	}
}

/** What helps to understand a failure. */
export function report(seen) {
	return seen.outputs
		.map(({ code, stderr, stdout }) => `exit code ${code}\n${stderr.slice(-1500)}\n${stdout ? "" : "(no output)"}`)
		.concat(seen.requests.map(({ path }) => `request ${path}`), `steps left: ${seen.stepsLeft}`)
		.join("\n");
}

async function startRoutes(routes) {
	const requests = [];
	const server = createServer(async (request, response) => {
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		requests.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
		const route = routes[request.url.split("?")[0]];
		response.writeHead(route ? 200 : 404, route?.headers);
		response.end(route?.body ?? "");
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		requests,
		origin: `http://127.0.0.1:${server.address().port}`,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
