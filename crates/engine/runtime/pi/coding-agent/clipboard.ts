// The system's clipboard, through the programs that desktops have for it, or through the terminal.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";

const PROGRAMS: [string, string[], string?][] = [
  ["pbcopy", []],
  ["termux-clipboard-set", [], "TERMUX_VERSION"],
  ["wl-copy", [], "WAYLAND_DISPLAY"],
  ["xclip", ["-selection", "clipboard"], "DISPLAY"],
  ["xsel", ["--clipboard", "--input"], "DISPLAY"],
];

const REMOTE = ["SSH_CONNECTION", "SSH_CLIENT", "MOSH_CONNECTION"];
const DISPLAYS = ["DISPLAY", "WAYLAND_DISPLAY", "TERMUX_VERSION"];

/** Terminals ignore a longer text, in base64. */
const MAX_ENCODED = 100_000;

/**
 * Puts text on the clipboard: by a program of this machine, and by the terminal where the session is remote or nothing
 * else is there. Throws when neither can be done.
 */
export async function copyToClipboard(text: string): Promise<void> {
  const copied = await byProgram(text);
  const remote = REMOTE.some((name) => ops.envGet(name)) || ops.envGet("PI_CLIPBOARD_OSC52") === "1";
  // A desktop that has a display and no program for it must say so: nobody knows whether a terminal did anything.
  const headless = ops.platform !== "darwin" && !DISPLAYS.some((name) => ops.envGet(name));
  if (copied && !remote) return;
  if (!remote && !headless) {
    throw new Error("Clipboard unavailable: no program for it is installed (wl-copy, xclip or xsel)");
  }
  const problem = byTerminal(text);
  if (problem && !copied) throw new Error(`Clipboard unavailable: ${problem}`);
}

async function byProgram(text: string): Promise<boolean> {
  for (const [program, args, needs] of PROGRAMS) {
    if (needs ? !ops.envGet(needs) : ops.platform !== "darwin") continue;
    if (await fed(program, args, text)) return true;
  }
  return false;
}

/** Asks the controlling terminal, because standard output may be a protocol's; what kept it from being asked. */
function byTerminal(text: string): string | undefined {
  const encoded = importNow("tau:node/buffer.ts").Buffer.from(text).toString("base64");
  if (encoded.length > MAX_ENCODED) return "the text is too long for the terminal (OSC 52)";
  try {
    importNow("tau:node/fs.ts").writeFileSync("/dev/tty", `\x1b]52;c;${encoded}\x07`);
  } catch {
    return "there is no program for it, and no terminal";
  }
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
