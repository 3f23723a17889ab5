// From the messages of a session to what a model understands, and to text for a summary.
import { contentText } from "../ai/content.ts";

const COMPACTED = "The conversation history before this point was compacted into the following summary:";
const CAME_BACK = "The following is a summary of a branch that this conversation came back from:";

/** What stands before the summary of a compaction. */
export const COMPACTION_SUMMARY_PREFIX = `${COMPACTED}\n\n<summary>\n`;
/** What stands after it. */
export const COMPACTION_SUMMARY_SUFFIX = "\n</summary>";
/** What stands before the summary of a branch. */
export const BRANCH_SUMMARY_PREFIX = `${CAME_BACK}\n\n<summary>\n`;
/** What stands after it. */
export const BRANCH_SUMMARY_SUFFIX = "</summary>";

/** How a command that the user ran is told to the model. */
export function bashExecutionToText(message: any): string {
  const lines = [`Ran \`${message.command}\``, message.output ? `\`\`\`\n${message.output}\n\`\`\`` : "(no output)"];
  let text = lines.join("\n");
  if (message.cancelled) text += "\n\n(command cancelled)";
  else if (message.exitCode) text += `\n\nCommand exited with code ${message.exitCode}`;
  if (message.truncated && message.fullOutputPath) {
    text += `\n\n[Output truncated. Full output: ${message.fullOutputPath}]`;
  }
  return text;
}

/** An extension's message. */
export function createCustomMessage(customType: string, content: any, display: boolean, details: any, time: any): any {
  return { role: "custom", customType, content, display, details, timestamp: Date.parse(time) };
}

/** The message that stands for a branch that was left. */
export function createBranchSummaryMessage(summary: string, fromId: string, time: any): any {
  return { role: "branchSummary", summary, fromId, timestamp: Date.parse(time) };
}

/** The message that stands for what was compacted. */
export function createCompactionSummaryMessage(summary: string, tokensBefore: number, time: any): any {
  return { role: "compactionSummary", summary, tokensBefore, timestamp: Date.parse(time) };
}

/** The messages as a model gets them: its own roles as they are, the others as user messages or not at all. */
export function convertToLlm(messages: any[]): any[] {
  return messages.flatMap((message) => {
    const said = spoken(message);
    if (said === undefined) return [];
    return said === message ? [message] : [{ role: "user", content: said, timestamp: message.timestamp }];
  });
}

/** The content of the user message that stands for a message; the message itself when it needs no standing in. */
function spoken(message: any): any {
  const text = (text: string) => [{ type: "text", text }];
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
    case "system":
      return message;
    case "custom":
      return typeof message.content === "string" ? text(message.content) : message.content;
    case "bashExecution":
      return message.excludeFromContext ? undefined : text(bashExecutionToText(message));
    case "branchSummary":
      return text(BRANCH_SUMMARY_PREFIX + message.summary + BRANCH_SUMMARY_SUFFIX);
    case "compactionSummary":
      return text(COMPACTION_SUMMARY_PREFIX + message.summary + COMPACTION_SUMMARY_SUFFIX);
  }
}

/** Characters of a tool's result that a summary gets to see. */
const RESULT_CHARS = 2000;

/** A conversation as plain text, so that a model summarises it instead of going on with it. */
export function serializeConversation(messages: any[]): string {
  return messages.flatMap(paragraphs).join("\n\n");
}

function paragraphs(message: any): string[] {
  if (message.role === "user") return labelled("User", contentText(message.content, ""));
  if (message.role === "toolResult") return labelled("Tool result", shortened(contentText(message.content, "")));
  if (message.role !== "assistant") return [];
  const blocks = (type: string) => message.content.filter((block: any) => block.type === type);
  const thoughts = blocks("thinking");
  const calls = blocks("toolCall");
  return [
    ...(thoughts.length ? [`[Assistant thinking]: ${thoughts.map((block: any) => block.thinking).join("\n")}`] : []),
    ...(blocks("text").length ? [`[Assistant]: ${contentText(message.content)}`] : []),
    ...(calls.length ? [`[Assistant tool calls]: ${calls.map(callText).join("; ")}`] : []),
  ];
}

function labelled(who: string, text: string): string[] {
  return text ? [`[${who}]: ${text}`] : [];
}

function callText(call: any): string {
  const args = Object.entries(call.arguments ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${call.name}(${args.join(", ")})`;
}

function shortened(text: string): string {
  const rest = text.length - RESULT_CHARS;
  return rest > 0 ? `${text.slice(0, RESULT_CHARS)}\n\n[... ${rest} more characters truncated]` : text;
}
