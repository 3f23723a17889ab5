// A line across.
import { theme } from "../../host/theme.ts";

/** A horizontal line as wide as there is room. */
export class DynamicBorder {
  private color: (text: string) => string;

  constructor(color: (text: string) => string = (text) => theme.fg("border", text)) {
    this.color = color;
  }

  invalidate(): void {}

  render(width: number): string[] {
    return [this.color("─".repeat(Math.max(1, width)))];
  }
}
