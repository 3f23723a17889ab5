// Models that are known without configuration, and what can be said of any model.
import { type Model, ops } from "tau:ops";
import { piOf } from "../../host/generations.ts";

let known: Model[] | undefined;

function all(): Model[] {
  return (known ??= ops.piModels());
}

const copy = (model: Model): Model => JSON.parse(JSON.stringify(model));

/**
 * A model as the session of the caller has it, with what the user configured for its provider, or else the built-in one:
 * a key for a gateway must not go to the vendor. Undefined when there is none of that id.
 */
export function getModel(provider: string, modelId: string): Model | undefined {
  const isIt = (model: Model) => model.provider === provider && model.id === modelId && isModelType(model, "chat");
  const ours = ofSession(provider, modelId);
  if (ours) return ours;
  const found = all().find(isIt);
  return found && copy(found);
}

function ofSession(provider: string, modelId: string): Model | undefined {
  try {
    return ops.modelsFind(piOf(ops.currentExtension()), provider, modelId) ?? undefined;
  } catch {
    // There is no session yet, or nobody who belongs to one.
    return undefined;
  }
}

/** The built-in models of a provider, of every type. */
export function getAllBuiltinModels(provider: string): any[] {
  return all().filter((model) => model.provider === provider).map(copy);
}

/** The built-in models of a provider that converse. */
export function getModels(provider: string) {
  return getAllBuiltinModels(provider).filter((model) => isModelType(model, "chat"));
}

/** What a model does: chat, unless it says `image` or `classifier`. */
export function getModelType(model: any): string {
  return model.type ?? "chat";
}

/** Whether a model is of a type. */
export function isModelType(model: any, type: string): boolean {
  return getModelType(model) === type;
}

const ofType = (type: string) => (provider: string) =>
  getAllBuiltinModels(provider).filter((model) => isModelType(model, type));
const oneOfType = (type: string) => (provider: string, id: string) =>
  ofType(type)(provider).find((model) => model.id === id);

/** The built-in models of a provider that make images or classify. */
export const getBuiltinImageModels = ofType("image");
export const getBuiltinImageModel = oneOfType("image");
export const getBuiltinClassifierModels = ofType("classifier");
export const getBuiltinClassifierModel = oneOfType("classifier");
/** The same under the names of earlier versions. */
export const getImageModel = (provider: string, id: PropertyKey) => getBuiltinImageModel(provider, String(id));
export { getBuiltinImageModels as getImageModels };

/** The providers that have built-in models which make images. */
export function getImageProviders(): "openrouter"[] {
  return [...new Set(all().filter((model) => isModelType(model, "image")).map((model) => model.provider as "openrouter"))];
}

/** The providers that have built-in models. */
export function getProviders(): string[] {
  return [...new Set(all().map((model) => model.provider))];
}

export { getModel as getBuiltinModel, getModels as getBuiltinModels, getProviders as getBuiltinProviders };

/** Fills in what a request cost, from its tokens and the model's prices per million; gives the cost. */
export function calculateCost(model: any, usage: any): any {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const tiers = (model.cost.tiers ?? []).filter((tier: any) => prompt > tier.inputTokensAbove);
  const prices = tiers.reduce(
    (best: any, tier: any) => (best === model.cost || tier.inputTokensAbove > best.inputTokensAbove ? tier : best),
    model.cost,
  );
  // What stays in the cache for an hour costs twice the plain price.
  const long = usage.cacheWrite1h ?? 0;
  const { cost } = usage;
  cost.input = (prices.input / 1_000_000) * usage.input;
  cost.output = (prices.output / 1_000_000) * usage.output;
  cost.cacheRead = (prices.cacheRead / 1_000_000) * usage.cacheRead;
  cost.cacheWrite = (prices.cacheWrite * (usage.cacheWrite - long) + prices.input * 2 * long) / 1_000_000;
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return cost;
}

type Level = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
const LEVELS: Level[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** How much a model can be asked to think, rising. */
export function getSupportedThinkingLevels(model: any): Level[] {
  if (!model.reasoning) return ["off"];
  return LEVELS.filter((level, rank) => {
    const mapped = model.thinkingLevelMap?.[level];
    // The two highest exist only where a model names them.
    return mapped === undefined ? rank < 5 : mapped !== null;
  });
}

/** The level itself when the model has it, else the next higher one, else the next lower one. */
export function clampThinkingLevel(model: any, level: Level): Level {
  const supported = getSupportedThinkingLevels(model);
  const rank = LEVELS.indexOf(level);
  if (rank === -1) return supported[0] ?? "off";
  const order = [...LEVELS.slice(rank), ...LEVELS.slice(0, rank).reverse()];
  return order.find((candidate) => supported.includes(candidate)) ?? "off";
}

/** Whether a model has the level above `high`. */
export function supportsXhigh(model: any): boolean {
  return getSupportedThinkingLevels(model).includes("xhigh");
}

/** Whether both are the same model of the same provider. */
export function modelsAreEqual(a: any, b: any): boolean {
  return Boolean(a && b) && a.id === b.id && a.provider === b.provider;
}

/** Whether a model speaks a wire format. */
export function hasApi<Model extends { api: string }, Api extends string>(model: Model, api: Api): model is Model & { api: Api } {
  return model.api === api;
}
