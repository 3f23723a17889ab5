// A loader that Escape ends.
import { getKeybindings } from "./keybindings.ts";
import { Loader } from "./loader.ts";

/** A loader whose `signal` is aborted when the user cancels. */
export class CancellableLoader extends Loader {
  abortController = new AbortController();
  /** Called when the user cancels. */
  onAbort: (() => void) | undefined;

  get signal(): AbortSignal {
    return this.abortController.signal;
  }

  get aborted(): boolean {
    return this.abortController.signal.aborted;
  }

  handleInput(data: string): void {
    if (!getKeybindings().matches(data, "tui.select.cancel")) return;
    this.abortController.abort();
    this.onAbort?.();
  }

  dispose(): void {
    this.stop();
  }
}
