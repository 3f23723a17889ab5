// Messages of extensions to the model.
import { ops } from "tau:ops";

/** What `pi` and the context of a replaced session have for it. */
export function sending(id: number): any {
  return {
    sendMessage: (message: any, options?: any) => ops.sendMessage(id, draftOf(message), optionsOf(options)),
    sendUserMessage: (content: any, options?: any) => 
      ops.sendUserMessage(id, content, options?.deliverAs, Boolean(options?.expandPromptTemplates)),
  };
}

function draftOf(message: any): any {
  const { customType, content, display, details } = message;
  return { customType, content: content ?? "", display, details };
}

/** Hooks of some weeks said no more than whether a run is to begin. */
function optionsOf(options: any): any {
  return typeof options === "boolean" ? { triggerTurn: options } : options ?? null;
}
