// A command that the user runs.
import { Container } from "../../tui/component.ts";
import { stripTerminalSequences } from "../../tui/text_layout.ts";
import { keyText } from "../key_hints.ts";
import { ConversationBlock } from "./block.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const INTERVAL_MS = 80;

/** What of the screen is used. */
type Screen = { requestRender?: () => void } | undefined;

/** What was left out of the output. */
type Cut = { truncated?: unknown } | undefined;

/** Shows a command with what it puts out, from its start on. */
export class BashExecutionComponent extends Container {
  private readonly command: string;
  private readonly screen: Screen;
  private readonly isHidden: boolean;
  private readonly block: ConversationBlock;
  private output = "";
  private isExpanded = false;
  private frame = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private end: { cancelled: boolean; exitCode: number | undefined; truncated: boolean; fullOutput: string | undefined } | undefined;

  constructor(command: string, ui: Screen, excludeFromContext = false, outputPad = 1) {
    super();
    this.command = command;
    this.screen = ui;
    this.isHidden = excludeFromContext;
    this.block = new ConversationBlock(() => this.shown(), outputPad);
    this.addChild(this.block);
    this.timer = setInterval(() => {
      this.frame++;
      this.changed();
    }, INTERVAL_MS);
  }

  private shown() {
    const { command, output, isHidden, isExpanded, end } = this;
    const running = end ? null : [FRAMES[this.frame % FRAMES.length], keyText("tui.select.cancel")];
    const { cancelled = false, exitCode = null, truncated = false, fullOutput = null } = end ?? {};
    return {
      kind: "command", command, hidden: isHidden, output, running, cancelled, exitCode, truncated, fullOutput,
      expanded: isExpanded,
    };
  }

  setExpanded(expanded: boolean): void {
    this.isExpanded = expanded;
    this.invalidate();
  }

  setOutputPad(outputPad: number): void {
    this.block.padding = outputPad;
    this.invalidate();
  }

  /** Adds to the output. */
  appendOutput(chunk: string): void {
    this.output += stripTerminalSequences(chunk).replace(/\r\n?/g, "\n");
    this.invalidate();
  }

  /** The command is over. */
  setComplete(exitCode: number | undefined, cancelled: boolean, truncationResult?: Cut, fullOutputPath?: string): void {
    const truncated = truncationResult?.truncated === true;
    this.end = { exitCode, cancelled, truncated, fullOutput: fullOutputPath };
    this.dispose();
    this.changed();
  }

  /** Its indicator stands still from now on. */
  dispose(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** All of the output. */
  getOutput(): string {
    return this.output;
  }

  getCommand(): string {
    return this.command;
  }

  private changed(): void {
    this.invalidate();
    this.screen?.requestRender?.();
  }
}
