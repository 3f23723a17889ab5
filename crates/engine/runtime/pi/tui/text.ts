// Text that wraps.
import { withBackground, wrapTextWithAnsi } from "./text_layout.ts";

/** Several lines of text, wrapped at words, with padding and a background. */
export class Text {
  text: string;
  paddingX: number;
  paddingY: number;
  customBgFn: ((text: string) => string) | undefined;
  cachedText: string | undefined;
  cachedWidth: number | undefined;
  cachedLines: string[] | undefined;

  constructor(text = "", paddingX = 1, paddingY = 1, customBgFn?: (text: string) => string) {
    this.text = text;
    this.paddingX = paddingX;
    this.paddingY = paddingY;
    this.customBgFn = customBgFn;
  }

  setText(text: string): void {
    this.text = text;
    this.cachedLines = undefined;
  }

  setCustomBgFn(customBgFn?: (text: string) => string): void {
    this.customBgFn = customBgFn;
    this.cachedLines = undefined;
  }

  invalidate(): void {
    this.cachedLines = undefined;
  }

  render(width: number): string[] {
    if (this.cachedLines && this.cachedText === this.text && this.cachedWidth === width) return this.cachedLines;
    const lines = this.text && this.text.trim() !== "" ? this._layOut(width) : [];
    this.cachedText = this.text;
    this.cachedWidth = width;
    this.cachedLines = lines;
    return lines;
  }

  _layOut(width: number): string[] {
    const paddingX = Math.min(this.paddingX, Math.max(0, Math.floor((width - 1) / 2)));
    const margin = " ".repeat(paddingX);
    const wrapped = wrapTextWithAnsi(this.text.replaceAll("\t", "   "), Math.max(1, width - paddingX * 2));
    const content = wrapped.map((line) => withBackground(margin + line + margin, width, this.customBgFn));
    return padded(content, width, this.paddingY, this.customBgFn);
  }
}

/** `lines` with `padding` empty lines before and after. */
export function padded(lines: string[], width: number, padding: number, background?: (text: string) => string): string[] {
  if (!(padding > 0)) return lines;
  const empty = Array.from({ length: Math.ceil(padding) }, () => withBackground(" ".repeat(width), width, background));
  return [...empty, ...lines, ...empty];
}

