// A loader between two lines, for work that a user waits for.
import { CancellableLoader, Container, Loader, Spacer, Text } from "../tui/index.ts";
import { DynamicBorder } from "./dynamic_border.ts";
import { keyHint } from "./key_hints.ts";

/** Shows that something is going on; `signal` fires when the user cancels it. */
export class BorderedLoader extends Container {
  private loader: any;
  private cancellable: boolean;
  private own: AbortController | undefined;

  constructor(tui: any, theme: any, message: string, options: any = {}) {
    super();
    this.cancellable = options?.cancellable ?? true;
    const line = () => new DynamicBorder((text) => theme.fg("border", text));
    const Kind: any = this.cancellable ? CancellableLoader : Loader;
    this.loader = new Kind(
      tui,
      (text: string) => theme.fg("accent", text),
      (text: string) => theme.fg("muted", text),
      message,
    );
    this.addChild(line());
    this.addChild(this.loader);
    if (this.cancellable) {
      this.addChild(new Spacer(1));
      this.addChild(new Text(keyHint("tui.select.cancel", "cancel"), 1, 0));
    }
    this.addChild(new Spacer(1));
    this.addChild(line());
  }

  /** Fires when the user cancels; never when that is not possible. */
  get signal(): AbortSignal {
    if (this.cancellable) return this.loader.signal;
    return (this.own ??= new AbortController()).signal;
  }

  /** Called when the user cancels. */
  set onAbort(listener: (() => void) | undefined) {
    if (this.cancellable) this.loader.onAbort = listener;
  }

  handleInput(data: string): void {
    if (this.cancellable) this.loader.handleInput(data);
  }

  dispose(): void {
    if (typeof this.loader.dispose === "function") this.loader.dispose();
    else this.loader.stop?.();
  }
}
