// An answer of a model.
import { Container } from "../../tui/component.ts";
import { ConversationBlock, text, transformed, type Shown, type Transformer } from "./block.ts";

/** What of an answer is looked at. */
type Answer = { content?: unknown; stopReason?: unknown; errorMessage?: unknown };

/** A part of an answer. */
type Part = { type?: unknown; text?: unknown; thinking?: unknown };

/** Shows what a model wrote and thought, and why it ended early. Calls of tools have components of their own. */
export class AssistantMessageComponent extends Container {
  private hidesThinking: boolean;
  private hiddenLabel: string;
  private padding: number;
  private readonly transformers: readonly Transformer[];
  private readonly origin: { messageId?: string; timestamp?: string };
  private message: Answer | undefined;
  private isStreaming = false;
  /** Thinking that a click has shown or hidden, by its place. */
  private readonly clicked = new Map<number, boolean>();

  /** The colours are those of the conversation, whatever `_markdownTheme` says. */
  constructor(
    message?: object, hideThinkingBlock = false, _markdownTheme?: unknown, hiddenThinkingLabel = "Thinking...",
    outputPad = 1, markdownTransformers: readonly Transformer[] = [], messageId?: string, timestamp?: string,
  ) {
    super();
    this.hidesThinking = hideThinkingBlock;
    this.hiddenLabel = hiddenThinkingLabel;
    this.padding = outputPad;
    this.transformers = markdownTransformers;
    this.origin = { messageId, timestamp };
    if (message) this.updateContent(message);
  }

  setHideThinkingBlock(hide: boolean): void {
    this.hidesThinking = hide;
    this.clicked.clear();
    this.invalidate();
  }

  setHiddenThinkingLabel(label: string): void {
    this.hiddenLabel = label;
    this.invalidate();
  }

  setOutputPad(padding: number): void {
    this.padding = padding;
    if (this.message) this.updateContent(this.message, this.isStreaming);
  }

  /** Shows another answer, or more of it. */
  updateContent(message: object, isStreaming = false): void {
    this.message = message;
    this.isStreaming = isStreaming;
    this.clear();
    const { content, stopReason, errorMessage } = this.message;
    const parts: Part[] = Array.isArray(content) ? content : [];
    parts.forEach((part, index) => this.add(part, index));
    // A call that was stopped says so itself.
    const hasCalls = parts.some((part) => part?.type === "toolCall");
    const how = stopReason === "length" || (!hasCalls && (stopReason === "aborted" || stopReason === "error")) ? stopReason : undefined;
    if (how) this.show(() => ({ kind: "ending", how, reason: text(errorMessage) || "Unknown error" }));
  }

  private add(part: Part, index: number): void {
    if (part?.type === "text" && text(part.text).trim()) {
      this.show((columns) => ({ kind: "answer", text: this.changed(text(part.text), "assistant", columns) }));
    } else if (part?.type === "thinking" && text(part.thinking).trim()) {
      const isHidden = () => this.clicked.get(index) ?? this.hidesThinking;
      const block = this.show((columns) =>
        isHidden()
          ? { kind: "hiddenThinking", label: this.hiddenLabel }
          : { kind: "thinking", text: this.changed(text(part.thinking), "assistant-thinking", columns) },
      );
      block.onClick = () => {
        this.clicked.set(index, !isHidden());
        block.invalidate();
      };
    }
  }

  private show(make: (columns: number) => Shown): ConversationBlock {
    const block = new ConversationBlock(make, this.padding);
    this.addChild(block);
    return block;
  }

  private changed(markdown: string, messageType: string, columns: number): string {
    return transformed(markdown, this.transformers, messageType, this.isStreaming, columns, this.origin);
  }
}
