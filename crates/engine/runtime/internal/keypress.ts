/** `readline.emitKeypressEvents`: key presses out of the bytes of a terminal. */

import { lazyModule } from "./lazy.ts";

const loadDecoder = lazyModule("node/string_decoder.ts");
const kAttached = Symbol("keypress");

interface Key {
  sequence: string;
  name: string | undefined;
  ctrl: boolean;
  meta: boolean;
  shift: boolean;
  code?: string;
}

const CODES: Record<string, string> = {
  A: "up", B: "down", C: "right", D: "left", E: "clear", F: "end", H: "home",
  P: "f1", Q: "f2", R: "f3", S: "f4", Z: "tab",
  "1~": "home", "2~": "insert", "3~": "delete", "4~": "end", "5~": "pageup", "6~": "pagedown",
  "7~": "home", "8~": "end", "11~": "f1", "12~": "f2", "13~": "f3", "14~": "f4", "15~": "f5",
  "17~": "f6", "18~": "f7", "19~": "f8", "20~": "f9", "21~": "f10", "23~": "f11", "24~": "f12",
};
const SEQUENCE = /^\x1b{1,2}(?:\[\[?|O)(?:(\d+)(?:;(\d+))?)?([~^$A-Za-z])/;

/** The key at the start of `text`, and how much of it that key is. */
export function parseKey(text: string): { key: Key; length: number } {
  const key: Key = { sequence: "", name: undefined, ctrl: false, meta: false, shift: false };
  const match = SEQUENCE.exec(text);
  if (match) {
    const [sequence, first, second, end] = match as unknown as [string, string?, string?, string?];
    const modifier = Number(second ?? (end === "~" ? 1 : (first ?? 1))) - 1;
    key.sequence = sequence;
    key.code = sequence.slice(1).replace(/\d+;\d+(?=[A-Z])/, "").replace(/;\d+/, "");
    key.name = CODES[end === "~" || end === "^" || end === "$" ? `${first}~` : end!] ?? "undefined";
    key.shift = Boolean(modifier & 1) || end === "Z" || end === "$";
    key.meta = Boolean(modifier & 10) || sequence.startsWith("\x1b\x1b");
    key.ctrl = Boolean(modifier & 4) || end === "^";
    return { key, length: sequence.length };
  }
  const escaped = text.length > 1 && text[0] === "\x1b" ? 1 : 0;
  const char = String.fromCodePoint(text.codePointAt(escaped)!);
  const length = escaped + char.length;
  key.sequence = text.slice(0, length);
  key.meta = escaped > 0;
  if (char === "\r") key.name = "return";
  else if (char === "\n") key.name = "enter";
  else if (char === "\t") key.name = "tab";
  else if (char === "\b" || char === "\x7f") key.name = "backspace";
  else if (char === "\x1b") key.name = "escape";
  else if (char === " ") key.name = "space";
  else if (char <= "\x1a") {
    key.name = String.fromCharCode(char.charCodeAt(0) + 96);
    key.ctrl = true;
  } else if (/^[0-9A-Za-z]$/.test(char)) {
    key.name = char.toLowerCase();
    key.shift = /^[A-Z]$/.test(char);
  }
  return { key, length };
}

/** Makes `stream` emit `keypress` events while somebody listens for them. */
export function emitKeypressEvents(stream: any): void {
  if (stream[kAttached]) return;
  stream[kAttached] = true;
  const decoder = new (loadDecoder().StringDecoder)("utf8");
  const onData = (chunk: any) => {
    if (stream.listenerCount("keypress") === 0) {
      stream.removeListener("data", onData);
      stream.on("newListener", onListener);
      return;
    }
    let text: string = typeof chunk === "string" ? chunk : decoder.write(chunk);
    while (text !== "") {
      const { key, length } = parseKey(text);
      const shown = key.sequence.length === 1 || !key.sequence.startsWith("\x1b") ? key.sequence : undefined;
      stream.emit("keypress", shown, key);
      text = text.slice(length);
    }
  };
  const onListener = (type: any) => {
    if (type !== "keypress") return;
    stream.on("data", onData);
    stream.removeListener("newListener", onListener);
  };
  if (stream.listenerCount("keypress") > 0) stream.on("data", onData);
  else stream.on("newListener", onListener);
}
