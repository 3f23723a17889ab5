// Text that is cut.
import { padded } from "./text.ts";
import { truncateToWidth, withBackground } from "./text_layout.ts";

/** The first line of a text, cut to the width. */
export class TruncatedText {
  text: string;
  paddingX: number;
  paddingY: number;

  constructor(text: string, paddingX = 0, paddingY = 0) {
    this.text = text;
    this.paddingX = paddingX;
    this.paddingY = paddingY;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const end = this.text.indexOf("\n");
    const line = end === -1 ? this.text : this.text.slice(0, end);
    const margin = " ".repeat(this.paddingX);
    const shown = truncateToWidth(line, Math.max(1, width - this.paddingX * 2));
    return padded([withBackground(margin + shown + margin, width)], width, this.paddingY);
  }
}
