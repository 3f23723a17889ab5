// Which tools a transcript declares, and how they change.
import { getCurrentTools, getInitialSystemMessage } from "./transcript.ts";

/** A tool as the model is told of it. */
export function toToolDeclaration({ name, description, parameters, constrainedSampling }: any): any {
  const declaration: any = { name, description, parameters: JSON.parse(JSON.stringify(parameters)) };
  if (constrainedSampling !== undefined) declaration.constrainedSampling = constrainedSampling;
  return declaration;
}

/** Whether the model could not tell two tools apart. */
export function declarationsEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(toToolDeclaration(left)) === JSON.stringify(toToolDeclaration(right));
}

/** What leads from one set of tools to another; a tool that changed is removed and added. */
export function getToolStateChanges(previous: readonly any[], current: readonly any[]): any {
  const missing = (tools: readonly any[], among: readonly any[]) =>
    tools.filter((tool) => {
      const other = among.findLast(({ name }) => name === tool.name);
      return !other || !declarationsEqual(tool, other);
    });
  return {
    toolsAdded: missing(current, previous).map(toToolDeclaration),
    toolsRemoved: missing(previous, current).map(({ name }) => ({ name })),
  };
}

const additions = (messages: readonly any[]) =>
  messages.flatMap((message) => (message.role === "system" ? (message.toolsAdded ?? []) : []));

/** Every tool that was ever declared, the latest declaration of each. */
export function getDeclaredTools(messages: readonly any[]): any[] {
  return [...new Map(additions(messages).map((tool) => [tool.name, tool])).values()];
}

/** Whether a name was declared again with another definition. */
export function hasToolRedefinitions(messages: readonly any[]): boolean {
  const declared = new Map<string, any>();
  return additions(messages).some((tool) => {
    const before = declared.get(tool.name);
    declared.set(tool.name, tool);
    return before !== undefined && !declarationsEqual(before, tool);
  });
}

/** Whether a tool was removed or declared twice. */
export function hasNonAdditiveToolChanges(messages: readonly any[]): boolean {
  if (messages.some((message) => message.role === "system" && message.toolsRemoved?.length)) return true;
  const names = additions(messages).map((tool) => tool.name);
  return new Set(names).size < names.length;
}

/** The tools to declare with a request, and whether later ones may be declared where they appear. */
export function resolveTranscriptTools(messages: readonly any[], supportsToolAdditions: boolean): any {
  const anchorsAdditions = supportsToolAdditions && !hasNonAdditiveToolChanges(messages);
  const initial = () => getInitialSystemMessage(messages)?.toolsAdded ?? [];
  return { requestTools: anchorsAdditions ? initial() : getCurrentTools(messages), anchorsAdditions };
}
