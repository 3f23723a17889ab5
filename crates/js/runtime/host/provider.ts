// Model providers of extensions: the data of their configuration, and their functions apart from it.

/** The configuration as data, and the function that streams answers, if the provider brings its own. */
export function providerFunctions(name: string, config: any): { data: any; stream?: any } {
  if (!config || typeof config !== "object") throw new Error(`Provider ${name}: a configuration is needed`);
  const { streamSimple, oauth, ...data } = config;
  if (config.models && !config.baseUrl) throw new Error(`Provider ${name}: "baseUrl" is required when defining models.`);
  if (config.models && !config.apiKey && !oauth) {
    throw new Error(`Provider ${name}: "apiKey" or "oauth" is required when defining models.`);
  }
  if (streamSimple && !config.api) throw new Error(`Provider ${name}: "api" is required when registering streamSimple.`);
  const stream =
    typeof streamSimple === "function"
      ? async (model: any, context: any, options: any, push: (event: any) => void) => {
          for await (const event of await streamSimple(model, context, options)) push(event);
        }
      : undefined;
  return { data, stream };
}
