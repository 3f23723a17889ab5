// The dialogs of the coding agent, as components.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ExtensionEditorComponent, ExtensionInputComponent, ExtensionSelectorComponent, FooterComponent, initTheme,
  LoginDialogComponent, ModelSelectorComponent, OAuthSelectorComponent, SessionSelectorComponent, SettingsSelectorComponent,
  ShowImagesSelectorComponent, ThinkingSelectorComponent, TreeSelectorComponent, UserMessageSelectorComponent,
} from "@earendil-works/pi-coding-agent";
import { getKeybindings } from "@earendil-works/pi-tui";

initTheme();
const tui: any = { requestRender() {}, terminal: { rows: 24, columns: 80 } };
const plain = (line: string) => line.replace(/\x1b\][^\x07]*\x07/g, "").replace(/\x1b\[[0-9;]*m/g, "").replace(/\x1b_[^\x07]*\x07/g, "").trim();
const shown = (component: any): string => component.render(70).map(plain).filter(Boolean).join("\n");
const [UP, DOWN, ENTER, ESCAPE] = ["\x1b[A", "\x1b[B", "\r", "\x1b"];
const types = (component: any, ...keys: string[]) => keys.forEach((key) => component.handleInput(key));
/** Notes what is called. */
const noted = () => {
  const calls: any[] = [];
  const on = (name: string): any => (...values: any[]) => void calls.push([name, ...values]);
  return { calls, on };
};

test("a question with answers takes one of them", () => {
  const { calls, on } = noted();
  const dialog = new ExtensionSelectorComponent("Which?", ["first", "second", "third"], on("select"), on("cancel"), { description: "of these" });
  assert.match(shown(dialog), /Which\?[^]*of these[^]*→ first\n/);
  types(dialog, DOWN, ENTER, ESCAPE);
  assert.deepEqual(calls, [["select", "second"], ["cancel"]]);
  dialog.dispose();
});

test("a question with a line takes a text", () => {
  const { calls, on } = noted();
  const dialog: any = new ExtensionInputComponent("Name?", "yours", on("submit"), on("cancel"), { initialValue: "ab" });
  dialog.focused = true;
  types(dialog, "\x05", "c", ENTER, ESCAPE);
  assert.match(shown(dialog), /Name\?/);
  assert.deepEqual(calls, [["submit", "abc"], ["cancel"]]);
  dialog.dispose();
});

test("a question with an editor takes a text of several lines", () => {
  const { calls, on } = noted();
  const dialog: any = new ExtensionEditorComponent(tui, getKeybindings() as any, "Text?", "one", on("submit"), on("cancel"));
  dialog.focused = true;
  types(dialog, "!", ENTER, ESCAPE);
  assert.match(shown(dialog), /Text\?/);
  assert.deepEqual(calls, [["submit", "one!"], ["cancel"]]);
});

test("lists of settings take a value", () => {
  const { calls, on } = noted();
  const images = new ShowImagesSelectorComponent(true, on("images"), on("cancel"));
  types(images.getSelectList(), DOWN, ENTER, ESCAPE);
  const level: any = new ThinkingSelectorComponent("low", ["off", "low", "high"], on("level"), on("cancel"));
  assert.match(shown(level), /→ .*low/);
  types(level, DOWN, ENTER);
  types(level, "o", "f", "f", ENTER);
  assert.deepEqual(calls, [["images", false], ["cancel"], ["level", "high"], ["level", "off"]]);
  assert.equal(level.getSelectList().getSelectedItem().value, "off");
});

test("a model is chosen from those that can be used", async () => {
  const { calls, on } = noted();
  const models = [{ provider: "a", id: "small", name: "Small" }, { provider: "b", id: "large", name: "Large" }] as any[];
  const runtime: any = {
    getAvailableSnapshot: () => models, getAvailable: async () => models, getModels: () => models, getError: () => undefined,
    refresh: async () => ({ errors: [] }), getProviders: () => [], getProvider: () => undefined, hasConfiguredAuth: () => true,
    getPhysicalModel: () => undefined, getModel: (provider: string, id: string) => models.find((model) => model.provider === provider && model.id === id),
  };
  const selector: any = new ModelSelectorComponent(tui, models[0], runtime, [], on("model"), on("cancel"));
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.match(shown(selector), /small[^]*large/);
  types(selector, ..."larg", ENTER);
  assert.equal(calls[0][1].id, "large");
  assert.equal(selector.getSearchInput().getValue(), "larg");
  selector.dispose();
});

test("a provider is chosen to log in to", () => {
  const { calls, on } = noted();
  const providers: any[] = [{ id: "x", name: "First", authType: "oauth" }, { id: "y", name: "Second", authType: "api_key" }];
  const selector: any = new OAuthSelectorComponent("login", providers, on("provider"), on("cancel"));
  assert.match(shown(selector), /First[^]*Second/);
  types(selector, DOWN, ENTER, ESCAPE);
  assert.deepEqual(calls, [["provider", "y", "api_key"], ["cancel"]]);
  selector.dispose();
});

test("a session is chosen from those of a folder, or of all", async () => {
  const { calls, on } = noted();
  const session = (path: string, firstMessage: string): any => ({
    path, id: path, cwd: "/work", created: new Date(), modified: new Date(), messageCount: 2, firstMessage, allMessagesText: firstMessage,
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
  const selector: any = new SessionSelectorComponent(
    async () => [session("/a", "alpha"), session("/b", "beta")], async () => [session("/c", "gamma")], on("session"), on("cancel"), on("exit"), on("render"),
  );
  await settled();
  assert.match(shown(selector), /alpha[^]*beta/);
  types(selector, ..."bet", ENTER);
  assert.deepEqual(calls.filter(([name]) => name === "session"), [["session", "/b"]]);
  assert.equal(selector.getSessionList().getSelectedSessionPath(), "/b");
  const other: any = new SessionSelectorComponent(
    async () => [], async () => [session("/c", "gamma")], on("session"), on("cancel"), on("exit"), on("render"),
  );
  await settled();
  types(other, "\t");
  await settled();
  types(other, ENTER);
  assert.deepEqual(calls.filter(([name]) => name === "session").at(-1), ["session", "/c"]);
  types(other, ESCAPE);
  assert.equal(calls.at(-1)[0], "cancel");
});

test("settings are gone through, and each change is said", () => {
  const { calls, on } = noted();
  const config: any = {
    autoCompact: true, showImages: true, imageWidthCells: 60, autoResizeImages: true, blockImages: false, enableSkillCommands: true,
    steeringMode: "all", followUpMode: "all", transport: "auto", httpIdleTimeoutMs: 60_000, cacheWarmingMode: "off", thinkingLevel: "low",
    availableThinkingLevels: ["low"], modelThinkingLevels: {}, currentTheme: "dark", terminalTheme: "dark", availableThemes: ["dark", "light"],
    hideThinkingBlock: false, mermaidRenderingMode: "off", showCacheMissNotices: true, collapseChangelog: false, enableInstallTelemetry: false,
    doubleEscapeAction: "tree", treeFilterMode: "default", showHardwareCursor: false, editorPaddingX: 0, outputPad: 1, autocompleteMaxVisible: 5,
    quietStartup: false, defaultProjectTrust: "ask", clearOnShrink: false, showTerminalProgress: false, tuiMode: "regular",
    fullscreenExitOutput: "transcript", fullscreenScrollbar: "auto", fullscreenCopyOnSelect: true, fullscreenWheelScrollLines: "auto",
    warnings: {}, availableDefaultModels: [], defaultModel: "",
  };
  const callbacks: any = { onAutoCompactChange: on("compact"), onHideThinkingBlockChange: on("thinking"), onCancel: on("cancel") };
  const selector = new SettingsSelectorComponent(config, callbacks);
  const list: any = selector.getSettingsList();
  types(list, ..."hide thinking", ENTER, ESCAPE);
  assert.deepEqual(calls, [["thinking", true], ["cancel"]]);
});

test("a message of the user is chosen to go on from", () => {
  const { calls, on } = noted();
  const messages = [{ id: "1", text: "first" }, { id: "2", text: "second" }];
  const selector = new UserMessageSelectorComponent(messages, on("message"), on("cancel"));
  assert.match(shown(selector), /second/);
  types(selector.getMessageList(), UP, ENTER, ESCAPE);
  assert.deepEqual(calls, [["message", "1"], ["cancel"]]);
});

test("an entry is chosen in the tree of a session", () => {
  const { calls, on } = noted();
  const entry = (id: string, parentId: string | null, role: string, text: string): any => ({
    type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message: { role, content: [{ type: "text", text }], timestamp: 1 },
  });
  const node = (own: any, ...children: any[]): any => ({ entry: own, children });
  const tree = [
    node(entry("1", null, "user", "hello"), node(entry("2", "1", "assistant", "one way"), node(entry("3", "2", "user", "on it"))), node(entry("4", "1", "assistant", "another"))),
  ];
  const selector: any = new TreeSelectorComponent(tree, "3", 24, on("entry"), on("cancel"), on("label"));
  assert.match(shown(selector), /hello[^]*one way[^]*on it[^]*another/);
  types(selector, UP, ENTER);
  assert.deepEqual(calls, [["entry", "2"]]);
  types(selector, ..."anoth", ENTER);
  assert.deepEqual(calls.at(-1), ["entry", "4"]);
  selector.getTreeList().onLabelEdit("4", undefined);
  types(selector, "x", ENTER);
  assert.deepEqual(calls.at(-1), ["label", "4", "x"]);
  assert.equal(selector.getTreeList().getSelectedNode().entry.id, "4");
  types(selector, ESCAPE, ESCAPE);
  assert.deepEqual(calls.at(-1), ["cancel"]);
});

test("a login shows an address, asks, and can be cancelled", async () => {
  const { calls, on } = noted();
  const dialog: any = new LoginDialogComponent(tui, "corp", on("complete"), "Corp");
  assert.match(shown(dialog), /Corp/);
  dialog.showAuth("https://corp.example/login", "Open it.");
  assert.match(shown(dialog), /https:\/\/corp\.example\/login[^]*Open it\./);
  const code = dialog.showPrompt("The code?");
  types(dialog, "4", "2", ENTER);
  assert.equal(await code, "42");
  dialog.showProgress("Waiting");
  assert.match(shown(dialog), /Waiting/);
  const never = dialog.showManualInput("Again?");
  types(dialog, ESCAPE);
  await assert.rejects(never);
  assert.deepEqual([dialog.signal.aborted, calls[0].slice(0, 2)], [true, ["complete", false]]);
});

test("a footer shows where the session is, and what it used", () => {
  const model = { id: "big", provider: "a", reasoning: true, contextWindow: 200_000 };
  const session: any = {
    model, thinkingLevel: "high", state: { model, thinkingLevel: "high", messages: [] },
    sessionManager: {
      getCwd: () => "/project/x", getSessionName: () => "a name", getEntries: () => [], getLeafId: () => null, getEntryCount: () => 0, getBranch: () => [],
      getSessionId: () => "s",
    },
    modelRegistry: { isUsingOAuth: () => false }, modelRuntime: { isUsingOAuth: () => false, isUsingSubscription: () => false },
    getSessionStats: () => ({ tokens: { input: 1200, output: 30, cacheRead: 0, cacheWrite: 0, total: 1230 }, cost: 0.5 }),
    getContextUsage: () => ({ percent: 12.34, contextWindow: 200_000, tokens: 24_680 }),
  };
  const data: any = { getGitBranch: () => "main", getExtensionStatuses: () => new Map([["k", "a status"]]), getAvailableProviderCount: () => 1 };
  const footer = new FooterComponent(session, data);
  const text = shown(footer);
  for (const part of ["/project/x (main)", "a name", "12.3%/200k", "big", "high", "a status"]) assert.equal(text.includes(part), true, `${part} in\n${text}`);
  footer.dispose();
});
