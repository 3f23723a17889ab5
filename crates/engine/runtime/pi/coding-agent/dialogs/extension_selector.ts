// A question with a list of answers.
import { hints, isKey, Panel, RowList, shade } from "./panel.ts";
import { Countdown, type Screen } from "./countdown.ts";

type Options = { tui?: Screen; timeout?: number; onToggleToolsExpanded?: () => void; description?: string };

/** Asks for one of several texts. */
export class ExtensionSelectorComponent extends Panel {
  private readonly list: RowList<string>;
  private readonly onSelect: (option: string) => void;
  private readonly onCancel: () => void;
  private readonly onToggleToolsExpanded: (() => void) | undefined;
  private countdown: Countdown | undefined;

  constructor(title: string, options: string[], onSelect: (option: string) => void, onCancel: () => void, opts: Options = {}) {
    super(title, opts.description);
    this.onSelect = onSelect;
    this.onCancel = onCancel;
    this.onToggleToolsExpanded = opts.onToggleToolsExpanded;
    this.list = new RowList(options, { row: shade, empty: "No options" });
    this.addChild(this.list);
    this.close(hints(["tui.select.confirm", "select"], ["tui.select.cancel", "cancel"]));
    if (opts.timeout && opts.timeout > 0 && opts.tui) {
      this.countdown = new Countdown(opts.timeout, opts.tui, (seconds) => this.setTitle(`${title} (${seconds}s)`), onCancel);
    }
  }

  handleInput(keyData: string): void {
    // Letters are not typed here, so those of vi move, too.
    const vi = { j: "\x1b[B", k: "\x1b[A" }[keyData] ?? keyData;
    if (this.onToggleToolsExpanded && isKey(keyData, "app.tools.expand")) return this.onToggleToolsExpanded();
    if (this.list.handleInput(keyData) || (vi !== keyData && this.list.handleInput(vi))) return;
    if (isKey(keyData, "tui.select.confirm") || keyData === "\n") {
      if (this.list.current !== undefined) this.onSelect(this.list.current);
    } else if (isKey(keyData, "tui.select.cancel")) {
      this.onCancel();
    }
  }

  dispose(): void {
    this.countdown?.stop();
  }
}
