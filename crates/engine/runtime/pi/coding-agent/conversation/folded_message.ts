// Messages that fold: summaries, and the instructions of skills.
import { Box } from "../../tui/box.ts";
import { ConversationBlock, text, transformed, type Shown, type Transformer } from "./block.ts";

/** A message of which only the title shows until it is unfolded. */
class FoldedMessage extends Box {
  private isExpanded = false;
  private readonly block: ConversationBlock;

  constructor(
    make: (expanded: boolean) => Shown & { text: string }, messageType: string, outputPad: number,
    transformers: readonly Transformer[], messageId: string | undefined, timestamp: string | undefined,
  ) {
    super(0, 0);
    this.block = new ConversationBlock(
      (columns) => {
        const shown = make(this.isExpanded);
        if (!this.isExpanded) return shown;
        const changed = transformed(shown.text, transformers, messageType, false, columns, { messageId, timestamp });
        return { ...shown, text: changed };
      },
      outputPad,
      false,
    );
    this.addChild(this.block);
  }

  setExpanded(expanded: boolean): void {
    this.isExpanded = expanded;
    this.invalidate();
  }

  setOutputPad(outputPad: number): void {
    this.block.padding = outputPad;
    this.invalidate();
  }
}

/** What of a summary is looked at. */
type Summary = { summary?: unknown; tokensBefore?: unknown };

/** Shows that the conversation was compacted, and to what. */
export class CompactionSummaryMessageComponent extends FoldedMessage {
  /** The colours are those of the conversation, whatever `_markdownTheme` says. */
  constructor(
    message: object, _markdownTheme?: unknown, outputPad = 1, markdownTransformers: readonly Transformer[] = [],
    messageId?: string, timestamp?: string,
  ) {
    const { summary, tokensBefore }: Summary = message;
    const tokens = Math.max(0, Math.trunc(Number(tokensBefore)) || 0);
    super(
      (expanded) => ({ kind: "compaction", tokens, text: text(summary), expanded }),
      "summary", outputPad, markdownTransformers, messageId, timestamp,
    );
  }
}

/** Shows what happened in a branch that was left. */
export class BranchSummaryMessageComponent extends FoldedMessage {
  /** The colours are those of the conversation, whatever `_markdownTheme` says. */
  constructor(
    message: object, _markdownTheme?: unknown, outputPad = 1, markdownTransformers: readonly Transformer[] = [],
    messageId?: string, timestamp?: string,
  ) {
    const { summary }: Summary = message;
    super(
      (expanded) => ({ kind: "branch", text: text(summary), expanded }),
      "summary", outputPad, markdownTransformers, messageId, timestamp,
    );
  }
}

/** What of a skill in a prompt is looked at. */
type SkillBlock = { name?: unknown; content?: unknown };

/** Shows the skill that a prompt begins with. */
export class SkillInvocationMessageComponent extends FoldedMessage {
  /** The colours are those of the conversation, whatever `_markdownTheme` says. */
  constructor(
    skillBlock: object, _markdownTheme?: unknown, outputPad = 1, markdownTransformers: readonly Transformer[] = [],
    messageId?: string, timestamp?: string,
  ) {
    const { name, content }: SkillBlock = skillBlock;
    super(
      (expanded) => ({ kind: "skill", name: text(name), text: text(content), expanded }),
      "custom", outputPad, markdownTransformers, messageId, timestamp,
    );
  }
}
