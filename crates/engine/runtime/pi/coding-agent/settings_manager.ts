// `settings.json` of the user and of a project, for extensions that read or change them.
import { ops } from "tau:ops";
import { join } from "../../node/path/posix.ts";
import { CONFIG_DIR_NAME, getAgentDir } from "./config.ts";
import { readText, replaceText, withFileLock } from "./locked_file.ts";

type Scope = "global" | "project";
type Settings = Record<string, any>;

/** Where the two texts are kept. `withLock` gives the text and takes the new one. */
export interface SettingsStorage {
  withLock(scope: Scope, change: (current: string | undefined) => string | undefined): void;
}

/** Getter name without `get` → key, and what it gives when nothing is set. A setter of that name writes the key. */
const KEYS: Record<string, [string, any?]> = {
  LastChangelogVersion: ["lastChangelogVersion"],
  SessionDir: ["sessionDir"],
  DefaultProvider: ["defaultProvider"],
  DefaultModel: ["defaultModel"],
  DefaultThinkingLevel: ["defaultThinkingLevel"],
  SteeringMode: ["steeringMode", "one-at-a-time"],
  FollowUpMode: ["followUpMode", "one-at-a-time"],
  ThemeSetting: ["theme"],
  Theme: ["theme"],
  Transport: ["transport", "auto"],
  CompactionEnabled: ["compaction.enabled", true],
  BranchSummarySkipPrompt: ["branchSummary.skipPrompt", false],
  RetryEnabled: ["retry.enabled", true],
  HttpIdleTimeoutMs: ["httpIdleTimeoutMs", 300_000],
  CacheWarmingMode: ["cacheWarming", "streaming"],
  WebSocketConnectTimeoutMs: ["websocketConnectTimeoutMs"],
  HideThinkingBlock: ["hideThinkingBlock", false],
  ShowCacheMissNotices: ["showCacheMissNotices", false],
  ShellPath: ["shellPath"],
  QuietStartup: ["quietStartup", false],
  DefaultProjectTrust: ["defaultProjectTrust", "ask"],
  ShellCommandPrefix: ["shellCommandPrefix"],
  NpmCommand: ["npmCommand"],
  CollapseChangelog: ["collapseChangelog", false],
  EnableInstallTelemetry: ["enableInstallTelemetry", true],
  EnableAnalytics: ["enableAnalytics", false],
  TrackingId: ["trackingId"],
  Packages: ["packages", []],
  ExtensionPaths: ["extensions", []],
  SkillPaths: ["skills", []],
  PromptTemplatePaths: ["prompts", []],
  ThemePaths: ["themes", []],
  EnableSkillCommands: ["enableSkillCommands", true],
  ThinkingBudgets: ["thinkingBudgets"],
  ShowImages: ["terminal.showImages", true],
  ImageWidthCells: ["terminal.imageWidthCells", 60],
  ClearOnShrink: ["terminal.clearOnShrink", false],
  ShowTerminalProgress: ["terminal.showTerminalProgress", false],
  TuiMode: ["tuiMode", "regular"],
  FullscreenExitOutput: ["fullscreenExitOutput", "transcript"],
  FullscreenScrollbar: ["fullscreenScrollbar", "auto"],
  FullscreenCopyOnSelect: ["fullscreenCopyOnSelect", true],
  ImageAutoResize: ["images.autoResize", true],
  BlockImages: ["images.blockImages", false],
  EnabledModels: ["enabledModels"],
  DefaultTools: ["defaultTools"],
  DoubleEscapeAction: ["doubleEscapeAction", "tree"],
  TreeFilterMode: ["treeFilterMode", "default"],
  ShowHardwareCursor: ["showHardwareCursor", false],
  EditorPaddingX: ["editorPaddingX", 0],
  OutputPad: ["outputPad", 1],
  AutocompleteMaxVisible: ["autocompleteMaxVisible", 5],
  CodeBlockIndent: ["markdown.codeBlockIndent", "  "],
  MermaidRenderingMode: ["markdown.mermaid", "streaming"],
  Warnings: ["warnings", {}],
  AllModelThinkingLevels: ["modelThinkingLevels", {}],
};

/** Settings of which the project has its own list. */
const OF_PROJECT = ["Packages", "ExtensionPaths", "SkillPaths", "PromptTemplatePaths", "ThemePaths"];

const LIMITS: Record<string, [number, number]> = { EditorPaddingX: [0, 3], AutocompleteMaxVisible: [3, 20] };

const isObject = (value: unknown) => value !== null && typeof value === "object" && !Array.isArray(value);

/** One object on top of another; objects within them member by member. */
function merged(under: Settings, over: Settings): Settings {
  const result = { ...under };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    result[key] = isObject(value) && isObject(result[key]) ? { ...result[key], ...value } : value;
  }
  return result;
}

function getAt(settings: Settings, path: string): any {
  return path.split(".").reduce((value: any, key) => value?.[key], settings);
}

function setAt(settings: Settings, path: string, value: unknown): void {
  const [key, nested] = path.split(".");
  if (nested === undefined) settings[key] = value;
  else settings[key] = { ...settings[key], [nested]: value };
}

class FileStorage implements SettingsStorage {
  #paths: Record<Scope, string>;

  constructor(cwd: string, agentDir: string) {
    this.#paths = { global: join(agentDir, "settings.json"), project: join(cwd, CONFIG_DIR_NAME, "settings.json") };
  }

  withLock(scope: Scope, change: (current: string | undefined) => string | undefined): void {
    const path = this.#paths[scope];
    const current = readText(path);
    // Reading needs no lock: files are replaced in one step.
    if (change(current) === undefined) return;
    withFileLock(path, () => {
      const next = change(readText(path));
      if (next !== undefined) replaceText(path, next);
    });
  }
}

class MemoryStorage implements SettingsStorage {
  #texts: Partial<Record<Scope, string>> = {};

  withLock(scope: Scope, change: (current: string | undefined) => string | undefined): void {
    const next = change(this.#texts[scope]);
    if (next !== undefined) this.#texts[scope] = next;
  }
}

let ofProgram: (manager: SettingsManager) => Settings;

/** What a program sets by itself, beside the files. */
export function wantedSettings(manager: unknown): Settings {
  return manager instanceof SettingsManager ? structuredClone(ofProgram(manager)) : {};
}

/** The settings of the user with those of a trusted project on top. Changes are written at once. */
export class SettingsManager {
  #storage: SettingsStorage;
  #trusted: boolean;
  #global: Settings = {};
  #project: Settings = {};
  #overrides: Settings = {};
  #errors: any[] = [];

  private constructor(storage: SettingsStorage, options: any = {}) {
    this.#storage = storage;
    this.#trusted = options.projectTrusted ?? true;
    this.#load();
  }

  /** The settings in the files for a working directory. */
  static create(cwd: string, agentDir: string = getAgentDir(), options?: unknown): SettingsManager {
    return new SettingsManager(new FileStorage(cwd, agentDir), options);
  }

  /** Settings that are kept elsewhere. */
  static fromStorage(storage: SettingsStorage, options?: unknown): SettingsManager {
    return new SettingsManager(storage, options);
  }

  /** Settings that are kept nowhere. */
  static inMemory(settings: Settings = {}, options?: unknown): SettingsManager {
    const storage = new MemoryStorage();
    storage.withLock("global", () => JSON.stringify(settings));
    return new SettingsManager(storage, options);
  }

  #load(): void {
    this.#global = this.#read("global");
    this.#project = this.#trusted ? this.#read("project") : {};
  }

  #read(scope: Scope): Settings {
    let settings: Settings = {};
    try {
      this.#storage.withLock(scope, (text) => {
        const parsed = text?.trim() ? JSON.parse(text) : {};
        if (isObject(parsed)) settings = parsed;
        return undefined;
      });
    } catch (error) {
      this.#errors.push({ scope, error });
    }
    return settings;
  }

  #write(scope: Scope, path: string, value: any): void {
    if (scope === "project" && !this.#trusted)
      throw new Error("Project settings cannot be changed: the project is not trusted");
    setAt(scope === "global" ? this.#global : this.#project, path, value);
    try {
      this.#storage.withLock(scope, (text) => {
        const settings = text?.trim() ? JSON.parse(text) : {};
        setAt(settings, path, value);
        return `${JSON.stringify(settings, null, 2)}\n`;
      });
    } catch (error) {
      this.#errors.push({ scope, error });
    }
  }

  #get(path: string): any {
    return getAt(merged(merged(this.#global, this.#project), this.#overrides), path);
  }

  static {
    // What is in files a session reads itself.
    ofProgram = (manager) =>
      manager.#storage instanceof FileStorage ? manager.#overrides : merged(manager.#global, manager.#overrides);
  }

  getGlobalSettings(): Settings {
    return structuredClone(this.#global);
  }

  getProjectSettings(): Settings {
    return structuredClone(this.#project);
  }

  isProjectTrusted(): boolean {
    return this.#trusted;
  }

  setProjectTrusted(trusted: boolean): void {
    this.#trusted = trusted;
    this.#load();
  }

  async reload(): Promise<void> {
    this.#load();
  }

  /** Puts settings on top for as long as this manager lives. */
  applyOverrides(overrides: Settings): void {
    this.#overrides = merged(this.#overrides, overrides);
  }

  async flush(): Promise<void> {}

  /** What could not be read or written since the last call. */
  drainErrors(): any[] {
    return this.#errors.splice(0);
  }

  setDefaultModelAndProvider(provider: string, modelId: string): void {
    this.#write("global", "defaultProvider", provider);
    this.#write("global", "defaultModel", modelId);
  }

  getModelThinkingLevel(provider: string, modelId: string): string | undefined {
    return this.#get("modelThinkingLevels")?.[`${provider}/${modelId}`];
  }

  setModelThinkingLevel(provider: string, modelId: string, level: string): void {
    this.#write("global", "modelThinkingLevels", {
      ...this.#global.modelThinkingLevels,
      [`${provider}/${modelId}`]: level,
    });
  }

  removeModelThinkingLevel(provider: string, modelId: string): void {
    const { [`${provider}/${modelId}`]: _, ...rest } = this.#global.modelThinkingLevels ?? {};
    this.#write("global", "modelThinkingLevels", rest);
  }

  getCompactionSettings(model?: any): any {
    const own = model ? this.#get("compaction")?.modelOverrides?.[`${model.provider}/${model.id}`] : undefined;
    const token = (name: string, otherwise: number) => own?.[name] ?? this.#get(`compaction.${name}`) ?? otherwise;
    return {
      enabled: this.#get("compaction.enabled") ?? true,
      reserveTokens: token("reserveTokens", 16_384),
      keepRecentTokens: token("keepRecentTokens", 20_000),
    };
  }

  getCompactionReserveTokens(model?: unknown): number {
    return this.getCompactionSettings(model).reserveTokens;
  }

  getCompactionKeepRecentTokens(model?: unknown): number {
    return this.getCompactionSettings(model).keepRecentTokens;
  }

  getBranchSummarySettings(): any {
    return { reserveTokens: 16_384, skipPrompt: false, ...this.#get("branchSummary") };
  }

  getRetrySettings(): any {
    const { enabled = true, maxRetries = 3, baseDelayMs = 2_000, maxAgentDelayMs = 60_000 } = this.#get("retry") ?? {};
    return { enabled, maxRetries, baseDelayMs, maxAgentDelayMs };
  }

  getProviderRetrySettings(): any {
    return { maxRetryDelayMs: 60_000, ...this.#get("retry.provider") };
  }

  getExternalEditorCommand(): string {
    return this.#get("externalEditor") || ops.envGet("VISUAL") || ops.envGet("EDITOR") || "nano";
  }

  getTerminalCapabilityOverrides(): any {
    return {};
  }

  static {
    const prototype: any = SettingsManager.prototype;
    const method = (name: string, value: unknown) =>
      Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
    for (const [name, [path, otherwise]] of Object.entries(KEYS)) {
      method(`get${name}`, function (this: SettingsManager) {
        const value = this.#get(path) ?? otherwise;
        return value !== null && typeof value === "object" ? structuredClone(value) : value;
      });
      method(`set${name}`, function (this: SettingsManager, value: any) {
        const limits = LIMITS[name];
        this.#write("global", path, limits ? Math.min(limits[1], Math.max(limits[0], Math.floor(value))) : value);
      });
      if (!OF_PROJECT.includes(name)) continue;
      method(`setProject${name}`, function (this: SettingsManager, value: unknown) {
        this.#write("project", path, value);
      });
    }
  }
}
