// A message of the user.
import { Container } from "../../tui/component.ts";
import { ConversationBlock, transformed, type Transformer } from "./block.ts";

/** Shows what the user wrote. */
export class UserMessageComponent extends Container {
  private readonly block: ConversationBlock;

  /** The colours are those of the conversation, whatever `_markdownTheme` says. */
  constructor(
    text: string, _markdownTheme?: unknown, outputPad = 1, markdownTransformers: readonly Transformer[] = [],
    messageId?: string, timestamp?: string,
  ) {
    super();
    const origin = { messageId, timestamp };
    this.block = new ConversationBlock(
      (columns) => ({ kind: "user", text: transformed(text, markdownTransformers, "user", false, columns, origin) }),
      outputPad,
      false,
    );
    this.addChild(this.block);
  }

  setOutputPad(padding: number): void {
    this.block.padding = padding;
    this.invalidate();
  }
}
