// What the terminal can do, told from its environment variables.
import { lazyModule } from "../../internal/lazy.ts";

type Capabilities = { images: "kitty" | "iterm2" | null; trueColor: boolean; hyperlinks: boolean };

const childProcess = lazyModule("node/child_process.ts");

let cached: Capabilities | null = null;
let overrides: Partial<Capabilities> = {};
let cell = { widthPx: 9, heightPx: 18 };

/** The size of a character cell, in pixels. */
export function getCellDimensions(): { widthPx: number; heightPx: number } {
  return cell;
}

export function setCellDimensions(dimensions: { widthPx: number; heightPx: number }): void {
  cell = dimensions;
}

/** Whether tmux passes hyperlinks on to the terminal around it. */
function tmuxHasHyperlinks(): boolean {
  try {
    const features: string = childProcess().execSync("tmux display-message -p '#{client_termfeatures}'", {
      encoding: "utf8",
      timeout: 250,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return features.split(",").some((feature) => feature.trim() === "hyperlinks");
  } catch {
    return false;
  }
}

/** Programs by what they draw images with; all of them know true colour. */
const PROGRAMS: { images: Capabilities["images"]; hyperlinks: boolean; is: (env: any, program: string) => any }[] = [
  { images: "kitty", hyperlinks: true, is: (env, program) => env.KITTY_WINDOW_ID || program === "kitty" },
  {
    images: "kitty",
    hyperlinks: true,
    is: (env, program) => program === "ghostty" || /ghostty/i.test(env.TERM ?? "") || env.GHOSTTY_RESOURCES_DIR,
  },
  { images: "kitty", hyperlinks: true, is: (env, program) => env.WEZTERM_PANE || program === "wezterm" },
  {
    images: "kitty",
    hyperlinks: true,
    is: (env, program) => program === "warpterminal" || env.WARP_SESSION_ID || env.WARP_TERMINAL_SESSION_UUID,
  },
  { images: "iterm2", hyperlinks: true, is: (env, program) => env.ITERM_SESSION_ID || program === "iterm.app" },
  { images: null, hyperlinks: true, is: (env) => env.WT_SESSION },
  { images: null, hyperlinks: true, is: (_, program) => ["alacritty", "vscode", "zed"].includes(program) },
  { images: null, hyperlinks: false, is: (env) => env.TERMINAL_EMULATOR?.toLowerCase() === "jetbrains-jediterm" },
];

function fromEnvironment(tmux: () => boolean): Capabilities {
  const env = process.env;
  const term = env.TERM?.toLowerCase() ?? "";
  const trueColor = ["truecolor", "24bit"].includes(env.COLORTERM?.toLowerCase() ?? "") || term.endsWith("-direct");
  // Multiplexers do not pass images on.
  if (env.TMUX || term.startsWith("tmux")) return { images: null, trueColor, hyperlinks: tmux() };
  if (term.startsWith("screen")) return { images: null, trueColor, hyperlinks: false };
  const program = PROGRAMS.find(({ is }) => is(env, env.TERM_PROGRAM?.toLowerCase() ?? ""));
  if (program) return { images: program.images, trueColor: true, hyperlinks: program.hyperlinks };
  // A terminal that does not know hyperlinks would swallow their addresses.
  return { images: null, trueColor, hyperlinks: false };
}

/** What the environment says, with `PI_IMAGE_PROTOCOL`, `PI_TRUE_COLOR` and `PI_HYPERLINKS` above it. */
export function detectCapabilities(tmuxForwardsHyperlink: () => boolean = tmuxHasHyperlinks): Capabilities {
  const flag = (value: string | undefined) => (value === "1" ? true : value === "0" ? false : undefined);
  const hyperlinks = flag(process.env.PI_HYPERLINKS);
  const trueColor = flag(process.env.PI_TRUE_COLOR);
  const protocol: any = process.env.PI_IMAGE_PROTOCOL?.toLowerCase();
  const detected = fromEnvironment(hyperlinks === undefined ? tmuxForwardsHyperlink : () => hyperlinks);
  if (protocol === "kitty" || protocol === "iterm2") detected.images = protocol;
  else if (protocol === "none" || protocol === "0") detected.images = null;
  if (trueColor !== undefined) detected.trueColor = trueColor;
  if (hyperlinks !== undefined) detected.hyperlinks = hyperlinks;
  return detected;
}

/** What the terminal can do; found out once. */
export function getCapabilities(): Capabilities {
  const { hyperlinks } = overrides;
  return (cached ??= {
    ...detectCapabilities(hyperlinks === undefined ? undefined : () => hyperlinks),
    ...overrides,
  });
}

/** Whether the terminal shows every colour. Unlike the whole answer, this never has to ask tmux. */
export function hasTrueColor(): boolean {
  return cached?.trueColor ?? overrides.trueColor ?? detectCapabilities(() => false).trueColor;
}

/** Forgets what was found out. */
export function resetCapabilitiesCache(): void {
  cached = null;
}

/** Sets what the terminal can do. */
export function setCapabilities(capabilities: Capabilities): void {
  cached = capabilities;
}

/** Sets some of it and leaves the rest to be found out. */
export function setCapabilityOverrides(wanted: Partial<Capabilities>): void {
  const names = ["images", "trueColor", "hyperlinks"] as const;
  if (names.every((name) => overrides[name] === wanted[name])) return;
  overrides = { ...wanted };
  cached = null;
}
