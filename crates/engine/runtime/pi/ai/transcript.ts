// System prompt and tools as messages of the transcript: the first sets them, later ones change them.
import { contentText, getSystemMessageText } from "./content.ts";

const systemOnly = (messages: readonly any[]) => messages.filter((message) => message.role === "system");

/** oh-my-pi gives a prompt in parts. */
const whole = (systemPrompt: any) => (Array.isArray(systemPrompt) ? systemPrompt.filter(Boolean).join("\n\n") : systemPrompt);

/** The message that stands for a prompt, whole or in parts, and tools; undefined when there is neither. */
export function createInitialSystemMessage(systemPrompt: string | string[] | undefined, tools: any[] | undefined): any {
  const content = whole(systemPrompt);
  if (!content && !tools?.length) return undefined;
  const message: any = { role: "system", content: content ?? "" };
  if (tools?.length) message.toolsAdded = tools;
  message.timestamp = 0;
  return message;
}

/**
 * A request whose prompt and tools are in its first message. What providers of extensions are given has them there and
 * in its own fields.
 */
export function normalizeContext(context: any): { messages: any[] } {
  const first = getInitialSystemMessage(context.messages);
  if (first && first.content === whole(context.systemPrompt)) return { messages: context.messages };
  const head = createInitialSystemMessage(context.systemPrompt, context.tools);
  return { messages: head ? [head, ...context.messages] : context.messages };
}

/** The system message that a transcript begins with. */
export function getInitialSystemMessage(messages: readonly any[]): any {
  return messages[0]?.role === "system" ? messages[0] : undefined;
}

/** The transcript without the system message it begins with. */
export function withoutInitialSystemMessage(messages: any[]): any[] {
  return getInitialSystemMessage(messages) ? messages.slice(1) : messages;
}

/** The tools at the end of a transcript. */
export function getCurrentTools(messages: readonly any[]): any[] {
  const tools = new Map<string, any>();
  for (const { toolsRemoved = [], toolsAdded = [] } of systemOnly(messages)) {
    for (const { name } of toolsRemoved) tools.delete(name);
    for (const tool of toolsAdded) tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

/** One system message for what all of a transcript amount to. */
export function getCurrentSystemMessage(messages: readonly any[]): any {
  const all = systemOnly(messages);
  if (all.length === 0) return undefined;
  const sections = new Map<string, string>();
  for (const [name, text] of all.flatMap((message) => Object.entries<any>(message.sections ?? {}))) {
    if (text === null) sections.delete(name);
    else sections.set(name, text);
  }
  const tools = getCurrentTools(messages);
  const texts = all.map((message) => contentText(message.content)).filter(Boolean);
  const current: any = { role: "system", content: texts.join("\n\n") };
  if (sections.size > 0) current.sections = Object.fromEntries(sections);
  if (tools.length > 0) current.toolsAdded = tools;
  current.timestamp = all[0].timestamp ?? 0;
  return current;
}

/** The system prompt at the end of a transcript. */
export function getCurrentSystemPrompt(messages: readonly any[]): string {
  const current = getCurrentSystemMessage(messages);
  return current ? getSystemMessageText(current) : "";
}

/** The transcript with a single system message at its beginning. */
export function collapseSystemMessages(context: any): { messages: any[] } {
  const head = getCurrentSystemMessage(context.messages);
  const rest = context.messages.filter((message: any) => message.role !== "system");
  return { messages: head ? [head, ...rest] : rest };
}

/** The transcript as it is for models that take system messages in between, else {@link collapseSystemMessages}. */
export function resolveTranscript(context: any, supportsMidConvoSystemMessages: boolean | undefined): any {
  return supportsMidConvoSystemMessages ? context : collapseSystemMessages(context);
}
