// Small texts for terminals and lists.
import { Buffer } from "../../node/buffer.ts";

const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g;
/** What a status message may hold, in bytes of UTF-8. */
const MAX_MESSAGE_BYTES = 2048;

/** Text with a space for each run of control characters. */
export function replaceControlCharacters(text: string): string {
  return text.replace(CONTROL, " ");
}

/** What the program is doing, as an escape sequence that terminals may show: OSC 7501. */
export function formatProgramStatus(status: any): string {
  const parts = [`state=${status.state}`];
  if (typeof status.app === "string" && /^[A-Za-z0-9_.+-]{1,32}$/.test(status.app)) parts.push(`app=${status.app}`);
  if (status.state === "blocked" && status.kind) parts.push(`kind=${status.kind}`);
  const message = cut(replaceControlCharacters(status.message ?? "").trim());
  if (message !== "") parts.push(`msg=${Buffer.from(message, "utf8").toString("base64")}`);
  return `\x1b]7501;${parts.join(":")}\x1b\\`;
}

/** As many whole characters as fit. */
function cut(text: string): string {
  let bytes = 0;
  let fitting = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character, "utf8");
    if (bytes > MAX_MESSAGE_BYTES) break;
    fitting += character;
  }
  return fitting;
}

/** Where the keys for paging take the selection of a list; undefined for other keys. */
export function getSelectPageIndex(
  keybindings: { matches(data: string, action: string): boolean },
  data: string,
  selectedIndex: number,
  itemCount: number,
  pageSize: number,
): number | undefined {
  const up = keybindings.matches(data, "tui.select.pageUp");
  if (!up && !keybindings.matches(data, "tui.select.pageDown")) return undefined;
  const wanted = selectedIndex + (up ? -pageSize : pageSize);
  return Math.max(0, Math.min(itemCount - 1, wanted));
}

/** Text that looks like a cursor, marked so that a terminal with a real cursor leaves it out. */
export function renderFakeCursor(text: string): string {
  return `\x1b_pi:fc\x07${text}\x1b_pi:/fc\x07`;
}
