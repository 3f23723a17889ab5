// Skills: folders with a `SKILL.md` that tells a model how to do something.
import { importNow } from "../../internal/loader.ts";
import { basename, dirname, join, resolve } from "../../node/path/posix.ts";
import { CONFIG_DIR_NAME, createSyntheticSourceInfo, expandTilde, getAgentDir } from "./config.ts";
import { parseFrontmatter } from "./frontmatter.ts";

const FILE = "SKILL.md";
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

type Loaded = { skills: any[]; diagnostics: any[] };

/** Where skills of a kind of source come from. */
function sourceInfo(path: string, baseDir: string, source: string): any {
  const scope = source === "user" || source === "project" ? source : undefined;
  const known = scope || source === "path";
  return createSyntheticSourceInfo(path, { source: known ? "local" : source, scope, baseDir });
}

/** The skills below a folder: a `SKILL.md` at any depth, and Markdown files directly in the folder. */
export function loadSkillsFromDir({ dir, source }: { dir: string; source: string }): Loaded {
  const loaded: Loaded = { skills: [], diagnostics: [] };
  search(dir, source, true, loaded);
  return loaded;
}

function search(dir: string, source: string, top: boolean, loaded: Loaded): void {
  const fs = importNow("tau:node/fs.ts");
  let entries: any[];
  try {
    entries = fs.readdirSync(dir, { withFileTypes: true });
  } catch {
    return;
  }
  if (entries.some((entry) => entry.name === FILE)) return load(join(dir, FILE), source, loaded);
  for (const { name } of entries) {
    if (name.startsWith(".") || name === "node_modules") continue;
    const path = join(dir, name);
    // Links count as what they lead to.
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) search(path, source, false, loaded);
    else if (top && stat?.isFile() && name.endsWith(".md")) load(path, source, loaded);
  }
}

function load(filePath: string, source: string, loaded: Loaded): void {
  const warn = (message: string) => loaded.diagnostics.push({ type: "warning", message, path: filePath });
  try {
    const { frontmatter } = parseFrontmatter(importNow("tau:node/fs.ts").readFileSync(filePath, "utf8"));
    const baseDir = dirname(filePath);
    const name = frontmatter.name || basename(baseDir);
    const { description } = frontmatter;
    for (const problem of nameProblems(name)) warn(problem);
    if (typeof description !== "string" || !description.trim()) return void warn("description is required");
    if (description.length > MAX_DESCRIPTION) {
      warn(`description exceeds ${MAX_DESCRIPTION} characters (${description.length})`);
    }
    loaded.skills.push({
      name,
      description,
      filePath,
      baseDir,
      sourceInfo: sourceInfo(filePath, baseDir, source),
      disableModelInvocation: frontmatter["disable-model-invocation"] === true,
    });
  } catch (error: any) {
    warn(error.message);
  }
}

function nameProblems(name: string): string[] {
  const rules: [boolean, string][] = [
    [name.length > MAX_NAME, `name exceeds ${MAX_NAME} characters (${name.length})`],
    [!/^[a-z0-9-]+$/.test(name), "name contains invalid characters (must be lowercase a-z, 0-9, hyphens only)"],
    [name.startsWith("-") || name.endsWith("-"), "name must not start or end with a hyphen"],
    [name.includes("--"), "name must not contain consecutive hyphens"],
  ];
  return rules.filter(([broken]) => broken).map(([, text]) => text);
}

/** The skills of the user, of a project and of further paths. Of two with one name the first counts. */
export function loadSkills(options: any): Loaded {
  const { cwd, agentDir = getAgentDir(), skillPaths = [], includeDefaults = true } = options;
  const fs = importNow("tau:node/fs.ts");
  const found: Loaded = { skills: [], diagnostics: [] };
  if (includeDefaults) {
    search(join(agentDir, "skills"), "user", true, found);
    search(resolve(cwd, CONFIG_DIR_NAME, "skills"), "project", true, found);
  }
  for (const path of skillPaths) {
    const full = resolve(cwd, expandTilde(path));
    const stat = fs.statSync(full, { throwIfNoEntry: false });
    if (stat?.isDirectory()) search(full, "path", true, found);
    else if (stat?.isFile() && full.endsWith(".md")) load(full, "path", found);
    else {
      const message = stat ? "skill path is not a markdown file" : "skill path does not exist";
      found.diagnostics.push({ type: "warning", message, path: full });
    }
  }
  return withoutDoubles(found);
}

function withoutDoubles({ skills, diagnostics }: Loaded): Loaded {
  const fs = importNow("tau:node/fs.ts");
  const byName = new Map<string, any>();
  const files = new Set<string>();
  for (const skill of skills) {
    const file = fs.realpathSync(skill.filePath);
    if (files.has(file)) continue;
    files.add(file);
    const first = byName.get(skill.name);
    if (!first) {
      byName.set(skill.name, skill);
      continue;
    }
    const collision = {
      resourceType: "skill",
      name: skill.name,
      winnerPath: first.filePath,
      loserPath: skill.filePath,
    };
    diagnostics.push({ type: "collision", message: `name "${skill.name}" collision`, path: skill.filePath, collision });
  }
  return { skills: [...byName.values()], diagnostics };
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]);

function intro(reader: string): string {
  const how = reader === "read" ? "load its file with the read tool" : "print its file with bash";
  return (
    "Skills are instructions for particular kinds of work. When a task fits the description of one, " +
    `${how} before you begin. Paths inside a skill start at the folder of its file; make them absolute when you use them.`
  );
}

/** The part of a system prompt that lists skills; empty when there are none that a model may use by itself. */
export function formatSkillsForPrompt(skills: any[], fileReadTool = "read"): string {
  const listed = skills.filter((skill) => !skill.disableModelInvocation);
  if (listed.length === 0) return "";
  const items = listed.map((skill) =>
    [
      "  <skill>",
      `    <name>${escaped(skill.name)}</name>`,
      `    <description>${escaped(skill.description)}</description>`,
      `    <location>${escaped(skill.filePath)}</location>`,
      "  </skill>",
    ].join("\n"),
  );
  return `\n\n${intro(fileReadTool)}\n\n<available_skills>\n${items.join("\n")}\n</available_skills>`;
}
