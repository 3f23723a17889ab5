// tau installs a package from the configured registry by itself, with no Node on PATH; then the package works.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { selfCheck, run } from "../lib/agents.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";

const DIAGRAM = "graph LR\n  A[Parse] --> B[Check]";

/** How registries are reached from here; nothing else of the caller's environment. */
function network(home) {
	const names = Object.keys(process.env).filter((name) => /^npm_config_(?!(prefix|globalconfig)$)|_proxy$|^node_extra_ca_certs$|^ssl_cert_/i.test(name));
	const bin = join(home.root, "empty");
	mkdirSync(bin, { recursive: true });
	const userconfig = process.env.NPM_CONFIG_USERCONFIG ?? process.env.npm_config_userconfig ?? join(homedir(), ".npmrc");
	return { ...Object.fromEntries(names.map((name) => [name, process.env[name]])), npm_config_userconfig: userconfig, PATH: bin, PI_OFFLINE: "" };
}

test("npm:pi-mermaid is installed without Node and draws", { skip: selfCheck && "the reference needs npm" }, async () => {
	const model = await startLoopback([{ text: `Here:\n\n\`\`\`mermaid\n${DIAGRAM}\n\`\`\`\n` }, { text: "Done." }]);
	const home = makeHome({ origin: model.origin, settings: { tau: { limits: { softMs: 120_000, observeMs: 120_000, stretchMs: 120_000 } } } });
	try {
		const env = network(home);
		const installed = await run("tau", home, ["install", "npm:pi-mermaid@0.3.0"], { env });
		assert.equal(installed.code, 0, installed.stderr);
		assert.match(installed.stdout, /^Installed npm:pi-mermaid@0\.3\.0\n$/);
		const settings = JSON.parse(readFileSync(join(home.agent, "settings.json"), "utf8"));
		assert.deepEqual(settings.packages, ["npm:pi-mermaid@0.3.0"]);
		const lock = JSON.parse(readFileSync(join(home.agent, "tau-lock.json"), "utf8"));
		assert.match(lock.packages["node_modules/pi-mermaid"].integrity, /^sha512-/);
		assert.ok(existsSync(join(home.agent, "npm/node_modules/pi-mermaid/package.json")));

		const drawn = await run("tau", home, ["--mode", "json", "--model", MODELS.anthropic, "Draw"], { env: { PATH: env.PATH }, stdin: "" });
		assert.equal(drawn.code, 0, drawn.stderr);
		assert.doesNotMatch(drawn.stderr, /Failed to load extension|Extension error|not installed/);
		const [session] = home.sessions();
		const entries = readFileSync(session, "utf8").trim().split("\n").map((line) => JSON.parse(line));
		const { details } = entries.find((entry) => entry.customType === "pi-mermaid");
		assert.equal(details.source, DIAGRAM);
		assert.match(details.ascii, /│ Parse ├────►│ Check │/);

		const removed = await run("tau", home, ["remove", "npm:pi-mermaid"], { env });
		assert.equal(removed.code, 0, removed.stderr);
		assert.equal(existsSync(join(home.agent, "npm/node_modules/pi-mermaid")), false);
	} finally {
		await model.close();
		home.remove();
	}
});
