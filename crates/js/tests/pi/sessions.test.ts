// Sessions of an extension's own, and what is computed from their entries.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import {
  buildContextEntries, buildSessionContext, calculateContextTokens, collectEntriesForBranchSummary, convertToLlm,
  CURRENT_SESSION_VERSION, DEFAULT_COMPACTION_SETTINGS, estimateTokens, findCutPoint, findTurnStartIndex,
  getLastAssistantUsage, getLatestCompactionEntry, migrateSessionEntries, parseSessionEntries, prepareBranchEntries,
  serializeConversation, sessionEntryToContextMessages, SessionManager, shouldCompact,
} from "@earendil-works/pi-coding-agent";

const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "pi-sessions-")));
after(() => fs.rmSync(dir, { recursive: true, force: true }));

const usage = (totalTokens = 3): any => ({
  input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});
const user = (content: any): any => ({ role: "user", content, timestamp: 1 });
const said = (text: string, more: any = {}): any => ({
  role: "assistant", content: [{ type: "text", text }], api: "a", provider: "p", model: "m", usage: usage(), stopReason: "stop", timestamp: 2, ...more,
});

test("a session in memory is a tree", () => {
  const session: any = SessionManager.inMemory("/work");
  assert.deepEqual([session.getCwd(), session.getSessionFile(), session.getLeafId(), session.getEntries()], ["/work", undefined, null, []]);
  const { type, version, cwd } = session.getHeader();
  assert.deepEqual([type, version, cwd, CURRENT_SESSION_VERSION], ["session", 3, "/work", 3]);
  const first = session.appendMessage(user("hi"));
  const second = session.appendMessage(said("yo"));
  session.appendThinkingLevelChange("high");
  session.appendModelChange("pp", "mm");
  const custom = session.appendCustomEntry("state", { n: 1 });
  session.appendCustomMessageEntry("note", "text", true, { d: 1 });
  session.appendLabelChange(first, "mark");
  session.appendSessionInfo("my name");
  assert.equal((session as any).getEntryCount(), session.getEntries().length);
  assert.deepEqual(session.getEntries().map((entry: any) => entry.type), [
    "message", "message", "thinking_level_change", "model_change", "custom", "custom_message", "label", "session_info",
  ]);
  assert.deepEqual([session.getLabel(first), session.getSessionName(), session.getChildren(first).length], ["mark", "my name", 1]);
  assert.deepEqual(session.getEntry(custom).data, { n: 1 });
  assert.equal(session.getEntry("nope"), undefined);
  const context = session.buildSessionContext();
  assert.deepEqual([context.messages.map(({ role }: any) => role), context.thinkingLevel, context.model], [
    ["user", "assistant", "custom"], "high", { provider: "pp", modelId: "mm" },
  ]);
  session.branch(second);
  const other = session.appendMessage(user("other way"));
  assert.deepEqual(session.getBranch().map(({ id }: any) => id), [first, second, other]);
  assert.deepEqual(session.getBranch(second).map(({ id }: any) => id), [first, second]);
  const [root] = session.getTree();
  assert.deepEqual([root.entry.id, root.label, root.children[0].children.length], [first, "mark", 2]);
  session.branch(second);
  const summary = session.branchWithSummary(first, "went elsewhere", { x: 1 });
  const { parentId, fromId, details } = session.getEntry(summary);
  assert.deepEqual([parentId, fromId, details, session.getLeafId()], [first, second, { x: 1 }, summary]);
  session.resetLeaf();
  assert.deepEqual([session.getLeafId(), session.getBranch()], [null, []]);
  assert.throws(() => session.branch("nope"), /Entry nope not found/);
  assert.throws(() => session.appendLabelChange("nope", "x"), /Entry nope not found/);
});

test("lists that are given out can be changed", () => {
  const session: any = SessionManager.inMemory("/work");
  session.appendMessage(user("hi"));
  session.getEntries().length = 0;
  session.getBranch().pop();
  assert.deepEqual([session.getEntries().length, session.getBranch().length], [1, 1]);
});

test("a session in a file is found again", async () => {
  const session: any = SessionManager.create(dir, dir);
  const file = session.getSessionFile();
  assert.equal(path.dirname(file), dir);
  session.appendMessage(user("the first question"));
  session.appendMessage(said("the answer"));
  session.appendCustomEntry("state", { kept: true });
  const again: any = SessionManager.open(file);
  assert.deepEqual(again.getEntries(), session.getEntries());
  assert.deepEqual([again.getSessionId(), again.getCwd(), again.getLeafId()], [session.getSessionId(), dir, session.getLeafId()]);
  assert.equal((SessionManager.continueRecent(dir, dir) as any).getSessionFile(), file);
  const [listed, ...others] = await SessionManager.list(dir, dir);
  assert.deepEqual(others, []);
  assert.deepEqual([listed.path, listed.id, listed.cwd, listed.messageCount, listed.firstMessage], [file, session.getSessionId(), dir, 2, "the first question"]);
  assert.equal(listed.modified instanceof Date && listed.created instanceof Date, true);
  assert.equal(listed.allMessagesText, "the first question the answer");
  const fork: any = SessionManager.forkFrom(file, "/elsewhere", dir);
  assert.deepEqual([fork.getHeader().parentSession, fork.getCwd(), fork.getEntries().length], [file, "/elsewhere", 3]);
});

test("text of a session file", () => {
  const lines = ['{"type":"session","id":"s","cwd":"/"}', "", "not json", '{"type":"message","message":{"role":"hookMessage"}}'];
  const entries: any[] = parseSessionEntries(lines.join("\n"));
  assert.deepEqual(entries.map(({ type }) => type), ["session", "message"]);
  migrateSessionEntries(entries);
  assert.deepEqual([entries[0].version, typeof entries[1].id, entries[1].parentId, entries[1].message.role], [3, "string", null, "custom"]);
});

const entry = (id: string, parentId: string | null, more: any): any => ({ id, parentId, timestamp: "2026-01-01T00:00:00.000Z", ...more });
const chain = (...bodies: any[]): any[] => bodies.map((body, index) => entry(`e${index}`, index ? `e${index - 1}` : null, body));
const message = (message: any) => ({ type: "message", message });

test("a compaction stands for what came before what it keeps", () => {
  const entries = chain(
    message(user("one")), message(said("1")), message(user("two")), message(said("2")),
    { type: "compaction", summary: "S", firstKeptEntryId: "e2", tokensBefore: 9 }, message(user("three")),
  );
  assert.deepEqual(buildContextEntries(entries).map(({ id }: any) => id), ["e4", "e2", "e3", "e5"]);
  const context = buildSessionContext(entries);
  assert.deepEqual(context.messages.map((one: any) => one.summary ?? one.content[0].text ?? one.content), ["S", "two", "2", "three"]);
  assert.equal((getLatestCompactionEntry(entries) as any).id, "e4");
  assert.equal(getLatestCompactionEntry(entries.slice(0, 3)), null);
  assert.deepEqual(buildSessionContext(entries, "e1").messages.length, 2);
});

test("edits of the context count, and hide", () => {
  const entries = chain(
    message(user("secret")), message(said("1")),
    { type: "context_edit", targetId: "e0", replacement: { content: "masked" } }, { type: "context_edit", targetId: "e1", replacement: null },
  );
  assert.deepEqual(buildSessionContext(entries).messages.map((one: any) => one.content), ["masked"]);
});

test("messages of entries", () => {
  const custom = entry("x", null, { type: "custom_message", customType: "c", content: "t", display: false, details: { a: 1 } });
  assert.deepEqual(sessionEntryToContextMessages(custom), [
    { role: "custom", customType: "c", content: "t", display: false, details: { a: 1 }, timestamp: Date.parse("2026-01-01T00:00:00.000Z") },
  ]);
  assert.deepEqual(sessionEntryToContextMessages(entry("x", null, { type: "custom", customType: "c" })), []);
});

test("what a model sees of messages that are not its own", () => {
  const bash: any = { role: "bashExecution", command: "ls", output: "a", exitCode: 2, cancelled: false, truncated: true, fullOutputPath: "/t", timestamp: 3 };
  const list: any[] = [
    user("q"), { role: "custom", customType: "c", content: "note", display: true, timestamp: 2 }, bash, { ...bash, excludeFromContext: true },
    { role: "branchSummary", summary: "B", fromId: "x", timestamp: 4 }, { role: "compactionSummary", summary: "C", tokensBefore: 1, timestamp: 5 },
  ];
  assert.deepEqual(convertToLlm(list).map(({ role, content, timestamp }: any) => [role, content[0].text ?? content, timestamp]), [
    ["user", "q", 1], ["user", "note", 2],
    ["user", "Ran `ls`\n```\na\n```\n\nCommand exited with code 2\n\n[Output truncated. Full output: /t]", 3],
    ["user", "The following is a summary of a branch that this conversation came back from:\n\n<summary>\nB</summary>", 4],
    ["user", "The conversation history before this point was compacted into the following summary:\n\n<summary>\nC\n</summary>", 5],
  ]);
});

test("a conversation as text", () => {
  const text = serializeConversation([
    user("do it"),
    said("", { content: [{ type: "thinking", thinking: "hm" }, { type: "text", text: "ok" }, { type: "toolCall", id: "1", name: "read", arguments: { path: "a", limit: 2 } }] }),
    { role: "toolResult", toolCallId: "1", toolName: "read", content: [{ type: "text", text: "x".repeat(2005) }], isError: false, timestamp: 3 } as any,
  ]);
  assert.equal(
    text,
    `[User]: do it\n\n[Assistant thinking]: hm\n\n[Assistant]: ok\n\n[Assistant tool calls]: read(path="a", limit=2)\n\n[Tool result]: ${"x".repeat(2000)}\n\n[... 5 more characters truncated]`,
  );
});

test("tokens are guessed from characters, and counted by providers", () => {
  assert.deepEqual(
    [user("12345"), user([{ type: "text", text: "1234" }, { type: "image", data: "", mimeType: "" }]), said("1234"), { role: "compactionSummary", summary: "12345678" }].map((one: any) => estimateTokens(one)),
    [2, 1201, 1, 2],
  );
  assert.deepEqual([calculateContextTokens(usage(0)), calculateContextTokens(usage(50))], [3, 50]);
  const entries = chain(message(said("a", { usage: usage(7) })), message(said("b", { usage: usage(9), stopReason: "aborted" })));
  assert.equal((getLastAssistantUsage(entries) as any).totalTokens, 7);
  assert.deepEqual(DEFAULT_COMPACTION_SETTINGS, { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 });
  assert.deepEqual([shouldCompact(90, 100, { enabled: true, reserveTokens: 11 } as any), shouldCompact(90, 100, { enabled: false, reserveTokens: 11 } as any)], [true, false]);
});

test("a cut is before a message, never before a result", () => {
  const long = "x".repeat(400);
  const entries = chain(
    message(user(long)), message(said(long)), message(user(long)),
    message(said("", { content: [{ type: "toolCall", id: "1", name: "t", arguments: {} }] })),
    message({ role: "toolResult", toolCallId: "1", toolName: "t", content: [{ type: "text", text: long }], isError: false, timestamp: 1 }),
    { type: "thinking_level_change", thinkingLevel: "low" }, message(user(long)),
  );
  assert.deepEqual(findCutPoint(entries, 0, entries.length, 100), { firstKeptEntryIndex: 5, turnStartIndex: 2, isSplitTurn: true });
  assert.deepEqual(findCutPoint(entries, 0, entries.length, 201), { firstKeptEntryIndex: 3, turnStartIndex: 2, isSplitTurn: true });
  assert.deepEqual(findCutPoint(entries, 0, entries.length, 10_000), { firstKeptEntryIndex: 0, turnStartIndex: -1, isSplitTurn: false });
  assert.deepEqual([findTurnStartIndex(entries, 4, 0), findTurnStartIndex(entries, 4, 3)], [2, -1]);
});

test("what is left when a branch is", () => {
  const session: any = SessionManager.inMemory("/work");
  const a = session.appendMessage(user("a"));
  const b = session.appendMessage(said("b"));
  const c = session.appendMessage(user("c"));
  session.branch(a);
  const d = session.appendMessage(user("d"));
  const { entries, commonAncestorId } = collectEntriesForBranchSummary(session, c, d);
  assert.deepEqual([entries.map(({ id }: any) => id), commonAncestorId], [[b, c], a]);
  const call = said("", { content: [{ type: "toolCall", id: "1", name: "edit", arguments: { path: "f.ts" } }] });
  const prepared = prepareBranchEntries([entry("x", null, message(user("long text here"))), entry("y", "x", message(call))]);
  assert.deepEqual([prepared.messages.length, [...prepared.fileOps.edited], prepared.totalTokens > 0], [2, ["f.ts"], true]);
});
