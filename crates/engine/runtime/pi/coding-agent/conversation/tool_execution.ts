// A call of a tool.
import { isComponent, type Component } from "../../../host/mount/component.ts";
import { theme } from "../../../host/theme.ts";
import { Container } from "../../tui/component.ts";
import { Image } from "../../tui/image.ts";
import { Spacer } from "../../tui/spacer.ts";
import { keyHint, keyText } from "../key_hints.ts";
import { ConversationBlock, text } from "./block.ts";

/** Draws a call or a result. */
type Render = (...args: unknown[]) => unknown;

/** What of a tool is used: how it is drawn. */
type Renderers = { renderCall?: Render; renderResult?: Render } | undefined;

/** What of the screen is used. */
type Screen = { requestRender?: () => void } | undefined;

/** A part of a result. */
type Part = { type?: unknown; data?: unknown; mimeType?: unknown };

/** A result, or what there is of it. */
type Result = { content?: Part[]; details?: unknown; isError?: boolean; durationMs?: number };

type Options = { showImages?: boolean; imageWidthCells?: number; outputPad?: number };

/** The columns before what an extension draws, where the sign of the call stands. */
const SIGN = 2;

/** Shows a call from its first argument to its result: as its tool draws it, or as tau does. */
export class ToolExecutionComponent extends Container {
  private readonly toolName: string;
  private readonly toolCallId: string;
  private readonly renderers: Renderers;
  private readonly screen: Screen;
  private readonly cwd: string;
  private readonly block: ConversationBlock;
  private readonly state = {};
  private readonly parts: { call?: Component; result?: Component } = {};
  private args: unknown;
  private options: { showImages: boolean; imageWidthCells: number; outputPad: number };
  private result: Result | undefined;
  private isPartial = true;
  private isExpanded = false;
  private isComplete = false;
  private begun: number | undefined;

  constructor(
    toolName: string, toolCallId: string, args: unknown, options: Options | undefined, toolDefinition: unknown, ui: Screen,
    cwd: string,
  ) {
    super();
    this.toolName = toolName;
    this.toolCallId = toolCallId;
    this.args = args;
    const { showImages = true, imageWidthCells = 60, outputPad = 1 } = options ?? {};
    this.options = { showImages, imageWidthCells, outputPad };
    this.renderers = toolDefinition as Renderers;
    this.screen = ui;
    this.cwd = cwd;
    this.block = new ConversationBlock((columns) => this.shown(columns), 0);
    this.addChild(this.block);
  }

  /** The arguments as far as they have arrived. */
  updateArgs(args: unknown): void {
    this.args = args;
    this.block.invalidate();
  }

  /** The tool begins to run. */
  markExecutionStarted(): void {
    this.begun ??= Date.now();
    this.changed();
  }

  /** All arguments are there. */
  setArgsComplete(): void {
    this.isComplete = true;
    this.changed();
  }

  /** The result, or what there is of it so far. */
  updateResult(result: Result, isPartial = false): void {
    this.result = result;
    this.isPartial = isPartial;
    this.showImages();
    this.changed();
  }

  setExpanded(expanded: boolean): void {
    this.isExpanded = expanded;
    this.block.invalidate();
  }

  setOutputPad(outputPad: number): void {
    this.options.outputPad = outputPad;
    this.block.invalidate();
  }

  setShowImages(show: boolean): void {
    this.options.showImages = show;
    this.showImages();
    this.block.invalidate();
  }

  setImageWidthCells(width: number): void {
    this.options.imageWidthCells = Math.max(1, Math.floor(width));
    this.showImages();
  }

  invalidate(): void {
    super.invalidate();
    this.parts.call?.invalidate?.();
    this.parts.result?.invalidate?.();
  }

  render(width: number): string[] {
    // Its time passes, and what an extension draws may be another each time.
    if (this.isRunning() || this.parts.call || this.parts.result) this.block.invalidate();
    return super.render(width);
  }

  private isRunning(): boolean {
    return this.begun !== undefined && this.isPartial;
  }

  private changed(): void {
    this.block.invalidate();
    this.screen?.requestRender?.();
  }

  private shown(columns: number) {
    const room = Math.max(1, columns - SIGN);
    const { result, isPartial, options, args } = this;
    const given = result && { content: this.withoutImages(result.content), details: result.details };
    return {
      kind: "tool", name: this.toolName, args: args ?? null, argsComplete: this.isComplete || !!result,
      started: this.begun !== undefined || !!result, result: given ?? null, isPartial, isError: result?.isError === true,
      elapsedMs: this.begun === undefined ? 0 : Math.max(0, Date.now() - this.begun),
      durationMs: whole(result?.durationMs), expanded: this.isExpanded, cwd: this.cwd,
      callRows: this.drawn("call", room, (render, context) => render(args ?? {}, theme, context)),
      resultRows: result
        ? this.drawn("result", room, (render, context) => {
            return render(result, { expanded: this.isExpanded, isPartial, showImages: options.showImages }, theme, context);
          })
        : null,
    };
  }

  /** The rows that the tool draws of a part. One that fails leaves the part to tau, as in the conversation. */
  private drawn(part: "call" | "result", width: number, draw: (render: Render, context: object) => unknown): unknown {
    const renderers = this.renderers;
    const render = part === "call" ? renderers?.renderCall : renderers?.renderResult;
    if (typeof render !== "function") return null;
    try {
      const component = draw((...args) => render.apply(renderers, args), this.context(this.parts[part]));
      if (!isComponent(component)) return null;
      this.parts[part] = component;
      const rows = component.render(width);
      return Array.isArray(rows) ? rows.map(String) : null;
    } catch {
      this.parts[part] = undefined;
      return null;
    }
  }

  private context(lastComponent: Component | undefined): object {
    const { showImages, outputPad } = this.options;
    return {
      args: this.args ?? {}, toolCallId: this.toolCallId, cwd: this.cwd, executionStarted: this.begun !== undefined,
      argsComplete: this.isComplete, isPartial: this.isPartial, expanded: this.isExpanded, showImages,
      isError: this.result?.isError === true, durationMs: this.result?.durationMs, outputPad, state: this.state,
      lastComponent, invalidate: () => this.changed(), keyText, keyHint,
    };
  }

  /** The images of the result, below it. */
  private showImages(): void {
    this.children = [this.block];
    if (!this.options.showImages) return;
    for (const part of this.result?.content ?? []) {
      if (!isImage(part)) continue;
      this.addChild(new Spacer(1));
      const look = { fallbackColor: (fallback: string) => theme.fg("toolOutput", fallback) };
      const limits = { maxWidthCells: this.options.imageWidthCells };
      this.addChild(new Image(text(part.data), text(part.mimeType), look, limits));
    }
  }

  /** Images that are shown need no name, and no others need their data. */
  private withoutImages(content: Part[] | undefined): unknown {
    if (!Array.isArray(content)) return content ?? [];
    if (this.options.showImages) return content.filter((part) => !isImage(part));
    return content.map((part) => (isImage(part) ? { type: "image", mimeType: part.mimeType } : part));
  }
}

function isImage(part: Part): boolean {
  return part?.type === "image" && typeof part.data === "string";
}

/** A number of milliseconds without a fraction. */
function whole(time: number | undefined): number | null {
  return typeof time === "number" && time >= 0 ? Math.trunc(time) : null;
}
