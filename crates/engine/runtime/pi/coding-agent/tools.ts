// The built-in tools as objects that extensions wrap, replace or point elsewhere. What they do is done by the same
// code as tau's own tools; operations that an extension supplies are called back.
import { type ContentBlock, ops, type ToolOutput, type ToolSpec } from "tau:ops";
import { operationsOf } from "./operations.ts";
import { answered } from "./port.ts";
import { commandEnvironment } from "./shell.ts";
import { renderersOf } from "./tool_renderers.ts";

type Make = (cwd: string, options?: any) => any;

/** How the tool of this name presents itself; made anew, because extensions change what they get. */
const specOf = (name: string): ToolSpec => ops.piToolSpec(name)!;

/** A tool that runs in `cwd`; `run` may change the options of a call. */
function tool(name: string, cwd: string, options: any, run: (params: any, ctx: any) => any = () => ({})): any {
  const spec = specOf(name);
  const { label, description, parameters } = spec;
  const made: any = {
    name,
    label,
    description,
    parameters,
    ...sampling(name),
    ...structure(name),
    async execute(toolCallId: string, params: any, signal?: AbortSignal, onUpdate?: any, ctx?: any): Promise<any> {
      const operations = operationsOf(name, options?.operations, signal);
      const settings = {
        cwd,
        operations: operations !== undefined,
        sniffs: options?.operations?.detectImageMimeType !== undefined,
        streams: options?.operations?.createReadStream !== undefined,
        autoResizeImages: options?.autoResizeImages !== false,
        ...run(params, ctx),
      };
      const update = (partial: ToolOutput) => onUpdate?.({ content: partial.content, details: partial.details });
      const result = await answered({ ...operations, update }, signal, (port) =>
        ops.piToolRun(port, name, settings, String(toolCallId), params),
      );
      return structured(name, result);
    },
  };
  if (name === "edit") made.prepareArguments = (raw: any) => ops.piToolPrepare(name, raw);
  // Of the tools, only this one comes with its lines for the system prompt.
  return name === "bash" ? definition(made, spec) : made;
}

/** Tools whose arguments a provider may hold to the schema while the model writes them. */
const STRICT = ["read", "bash", "edit", "write"];

function sampling(name: string): any {
  return STRICT.includes(name) ? { constrainedSampling: { type: "json_schema", strict: "prefer" } } : {};
}

/** The schema of `structuredContent`, for tools whose results have one. */
function structure(name: string): any {
  const object = (properties: any, required: string[]) => ({ type: "object", required, properties });
  const [string, number, boolean] = ["string", "number", "boolean"].map((type) => ({ type }));
  if (name === "read") {
    const image = { type: { type: "string", const: "image" }, data: string, mimeType: string, note: string };
    return { outputSchema: { anyOf: [string, object(image, Object.keys(image))] } };
  }
  if (name !== "bash") return {};
  const properties = {
    output: { ...string, description: "What the command wrote; cut when truncated is true" },
    truncated: boolean,
    full_output_path: { ...string, description: "The file with all of it, when it was cut" },
    exit_code: number,
    wall_time_seconds: number,
  };
  const outputSchema = object(properties, ["output", "truncated", "exit_code", "wall_time_seconds"]);
  return { outputSchema };
}

/** The result as callers of a tool get it. */
function structured(name: string, { content, details, structuredContent, isError }: ToolOutput): any {
  const result: any = { content, details };
  if (isError) result.isError = true;
  if (structuredContent !== undefined) result.structuredContent = structuredContent;
  else if (name === "read") result.structuredContent = shownBy(content);
  return result;
}

/** What `read` shows: a text, or a picture with the text beside it. */
function shownBy(content: ContentBlock[]): unknown {
  const text = content.find((block) => block.type === "text")?.text ?? "";
  const image = content.find((block) => block.type === "image");
  return image ? { type: "image", data: image.data, mimeType: image.mimeType, note: text } : text;
}

/** The tool as a definition to register: with its lines for the system prompt, and drawn. */
const drawn = (made: any): any => Object.assign(definition(made), renderersOf(made.name));

/** The tool with what only definitions for the system prompt have. */
function definition(made: any, spec = specOf(made.name)): any {
  const { promptSnippet, promptGuidelines, executionMode } = spec;
  if (promptSnippet !== undefined) made.promptSnippet = promptSnippet;
  if (promptGuidelines !== undefined) made.promptGuidelines = promptGuidelines;
  if (executionMode === "sequential") made.executionMode = executionMode;
  return made;
}

const plain = (name: string): Make => (cwd, options) => tool(name, cwd, options);

/** The command that runs: with the prefix, and as the extension's hook wants it. */
function spawn(cwd: string, options: any, params: any, ctx: any): any {
  const command = options?.commandPrefix ? `${options.commandPrefix}\n${params.command}` : params.command;
  const plan = { command, cwd, env: commandEnvironment(ctx, options?.exposeSessionEnvironment !== false) };
  const changed = options?.spawnHook ? options.spawnHook(plan) : plan;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(changed.env ?? {})) if (value !== undefined) env[name] = String(value);
  return { shellPath: options?.shellPath, spawn: { command: changed.command, cwd: changed.cwd, env } };
}

/** Reads files; `options.operations`: `readFile`, `createReadStream`, `access`, `detectImageMimeType`. */
export const createReadTool: Make = plain("read");
/** Runs commands; options: `operations.exec`, `spawnHook`, `commandPrefix`, `shellPath`. */
export const createBashTool: Make = (cwd, options) =>
  tool("bash", cwd, options, (params, ctx) => spawn(cwd, options, params, ctx));
/** Edits files; `options.operations`: `readFile`, `writeFile`, `access`. */
export const createEditTool: Make = plain("edit");
/** Writes files; `options.operations`: `writeFile`, `mkdir`. */
export const createWriteTool: Make = plain("write");
/** Searches in files; `options.operations`: `isDirectory`. */
export const createGrepTool: Make = plain("grep");
/** Finds files; `options.operations`: `exists`, `glob`. */
export const createFindTool: Make = plain("find");
/** Lists directories; `options.operations`: `exists`, `stat`, `readdir`. */
export const createLsTool: Make = plain("ls");

/** The read tool as a definition to register. */
export const createReadToolDefinition: Make = (cwd, options) => drawn(createReadTool(cwd, options));
/** The bash tool as a definition to register. */
export const createBashToolDefinition: Make = (cwd, options) => drawn(createBashTool(cwd, options));
/** The edit tool as a definition to register. */
export const createEditToolDefinition: Make = (cwd, options) => drawn(createEditTool(cwd, options));
/** The write tool as a definition to register. */
export const createWriteToolDefinition: Make = (cwd, options) => drawn(createWriteTool(cwd, options));
/** The grep tool as a definition to register. */
export const createGrepToolDefinition: Make = (cwd, options) => drawn(createGrepTool(cwd, options));
/** The find tool as a definition to register. */
export const createFindToolDefinition: Make = (cwd, options) => drawn(createFindTool(cwd, options));
/** The ls tool as a definition to register. */
export const createLsToolDefinition: Make = (cwd, options) => drawn(createLsTool(cwd, options));

const MAKERS: Record<string, Make> = {
  read: createReadTool,
  bash: createBashTool,
  edit: createEditTool,
  write: createWriteTool,
  grep: createGrepTool,
  find: createFindTool,
  ls: createLsTool,
};
const CODING = ["read", "bash", "edit", "write"];
const READ_ONLY = ["read", "grep", "find", "ls"];

const several = (names: string[], cwd: string, options: any = {}) =>
  names.map((name) => MAKERS[name](cwd, options[name]));

/** The tools that change things: read, bash, edit, write. `options` holds the options of each by name. */
export function createCodingTools(cwd: string, options?: any): any[] {
  return several(CODING, cwd, options);
}

/** The tools that only look: read, grep, find, ls. */
export function createReadOnlyTools(cwd: string, options?: any): any[] {
  return several(READ_ONLY, cwd, options);
}

/** All seven tools by name. */
export function createAllTools(cwd: string, options?: any): Record<string, any> {
  const names = Object.keys(MAKERS);
  return Object.fromEntries(several(names, cwd, options).map((made) => [made.name, made]));
}

/** A registered tool as an agent takes it: its context comes from the runner. */
export function wrapRegisteredTool(registered: any, runner: any): any {
  const { definition: own } = registered;
  return {
    ...own,
    execute: (id: string, params: any, signal: any, onUpdate: any) =>
      own.execute(id, params, signal, onUpdate, runner.createContext()),
  };
}

/** {@link wrapRegisteredTool} for several. */
export function wrapRegisteredTools(registered: any[], runner: any): any[] {
  return registered.map((one) => wrapRegisteredTool(one, runner));
}
