// The system's clipboard, through the programs that desktops have for it.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";

const PROGRAMS: [string, string[], string?][] = [
  ["pbcopy", []],
  ["wl-copy", [], "WAYLAND_DISPLAY"],
  ["xclip", ["-selection", "clipboard"], "DISPLAY"],
  ["xsel", ["--clipboard", "--input"], "DISPLAY"],
  ["termux-clipboard-set", [], "TERMUX_VERSION"],
];

/** Puts text on the clipboard. Throws when no program of this machine does that. */
export async function copyToClipboard(text: string): Promise<void> {
  for (const [program, args, needs] of PROGRAMS) {
    if (needs ? !ops.envGet(needs) : ops.platform !== "darwin") continue;
    if (await fed(program, args, text)) return;
  }
  throw new Error("Failed to copy to clipboard: no clipboard program found");
}

/** Runs a program with the text as its input; whether that worked. */
function fed(program: string, args: string[], text: string): Promise<boolean> {
  const { spawn } = importNow("tau:node/child_process.ts");
  return new Promise((done) => {
    // Some of these programs stay to serve the clipboard, so their output must not be waited for.
    const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"] });
    child.on("error", () => done(false));
    child.on("exit", (code: number | null) => done(code === 0));
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}
