// Writes tau's catalogue of models anew, from an installed package of the reference agent.
//
//   node conformance/catalogue/extract.mjs [PACKAGE]
//
// PACKAGE is the folder of the unpacked package; conformance/reference/pi by default. Only facts are taken over: ids, names,
// addresses, prices, limits, and what a server understands. Headers that present a program as another vendor's client are
// left out.
//
// A file per provider, in crates/ai/src/registry/catalogue/data:
//   name     the provider's name
//   shapes   what models have in common
//   models   a row each: id, name, number of the shape, context window, most tokens of an answer (0: not known), prices:
//            input, output, cache read, cache write, and for each tier [tokens above, input, output, cache read, cache write]
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const from = resolve(process.argv[2] ?? join(here, "../reference/pi"));
const to = join(here, "../../crates/ai/src/registry/catalogue/data");

/** Fields of a shape, in this order. Others of the reference are about its own services. */
const SHARED = ["type", "api", "baseUrl", "reasoning", "thinkingLevelMap", "input", "output", "compat", "promptCache", "inputLimits", "headers"];
const DROPPED = ["lab", "enabled", "providers", "free"];
const IN_ROWS = ["id", "name", "provider", "contextWindow", "maxTokens", "cost"];
const PRICES = ["input", "output", "cacheRead", "cacheWrite"];

function shapeOf(model) {
  const shape = {};
  for (const key of SHARED) {
    const value = key === "headers" ? headersOf(model) : model[key];
    const isUsual = value === undefined || (key === "type" && value === "chat") || (key === "reasoning" && value === false);
    if (!isUsual) shape[key] = value;
  }
  const unknown = Object.keys(model).filter((key) => ![...SHARED, ...DROPPED, ...IN_ROWS].includes(key));
  if (unknown.length > 0) throw new Error(`${model.provider}/${model.id}: unknown fields ${unknown.join(", ")}`);
  return JSON.stringify(shape);
}

function headersOf(model) {
  const kept = Object.entries(model.headers ?? {}).filter(([name]) => !/^(user-agent|editor-|copilot-integration-id)/i.test(name));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function rowOf(model, shape) {
  const prices = [...PRICES.map((key) => model.cost[key]), ...(model.cost.tiers ?? []).map((tier) => [tier.inputTokensAbove, ...PRICES.map((key) => tier[key])])];
  return JSON.stringify([model.id, model.name, shape, model.contextWindow ?? 0, model.maxTokens ?? 0, prices]);
}

function fileOf(provider, models) {
  const shapes = [];
  const rows = models.map((model) => {
    const shape = shapeOf(model);
    if (!shapes.includes(shape)) shapes.push(shape);
    return rowOf(model, shapes.indexOf(shape));
  });
  const list = (lines) => `[\n${lines.join(",\n")}\n]`;
  return `{\n"name": ${JSON.stringify(provider.name)},\n"shapes": ${list(shapes)},\n"models": ${list(rows)}\n}\n`;
}

/** When the reference made its lists: newer lists in its cache outrank them. */
function generatedAt(bundle) {
  for (const name of readdirSync(bundle)) {
    const found = name.endsWith(".js") && /\bgeneratedAt:"(\d{4}-[^"]+Z)"/.exec(readFileSync(join(bundle, name), "utf8"));
    if (found) return found[1];
  }
  throw new Error("the package does not say when its lists were made");
}

const home = mkdtempSync(join(tmpdir(), "catalogue-"));
process.env.PI_CODING_AGENT_DIR = home;
process.env.PI_OFFLINE = "1";
const { ModelRuntime } = await import(pathToFileURL(join(from, "dist/bundle/index.js")).href);
const runtime = await ModelRuntime.create({ authPath: join(home, "auth.json"), modelsPath: join(home, "models.json"), refreshOnCreate: false });
for (const name of readdirSync(to)) rmSync(join(to, name));
let count = 0;
for (const provider of runtime.getProviders()) {
  const models = runtime.getAllModels(provider.id);
  count += models.length;
  writeFileSync(join(to, `${provider.id}.json`), fileOf(provider, models));
}
const { name, version } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
const source = { package: name, version, generatedAt: generatedAt(join(from, "dist/bundle/chunks")) };
writeFileSync(join(to, "source.json"), `${JSON.stringify(source, null, 2)}\n`);
rmSync(home, { recursive: true });
console.log(`${count} models of ${runtime.getProviders().length} providers from ${name} ${version}`);
process.exit(0);
