// Sessions of an extension's own: files of any session, or none at all. The session that is running is
// `ctx.sessionManager`.
import {
  type EntryDraft, type LabelEntry, type NewSessionOptions, ops, type SessionContext, type SessionEntry,
  type SessionHeader, type Usage, type UsageEntry,
} from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { dirname, join } from "../../node/path/posix.ts";
import { getAgentDir } from "./config.ts";
import {
  buildContextEntries, buildSessionContext, buildSessionProjection, pathTo, type SessionProjection,
} from "./session_entries.ts";

/** What is read of a session at its entries; remembered, because entries only ever come on top. */
type Read = {
  entries: SessionEntry[];
  byId: Map<string, SessionEntry>;
  children: Map<string | null, SessionEntry[]>;
  labels: Map<string, LabelEntry>;
};

const nothing = (): Read => ({ entries: [], byId: new Map(), children: new Map(), labels: new Map() });

/** An entry in the tree. */
type TreeNode = {
  entry: SessionEntry;
  children: TreeNode[];
  label: string | undefined;
  labelTimestamp: string | undefined;
};

let numberOf: (manager: SessionManager) => number;

/** A session: a tree of entries in a file, and the leaf at which it goes on. */
export class SessionManager {
  #session: number;
  #cwd: string;
  #dir: string;
  #read = nothing();

  static {
    numberOf = (manager) => manager.#session;
  }

  private constructor(session: number, cwd: string, dir: string) {
    this.#session = session;
    this.#cwd = cwd;
    this.#dir = dir;
  }

  /** A new session, which becomes a file with its first message. */
  static create(cwd: string, sessionDir?: string, options: NewSessionOptions = {}): SessionManager {
    const dir = sessionDir ?? defaultDir(cwd);
    return new SessionManager(ops.piSessionCreate(cwd, dir, options), cwd, dir);
  }

  /** The session in a file; a new one in that file when it does not exist. */
  static open(path: string, sessionDir?: string, cwdOverride?: string): SessionManager {
    const dir = sessionDir ?? dirname(path);
    const fs = importNow("tau:node/fs.ts");
    if (!fs.existsSync(path)) {
      const cwd = cwdOverride ?? ops.cwd();
      return new SessionManager(ops.piSessionCreate(cwd, dir, { file: path }), cwd, dir);
    }
    const session = ops.piSessionOpen(path);
    return new SessionManager(session, cwdOverride ?? (ops.piSessionHead(session).cwd || ops.cwd()), dir);
  }

  /** The session of a working directory that was written last; a new one when there is none. */
  static continueRecent(cwd: string, sessionDir?: string): SessionManager {
    const dir = sessionDir ?? defaultDir(cwd);
    const recent = ops.piSessionRecent(dir, cwd);
    return recent ? SessionManager.open(recent, dir, cwd) : SessionManager.create(cwd, dir);
  }

  /** A session that never becomes a file. */
  static inMemory(cwd: string = ops.cwd(), options: NewSessionOptions = {}): SessionManager {
    return new SessionManager(ops.piSessionInMemory(cwd, options), cwd, "");
  }

  /** A new session for `targetCwd` with all entries of a file. */
  static forkFrom(sourcePath: string, targetCwd: string, sessionDir?: string, options: NewSessionOptions = {}): SessionManager {
    const dir = sessionDir ?? defaultDir(targetCwd);
    return new SessionManager(ops.piSessionForkFrom(sourcePath, dir, targetCwd, options), targetCwd, dir);
  }

  /** The session of that id, or of an id that begins so. */
  static async findById(id: string, cwd: string, sessionDir?: string): Promise<any> {
    const sessions = await SessionManager.list(cwd, sessionDir);
    return sessions.find((one) => one.id === id) ?? sessions.find((one) => one.id.startsWith(id));
  }

  /** The sessions of a working directory, the latest first. */
  static async list(
    cwd: string,
    sessionDir?: string,
    onProgress?: (loaded: number, total: number) => void,
  ): Promise<any[]> {
    const listed = await listDir(sessionDir ?? defaultDir(cwd));
    onProgress?.(listed.length, listed.length);
    return listed;
  }

  /** The sessions of all working directories, the latest first. */
  static async listAll(onProgress?: (loaded: number, total: number) => void): Promise<any[]> {
    const fs = importNow("tau:node/fs.ts");
    const root = join(getAgentDir(), "sessions");
    let names: string[] = [];
    try {
      names = fs.readdirSync(root);
    } catch {
      // Nobody has had a session yet.
    }
    const all: any[] = [];
    let done = 0;
    for (const name of names) {
      all.push(...(await listDir(join(root, name))));
      onProgress?.(++done, names.length);
    }
    return all.sort((a, b) => b.modified.getTime() - a.modified.getTime());
  }

  /** Goes on with another file. */
  setSessionFile(path: string): void {
    const other = SessionManager.open(path, this.#dir || undefined);
    this.#replace(other.#session);
    this.#cwd = other.#cwd;
  }

  /** Starts anew; gives the file that the session will have. */
  newSession(options: NewSessionOptions = {}): string | undefined {
    const { id, parentSession } = options;
    const fresh = { id, parentSession };
    this.#replace(
      this.#dir ? ops.piSessionCreate(this.#cwd, this.#dir, fresh) : ops.piSessionInMemory(this.#cwd, fresh),
    );
    return this.getSessionFile();
  }

  #replace(session: number): void {
    ops.resourceClose(this.#session);
    this.#session = session;
    this.#read = nothing();
  }

  isPersisted(): boolean {
    return this.getSessionFile() !== undefined;
  }

  usesDefaultSessionDir(): boolean {
    return this.#dir === defaultDir(this.#cwd);
  }

  getCwd(): string {
    return this.#cwd;
  }

  getSessionDir(): string {
    return this.#dir;
  }

  getSessionId(): string {
    return this.getHeader().id;
  }

  getSessionFile(): string | undefined {
    return ops.piSessionHead(this.#session).file ?? undefined;
  }

  getHeader(): SessionHeader {
    return ops.piSessionHead(this.#session).header;
  }

  #append(draft: EntryDraft): SessionEntry {
    return ops.piSessionAppend(this.#session, draft);
  }

  /** Appends a message below the leaf; gives the entry's id. So do all that follow. */
  appendMessage(message: any): string {
    return this.#append({ type: "message", message }).id;
  }

  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.#append({ type: "thinking_level_change", thinkingLevel }).id;
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.#append({ type: "model_change", provider, modelId }).id;
  }

  /** Appends tokens that were spent beside the conversation; gives the entry. */
  appendUsage(kind: string, provider: string, model: string, usage: Usage, note?: string): UsageEntry {
    return this.#append({ type: "usage", kind, provider, model, usage, note }) as UsageEntry;
  }

  appendCompaction(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string {
    return this.#append({ type: "compaction", summary, firstKeptEntryId, tokensBefore, details, fromHook, usage }).id;
  }

  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#append({ type: "custom", customType, data }).id;
  }

  appendSessionInfo(name: string): string {
    return this.#append({ type: "session_info", name }).id;
  }

  appendCustomMessageEntry(customType: string, content: any, display: boolean, details?: any): string {
    return this.#append({ type: "custom_message", customType, content, display, details }).id;
  }

  /** Changes what the model sees of an earlier entry; null hides it. */
  appendContextEdit(targetId: string, replacement: any): string {
    return this.#append({ type: "context_edit", targetId, content: replacement?.content ?? null }).id;
  }

  /** Sets the bookmark of an entry; undefined clears it. */
  appendLabelChange(targetId: string, label: string | undefined): string {
    return this.#append({ type: "label", targetId, label }).id;
  }

  /** Everything that has been appended so far. */
  #all(): Read {
    const [length] = ops.piSessionState(this.#session);
    const read = this.#read;
    if (length === read.entries.length) return read;
    for (const entry of ops.piSessionEntries(this.#session, read.entries.length)) {
      read.entries.push(entry);
      read.byId.set(entry.id, entry);
      const siblings = read.children.get(entry.parentId);
      if (siblings) siblings.push(entry);
      else read.children.set(entry.parentId, [entry]);
      if (entry.type !== "label") continue;
      if (entry.label) read.labels.set(entry.targetId, entry);
      else read.labels.delete(entry.targetId);
    }
    return read;
  }

  getSessionName(): string | undefined {
    return (
      this.#all()
        .entries.findLast((entry) => entry.type === "session_info")
        ?.name?.trim() || undefined
    );
  }

  getLeafId(): string | null {
    return ops.piSessionState(this.#session)[1] ?? null;
  }

  getLeafEntry(): SessionEntry | undefined {
    const leaf = this.getLeafId();
    return leaf === null ? undefined : this.getEntry(leaf);
  }

  getEntry(id: string): SessionEntry | undefined {
    return this.#all().byId.get(id);
  }

  getChildren(parentId: string): SessionEntry[] {
    return [...(this.#all().children.get(parentId) ?? [])];
  }

  getLabel(id: string): string | undefined {
    return this.#all().labels.get(id)?.label;
  }

  /** The entries from the root to an entry, the leaf by default. */
  getBranch(fromId?: string): SessionEntry[] {
    const { entries, byId } = this.#all();
    const from = fromId ?? this.getLeafId();
    return from !== null && byId.has(from) ? pathTo(entries, from, byId) : [];
  }

  buildContextEntries(): SessionEntry[] {
    const { entries, byId } = this.#all();
    return buildContextEntries(entries, this.getLeafId(), byId);
  }

  buildSessionProjection(): SessionProjection {
    const { entries, byId } = this.#all();
    return buildSessionProjection(entries, this.getLeafId(), byId);
  }

  /** What the model sees at the leaf. */
  buildSessionContext(): SessionContext {
    const { entries, byId } = this.#all();
    return buildSessionContext(entries, this.getLeafId(), byId);
  }

  getEntries(): SessionEntry[] {
    return [...this.#all().entries];
  }

  getEntryCount(): number {
    return this.getEntries().length;
  }

  /** The roots with their children; entries whose parent is missing are roots too. */
  getTree(): TreeNode[] {
    const { entries, byId, labels } = this.#all();
    const nodes = new Map<string, TreeNode>();
    for (const entry of entries) {
      const label = labels.get(entry.id);
      nodes.set(entry.id, { entry, children: [], label: label?.label, labelTimestamp: label?.timestamp });
    }
    const roots: TreeNode[] = [];
    for (const entry of entries) {
      const parent = entry.parentId !== entry.id && byId.has(entry.parentId!) && nodes.get(entry.parentId!);
      (parent ? parent.children : roots).push(nodes.get(entry.id)!);
    }
    return roots;
  }

  /** Moves the leaf to an earlier entry: what is appended next begins another branch. */
  branch(branchFromId: string): void {
    ops.piSessionLeaf(this.#session, branchFromId);
  }

  /** Moves the leaf before all entries. */
  resetLeaf(): void {
    ops.piSessionLeaf(this.#session, null);
  }

  /** Moves the leaf and appends there what happened on the branch that is left. */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string {
    const fromId = this.getLeafId() ?? undefined;
    if (branchFromId === null) this.resetLeaf();
    else this.branch(branchFromId);
    return this.#append({ type: "branch_summary", fromId, summary, details, fromHook, usage }).id;
  }

  /** Goes on in a new session that holds the path to an entry only; gives its file. */
  createBranchedSession(leafId: string): string | undefined {
    this.#replace(ops.piSessionForkAt(this.#session, leafId, this.#dir));
    return this.getSessionFile();
  }
}

/** The number by which a session is held; none for what only looks like a manager. */
export function sessionNumber(manager: any): number | undefined {
  return manager instanceof SessionManager ? numberOf(manager) : undefined;
}

/** A session that is held by number already. */
export function managerOf(session: number, cwd: string, dir: string): SessionManager {
  return new (SessionManager as any)(session, cwd, dir);
}

function defaultDir(cwd: string): string {
  return ops.piSessionDir(getAgentDir(), cwd);
}

async function listDir(dir: string): Promise<any[]> {
  return (await ops.piSessionList(dir)).map((info) => {
    let text: string | undefined;
    return {
      path: info.path,
      id: info.id,
      cwd: info.cwd,
      name: info.name ?? undefined,
      parentSessionPath: info.parentSessionPath ?? undefined,
      created: new Date(info.created ?? info.modified),
      modified: new Date(info.modified),
      messageCount: info.messageCount,
      firstMessage: info.firstMessage ?? "(no messages)",
      // Few look at it, and for those who do the file is read.
      get allMessagesText(): string {
        return (text ??= allText(info.path));
      },
    };
  });
}

function allText(path: string): string {
  const messages = SessionManager.open(path)
    .getEntries()
    .filter((entry) => entry.type === "message");
  const texts = messages.flatMap(({ message }) => {
    if (message.role !== "user" && message.role !== "assistant") return [];
    if (typeof message.content === "string") return [message.content];
    return message.content.filter((block) => block.type === "text").map((block) => block.text);
  });
  return texts.join(" ");
}
