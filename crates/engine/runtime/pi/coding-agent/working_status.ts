// What is going on, in the upper rule of an editor.
import { truncateToWidth, visibleWidth } from "../tui/text_layout.ts";

/** What shows that something is going on. */
export interface WorkingIndicator {
  /** All of it, in at most so many columns. */
  renderInBorder(width: number): string;
  /** The part that moves, where there is no room for more. */
  renderSpinnerInBorder(width: number): string;
}

/** An indicator that shows these texts. */
export function workingIndicator(spinner: string, message: string): WorkingIndicator {
  return {
    renderInBorder: (width) => truncateToWidth([spinner, message].filter(Boolean).join(" "), width),
    renderSpinnerInBorder: (width) => truncateToWidth(spinner, width, ""),
  };
}

/** Columns of the rule before the indicator, the space behind them included. */
const LEAD = 3;

/** A rule of `width` columns with the indicator at its left, and in its middle how many rows are hidden, as far as there is
 * room; nothing when the indicator shows nothing. */
export function workingRule(
  indicator: WorkingIndicator,
  width: number,
  hidden: number,
  color: (text: string) => string,
): string | undefined {
  const whole = indicator.renderInBorder(Math.max(1, width - LEAD - 2));
  if (visibleWidth(whole) === 0) return undefined;
  const label = hidden > 0 ? ` ↑ ${hidden} more ` : "";
  const labelAt = Math.floor((width - label.length) / 2);
  // A space, and a piece of the rule, stand between the two.
  const labelFits = (status: string) => label.length + 2 <= width && labelAt >= LEAD + visibleWidth(status) + 2;
  const spinner = () => indicator.renderSpinnerInBorder(width);
  const status = label === "" || labelFits(whole) ? whole : spinner();
  const end = LEAD + visibleWidth(status) + 1;
  if (label !== "" && labelFits(status)) {
    const behind = "─".repeat(width - labelAt - label.length);
    return `${color("── ")}${status}${color(` ${"─".repeat(labelAt - end)}${label}${behind}`)}`;
  }
  if (end < width) return `${color("── ")}${status}${color(` ${"─".repeat(width - end)}`)}`;
  const narrow = spinner();
  const room = Math.max(0, width - visibleWidth(narrow));
  const lead = Math.min(LEAD, room);
  return `${color("─".repeat(lead))}${narrow}${color("─".repeat(room - lead))}`;
}
