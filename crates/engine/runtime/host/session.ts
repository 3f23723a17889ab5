// `ctx.sessionManager`: entries are made when somebody looks at them and remembered after that. Writing goes straight
// to the session that is open.
import { ops, type SessionEntry } from "tau:ops";
import { importNow } from "../internal/loader.ts";

const managers = new Map<number, any>();

export function sessionManager(id: number): any {
  let manager = managers.get(id);
  if (!manager) managers.set(id, (manager = make(id)));
  // Throws the documented error once the session or the extension is gone.
  ops.sessionId(id);
  return manager;
}

function make(id: number): any {
  const entry = (entryId: string) => ops.sessionEntry(id, String(entryId));
  const list = (ids: string[]) => lazyList(ids, entry);
  const reading = () => importNow("tau:pi/coding-agent/session_entries.ts");
  return {
    getCwd: () => ops.sessionCwd(id),
    getSessionDir: () => ops.sessionDir(id) ?? "",
    getSessionId: () => ops.sessionId(id),
    getSessionFile: () => ops.sessionFile(id),
    isPersisted: () => ops.sessionFile(id) !== undefined,
    getLeafId: () => ops.sessionLeaf(id),
    getLeafEntry: () => {
      const leaf = ops.sessionLeaf(id);
      return leaf === null ? undefined : entry(leaf);
    },
    getEntry: entry,
    getLabel: (entryId: string) => ops.sessionLabel(id, String(entryId)),
    getBranch: (from?: string) => list(ops.sessionBranch(id, from)),
    getHeader: () => ops.sessionHeader(id),
    getEntries: () => list(ops.sessionEntries(id)),
    getEntryCount: () => ops.sessionCount(id),
    getChildren: (parent: string) => list(ops.sessionChildren(id, String(parent))),
    getTree: () => treeOf(ops.sessionParents(id), entry, ops.sessionLabels(id)),
    getSessionName: () => ops.sessionName(id),
    buildContextEntries: () => reading().buildContextEntries([...list(ops.sessionBranch(id, undefined))], ops.sessionLeaf(id)),
    buildSessionProjection: () => reading().buildSessionProjection([...list(ops.sessionBranch(id, undefined))], ops.sessionLeaf(id)),
    buildSessionContext: () => ops.sessionContext(id),
    ...writing(id),
  };
}

/** A session that Rust holds by number, as the class that extensions know. */
export function managerOf(session: number, cwd: string, dir: string): any {
  return importNow("tau:pi/coding-agent/session_manager.ts").managerOf(session, cwd, dir);
}

const WRITING = [
  "appendMessage", "appendThinkingLevelChange", "appendModelChange", "appendUsage", "appendCompaction",
  "appendCustomEntry", "appendSessionInfo", "appendCustomMessageEntry", "appendContextEdit", "appendLabelChange",
  "branch", "resetLeaf", "branchWithSummary",
];
const REPLACING = ["newSession", "setSessionFile", "createBranchedSession"];

function writing(id: number): any {
  let open: any;
  let opened: string | undefined;
  const write = (name: string) => (...args: any[]) => {
    // Throws the documented error once this session was replaced, unless the extension goes along to the next.
    const now = ops.sessionId(id);
    if (now !== opened) {
      const [session, cwd, dir] = ops.sessionOpen(id);
      open = managerOf(session, cwd, dir);
    }
    opened = now;
    const result = open[name](...args);
    ops.sessionWritten(id);
    return result;
  };
  const refuse = (name: string) => () => {
    throw new Error(`sessionManager.${name} cannot replace the session that is open; use newSession, fork or switchSession of a command's ctx`);
  };
  const methods: any = {};
  for (const name of WRITING) methods[name] = write(name);
  for (const name of REPLACING) methods[name] = refuse(name);
  return methods;
}

/** An array of entries that are made when they are read. */
function lazyList(ids: string[], make: (id: string) => SessionEntry | undefined): any[] {
  const target: any[] = new Array(ids.length);
  const made: boolean[] = [];
  const place = (key: string | symbol) => {
    if (typeof key !== "string") return -1;
    const index = +key;
    return index >= 0 && index < ids.length && String(index) === key ? index : -1;
  };
  const look = (index: number) => {
    if (!made[index]) {
      made[index] = true;
      target[index] = make(ids[index]);
    }
  };
  return new Proxy(target, {
    get(_, key) {
      const index = place(key);
      if (index >= 0 && index < target.length) look(index);
      return (target as any)[key];
    },
    has: (_, key) => key in target || (place(key) >= 0 && place(key) < target.length),
    set(_, key, value) {
      const index = place(key);
      if (index >= 0) made[index] = true;
      (target as any)[key] = value;
      return true;
    },
    getOwnPropertyDescriptor(_, key) {
      const index = place(key);
      if (index >= 0 && index < target.length) look(index);
      return Object.getOwnPropertyDescriptor(target, key);
    },
    ownKeys() {
      for (let index = 0; index < target.length && index < ids.length; index++) look(index);
      return Reflect.ownKeys(target);
    },
  });
}

/** An entry in the tree. */
type TreeNode = { readonly entry: SessionEntry | undefined; children: TreeNode[]; label: string | undefined };

/** The roots of the tree with their children, each with its entry and label. */
function treeOf(
  parents: [string, string | null][],
  entry: (id: string) => SessionEntry | undefined,
  labels: Record<string, string>,
): TreeNode[] {
  const nodes = new Map<string, TreeNode>();
  for (const [id] of parents) {
    let made: SessionEntry | undefined;
    nodes.set(id, {
      get entry() {
        return (made ??= entry(id));
      },
      children: [],
      label: labels[id],
    });
  }
  const roots: TreeNode[] = [];
  for (const [id, parent] of parents) {
    const node = nodes.get(id)!;
    const above = parent === null ? undefined : nodes.get(parent);
    (above ? above.children : roots).push(node);
  }
  return roots;
}
