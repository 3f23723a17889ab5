// What the model calls of each server.

import { fileURLToPath } from "node:url";

const ev = (name, args) => [`mcp__ev__${name}`, args];

export const EVERYTHING = {
	calls: [
		ev("echo", { message: "hello, wörld" }),
		ev("get_sum", { a: 19, b: 23 }),
		// The server's own check, and the check of arguments before the call.
		ev("get_sum", { a: "x" }),
		ev("get_tiny_image"),
		ev("get_annotated_message", { messageType: "success", includeImage: true }),
		ev("get_annotated_message", { messageType: "error" }),
		ev("get_structured_content", { location: "New York" }),
		ev("get_resource_links", { count: 4 }),
		ev("get_resource_reference", { resourceType: "Text", resourceId: 1 }),
		ev("get_resource_reference", { resourceType: "Blob", resourceId: 2 }),
		ev("get_resource_reference", { resourceType: "Text", resourceId: -1 }),
		ev("trigger_long_running_operation", { duration: 0.6, steps: 4 }),
		ev("get_roots_list"),
		ev("echo", { message: "long ".repeat(6000) }),
		ev("gzip_file_as_resource", { name: "x.gz", data: "data:text/plain,hello", outputType: "resourceLink" }),
		ev("gzip_file_as_resource", { name: "y.gz", data: "data:text/plain,hello", outputType: "resource" }),
		["list_mcp_resources", {}],
		["list_mcp_resource_templates", { server: "ev" }],
		["read_mcp_resource", { server: "ev", uri: "demo://resource/static/document/architecture.md" }],
		["read_mcp_resource", { server: "ev", uri: "demo://resource/dynamic/text/7" }],
		["read_mcp_resource", { server: "ev", uri: "demo://nowhere" }],
	],
};

/** A server that is not there. */
export const NOBODY = { calls: [["read_mcp_resource", { server: "nobody", uri: "demo://nowhere" }]] };

/** An extension has a tool of the same name. */
export const SAME_NAME = (when) => ({
	env: { SAME_NAME: when },
	flags: ["-e", fileURLToPath(new URL("../lib/extensions/same-name.mjs", import.meta.url))],
	calls: [ev("echo", { message: "hello" }), ev("echo", { message: "hello" })],
});

const files = (name, args) => [`mcp__files__${name}`, args];

export const FILESYSTEM = {
	calls: [
		files("list_allowed_directories"),
		files("read_text_file", { path: "notes.txt" }),
		files("read_text_file", { path: "notes.txt", head: 1 }),
		files("read_media_file", { path: "pixel.png" }),
		files("read_multiple_files", { paths: ["notes.txt", "missing.txt"] }),
		files("read_text_file", { path: "/etc/hostname" }),
		files("write_file", { path: "long.txt", content: `${"zeile äöü\n".repeat(2500)}end` }),
		files("read_text_file", { path: "long.txt" }),
		files("edit_file", { path: "notes.txt", edits: [{ oldText: "beta", newText: "BETA" }], dryRun: false }),
		files("create_directory", { path: "a/b" }),
		files("move_file", { source: "notes.txt", destination: "a/b/moved.txt" }),
		files("directory_tree", { path: "." }),
		files("search_files", { path: ".", pattern: "**/moved*" }),
		files("list_directory", { path: "." }),
		files("read_text_file", {}),
	],
};

const time = (name, args) => [`mcp__time__${name}`, args];

export const TIME = {
	calls: [
		time("convert_time", { source_timezone: "Europe/Paris", time: "16:30", target_timezone: "Asia/Tokyo" }),
		time("get_current_time", { timezone: "Nowhere/Land" }),
		time("convert_time", { source_timezone: "UTC", time: "25:99", target_timezone: "Asia/Tokyo" }),
		time("get_current_time", {}),
	],
};

const dual = (name, args) => [`mcp__dual__${name}`, args];

/** The version that the client spoke. */
export const PROTOCOL = { calls: [dual("protocol")] };

export const DUAL = {
	calls: [
		dual("add", { a: 1, b: 2 }),
		dual("fail"),
		dual("steps", { count: 3 }),
		["list_mcp_resources", {}],
		["read_mcp_resource", { server: "dual", uri: "notes://one" }],
	],
};

const script = (code) => ["codemode", { code }];

/** The same calls by scripts, which wait for a server that starts slowly. */
export const byScripts = ({ calls, ...more }) => ({
	...more,
	calls: calls.map(([name, args = {}]) =>
		script(`return await tools.${name}(${JSON.stringify(args)}).catch((error) => "failed: " + error.message)`),
	),
});

export const SCRIPTED = {
	calls: [
		script(`const answer = await tools.mcp__ev__get_structured_content({ location: "Chicago" }); return answer.structuredContent`),
		script(`return (await tools.mcp__ev__get_tiny_image({})).content.map((block) => block.type)`),
		script(`return await tools.mcp__ev__get_sum({ a: "x", b: 1 }).catch((error) => String(error.message))`),
		script(`return (await tools.mcp__ev__trigger_long_running_operation({ duration: 0.4, steps: 2 })).content[0].text`),
		script(`return ALL_TOOLS.map((tool) => tool.name).filter((name) => name.startsWith("mcp__")).sort()`),
		script(`return (await describeNamespace("ev")).tools`),
	],
};

/** What a server gets of the variables of the session. */
export const VARIABLES = {
	env: { PLAIN_VALUE: "as it is", OPENAI_API_KEY: "sk-nothing" },
	calls: [ev("get_env")],
};

export const SEARCHED = {
	calls: [["tool_search", { query: "sum of two numbers", limit: 1 }], ev("get_sum", { a: 1, b: 2 }), ["tool_search", { query: "zzz" }]],
};
