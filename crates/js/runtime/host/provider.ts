// Model providers of extensions: the data of their configuration, and their functions apart from it.
import { importNow } from "../internal/loader.ts";

/** The configuration as data, and the function that streams answers, if the provider brings its own. */
export function providerFunctions(name: string, config: any): { data: any; stream?: any } {
  if (!config || typeof config !== "object") throw new Error(`Provider ${name}: a configuration is needed`);
  const { streamSimple, oauth } = config;
  if (config.models && !config.baseUrl) throw new Error(`Provider ${name}: "baseUrl" is required when defining models.`);
  if (config.models && !config.apiKey && !oauth) {
    throw new Error(`Provider ${name}: "apiKey" or "oauth" is required when defining models.`);
  }
  if (streamSimple && !config.api) throw new Error(`Provider ${name}: "api" is required when registering streamSimple.`);
  const { streamSimple: _, oauth: __, ...data } = config;
  const stream =
    typeof streamSimple === "function"
      ? async (model: any, context: any, options: any, push: (event: any) => void) => {
          for await (const event of await streamSimple(model, transcript(context), options)) push(event);
        }
      : undefined;
  return { data, stream };
}

/** What to answer. Prompt and tools are fields for one generation of providers, the first message for the other. */
function transcript(context: any): any {
  const head = importNow("tau:pi/ai/transcript.ts").createInitialSystemMessage(context.systemPrompt, context.tools);
  return head ? { ...context, messages: [head, ...context.messages] } : context;
}
