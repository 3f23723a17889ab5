// Cutting output down to what a model should read.
import { ops, type TruncationResult } from "tau:ops";
import { importNow } from "../../internal/loader.ts";

/** Lines kept by default. */
export const DEFAULT_MAX_LINES = 2000;
/** Bytes kept by default. */
export const DEFAULT_MAX_BYTES = 50 * 1024;
/** Characters of a line that grep shows. */
export const GREP_MAX_LINE_LENGTH = 500;

const KB = 1024;

/** A number of bytes for people: `12B`, `3.4KB`, `5.6MB`. */
export function formatSize(bytes: number): string {
  if (bytes < KB) return `${bytes}B`;
  return bytes < KB * KB ? `${(bytes / KB).toFixed(1)}KB` : `${(bytes / (KB * KB)).toFixed(1)}MB`;
}

/** Keeps the beginning, whole lines only. */
export function truncateHead(content: string, options: any = {}): TruncationResult {
  return ops.piTruncateHead(content, options.maxLines ?? DEFAULT_MAX_LINES, options.maxBytes ?? DEFAULT_MAX_BYTES);
}

/** Keeps the end; a last line that is too long alone is cut at its beginning. */
export function truncateTail(content: string, options: any = {}): TruncationResult {
  return ops.piTruncateTail(content, options.maxLines ?? DEFAULT_MAX_LINES, options.maxBytes ?? DEFAULT_MAX_BYTES);
}

/** Cuts a single line and says so in it; a character is kept whole or left out. */
export function truncateLine(line: string, maxChars: number = GREP_MAX_LINE_LENGTH): any {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  const end = Math.max(0, maxChars);
  const code = end > 0 ? line.codePointAt(end - 1)! : 0;
  // What begins at the last unit would lose its other half.
  const kept = line.slice(0, code > 0xffff ? end - 1 : end);
  return { text: `${kept}... [truncated]`, wasTruncated: true };
}

/** The last lines of a text as a terminal of that width shows it. */
export function truncateToVisualLines(text: string, maxVisualLines: number, width: number, paddingX = 0): any {
  if (!text) return { visualLines: [], skippedCount: 0 };
  const { Text } = importNow("tau:pi/tui/index.ts");
  const lines = new Text(text, paddingX, 0).render(width);
  const skippedCount = Math.max(0, lines.length - maxVisualLines);
  return { visualLines: skippedCount > 0 ? lines.slice(-maxVisualLines) : lines, skippedCount };
}
