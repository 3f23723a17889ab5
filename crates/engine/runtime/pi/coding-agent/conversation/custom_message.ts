// A message of an extension.
import { isComponent } from "../../../host/mount/component.ts";
import { theme } from "../../../host/theme.ts";
import { Container } from "../../tui/component.ts";
import { Spacer } from "../../tui/spacer.ts";
import { keyHint, keyText } from "../key_hints.ts";
import { ConversationBlock, text, textsOf, transformed, type Transformer } from "./block.ts";

/** What of a message is looked at. */
type Message = { customType?: unknown; content?: unknown };

/** Draws a message of a type, with options and a theme. */
type Renderer = (message: never, options: never, theme: never) => unknown;

/** Shows a message of an extension: as its renderer draws it, or as tau does. */
export class CustomMessageComponent extends Container {
  private readonly message: Message;
  private readonly renderer: Renderer | undefined;
  private readonly transformers: readonly Transformer[];
  private readonly origin: { messageId?: string; timestamp?: string };
  private isExpanded = false;
  private padding: number;

  /** The colours are those of the conversation, whatever `_markdownTheme` says. */
  constructor(
    message: object, customRenderer?: Renderer, _markdownTheme?: unknown, outputPad = 1,
    markdownTransformers: readonly Transformer[] = [], messageId?: string, timestamp?: string,
  ) {
    super();
    this.message = message;
    this.renderer = customRenderer;
    this.padding = outputPad;
    this.transformers = markdownTransformers;
    this.origin = { messageId, timestamp };
    this.build();
  }

  setExpanded(expanded: boolean): void {
    if (this.isExpanded === expanded) return;
    this.isExpanded = expanded;
    this.build();
  }

  setOutputPad(outputPad: number): void {
    if (this.padding === outputPad) return;
    this.padding = outputPad;
    this.build();
  }

  invalidate(): void {
    super.invalidate();
    this.build();
  }

  private build(): void {
    this.clear();
    const drawn = this.drawn();
    if (isComponent(drawn)) {
      this.addChild(new Spacer(1));
      this.addChild(drawn);
      return;
    }
    const { customType, content } = this.message;
    const markdown = (columns: number) =>
      transformed(textsOf(content), this.transformers, "custom", false, columns, this.origin);
    const make = (columns: number) => ({ kind: "custom", name: text(customType), text: markdown(columns) });
    this.addChild(new ConversationBlock(make, this.padding));
  }

  /** What the renderer makes of it. One that fails leaves it to tau, as in the conversation. */
  private drawn(): unknown {
    if (!this.renderer) return undefined;
    const options = { expanded: this.isExpanded, outputPad: this.padding, keyText, keyHint };
    try {
      return this.renderer(this.message as never, options as never, theme as never);
    } catch {
      return undefined;
    }
  }
}
