// What tools say about other tools: how they are shown, and which ones a call may need.
import { ops, type ToolInfo } from "tau:ops";

/** What `prepareLoadout` of a tool gets, from the plain data that the session has. */
function loadoutOf({ declared, callable, registered }: any): any {
  const known = new Map<string, any>(registered.map((tool: any) => [tool.name, tool]));
  const tools = (names: string[]) => names.map((name) => known.get(name));
  return {
    declared: tools(declared),
    callable: tools(callable),
    registered,
    getExposure: (name: string) => known.get(name)?.exposure ?? "direct",
    getNamespace: (name: string) => known.get(name)?.namespace,
    getPromptGuidelines: (name: string) => known.get(name)?.promptGuidelines ?? [],
  };
}

/** Calls `prepareLoadout` of a tool; its answer as plain data. It is not waited for, so a promise says nothing. */
export function prepareLoadout(tool: any, loadout: any): any {
  const changes = tool.prepareLoadout(loadoutOf(loadout));
  const texts = Object.entries(changes?.descriptions ?? {}).filter(([, text]) => typeof text === "string");
  const hidden = [...(changes?.hiddenDeclarations ?? [])].filter((name) => typeof name === "string");
  return { descriptions: Object.fromEntries(texts), hiddenDeclarations: hidden };
}

type Reach = (input: any) => "all" | readonly string[];

const reaching = new Map<string, Reach>();
const place = (path: string | undefined, tool: string) => `${path}\0${tool}`;

/** Notes `reachesTools` of a tool, which other extensions ask. */
export function noteReach(path: string, tool: any): void {
  const key = place(path, tool.name);
  if (typeof tool.reachesTools === "function") reaching.set(key, (input) => tool.reachesTools(input));
  else reaching.delete(key);
}

/** The list of all tools for an extension, with their functions. */
export function withReach(id: number, tools: (ToolInfo & { reaches?: true; reachesTools?: Reach })[]): ToolInfo[] {
  for (const tool of tools) {
    const { name } = tool;
    const own: Reach = (input) => ops.toolReaches(id, name, input ?? null);
    const reach = reaching.get(place(tool.sourceInfo?.path, name)) ?? (tool.reaches && own);
    delete tool.reaches;
    if (reach) tool.reachesTools = reach;
  }
  return tools;
}
