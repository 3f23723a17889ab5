// Model providers of extensions: the data of their configuration, and their functions apart from it.
import { importNow } from "../internal/loader.ts";

/** The configuration as data, and the functions that stream answers and log in, as far as the provider has them. */
export function providerFunctions(name: string, config: any): { data: any; stream?: any; oauth?: any } {
  if (!config || typeof config !== "object") throw new Error(`Provider ${name}: a configuration is needed`);
  const { streamSimple, oauth } = config;
  if (streamSimple && !config.api) throw new Error(`Provider ${name}: "api" is required when registering streamSimple.`);
  // What stays here is called from here.
  const { streamSimple: _, oauth: __, images: ___, classifiers: ____, ...data } = config;
  const stream =
    typeof streamSimple === "function"
      ? async (model: any, context: any, options: any, push: (event: any) => void) => {
          for await (const event of await streamSimple(model, transcript(context), options)) push(event);
        }
      : undefined;
  return { data, stream, oauth: oauth ? loginFunctions(name, oauth) : undefined };
}

/** The functions of a login, with the user behind two: `show` tells something, `ask` gives a promise of an answer. */
function loginFunctions(provider: string, oauth: any): any {
  for (const part of ["login", "refreshToken", "getApiKey"]) {
    if (typeof oauth[part] !== "function") throw new Error(`Provider ${provider}: "oauth.${part}" must be a function.`);
  }
  const login = (show: (notice: any) => void, ask: (question: any) => Promise<string | null>, signal: any) => {
    const answer = async (question: any) => {
      const given = await ask(question);
      if (given === null || given === undefined) throw new Error("Login cancelled");
      return given;
    };
    return oauth.login({
      onAuth: ({ url, instructions }: any) => show({ type: "url", url, instructions }),
      onDeviceCode: ({ userCode, verificationUri }: any) => show({ type: "code", userCode, verificationUri }),
      onProgress: (message: string) => show({ type: "progress", message: String(message) }),
      onPrompt: ({ message, placeholder }: any) => answer({ type: "text", message, placeholder }),
      onManualCodeInput: () => answer({ type: "code" }),
      onSelect: async ({ message, options }: any) => (await ask({ type: "choice", message, options })) ?? undefined,
      signal,
    });
  };
  return {
    name: String(oauth.name ?? provider),
    login,
    refresh: (credentials: any, signal: any) => oauth.refreshToken(credentials, signal),
    apiKey: (credentials: any) => oauth.getApiKey(credentials),
    modifyModels:
      typeof oauth.modifyModels === "function"
        ? (models: any, credentials: any) => oauth.modifyModels(models, credentials)
        : undefined,
  };
}

/** What to answer. Prompt and tools are fields for one generation of providers, the first message for the other. */
export function transcript(context: any): any {
  const head = importNow("tau:pi/ai/transcript.ts").createInitialSystemMessage(context.systemPrompt, context.tools);
  return head ? { ...context, messages: [head, ...context.messages] } : context;
}
