// How the original hooks look for a model and its key, and turn a conversation into what a model understands.
import { modelRegistry } from "../../host/models.ts";
import { piOf } from "../../host/generations.ts";
import { ops } from "tau:ops";

/** The models of the session of whoever asks. */
const registry = () => modelRegistry(piOf(ops.currentExtension()));

/** A model by its provider and id: `null` when there is none, and what is wrong with the user's list of models. */
export function findModel(provider: string, modelId: string): { model: any; error: string | null } {
  const { find, getError } = registry();
  const error = getError() ?? null;
  return { model: (error === null && find(provider, modelId)) || null, error };
}

/** The models that can be asked, and what is wrong with the user's list of models. */
export async function getAvailableModels(): Promise<{ models: any[]; error: string | null }> {
  const { getAvailable, getError } = registry();
  return { models: getAvailable(), error: getError() ?? null };
}

/** The key for a model; undefined when there is none. */
export async function getApiKeyForModel(model: unknown): Promise<string | undefined> {
  return registry().getApiKey(model);
}

export { convertToLlm as messageTransformer } from "./messages.ts";
