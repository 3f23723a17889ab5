// A question with an editor of several lines.
import { importNow } from "../../../internal/loader.ts";
import { theme } from "../../../host/theme.ts";
import { Editor } from "../../tui/editor.ts";
import { Text } from "../../tui/text.ts";
import { getEditorTheme } from "../themes.ts";
import { hints, isKey, Panel } from "./panel.ts";

/** What of the screen is used. */
interface Screen {
  requestRender(): void;
  stop?(): void;
  start?(): void;
  terminal: { rows: number };
}

type Options = { description?: string; paddingX?: number; autocompleteMaxVisible?: number };

/** Asks for a text of several lines. */
export class ExtensionEditorComponent extends Panel {
  private readonly editor: Editor;
  private readonly screen: Screen;
  private readonly onCancel: () => void;
  private readonly command: string | undefined;
  private readonly problem = new Text("", 1, 0);

  constructor(
    tui: Screen, _keybindings: unknown, title: string, prefill: string | undefined, onSubmit: (value: string) => void,
    onCancel: () => void, options: Options = {}, externalEditorCommand?: string,
  ) {
    super(title, options.description);
    this.screen = tui;
    this.onCancel = onCancel;
    this.command = externalEditorCommand;
    this.editor = new Editor(tui, getEditorTheme(), options);
    if (prefill) this.editor.setText(prefill);
    this.editor.onSubmit = (text) => onSubmit(text);
    this.addChild(this.editor);
    this.addChild(this.problem);
    this.close(
      hints(
        ["tui.select.confirm", "submit"], ["tui.input.newLine", "newline"], ["tui.select.cancel", "cancel"],
        ["app.editor.external", "external editor"],
      ),
    );
  }

  get focused(): boolean {
    return this.editor.focused;
  }

  set focused(hasFocus: boolean) {
    this.editor.focused = hasFocus;
  }

  handleInput(keyData: string): void {
    if (isKey(keyData, "tui.select.cancel")) this.onCancel();
    else if (isKey(keyData, "app.editor.external")) this.editOutside();
    else this.editor.handleInput(keyData);
  }

  /** Has another program edit the text, which has the terminal meanwhile. */
  private editOutside(): void {
    this.problem.setText("");
    const process = importNow("tau:node/process.ts").default;
    const command = this.command ?? process.env.VISUAL ?? process.env.EDITOR;
    if (!command) return this.fails("no editor is set: set $VISUAL or $EDITOR");
    const { mkdtempSync, readFileSync, rmSync, writeFileSync } = importNow("tau:node/fs.ts");
    const folder: string = mkdtempSync(importNow("tau:node/path.ts").join(importNow("tau:node/os.ts").tmpdir(), "tau-editor-"));
    const file = importNow("tau:node/path.ts").join(folder, "text.md");
    this.screen.stop?.();
    try {
      writeFileSync(file, this.editor.getExpandedText());
      const [program, ...words] = command.trim().split(/\s+/);
      const ended = importNow("tau:node/child_process.ts").spawnSync(program, [...words, file], { stdio: "inherit" });
      if (ended.error) this.fails(String(ended.error.message));
      else if (ended.status !== 0) this.fails(`${program} ended with ${ended.status ?? ended.signal}`);
      else this.editor.setText(readFileSync(file, "utf8").replace(/\n$/, ""));
    } catch (error) {
      this.fails(error instanceof Error ? error.message : String(error));
    } finally {
      rmSync(folder, { recursive: true, force: true });
      this.screen.start?.();
      this.screen.requestRender();
    }
  }

  private fails(why: string): void {
    this.problem.setText(theme.fg("error", `The text was not edited: ${why}`));
  }
}
