// A conversation in the shape that another model takes.

const NO_IMAGE = "(image omitted: model does not support images)";
const NO_TOOL_IMAGE = "(tool image omitted: model does not support images)";

/**
 * The messages for a model: thinking of another model becomes text, answers that failed are left out, and calls
 * without a result get one. `normalizeToolCallId` changes ids of calls that another model made.
 */
export function transformMessages(messages: any[], model: any, normalizeToolCallId?: any): any[] {
  const ids = new Map<string, string>();
  const changed = messages.map((message) => {
    if (message.role === "assistant") return answer(message, model, ids, normalizeToolCallId);
    if (message.role === "toolResult") {
      const toolCallId = ids.get(message.toolCallId) ?? message.toolCallId;
      return { ...message, toolCallId, content: seen(message.content, model, NO_TOOL_IMAGE) };
    }
    return message.role === "user" ? { ...message, content: seen(message.content, model, NO_IMAGE) } : message;
  });
  return withResults(changed);
}

function seen(content: any, model: any, instead: string): any {
  if (typeof content === "string" || model.input?.includes("image")) return content;
  return content.map((block: any) => (block.type === "image" ? { type: "text", text: instead } : block));
}

function answer(message: any, model: any, ids: Map<string, string>, normalize: any): any {
  const own = message.provider === model.provider && message.api === model.api && message.model === model.id;
  const content = message.content.flatMap((block: any) => {
    if (block.type === "thinking") {
      if (own) return block.thinking?.trim() || block.thinkingSignature ? [block] : [];
      return block.redacted || !block.thinking?.trim() ? [] : [{ type: "text", text: block.thinking }];
    }
    if (block.type === "text") return own ? [block] : [{ type: "text", text: block.text }];
    if (block.type !== "toolCall" || own) return [block];
    const { thoughtSignature: _, ...call } = block;
    const id = normalize ? normalize(call.id, model, message) : call.id;
    ids.set(block.id, id);
    return [{ ...call, id }];
  });
  return { ...message, content };
}

/** Every call has its result before anybody says something else. */
function withResults(messages: any[]): any[] {
  const out: any[] = [];
  let open: any[] = [];
  const close = () => {
    for (const { id, name } of open) {
      const content = [{ type: "text", text: "No result provided" }];
      out.push({ role: "toolResult", toolCallId: id, toolName: name, content, isError: true, timestamp: Date.now() });
    }
    open = [];
  };
  for (const message of messages) {
    if (message.role === "toolResult") {
      open = open.filter((call) => call.id !== message.toolCallId);
    } else {
      close();
      if (message.role === "assistant") {
        if (message.stopReason === "error" || message.stopReason === "aborted") continue;
        open = message.content.filter((block: any) => block.type === "toolCall");
      }
    }
    out.push(message);
  }
  close();
  return out;
}
