// A question with a line to write in.
import { Input } from "../../tui/input.ts";
import { Countdown, type Screen } from "./countdown.ts";
import { hints, isKey, Panel } from "./panel.ts";

type Options = { tui?: Screen; timeout?: number; initialValue?: string; description?: string };

/** Asks for a line of text. */
export class ExtensionInputComponent extends Panel {
  private readonly input: Input;
  private readonly onSubmit: (value: string) => void;
  private readonly onCancel: () => void;
  private countdown: Countdown | undefined;

  constructor(
    title: string, placeholder: string | undefined, onSubmit: (value: string) => void, onCancel: () => void, opts: Options = {},
  ) {
    super(title, opts.description);
    this.onSubmit = onSubmit;
    this.onCancel = onCancel;
    this.input = new Input({ placeholder });
    this.input.setValue(opts.initialValue ?? "");
    this.input.cursor = this.input.getValue().length;
    this.addChild(this.input);
    this.close(hints(["tui.select.confirm", "submit"], ["tui.select.cancel", "cancel"]));
    if (opts.timeout && opts.timeout > 0 && opts.tui) {
      this.countdown = new Countdown(opts.timeout, opts.tui, (seconds) => this.setTitle(`${title} (${seconds}s)`), onCancel);
    }
  }

  get focused(): boolean {
    return this.input.focused;
  }

  set focused(hasFocus: boolean) {
    this.input.focused = hasFocus;
  }

  handleInput(keyData: string): void {
    if (isKey(keyData, "tui.select.confirm") || keyData === "\n") this.onSubmit(this.input.getValue());
    else if (isKey(keyData, "tui.select.cancel")) this.onCancel();
    else this.input.handleInput(keyData);
  }

  dispose(): void {
    this.countdown?.stop();
  }
}
