// What of pi-tui belongs to whoever owns the terminal, which an extension never does: it is given a screen.
import { unavailable } from "../../internal/loader.ts";

/** Classes that draw on a real terminal, and the Markdown parser of another package. They throw when constructed. */
export const ProcessTerminal = unavailable("ProcessTerminal");
export const TUI = unavailable("TUI");
export const TuiMainScreen = unavailable("TuiMainScreen");
export const TuiAltScreen = unavailable("TuiAltScreen");
export const Marked = unavailable("Marked");

/** The clipboard of the desktop, where a native add-on reads it; there are no add-ons here. */
export function getNativeClipboard(): undefined {
  return undefined;
}
