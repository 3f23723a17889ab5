// Components of the coding agent that extensions build on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BorderedLoader, CustomEditor, initTheme } from "@earendil-works/pi-coding-agent";
import { getKeybindings } from "@earendil-works/pi-tui";

initTheme();
const plain = (text: string) => text.replace(/\x1b\[[0-9;]*m/g, "").replace(/\x1b_[^\x07]*\x07/g, "");
const theme: any = { fg: (_color: string, text: string) => text, bold: (text: string) => text };
const tui: any = { requestRender() {}, terminal: { rows: 24, columns: 80 } };
const editorTheme: any = { borderColor: (text: string) => text, selectList: {} };

test("a loader between lines is cancelled by its key", () => {
  const loader: any = new BorderedLoader(tui, theme, "Working");
  const lines = loader.render(40).map(plain);
  assert.deepEqual([lines[0], lines.at(-1)], ["─".repeat(40), "─".repeat(40)]);
  assert.equal(lines.some((line: string) => line.includes("Working")), true);
  assert.equal(lines.some((line: string) => line.includes("escape/ctrl+c cancel")), true);
  let cancelled = 0;
  loader.onAbort = () => cancelled++;
  assert.equal(loader.signal.aborted, false);
  loader.handleInput("\x1b");
  assert.deepEqual([loader.signal.aborted, cancelled], [true, 1]);
  loader.dispose();
});

test("a loader that cannot be cancelled", () => {
  const loader: any = new BorderedLoader(tui, theme, "Working", { cancellable: false });
  loader.handleInput("\x1b");
  assert.deepEqual([loader.signal.aborted, loader.render(40).map(plain).some((line: string) => line.includes("cancel"))], [false, false]);
  loader.dispose();
});

/** Keys as the application binds them. */
const keys: Record<string, string> = { "app.interrupt": "\x1b", "app.exit": "\x04", "app.tools.expand": "\x0f", "app.clipboard.pasteImage": "\x16" };
const keybindings: any = { matches: (data: string, action: string) => keys[action] === data, getKeys: () => [] };

test("an editor of one's own extends the prompt's", () => {
  class Shouting extends CustomEditor {
    handleInput(data: string): void {
      super.handleInput(data === "a" ? "A" : data);
    }
  }
  const editor: any = new Shouting(tui, editorTheme, keybindings);
  assert.equal(editor instanceof CustomEditor && editor instanceof Shouting, true);
  assert.equal(editor.actionHandlers instanceof Map, true);
  const done: string[] = [];
  editor.onEscape = () => done.push("escape");
  editor.onCtrlD = () => done.push("exit");
  editor.onPasteImage = () => done.push("paste");
  editor.onAction("app.tools.expand", () => done.push("expand"));
  editor.onExtensionShortcut = (data: string) => data === "\x0e" && done.push("shortcut") > 0;
  for (const data of ["\x04", "a", "b", "\x1b", "\x0f", "\x16", "\x0e"]) editor.handleInput(data);
  assert.equal(editor.getText(), "Ab");
  assert.deepEqual(done, ["exit", "escape", "expand", "paste", "shortcut"]);
  editor.handleInput("\x04");
  assert.deepEqual([editor.getText(), done.length], ["Ab", 5]);
  assert.equal(editor.render(20).length >= 3, true);
});

test("an editor shows what is going on in its upper rule if it is told to", () => {
  const open = (options: any): any => new CustomEditor(tui, { borderColor: (text: string) => text, selectList: {} } as any, keybindings, options);
  const indicator = {
    renderInBorder: (width: number) => "* Working".slice(0, width),
    renderSpinnerInBorder: (width: number) => "*".slice(0, width),
  };
  const top = (editor: any, width: number) => editor.render(width)[0];
  const editor = open({ embedWorkingStatus: true });
  assert.equal(top(editor, 20), "─".repeat(20));
  editor.setWorkingStatusIndicator(indicator);
  assert.equal(top(editor, 20), "── * Working ───────");
  assert.equal(top(editor, 12), "── * Worki ─");
  assert.equal(top(editor, 3), "──*");
  assert.equal(top(editor, 1), "*");
  editor.setText("line\n".repeat(30));
  assert.equal(top(editor, 50), "── * Working ────── ↑ 24 more ────────────────────");
  assert.equal(top(editor, 26), "── * ── ↑ 24 more ────────");
  assert.equal(top(editor, 14), "── * ─────────");
  editor.setWorkingStatusIndicator(undefined);
  assert.equal(top(editor, 20), "──── ↑ 24 more ─────");
  const plainEditor = open({});
  plainEditor.setWorkingStatusIndicator(indicator);
  assert.equal(top(plainEditor, 20), "─".repeat(20));
});

test("key bindings can be asked for", () => {
  assert.deepEqual(getKeybindings().getKeys("tui.select.confirm" as any), ["enter"]);
});
