// Arguments of tool calls, checked as tau checks them for its own tools.
import { ops } from "tau:ops";

/**
 * The arguments of a call, brought into the schema's types where that can be done. Throws what the model reads, also for
 * a call that came without arguments that could be used.
 */
export function validateToolArguments(tool: any, toolCall: any): any {
  const { name, argumentsError } = toolCall;
  if (argumentsError !== undefined) throw new Error(`Invalid arguments for tool "${name}": ${argumentsError}`);
  return ops.piValidateArguments(toolCall.name, tool.parameters, toolCall.arguments ?? {});
}

/** {@link validateToolArguments} for the tool that the call names. */
export function validateToolCall(tools: any[], toolCall: any): any {
  const tool = tools.find(({ name }) => name === toolCall.name);
  if (!tool) throw new Error(`Tool "${toolCall.name}" not found`);
  return validateToolArguments(tool, toolCall);
}
