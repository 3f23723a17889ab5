// How calls and results of the built-in tools are drawn, for extensions that wrap a tool and leave the drawing to it.
import { ops } from "tau:ops";
import { Text } from "../tui/index.ts";
import { renderDiff } from "./diff.ts";
import { keyHint } from "./key_hints.ts";
import { formatSize } from "./truncate.ts";

/** What is drawn of a tool. */
interface Drawing {
  /** The call in one line, behind the name of the tool. */
  call: (args: any, theme: any) => string;
  /** How many lines of the result are shown until the user asks for all. */
  lines: number;
  /** Shows the last of them; else the first. */
  fromEnd?: boolean;
  /** The whole result, where it is not the text that the model gets. */
  result?: (result: any) => string | undefined;
}

const text = (value: any): string => (typeof value === "string" ? value : "");
const path = (args: any, theme: any, otherwise = "...") =>
  theme.fg("accent", shortened(text(args?.path ?? args?.file_path)) || otherwise);
const limited = (args: any, theme: any) =>
  args?.limit == null ? "" : theme.fg("toolOutput", ` limit ${args.limit}`);

const DRAWINGS: Record<string, Drawing> = {
  read: {
    call: (args, theme) => path(args, theme) + theme.fg("warning", formatReadLineRange(args?.offset, args?.limit)),
    lines: 0,
  },
  bash: {
    call: (args, theme) =>
      (text(args?.command) || "...") + (args?.timeout ? theme.fg("muted", ` (timeout ${args.timeout}s)`) : ""),
    lines: 5,
    fromEnd: true,
  },
  edit: {
    call: (args, theme) => path(args, theme),
    lines: Infinity,
    result: ({ details }) => (details?.diff ? renderDiff(details.diff) : undefined),
  },
  write: { call: (args, theme) => path(args, theme) + written(args, theme), lines: 0 },
  grep: {
    call: (args, theme) =>
      theme.fg("accent", `/${text(args?.pattern)}/`) +
      theme.fg("toolOutput", ` in ${shortened(text(args?.path)) || "."}${args?.glob ? ` (${args.glob})` : ""}`) +
      limited(args, theme),
    lines: 15,
  },
  find: {
    call: (args, theme) =>
      theme.fg("accent", text(args?.pattern)) +
      theme.fg("toolOutput", ` in ${shortened(text(args?.path)) || "."}`) +
      limited(args, theme),
    lines: 20,
  },
  ls: { call: (args, theme) => path(args, theme, ".") + limited(args, theme), lines: 20 },
};

/** `renderCall` and `renderResult` of a built-in tool. */
export function renderersOf(name: string): any {
  const drawing = DRAWINGS[name];
  return {
    renderCall(args: any, theme: any, context: any) {
      const title = theme.fg("toolTitle", theme.bold(name === "bash" ? "$" : name));
      return shown(context, `${title} ${drawing.call(args, theme)}`);
    },
    renderResult(result: any, options: any, theme: any, context: any) {
      const failed = context?.isError === true;
      const own = failed ? undefined : drawing.result?.(result);
      const body = own ?? output(drawing, result, { ...options, failed }, theme);
      const notice = cut(result?.details, theme);
      return shown(context, body || notice ? `\n${[body, notice].filter(Boolean).join("\n")}` : "");
    },
  };
}

/** The lines that a call of `read` asks for, as `:5-9`; empty for all of them, and for what is no number. */
export function formatReadLineRange(offset?: unknown, limit?: unknown): string {
  if (offset == null && limit == null) return "";
  const first = offset == null ? 1 : finite(offset);
  const count = limit == null ? undefined : finite(limit);
  if (first === undefined || (limit != null && count === undefined)) return "";
  const last = count === undefined ? 0 : first + count - 1;
  return last ? `:${first}-${last}` : `:${first}`;
}

function finite(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** The component of the last time with a new text, or a new one. */
function shown(context: any, content: string): Text {
  const last = context?.lastComponent;
  const view = last instanceof Text ? last : new Text("", 0, 0);
  view.setText(content);
  return view;
}

function output(drawing: Drawing, result: any, { expanded, failed }: any, theme: any): string {
  const blocks = Array.isArray(result?.content) ? result.content : [];
  const whole = blocks.filter((block: any) => block?.type === "text").map((block: any) => text(block.text)).join("\n");
  const lines = whole.replaceAll("\r", "").trim().split("\n");
  if (lines.length === 1 && lines[0] === "") return "";
  const most = expanded ? Infinity : failed ? Math.max(drawing.lines, 10) : drawing.lines;
  const hidden = lines.length - most;
  if (most === 0) return "";
  const part = hidden <= 0 ? lines : drawing.fromEnd ? lines.slice(-most) : lines.slice(0, most);
  const color = failed ? "error" : "toolOutput";
  const styled = part.map((line: string) => theme.fg(color, line));
  if (hidden > 0) {
    const more = `... (${hidden} ${drawing.fromEnd ? "earlier" : "more"} lines,`;
    const hint = `${theme.fg("muted", more)} ${keyHint("app.tools.expand", "to expand")}${theme.fg("muted", ")")}`;
    if (drawing.fromEnd) styled.unshift(hint);
    else styled.push(hint);
  }
  return styled.join("\n");
}

/** What the limits of a tool left out. */
function cut(details: any, theme: any): string {
  const limits: string[] = [];
  if (details?.matchLimitReached) limits.push(`${details.matchLimitReached} matches`);
  if (details?.resultLimitReached) limits.push(`${details.resultLimitReached} results`);
  if (details?.entryLimitReached) limits.push(`${details.entryLimitReached} entries`);
  const { truncated, truncatedBy, maxLines, maxBytes } = details?.truncation ?? {};
  if (truncated) limits.push(truncatedBy === "lines" ? `${maxLines} lines` : formatSize(maxBytes));
  if (details?.linesTruncated) limits.push("long lines cut");
  const notes = limits.length > 0 ? [`Limits reached: ${limits.join(", ")}`] : [];
  if (details?.fullOutputPath) notes.push(`Full output: ${details.fullOutputPath}`);
  return notes.length > 0 ? theme.fg("warning", `[${notes.join(". ")}]`) : "";
}

function written(args: any, theme: any): string {
  const lines = text(args?.content).split("\n").length;
  return args?.content ? theme.fg("muted", ` (${lines} ${lines === 1 ? "line" : "lines"})`) : "";
}

function shortened(file: string): string {
  const home = ops.envGet("HOME");
  return home && (file === home || file.startsWith(`${home}/`)) ? `~${file.slice(home.length)}` : file;
}
