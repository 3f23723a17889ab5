// The prompt's editor, which extensions replace with their own kind.
import { Editor } from "../tui/index.ts";
import { type WorkingIndicator, workingRule } from "./working_status.ts";

/** An editor that also knows the keys of the application. The host fills in the handlers. */
export class CustomEditor extends Editor {
  keybindings: any;
  workingStatusIndicator: WorkingIndicator | undefined;
  readonly embedWorkingStatus: boolean;
  /** What is done for an action of the application. */
  actionHandlers = new Map<string, () => void>();
  onEscape: (() => void) | undefined;
  onCtrlD: (() => void) | undefined;
  onPasteImage: (() => void) | undefined;
  /** Asked first; true when it took the key. */
  onExtensionShortcut: ((data: string) => boolean) | undefined;

  constructor(tui: any, theme: any, keybindings: any, options: any = {}) {
    super(tui, theme, options);
    this.keybindings = keybindings;
    this.embedWorkingStatus = options?.embedWorkingStatus ?? false;
  }

  /** Shows in the upper rule what is going on, if that is wanted there. */
  setWorkingStatusIndicator(indicator: WorkingIndicator | undefined): void {
    this.workingStatusIndicator = indicator;
  }

  override renderTopBorder(width: number, hidden: number): string {
    const indicator = this.embedWorkingStatus && width > 0 ? this.workingStatusIndicator : undefined;
    const rule = indicator && workingRule(indicator, width, hidden, this.borderColor);
    return rule ?? super.renderTopBorder(width, hidden);
  }

  /** Says what is done for an action of the application. */
  onAction(action: string, handler: () => void): void {
    this.actionHandlers.set(action, handler);
  }

  handleInput(data: string): void {
    if (this.onExtensionShortcut?.(data) || this.takenByApp(data)) return;
    super.handleInput(data);
  }

  /** Whether the key was one of the application's, and what it means was done. */
  takenByApp(data: string): boolean {
    const is = (action: string) => this.keybindings?.matches(data, action) ?? false;
    if (is("app.clipboard.pasteImage")) {
      this.onPasteImage?.();
      return true;
    }
    if (is("app.interrupt")) {
      // While completions are shown, the key closes them.
      const handler = this.onEscape ?? this.actionHandlers.get("app.interrupt");
      if (!handler || this.isShowingAutocomplete()) return false;
      handler();
      return true;
    }
    if (is("app.exit") && this.getText().length === 0) {
      (this.onCtrlD ?? this.actionHandlers.get("app.exit"))?.();
      return true;
    }
    if (is("tui.editor.historyPrevious") || is("tui.editor.historyNext")) return false;
    for (const [action, handler] of this.actionHandlers) {
      if (action === "app.interrupt" || action === "app.exit" || !is(action)) continue;
      handler();
      return true;
    }
    return false;
  }
}
