// What components of `pi-tui` do over time; what they render is compared case by case in conformance/view.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  Box, CancellableLoader, CombinedAutocompleteProvider, Container, CURSOR_MARKER, Editor, getImageDimensions, Image,
  Input, isFocusable, Key, KeybindingsManager, Loader, Markdown, matchesKey, ScrollView, SelectList, setCapabilities,
  setKeybindings, SettingsList, StdinBuffer, Text, TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui";

const plain = (text: string) => text;
const selectTheme: any = { selectedPrefix: plain, selectedText: plain, description: plain, scrollInfo: plain, noMatch: plain };
const screen = () => {
  const screen: any = { renders: 0, terminal: { rows: 24, columns: 80 }, requestRender: () => screen.renders++ };
  return screen;
};
const newEditor = (options?: any): any => new Editor(screen(), { borderColor: plain, selectList: selectTheme }, options);
const later = (ms = 60) => new Promise((resolve) => setTimeout(resolve, ms));
const type = (component: any, text: string) => [...text].forEach((char) => component.handleInput(char));

test("keys are named with Key", () => {
  assert.equal(Key.ctrlShift("p"), "ctrl+shift+p");
  assert.equal(Key.backslash, "\\");
  assert.ok(matchesKey("\x1b[112;6u", Key.ctrlShift("p")));
});

test("key bindings can be replaced for all components", () => {
  const manager = new KeybindingsManager(TUI_KEYBINDINGS as any, { "tui.select.confirm": ["ctrl+x", "ctrl+x"], "tui.select.cancel": "ctrl+x" });
  assert.deepEqual(manager.getKeys("tui.select.confirm" as any), ["ctrl+x"]);
  assert.deepEqual(manager.getConflicts(), [{ key: "ctrl+x", keybindings: ["tui.select.confirm", "tui.select.cancel"] }]);
  assert.equal((manager.getResolvedBindings() as any)["tui.select.confirm"], "ctrl+x");
  setKeybindings(manager as any);
  const chosen: string[] = [];
  const list = new SelectList([{ value: "a", label: "a" }], 3, selectTheme);
  list.onSelect = (item: any) => chosen.push(item.value);
  list.handleInput("\r");
  list.handleInput("\x18");
  assert.deepEqual(chosen, ["a"]);
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS as any) as any);
});

test("commands and their arguments are completed while typing", async () => {
  const editor = newEditor();
  const sent: string[] = [];
  editor.onSubmit = (text: string) => sent.push(text);
  editor.setAutocompleteProvider(
    new CombinedAutocompleteProvider(
      [
        { name: "model", description: "choose", getArgumentCompletions: (typed: string) => [{ value: `${typed}-x`, label: "x" }] },
        { name: "mode" },
        { name: "skill:review" },
      ] as any,
      "/",
    ),
  );
  type(editor, "/mo");
  await later();
  assert.ok(editor.isShowingAutocomplete());
  assert.equal(editor.render(60).slice(3).map((line: string) => line.trimEnd()).join("\n"), "→ model       choose\n  mode");
  editor.handleInput("\t");
  assert.equal(editor.getText(), "/model ");
  editor.handleInput("q");
  await later();
  editor.handleInput("\t");
  assert.equal(editor.getText(), "/model q-x");
  editor.setText("");
  type(editor, "/rev");
  await later();
  editor.handleInput("\r");
  assert.deepEqual(sent, ["/skill:review"]);
});

test("paths are completed with tab", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tui-"));
  mkdirSync(join(folder, "source"));
  writeFileSync(join(folder, "source", "with space.txt"), "");
  writeFileSync(join(folder, "sort.txt"), "");
  const provider = new CombinedAutocompleteProvider([], folder);
  const editor = newEditor();
  editor.setAutocompleteProvider(provider);
  type(editor, "see sou");
  editor.handleInput("\t");
  await later();
  assert.equal(editor.getText(), "see source/");
  editor.handleInput("\t");
  await later();
  assert.equal(editor.getText(), 'see "source/with space.txt"');
  const signal = new AbortController().signal;
  const both: any = await provider.getSuggestions(["./so"], 0, 4, { signal, force: true } as any);
  assert.deepEqual(both, {
    items: [{ value: "./source/", label: "source/" }, { value: "./sort.txt", label: "sort.txt" }],
    prefix: "./so",
  });
  rmSync(folder, { recursive: true });
});

test("an editor can be extended", () => {
  class Upper extends Editor {
    handleInput(data: string): void {
      super.handleInput(data.toUpperCase());
    }
  }
  const editor: any = new Upper(screen(), { borderColor: plain, selectList: selectTheme } as any);
  type(editor, "ab");
  assert.equal(editor.getText(), "AB");
  editor.state.cursorCol = 1;
  editor.insertTextAtCursor("\t-");
  assert.deepEqual([editor.getText(), editor.getCursor(), editor.getLines()], ["A    -B", { line: 0, col: 6 }, ["A    -B"]]);
});

test("what an editor knows can be read and changed in place", () => {
  const editor = newEditor();
  const { state } = editor;
  editor.setText("one\ntwo");
  assert.deepEqual({ ...state }, { lines: ["one", "two"], cursorLine: 1, cursorCol: 3 });
  state.lines[0] = "ONE";
  state.lines.splice(1, 0, "mid", "👍e");
  assert.equal(editor.getText(), "ONE\nmid\n👍e\ntwo");
  assert.deepEqual(structuredClone(editor.getLines()), [...editor.state.lines]);
  // In any order: the cursor has no place before the text is there.
  editor.state.cursorLine = 1;
  editor.state.cursorCol = 7;
  editor.state.lines = ["short", "long enough"];
  assert.deepEqual(editor.getCursor(), { line: 1, col: 7 });
  editor.state.lines.push("👍e");
  editor.state.cursorLine = 2;
  editor.state.cursorCol = 2;
  editor.handleInput("!");
  assert.deepEqual([editor.getLines()[2], editor.state.cursorCol], ["👍!e", 3]);
  editor.state = { lines: ["all", "new"], cursorLine: 0, cursorCol: 1 };
  editor.handleInput("-");
  assert.equal(editor.getText(), "a-ll\nnew");

  editor.pastes.set(1, "pasted");
  editor.setCursorCol(0);
  editor.insertTextAtCursor("[paste #1] ");
  assert.equal(editor.getExpandedText(), "pasted a-ll\nnew");
  assert.deepEqual([editor.pastes.get(1), editor.pastes.size, editor.pastes.has(2)], ["pasted", 1, false]);
  editor.pastes.clear();
  assert.equal(editor.getExpandedText(), "[paste #1] a-ll\nnew");

  editor.setText("");
  editor.history.push("older");
  editor.history.unshift("newer");
  assert.deepEqual([...editor.history], ["newer", "older"]);
  for (const [data, text, index] of [["\x1b[A", "newer", 0], ["\x1b[A", "older", 1], ["\x1b[B", "newer", 0], ["\x1b[B", "", -1]]) {
    editor.handleInput(data);
    assert.deepEqual([editor.getText(), editor.historyIndex], [text, index]);
  }

  editor.killRing.push("killed", { prepend: false });
  editor.handleInput("\x19");
  assert.deepEqual([editor.getText(), editor.killRing.peek(), editor.lastAction], ["killed", "killed", "yank"]);
  editor.pushUndoSnapshot();
  editor.state.lines = ["other"];
  editor.undo();
  assert.equal(editor.getText(), "killed");
  editor.undoStack.clear();
  assert.equal(editor.undoStack.length, 0);
  editor.undo();
  assert.equal(editor.getText(), "killed");
});

test("long pastes are markers until they are sent", () => {
  const editor = newEditor();
  const sent: string[] = [];
  editor.onSubmit = (text: string) => sent.push(text);
  const long = Array.from({ length: 12 }, (_, index) => `line ${index}`).join("\n");
  editor.handleInput("\x1b[200~" + long.slice(0, 20));
  editor.handleInput(long.slice(20) + "\x1b[201~!");
  assert.equal(editor.getText(), "[paste #1 +12 lines]!");
  assert.equal(editor.getExpandedText(), long + "!");
  editor.handleInput("\r");
  assert.deepEqual(sent, [long + "!"]);
});

test("a loader turns until it is stopped or cancelled", async () => {
  const ui = screen();
  const loader = new Loader(ui, plain, plain, "Working", { frames: ["1", "2"], intervalMs: 10 });
  assert.deepEqual(loader.render(12), ["", " 1 Working  "]);
  await later(25);
  loader.stop();
  assert.ok(ui.renders >= 2);
  const cancellable: any = new CancellableLoader(ui, plain, plain);
  let aborted = 0;
  cancellable.onAbort = () => aborted++;
  cancellable.handleInput("\x1b");
  cancellable.dispose();
  assert.deepEqual([cancellable.aborted, cancellable.signal.aborted, aborted], [true, true, 1]);
});

test("images are drawn where the terminal can", () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==";
  assert.deepEqual(getImageDimensions(png, "image/png"), { widthPx: 2, heightPx: 3 });
  assert.equal(getImageDimensions("!", "image/png"), null);
  const theme = { fallbackColor: (text: string) => `<${text}>` };
  setCapabilities({ images: null, trueColor: true, hyperlinks: false });
  assert.deepEqual(new Image(png, "image/png", theme, { filename: "a.png" }).render(40), ["<[Image: a.png [image/png] 2x3]>"]);
  setCapabilities({ images: "kitty", trueColor: true, hyperlinks: true });
  const lines = new Image(png, "image/png", theme, { imageId: 7, maxWidthCells: 4 }).render(40);
  assert.deepEqual([lines.length, lines[0].slice(0, 37)], [2, `\x1b_Ga=T,f=100,q=2,C=1,c=3,r=2,i=7;${png.slice(0, 4)}`]);
  setCapabilities({ images: null, trueColor: true, hyperlinks: false });
});

test("submenus of settings give back where they came from", () => {
  const changes: string[] = [];
  const settings = new SettingsList(
    [
      { id: "a", label: "A", currentValue: "1", values: ["1", "2"] },
      { id: "b", label: "B", currentValue: "x", submenu: (current: string, done: any) => ({ render: () => [`in ${current}`], handleInput: (data: string) => done(data), invalidate() {} }) },
    ] as any,
    5, { label: plain, value: plain, description: plain, cursor: "> ", hint: plain } as any,
    (id: string, value: string) => changes.push(`${id}=${value}`), () => changes.push("cancelled"),
  );
  for (const key of [" ", "\x1b[B", "\r"]) settings.handleInput(key);
  assert.deepEqual(settings.render(30), ["in x"]);
  for (const key of ["y", "\x1b"]) settings.handleInput(key);
  assert.deepEqual(changes, ["a=2", "b=y", "cancelled"]);
});

test("input shows where the terminal's cursor belongs", () => {
  const input: any = new Input({ placeholder: "type" } as any);
  assert.ok(isFocusable(input));
  input.focused = true;
  assert.deepEqual(input.render(10), [`> ${CURSOR_MARKER}\x1b[7mt\x1b[27mype    `]);
  type(input, "ab");
  assert.deepEqual(input.render(8), [`> ab${CURSOR_MARKER}\x1b[7m \x1b[27m   `]);
});

test("containers hand mouse events to the child under them", () => {
  const seen: any[] = [];
  const target: any = { render: () => ["x", "y"], invalidate() {}, handleMouse: (event: any) => (seen.push([event.x, event.y]), { handled: true }) };
  const box = new Box(1, 1);
  box.addChild(new Text("first", 0, 0));
  box.addChild(target);
  const container = new Container();
  container.addChild(box);
  const height = container.render(20).length;
  const result: any = container.handleMouse({ type: "press", button: "left", x: 3, y: 3, screenX: 3, screenY: 3, width: 20, height } as any);
  assert.deepEqual(seen, [[2, 1]]);
  assert.deepEqual([result.target.originX, result.target.originY], [1, 2]);
});

test("a scroll view follows its end until it is scrolled away", () => {
  const view: any = new ScrollView(new Text("x", 0, 0), { follow: "end" });
  view.updateLayout(100, 10, () => {});
  assert.deepEqual([view.scrollTop, view.isFollowingEnd], [90, true]);
  assert.deepEqual([view.scrollBy(-5), view.scrollTop, view.isFollowingEnd], [0, 85, false]);
  assert.equal(view.scrollBy(20), 15);
  assert.ok(view.isFollowingEnd);
});

test("a key that is half arrived is waited for", async () => {
  const buffer: any = new StdinBuffer({ timeout: 20, escapeTimeout: 5 });
  const seen: string[] = [];
  buffer.on("data", (data: string) => seen.push(data));
  buffer.process("\x1b");
  await later(30);
  buffer.process("\x1b[1;");
  buffer.process("5A");
  buffer.process("\x1b[97u");
  buffer.process("a");
  assert.deepEqual(seen, ["\x1b", "\x1b[1;5A", "\x1b[97u"]);
  buffer.destroy();
});

test("Markdown asks the theme, and an error in it is the caller's", () => {
  const names = "heading link linkUrl code codeBlock codeBlockBorder quote quoteBorder hr listBullet bold italic strikethrough underline".split(" ");
  const theme: any = Object.fromEntries(names.map((name) => [name, (text: string) => `<${name}>${text}`]));
  theme.highlightCode = (code: string, language?: string) => [`${language}:${code}`];
  assert.deepEqual(new Markdown("`a`\n```js\nb\n```", 0, 0, theme).render(30).map((line: string) => line.trimEnd()), [
    "<code>a", "", "<codeBlockBorder>```js", "  js:b", "<codeBlockBorder>```",
  ]);
  theme.code = () => {
    throw new RangeError("no theme");
  };
  assert.throws(() => new Markdown("`a`", 0, 0, theme).render(30), RangeError);
});
