// Keys: what was pressed, from what the terminal sent.
import { ops } from "tau:ops";

let kittyProtocol = false;

/** Says whether the terminal speaks the Kitty keyboard protocol; some legacy sequences mean other keys then. */
export function setKittyProtocolActive(active: boolean): void {
  kittyProtocol = active;
}

/** Whether the terminal was said to speak the Kitty keyboard protocol. */
export function isKittyProtocolActive(): boolean {
  return kittyProtocol;
}

function modes(): number {
  const { WT_SESSION, SSH_CONNECTION, SSH_CLIENT, SSH_TTY } = process.env;
  const windowsTerminal = WT_SESSION && !SSH_CONNECTION && !SSH_CLIENT && !SSH_TTY;
  return (kittyProtocol ? 1 : 0) | (windowsTerminal ? 2 : 0);
}

/** Whether `data` is the key that `keyId` names, such as `ctrl+c` or `shift+tab`. */
export function matchesKey(data: string, keyId: string): boolean {
  // Only raw backspace depends on the environment, which is slow to ask.
  return ops.viewMatchesKey(data, keyId, data === "\b" ? modes() : kittyProtocol ? 1 : 0);
}

/** The name of the key that `data` is. */
export function parseKey(data: string): string | undefined {
  return ops.viewParseKey(data, modes());
}

/** Whether `data` says that a key was let go (Kitty protocol). */
export function isKeyRelease(data: string): boolean {
  return data.includes(":3") && ops.viewIsKeyRelease(data);
}

/** Whether `data` says that a key is held down (Kitty protocol). */
export function isKeyRepeat(data: string): boolean {
  return data.includes(":2") && ops.viewIsKeyRepeat(data);
}

/** The character that a Kitty sequence types, if it is a plain or shifted one. */
export function decodeKittyPrintable(data: string): string | undefined {
  return data.startsWith("\x1b[") ? ops.viewKittyPrintable(data) : undefined;
}

/** Like `decodeKittyPrintable`, for xterm's modifyOtherKeys too. */
export function decodePrintableKey(data: string): string | undefined {
  return data.startsWith("\x1b[") ? ops.viewPrintable(data) : undefined;
}

const names = (text: string) => Object.fromEntries(text.split(" ").map((name) => [name, name]));

const SYMBOLS = {
  backtick: "`", hyphen: "-", equals: "=", leftbracket: "[", rightbracket: "]", backslash: "\\", semicolon: ";",
  quote: "'", comma: ",", period: ".", slash: "/", exclamation: "!", at: "@", hash: "#", dollar: "$", percent: "%",
  caret: "^", ampersand: "&", asterisk: "*", leftparen: "(", rightparen: ")", underscore: "_", plus: "+", pipe: "|",
  tilde: "~", leftbrace: "{", rightbrace: "}", colon: ":", lessthan: "<", greaterthan: ">", question: "?",
};

const MODIFIERS =
  "ctrl shift alt super ctrlShift shiftCtrl ctrlAlt altCtrl shiftAlt altShift ctrlSuper superCtrl shiftSuper " +
  "superShift altSuper superAlt ctrlShiftAlt ctrlShiftSuper";

/** Key identifiers by name: `Key.escape`, `Key.slash`, `Key.ctrl("c")`, `Key.ctrlShift("p")`. */
export const Key: any = {
  ...names("escape esc enter return tab space backspace delete insert clear home end pageUp pageDown up down left right"),
  ...names("f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12"),
  ...SYMBOLS,
  ...Object.fromEntries(
    MODIFIERS.split(" ").map((name) => {
      const prefix = name.replace(/[A-Z]/g, (letter) => "+" + letter.toLowerCase()) + "+";
      return [name, (key: string) => prefix + key];
    }),
  ),
};
