// Telling events apart. Types do the narrowing; at run time it is the tool's name.

/** Whether a `tool_call` event is about this tool. */
export function isToolCallEventType<Name extends string, Event extends { toolName: string }>(
  toolName: Name,
  event: Event,
): event is Event & { toolName: Name } {
  return event.toolName === toolName;
}

const resultOf =
  <Name extends string>(name: Name) =>
  <Event extends { toolName: string }>(event: Event): event is Event & { toolName: Name } =>
    event.toolName === name;

/** Whether a `tool_result` event is of the bash tool. */
export const isBashToolResult = resultOf("bash");
/** Whether a `tool_result` event is of the powershell tool. */
export const isPowerShellToolResult = resultOf("powershell");
/** Whether a `tool_result` event is of the read tool. */
export const isReadToolResult = resultOf("read");
/** Whether a `tool_result` event is of the edit tool. */
export const isEditToolResult = resultOf("edit");
/** Whether a `tool_result` event is of the write tool. */
export const isWriteToolResult = resultOf("write");
/** Whether a `tool_result` event is of the grep tool. */
export const isGrepToolResult = resultOf("grep");
/** Whether a `tool_result` event is of the find tool. */
export const isFindToolResult = resultOf("find");
/** Whether a `tool_result` event is of the ls tool. */
export const isLsToolResult = resultOf("ls");

/** Gives the definition back: it exists for the types. */
export function defineTool(definition: unknown): any {
  return definition;
}
