// What an agent session is told first, and which extensions it loads, as programs of the SDK say it.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { basename, join, resolve } from "../../node/path/posix.ts";
import { CONFIG_DIR_NAME, createSyntheticSourceInfo, expandTilde, getAgentDir } from "./config.ts";
import { loadProjectContextFiles } from "./context_files.ts";
import { parseFrontmatter } from "./frontmatter.ts";
import { loadSkills } from "./skills.ts";

type Override<T> = ((base: T) => T) | undefined;

const textOf = (path: string): string | undefined => {
  try {
    return importNow("tau:node/fs.ts").readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
};

/** A file's text when the words name one, else the words themselves. */
const textOrFile = (words: string | undefined): string | undefined =>
  words === undefined ? undefined : (textOf(resolve(expandTilde(words))) ?? words);

/** The prompt templates in folders and files. */
function loadPrompts(cwd: string, agentDir: string, paths: string[], standard: boolean): any {
  const fs = importNow("tau:node/fs.ts");
  const prompts: any[] = [];
  const diagnostics: any[] = [];
  const file = (filePath: string, scope: string) => {
    const name = basename(filePath, ".md");
    if (!filePath.endsWith(".md") || prompts.some((prompt) => prompt.name === name)) return;
    const { frontmatter, body } = parseFrontmatter(textOf(filePath) ?? "");
    const first = body.split("\n").find((line: string) => line.trim()) ?? "";
    const { description = first.slice(0, 60), "argument-hint": argumentHint } = frontmatter;
    const sourceInfo = createSyntheticSourceInfo(filePath, { source: "local", scope });
    prompts.push({ name, description, argumentHint, content: body, filePath, sourceInfo });
  };
  const folder = (path: string, scope: string) => {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) file(path, scope);
    if (stat?.isDirectory()) for (const name of fs.readdirSync(path)) file(join(path, name), scope);
  };
  if (standard) {
    folder(join(agentDir, "prompts"), "user");
    folder(resolve(cwd, CONFIG_DIR_NAME, "prompts"), "project");
  }
  for (const path of paths) folder(resolve(cwd, expandTilde(path)), "temporary");
  return { prompts, diagnostics };
}

/** Finds what a session is told, and lets a program change it. */
export class DefaultResourceLoader {
  #options: any;
  #cwd: string;
  #agentDir: string;
  #skills: any = { skills: [], diagnostics: [] };
  #prompts: any = { prompts: [], diagnostics: [] };
  #agentsFiles: any = { agentsFiles: [] };
  #systemPrompt: string | undefined;
  #append: string[] = [];
  #extensions: any = { extensions: [], errors: [], runtime: {} };
  #more = { skillPaths: [] as string[], promptPaths: [] as string[] };

  constructor(options: any = {}) {
    this.#options = options;
    this.#cwd = resolve(options.cwd ?? ops.cwd());
    this.#agentDir = resolve(expandTilde(options.agentDir ?? getAgentDir()));
  }

  /** Looks for everything again. */
  async reload(): Promise<void> {
    const options = this.#options;
    const [cwd, agentDir] = [this.#cwd, this.#agentDir];
    const changed = <T>(base: T, override: Override<T>): T => (override ? override(base) : base);
    const skills = loadSkills({ cwd, agentDir, skillPaths: this.#skillPaths(), includeDefaults: !options.noSkills });
    this.#skills = changed(skills, options.skillsOverride);
    const prompts = loadPrompts(cwd, agentDir, this.#promptPaths(), !options.noPromptTemplates);
    this.#prompts = changed(prompts, options.promptsOverride);
    const agentsFiles = options.noContextFiles ? [] : loadProjectContextFiles({ cwd, agentDir });
    this.#agentsFiles = changed({ agentsFiles }, options.agentsFilesOverride);
    const own = [join(cwd, CONFIG_DIR_NAME), agentDir];
    const first = (name: string) => own.map((folder) => textOf(join(folder, name))).find((text) => text !== undefined);
    const system = textOrFile(options.systemPrompt) ?? first("SYSTEM.md");
    this.#systemPrompt = changed(system, options.systemPromptOverride);
    const given = options.appendSystemPrompt === undefined ? [] : [options.appendSystemPrompt].flat();
    const appended = given.length > 0 ? given.map((words: string) => textOrFile(words)) : [first("APPEND_SYSTEM.md")];
    const texts = appended.filter((text: string | undefined): text is string => text !== undefined);
    this.#append = changed(texts, options.appendSystemPromptOverride);
  }

  #skillPaths(): string[] {
    return [...(this.#options.additionalSkillPaths ?? []), ...this.#more.skillPaths];
  }

  #promptPaths(): string[] {
    return [...(this.#options.additionalPromptTemplatePaths ?? []), ...this.#more.promptPaths];
  }

  /** The extensions of the session that was made with this; none before. */
  getExtensions(): any {
    return this.#extensions;
  }

  getSkills(): any {
    return this.#skills;
  }

  getPrompts(): any {
    return this.#prompts;
  }

  getThemes(): any {
    return { themes: [], diagnostics: [] };
  }

  getAgentsFiles(): any {
    return this.#agentsFiles;
  }

  getSystemPrompt(): string | undefined {
    return this.#systemPrompt;
  }

  getAppendSystemPrompt(): string[] {
    return this.#append;
  }

  getPathMetadata(): Map<string, any> {
    return new Map();
  }

  /** Adds what extensions bring. */
  extendResources({ skillPaths = [], promptPaths = [] }: any = {}): void {
    const paths = (list: any[]) => list.map((entry) => (typeof entry === "string" ? entry : entry.path));
    this.#more.skillPaths.push(...paths(skillPaths));
    this.#more.promptPaths.push(...paths(promptPaths));
    void this.reload();
  }

  /** What a session made with this asks for. Only what the program changed is said: the rest the session finds itself. */
  wanted(): any {
    const options = this.#options;
    const wanted: any = {
      discover: !options.noExtensions,
      extensions: [...(options.additionalExtensionPaths ?? [])],
      factories: [...(options.extensionFactories ?? [])],
      noSkills: Boolean(options.noSkills),
      skillPaths: this.#skillPaths(),
      noPromptTemplates: Boolean(options.noPromptTemplates),
      promptTemplatePaths: this.#promptPaths(),
      noContextFiles: Boolean(options.noContextFiles),
      systemPrompt: options.systemPrompt,
      appendSystemPrompt: options.appendSystemPrompt === undefined ? [] : [options.appendSystemPrompt].flat(),
    };
    if (options.systemPromptOverride) wanted.systemPrompt = this.#systemPrompt;
    if (options.appendSystemPromptOverride) wanted.appendSystemPrompt = this.#append;
    if (options.agentsFilesOverride) wanted.contextFiles = filesOf(this);
    if (options.skillsOverride) Object.assign(wanted, givenSkills(this));
    if (options.promptsOverride) Object.assign(wanted, givenPrompts(this));
    return wanted;
  }

  /** Takes note of what was loaded. */
  loaded(extensions: any): void {
    this.#extensions = extensions;
  }
}

const filesOf = (loader: any) =>
  loader.getAgentsFiles().agentsFiles.map(({ path, content }: any) => ({ path: String(path), content: String(content) }));

const givenSkills = (loader: any) => ({
  noSkills: true,
  skillPaths: [],
  skills: loader.getSkills().skills.map(({ name, description, filePath, disableModelInvocation }: any) => ({
    name,
    description,
    filePath,
    disableModelInvocation: Boolean(disableModelInvocation),
  })),
});

const givenPrompts = (loader: any) => ({
  noPromptTemplates: true,
  promptTemplatePaths: [],
  promptTemplates: loader.getPrompts().prompts.map(({ name, description, content, filePath }: any) => ({
    name,
    description: description ?? "",
    content,
    filePath: filePath ?? `<inline:${name}>`,
  })),
});

/** What a session asks for that is made with this loader: tau's own, or one that a program wrote. */
export function wantedOf(loader: any): any {
  if (loader instanceof DefaultResourceLoader) return loader.wanted();
  return {
    discover: false,
    extensions: [],
    factories: [],
    noContextFiles: true,
    contextFiles: filesOf(loader),
    systemPrompt: loader.getSystemPrompt?.(),
    appendSystemPrompt: loader.getAppendSystemPrompt?.() ?? [],
    ...givenSkills(loader),
    ...givenPrompts(loader),
  };
}

/** What loaders that a program writes give for the extensions' runtime. */
export function createExtensionRuntime(): any {
  return {};
}
