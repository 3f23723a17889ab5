// Showing what changed in a file.
import { ops } from "tau:ops";
import { theme } from "../../host/theme.ts";

/** The lines that changed, with their numbers and `contextLines` lines around them; and the first that did. */
export function generateDiffString(before: string, after: string, contextLines = 4): any {
  const { diff, firstChangedLine } = ops.piDiff("", before, after, contextLines);
  return { diff, firstChangedLine: firstChangedLine ?? undefined };
}

/** What changed as a unified patch. */
export function generateUnifiedPatch(path: string, before: string, after: string, contextLines = 4): string {
  return ops.piDiff(path, before, after, contextLines).patch;
}

const LINE = /^([+-\s])(\s*\d*)\s(.*)$/;

/** Colours the text of a diff; in a line that replaces another one, the part that differs is shown inverse. */
export function renderDiff(diffText: string, _options?: unknown): string {
  const lines = diffText.split("\n");
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const removed = run(lines, at, "-");
    const added = run(lines, at + removed.length, "+");
    if (removed.length === 0 && added.length === 0) {
      out.push(theme.fg("toolDiffContext", untabbed(lines[at++])));
      continue;
    }
    at += removed.length + added.length;
    // One line for another: worth showing where they differ.
    const pair = removed.length === 1 && added.length === 1;
    const [from, to] = pair ? marked(text(removed[0]), text(added[0])) : [undefined, undefined];
    for (const line of removed)
      out.push(theme.fg("toolDiffRemoved", from === undefined ? untabbed(line) : head(line) + from));
    for (const line of added) out.push(theme.fg("toolDiffAdded", to === undefined ? untabbed(line) : head(line) + to));
  }
  return out.join("\n");
}

function run(lines: string[], from: number, sign: string): string[] {
  let end = from;
  while (end < lines.length && lines[end].startsWith(sign) && LINE.test(lines[end])) end++;
  return lines.slice(from, end);
}

function text(line: string): string {
  return untabbed(LINE.exec(line)?.[3] ?? "");
}

function head(line: string): string {
  return line.slice(0, line.length - (LINE.exec(line)?.[3] ?? "").length);
}

function untabbed(line: string): string {
  return line.replace(/\t/g, "   ");
}

/** Both texts with the words that differ shown inverse. */
function marked(before: string, after: string): [string, string] {
  const from = before.match(/\s+|\w+|[^\s\w]/g) ?? [];
  const to = after.match(/\s+|\w+|[^\s\w]/g) ?? [];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  const most = Math.min(from.length, to.length) - start;
  while (end < most && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;
  const shown = (words: string[]) => {
    const middle = words.slice(start, words.length - end).join("");
    const inverse = middle ? theme.inverse(middle) : "";
    return words.slice(0, start).join("") + inverse + words.slice(words.length - end).join("");
  };
  return [shown(from), shown(to)];
}
