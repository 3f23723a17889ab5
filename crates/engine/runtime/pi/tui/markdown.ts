// Markdown. Parsing and layout are Rust's; what styles look like is the theme's.
import { ops } from "tau:ops";
import { getCapabilities } from "./capabilities.ts";
import { isImageLine } from "./image_protocol.ts";
import { padded } from "./text.ts";
import { withBackground } from "./text_layout.ts";

type DefaultTextStyle = {
  color?: (text: string) => string;
  bgColor?: (text: string) => string;
  bold?: boolean;
  italic?: boolean;
  strikethrough?: boolean;
  underline?: boolean;
};
type MarkdownOptions = {
  preserveOrderedListMarkers?: boolean;
  preserveBackslashEscapes?: boolean;
  renderLatex?: boolean;
  /** Changes the text for a width before it is read. */
  transform?: (text: string, width: number) => string | undefined;
};

/** Markdown as styled lines. */
export class Markdown {
  text: string;
  paddingX: number;
  paddingY: number;
  theme: any;
  defaultTextStyle: DefaultTextStyle | undefined;
  options: MarkdownOptions;
  cachedText: string | undefined;
  cachedWidth: number | undefined;
  cachedLines: string[] | undefined;

  constructor(
    text: string, paddingX: number, paddingY: number, theme: unknown, defaultTextStyle?: DefaultTextStyle,
    options?: MarkdownOptions,
  ) {
    this.text = text;
    this.paddingX = paddingX;
    this.paddingY = paddingY;
    this.theme = theme;
    this.defaultTextStyle = defaultTextStyle;
    this.options = { ...options };
  }

  setText(text: string): void {
    this.text = text;
    this.invalidate();
  }

  invalidate(): void {
    this.cachedLines = undefined;
  }

  render(width: number): string[] {
    if (this.cachedLines && this.cachedText === this.text && this.cachedWidth === width) return this.cachedLines;
    const contentWidth = Math.max(1, width - this.paddingX * 2);
    const text = this.options.transform?.(this.text, contentWidth) ?? this.text;
    const lines = text && text.trim() !== "" ? this._layOut(text, contentWidth, width) : [];
    this.cachedText = this.text;
    this.cachedWidth = width;
    this.cachedLines = lines;
    return lines;
  }

  _layOut(text: string, contentWidth: number, width: number): string[] {
    const { color, bgColor } = this.defaultTextStyle ?? {};
    const margin = " ".repeat(this.paddingX);
    const lines = this._contentLines(text.replaceAll("\t", "   "), contentWidth, color).map((line) =>
      isImageLine(line) ? line : withBackground(margin + line + margin, width, bgColor),
    );
    return padded(lines, width, this.paddingY, bgColor);
  }

  _contentLines(text: string, width: number, color?: (text: string) => string): string[] {
    const { theme, options } = this;
    const { bold, italic, strikethrough, underline } = this.defaultTextStyle ?? {};
    const settings = {
      codeBlockIndent: theme.codeBlockIndent ?? "  ",
      hyperlinks: !!getCapabilities().hyperlinks,
      latex: options.renderLatex !== false,
      preserveListMarkers: !!options.preserveOrderedListMarkers,
      preserveEscapes: !!options.preserveBackslashEscapes,
      color: !!color,
      bold: !!bold,
      italic: !!italic,
      strikethrough: !!strikethrough,
      underline: !!underline,
    };
    const style = (name: string, content: string) => (name === "color" ? color!(content) : theme[name](content));
    const highlight = theme.highlightCode && ((code: string, language?: string) => theme.highlightCode(code, language));
    return ops.viewMarkdown(text, width, settings, style, highlight);
  }
}
