// Compares the types of the runtime's modules with published declarations, export by export, and counts `any`.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const conformance = join(here, "..");
export const runtime = join(here, "../../crates/engine/runtime");

/** Runs the type checker; gives its errors as `[file, line, message, reason]`. */
export function check(config) {
	const tsc = join(conformance, "node_modules/typescript/bin/tsc");
	const { stdout, stderr, status, error } = spawnSync(process.execPath, [tsc, "-p", config, "--pretty", "false"], {
		encoding: "utf8",
		maxBuffer: 1 << 30,
		cwd: here,
	});
	if (error) throw error;
	const errors = [];
	for (const line of stdout.split("\n")) {
		const [, file, at, message] = /^(.+?)\((\d+),\d+\): error (TS\d+: .*)$/.exec(line) ?? [];
		if (file) errors.push([resolve(here, file), Number(at), message]);
		else if (/^error TS/.test(line)) throw new Error(line);
		// What follows says why, the last line most exactly.
		else if (/^ +/.test(line) && errors.length > 0) errors.at(-1)[3] = line.trim();
	}
	if (status !== 0 && errors.length === 0) throw new Error(stdout + stderr);
	return errors;
}

/** The modules of the runtime, as paths below `runtime/`. */
export function modules(folder = "") {
	return readdirSync(join(runtime, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts"))
		.map((entry) => relative(runtime, join(entry.parentPath, entry.name)))
		.sort();
}

/** `modules.d.ts`, as it has to be. */
export function moduleTable() {
	const rows = modules().map((path) => `  "${path}": typeof import("./${path}");\n`);
	return `// What modules give that are loaded by name. \`UPDATE_TYPES=1 conformance/run\` writes this file.\n\nexport interface Modules {\n${rows.join("")}}\n`;
}

const COMMENTS_AND_TEXTS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

/** How often each folder of the runtime says `any` where a type stands. */
export function countAny() {
	const counts = {};
	for (const path of modules()) {
		const [folder] = path.split("/");
		const code = readFileSync(join(runtime, path), "utf8").replace(COMMENTS_AND_TEXTS, "");
		counts[folder] = (counts[folder] ?? 0) + (code.match(/(?<![.\w$])any(?![\w$(:])/g)?.length ?? 0);
	}
	return counts;
}

/** The modules of `node/`: the published type of each, and the type of ours. */
export function nodeModules() {
	return modules("node").map((path) => {
		const name = path.slice("node/".length, -".ts".length);
		const own = `typeof import("${join(runtime, path)}")`;
		// Names that are given as the module runs are known from its default export alone.
		const type = `Omit<${own}["default"], keyof ${own}> & ${own}`;
		return { name, theirs: `typeof import("node:${name}")`, type, of: (export_) => `Own["${export_}"] & { __promisify__: any }` };
	});
}

const at = (path) => `typeof import("${join(conformance, path)}")`;
const PACKAGES = {
	"pi-coding-agent": ["pi/coding-agent.ts", at("reference/pi/dist/index.js")],
	"pi-coding-agent before": ["pi/coding-agent.ts", at("node_modules/@earendil-works/pi-coding-agent/dist/index.js")],
	"pi-ai": ["pi/ai.ts", at("node_modules/@earendil-works/pi-ai/dist/index.js")],
	"pi-ai/compat": ["pi/ai.ts", at("node_modules/@earendil-works/pi-ai/dist/compat.js")],
	"pi-agent-core": ["pi/agent-core.ts", at("node_modules/@earendil-works/pi-agent-core/dist/index.js")],
	"pi-tui": ["pi/tui/index.ts", at("node_modules/@earendil-works/pi-tui/dist/index.js")],
};

/** pi's packages. Which module has a name says the table in the source of ours. */
export function piModules() {
	return Object.entries(PACKAGES).map(([name, [path, theirs]]) => {
		const source = readFileSync(join(runtime, path), "utf8");
		const places = new Map();
		for (const [, module, text, template] of source.matchAll(/^    "([\w./-]+\.ts)": *(?:"([^"]*)"|`([^`]*)`)/gm)) {
			const file = module.startsWith("../") ? module.slice(3) : `pi/${module}`;
			for (const word of (text ?? template).trim().split(/\s+/)) places.set(word, `typeof import("${join(runtime, file)}")["${word}"]`);
		}
		// Names that tau does not have are for js-names/check.mjs.
		return { name, theirs, type: "never", private: true, of: (export_) => places.get(export_) };
	});
}

/** Packages that tau has a module in place of; where they declare theirs, as an ambient module. */
const DECLARED = [join(conformance, "node_modules/@lydell/node-pty/node-pty.d.ts")];

/** The modules of `npm/`, which stand for packages. */
export function npmModules() {
	return [{ name: "node-pty", theirs: 'typeof import("@lydell/node-pty")' }].map((module) => {
		const type = `typeof import("${join(runtime, "npm", `${module.name}.ts`)}")`;
		return { ...module, type, of: (export_) => `Own["${export_}"]` };
	});
}

/** A class without its private members, which no other class can have. */
const PUBLIC = `type Public<T> = T extends abstract new (...args: infer Arguments) => infer Instance
	? (new (...args: Arguments) => Pick<Instance, keyof Instance>) & Omit<T, "prototype"> : T;`.replace("\n", "");

/** Every export of each module whose type does not fit the published one: module → export → why. */
export function mismatches(list) {
	const folder = mkdtempSync(join(tmpdir(), "tau-types-"));
	try {
		const config = join(folder, "tsconfig.json");
		const include = [join(folder, "*.ts"), join(runtime, "ops.d.ts"), ...DECLARED];
		writeFileSync(config, JSON.stringify({ extends: join(here, "compare.json"), include }));
		const file = (index, what) => join(folder, `${what}${index}.ts`);
		// The names are read from an error: the checker has no other way to tell them.
		list.forEach(({ theirs }, index) => {
			writeFileSync(file(index, "names"), `export const names: \`\${keyof ${theirs} & string}\` = 0;\n`);
		});
		const names = new Map();
		for (const [path, , message] of check(config)) {
			const index = list.findIndex((_, index) => file(index, "names") === path);
			if (index >= 0) names.set(index, [...message.matchAll(/"([\w$]+)"/g)].map(([, name]) => name));
		}
		const checked = list.map((module, index) => {
			rmSync(file(index, "names"));
			const given = names.get(index) ?? [];
			if (given.length === 0) throw new Error(`${module.name}: no published names`);
			const rows = given.filter((name) => name !== "default" && module.of(name));
			const lines = rows.map((name) => `export const ${name}_: ${module.private ? `Public<Theirs["${name}"]>` : `Theirs["${name}"]`} = null! as ${module.of(name)};`);
			writeFileSync(file(index, "check"), `${PUBLIC} type Theirs = ${module.theirs}; type Own = ${module.type};\n${lines.join("\n")}\n`);
			return rows;
		});
		const found = new Map(list.map(({ name }) => [name, new Map()]));
		for (const [path, line, message, reason] of check(config)) {
			const index = list.findIndex((_, index) => file(index, "check") === path);
			if (index < 0) continue;
			const name = checked[index][line - 2] ?? "?";
			const all = found.get(list[index].name);
			if (!all.has(name)) all.set(name, [message, reason].filter(Boolean).map((text) => text.slice(0, 200)).join(" … "));
		}
		return found;
	} finally {
		rmSync(folder, { recursive: true });
	}
}
