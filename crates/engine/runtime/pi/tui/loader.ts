// A message with a moving indicator.
import { Text } from "./text.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const INTERVAL_MS = 80;

type Color = (text: string) => string;
type Indicator = { frames?: string[]; intervalMs?: number };

/** A message behind a spinner. It starts turning when it is made and turns until `stop()`. */
export class Loader extends Text {
  ui: any;
  spinnerColorFn: Color;
  messageColorFn: Color;
  message: string;
  frames: string[] = FRAMES;
  intervalMs = INTERVAL_MS;
  currentFrame = 0;
  intervalId: any = null;
  renderIndicatorVerbatim = false;

  constructor(ui: unknown, spinnerColorFn: Color, messageColorFn: Color, message = "Loading...", indicator?: Indicator) {
    super("", 1, 0);
    this.ui = ui;
    this.spinnerColorFn = spinnerColorFn;
    this.messageColorFn = messageColorFn;
    this.message = message;
    this.setIndicator(indicator);
  }

  render(width: number): string[] {
    return ["", ...super.render(width)];
  }

  start(): void {
    this.updateDisplay();
    this.stop();
    if (this.frames.length <= 1) return;
    this.intervalId = setInterval(() => {
      this.currentFrame = (this.currentFrame + 1) % this.frames.length;
      this.updateDisplay();
    }, this.intervalMs);
  }

  stop(): void {
    if (this.intervalId === null) return;
    clearInterval(this.intervalId);
    this.intervalId = null;
  }

  setMessage(message: string): void {
    this.message = message;
    this.updateDisplay();
  }

  /** Other frames and another speed; frames of one's own are shown as they are, without the spinner's colour. */
  setIndicator(indicator?: Indicator): void {
    this.renderIndicatorVerbatim = indicator !== undefined;
    this.frames = [...(indicator?.frames ?? FRAMES)];
    this.intervalMs = indicator?.intervalMs && indicator.intervalMs > 0 ? indicator.intervalMs : INTERVAL_MS;
    this.currentFrame = 0;
    this.start();
  }

  invalidate(): void {
    super.invalidate();
    this.updateDisplay();
  }

  updateDisplay(): void {
    const frame = this.frames[this.currentFrame] ?? "";
    const shown = this.renderIndicatorVerbatim ? frame : this.spinnerColorFn(frame);
    this.setText((shown.length > 0 ? `${shown} ` : "") + this.messageColorFn(this.message));
    this.ui?.requestRender();
  }
}
