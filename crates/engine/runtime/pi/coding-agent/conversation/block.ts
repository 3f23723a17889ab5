// A block of the conversation inside of a component. What it shows is data; tau draws it as its own blocks.
import { ops } from "tau:ops";
import { keyText } from "../key_hints.ts";

/** What a block shows, as `blockRows` takes it. */
export type Shown = { kind: string } & Record<string, unknown>;

/** Changes Markdown before it is drawn; its second argument is about the message. */
export type Transformer = (markdown: string, context: never) => unknown;

/** Where the text of a message comes from, for those who change it. */
export type Origin = { messageId?: string; timestamp?: string };

/** A click, as far as blocks look at it. */
type Click = { type?: string; button?: string };

/** Shows a block that `make` gives for the columns of its text; nothing while it gives none. */
export class ConversationBlock {
  padding: number;
  /** Does something about a click. */
  onClick: (() => void) | undefined;
  readonly #make: (columns: number) => Shown | undefined;
  readonly #hasGap: boolean;
  #kept: { width: number; rows: string[] } | undefined;

  constructor(make: (columns: number) => Shown | undefined, padding: number, hasGap = true) {
    this.#make = make;
    this.#hasGap = hasGap;
    this.padding = padding;
  }

  invalidate(): void {
    this.#kept = undefined;
  }

  handleMouse({ type, button }: Click): { handled: boolean } | undefined {
    if (!this.onClick || type !== "click" || button !== "left") return undefined;
    this.onClick();
    return { handled: true };
  }

  render(width: number): string[] {
    if (this.#kept?.width === width) return this.#kept.rows;
    const shown = this.#make(Math.max(1, width - 2 * this.padding));
    const all = shown ? ops.blockRows(shown, width, this.padding, keyText("app.tools.expand")) : [];
    // In the conversation, each block has an empty row above it; some components leave that row to their caller.
    const rows = !this.#hasGap && all[0] === "" ? all.slice(1) : all;
    this.#kept = { width, rows };
    return rows;
  }
}

/** The text of a message: a string, or the texts among its parts. */
export function textsOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.filter((part: { type?: unknown } | undefined) => part?.type === "text");
  return texts.map((part: { text?: unknown }) => text(part.text)).join("\n");
}

/** A text; anything else is none. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Markdown as the functions of extensions leave it. */
export function transformed(
  markdown: string, transformers: readonly Transformer[], messageType: string, isStreaming: boolean, availableWidth: number,
  origin: Origin,
): string {
  const context = { messageType, isStreaming, availableWidth, ...origin } as never;
  return transformers.reduce((changed, transform) => String(transform(changed, context) ?? changed), markdown);
}
