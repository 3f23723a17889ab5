// The SDK's way to a session of one's own: `createAgentSession` and what stands around it. The session is a child of the
// one that the extension works in.
import { ops } from "tau:ops";
import { keep } from "../../host/calls.ts";
import { piOf } from "../../host/generations.ts";
import { modelRegistry } from "../../host/models.ts";
import { schemaOf } from "../../host/schema.ts";
import { toolContext } from "../../host/nested.ts";
import { AgentSession } from "./agent_session.ts";
import { getAgentDir } from "./config.ts";
import { DefaultResourceLoader, wantedOf } from "./resource_loader.ts";
import { SessionManager, sessionNumber } from "./session_manager.ts";
import { SettingsManager, wantedSettings } from "./settings_manager.ts";

/** The `pi` of whoever asks. */
function caller(): number {
  ops.nextStackIsOwn();
  return piOf(ops.childCaller(new Error().stack ?? ""));
}

const BUILT_IN = ["read", "bash", "edit", "write", "grep", "find", "ls"];
const nameOf = (tool: any): string => (typeof tool === "string" ? tool : String(tool.name));

/** A tool of the extension, as the child takes it. */
function customTool(pi: number, given: any): any {
  const tool = given.tool ?? given;
  const spec = {
    name: tool.name,
    label: tool.label ?? tool.name,
    description: tool.description ?? "",
    parameters: schemaOf(tool.parameters),
    promptSnippet: tool.promptSnippet,
    promptGuidelines: tool.promptGuidelines,
    executionMode: tool.executionMode,
    outputSchema: schemaOf(tool.outputSchema) ?? undefined,
    constrainedSampling: tool.constrainedSampling || undefined,
  };
  const execute = keep((call: number, toolCallId: string, params: any, signal: AbortSignal, update: any) =>
    tool.execute(toolCallId, params, signal, update, toolContext(pi, call)),
  );
  const prepareArguments =
    typeof tool.prepareArguments === "function" ? keep((raw: any) => tool.prepareArguments(raw)) : undefined;
  return { spec, execute, prepareArguments };
}

/** A function that registers, as the child calls it. */
const factory = (given: any, index: number): any => {
  const register = typeof given === "function" ? given : given.factory;
  return { name: given.name || given.path || `factory-${index + 1}`, number: keep((pi: any) => register(pi)) };
};

/** The prompt that an older program gives: text, or a function of the standard one. */
const promptOf = (given: any, pi: number): string | undefined =>
  typeof given === "function" ? given(ops.ctxSystemPrompt(pi, 0)) : given;

/** Opens a session with a model, tools, prompt, folder and extensions of its own. */
export async function createAgentSession(options: any = {}): Promise<any> {
  const pi = caller();
  const { model, thinkingLevel, tools, excludeTools, noTools, customTools = [], sessionManager, settingsManager } = options;
  if (![undefined, null, false, true, "all", "builtin"].includes(noTools)) {
    throw new TypeError(`noTools is ${JSON.stringify(noTools)}; it can be "all" or "builtin"`);
  }
  const cwd = options.cwd ?? sessionManager?.getCwd?.() ?? ops.ctxCwd(pi, 0);
  const loader = options.resourceLoader ?? new DefaultResourceLoader({ cwd, agentDir: options.agentDir, settingsManager });
  if (!options.resourceLoader) await loader.reload();
  const manager = sessionManager ?? SessionManager.create(cwd);
  const found = wantedOf(loader);
  // Earlier programs give tools as objects; those that tau has not are tools of their own.
  const foreign = (tools ?? []).filter((tool: any) => typeof tool !== "string" && !BUILT_IN.includes(nameOf(tool)));
  const custom = [...customTools, ...foreign].map((tool) => customTool(pi, tool));
  const wanted: any = {
    ...found,
    factories: found.factories.map(factory),
    name: options.name ?? nameOfCaller(pi),
    cwd,
    agentDir: options.agentDir,
    model,
    thinkingLevel,
    tools: tools?.map(nameOf),
    excludeTools: (excludeTools ?? []).map(nameOf),
    noTools: noTools === "all" || noTools === true,
    noBuiltinTools: noTools === "builtin",
    given: Object.keys(options),
    systemPrompt: promptOf(options.systemPrompt, pi) ?? found.systemPrompt,
    settings: settingsManager ? wantedSettings(settingsManager) : {},
    session: sessionNumber(manager),
    customTools: custom,
    background: Boolean(options.background),
  };
  if (options.skills) {
    const given = { getSkills: () => ({ skills: options.skills }), getPrompts: () => ({ prompts: [] }) };
    const { skills } = wantedOf({ ...given, getAgentsFiles: () => ({ agentsFiles: [] }) });
    Object.assign(wanted, { noSkills: true, skillPaths: [], skills });
  }
  if (options.contextFiles) {
    wanted.contextFiles = options.contextFiles.map(({ path, content }: any) => ({ path, content }));
  }
  const child = await ops.childOpen(pi, JSON.parse(JSON.stringify(wanted)));
  const parts = {
    sessionManager: manager,
    settingsManager: settingsManager ?? SettingsManager.create(cwd),
    modelRegistry: options.modelRegistry ?? modelRegistry(pi),
    resourceLoader: loader,
  };
  const session = new AgentSession({ child, pi, options: parts });
  const paths: string[] = ops.childExtensions(child);
  const extensions = paths.map((path) => ({ path, resolvedPath: path }));
  const extensionsResult = { extensions, errors: [], runtime: {} };
  loader.loaded?.(extensionsResult);
  return { session, extensionsResult, modelFallbackMessage: undefined };
}

/** What a child is called that nobody named: as the extension that opened it. */
const nameOfCaller = (pi: number): string => ops.childOpener(pi);

/** What sessions of one folder share. */
export async function createAgentSessionServices(options: any = {}): Promise<any> {
  const pi = caller();
  const cwd = options.cwd ?? ops.ctxCwd(pi, 0);
  const { agentDir = getAgentDir(), authStorage, modelRegistry: given, resourceLoaderOptions = {} } = options;
  const settingsManager = options.settingsManager ?? SettingsManager.create(cwd, agentDir);
  const resourceLoader = new DefaultResourceLoader({ ...resourceLoaderOptions, cwd, agentDir, settingsManager });
  await resourceLoader.reload();
  const registry = given ?? modelRegistry(pi);
  return { cwd, agentDir, authStorage, settingsManager, modelRegistry: registry, resourceLoader, diagnostics: [] };
}

/** A session over services that are there. */
export async function createAgentSessionFromServices({ services, ...options }: any): Promise<any> {
  const { cwd, agentDir, settingsManager, modelRegistry: registry, resourceLoader } = services;
  // A manager of the services' own files adds nothing to what the session reads.
  return createAgentSession({ cwd, agentDir, settingsManager, modelRegistry: registry, resourceLoader, ...options });
}

/** A session that others can take the place of, each made by `create`. */
export class AgentSessionRuntime {
  #create: (options: any) => Promise<any>;
  #made: any;
  #rebind: ((session: any) => unknown) | undefined;

  constructor(create: (options: any) => Promise<any>, made: any) {
    this.#create = create;
    this.#made = made;
  }

  get session(): any {
    return this.#made.session;
  }

  get services(): any {
    return this.#made.services;
  }

  get cwd(): string {
    return this.#made.services?.cwd ?? this.session.sessionManager.getCwd();
  }

  get diagnostics(): any[] {
    return this.#made.diagnostics ?? [];
  }

  get modelFallbackMessage(): string | undefined {
    return this.#made.modelFallbackMessage;
  }

  setRebindSession(rebind?: (session: any) => unknown): void {
    this.#rebind = rebind;
  }

  async #replace(sessionManager: any, reason: string): Promise<any> {
    const { agentDir } = this.services ?? {};
    const previous = this.session.sessionFile;
    await this.session[Symbol.asyncDispose]();
    const sessionStartEvent = { type: "session_start", reason, previousSessionFile: previous };
    this.#made = await this.#create({ cwd: sessionManager.getCwd(), agentDir, sessionManager, sessionStartEvent });
    await this.#rebind?.(this.session);
    return { cancelled: false };
  }

  async newSession(options: any = {}): Promise<any> {
    const { sessionManager } = this.session;
    const next = sessionManager.isPersisted()
      ? SessionManager.create(this.cwd, sessionManager.getSessionDir())
      : SessionManager.inMemory(this.cwd);
    await options?.setup?.(next);
    return this.#replace(next, "new");
  }

  async switchSession(path: string): Promise<any> {
    return this.#replace(SessionManager.open(path), "resume");
  }

  async fork(entryId: string): Promise<any> {
    const { sessionManager } = this.session;
    const selectedText = this.session.getUserMessagesForForking().find((one: any) => one.entryId === entryId)?.text;
    const parent = sessionManager.getEntry(entryId)?.parentId;
    if (parent) sessionManager.createBranchedSession(parent);
    else sessionManager.newSession();
    return { ...(await this.#replace(sessionManager, "fork")), selectedText };
  }

  async dispose(): Promise<void> {
    await this.session[Symbol.asyncDispose]();
  }
}

/** Makes the first session and what replaces it. */
export async function createAgentSessionRuntime(create: (options: any) => Promise<any>, options: any): Promise<any> {
  return new AgentSessionRuntime(create, await create(options));
}
