// Settings, keys, skills, and other files of the user.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import {
  CONFIG_DIR_NAME, createEventBus, formatDimensionNote, formatSkillsForPrompt, generateDiffString, generateUnifiedPatch,
  getAgentDir, hasTrustRequiringProjectResources, loadProjectContextFiles, loadSkills, loadSkillsFromDir, readStoredCredential,
  resizeImage, SettingsManager, VERSION, convertToPng, detectSupportedImageMimeTypeFromFile, getShellConfig,
} from "@earendil-works/pi-coding-agent";

const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "pi-files-")));
after(() => fs.rmSync(dir, { recursive: true, force: true }));
const put = (name: string, text: string | Buffer) => {
  fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
  fs.writeFileSync(path.join(dir, name), text);
  return path.join(dir, name);
};

test("where things are", () => {
  assert.deepEqual([CONFIG_DIR_NAME, VERSION], [".pi", "1.5.2"]);
  const before = process.env.PI_CODING_AGENT_DIR;
  process.env.PI_CODING_AGENT_DIR = "~/elsewhere";
  assert.equal(getAgentDir(), path.join(os.homedir(), "elsewhere"));
  delete process.env.PI_CODING_AGENT_DIR;
  assert.equal(getAgentDir(), path.join(os.homedir(), ".pi", "agent"));
  if (before !== undefined) process.env.PI_CODING_AGENT_DIR = before;
  assert.deepEqual(getShellConfig().args, ["-c"]);
});

test("settings have defaults, layers and writers", async () => {
  const memory: any = SettingsManager.inMemory({ theme: "light", compaction: { enabled: false } } as any);
  assert.deepEqual(
    [memory.getTheme(), memory.getCompactionEnabled(), memory.getCompactionReserveTokens(), memory.getSteeringMode(), memory.getRetrySettings().maxRetries, memory.getExtensionPaths()],
    ["light", false, 16384, "one-at-a-time", 3, []],
  );
  const agentDir = path.join(dir, "agent");
  put("agent/settings.json", JSON.stringify({ defaultModel: "a", quietStartup: true, mine: 1 }));
  put("project/.pi/settings.json", JSON.stringify({ defaultModel: "b" }));
  const settings: any = SettingsManager.create(path.join(dir, "project"), agentDir);
  assert.deepEqual([settings.getDefaultModel(), settings.getQuietStartup()], ["b", true]);
  assert.deepEqual(settings.getProjectSettings(), { defaultModel: "b" });
  settings.setShellPath("/bin/zsh");
  settings.setCompactionEnabled(false);
  settings.setProjectExtensionPaths(["./x.ts"]);
  await settings.flush();
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(agentDir, "settings.json"), "utf8")), {
    defaultModel: "a", quietStartup: true, mine: 1, shellPath: "/bin/zsh", compaction: { enabled: false },
  });
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(dir, "project/.pi/settings.json"), "utf8")), { defaultModel: "b", extensions: ["./x.ts"] });
  const untrusted: any = SettingsManager.create(path.join(dir, "project"), agentDir, { projectTrusted: false });
  assert.equal(untrusted.getDefaultModel(), "a");
  settings.applyOverrides({ defaultModel: "c" });
  assert.equal(settings.getDefaultModel(), "c");
});

test("a stored credential", () => {
  const file = put("auth.json", JSON.stringify({ anthropic: { type: "api_key", key: "k" } }));
  assert.deepEqual([readStoredCredential("anthropic", file), readStoredCredential("openai", file), readStoredCredential("x", "/nowhere")], [{ type: "api_key", key: "k" }, undefined, undefined]);
});

test("skills of a folder", () => {
  const skill = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\nbody`;
  put("skills/one/SKILL.md", skill("one", "Does one."));
  put("skills/deep/er/two/SKILL.md", skill("two", "Does <two> & more."));
  put("skills/single.md", skill("single", "Alone."));
  put("skills/one/ignored/SKILL.md", skill("ignored", "Inside another."));
  put("skills/hidden/SKILL.md", "---\nname: hidden\ndescription: Not listed.\ndisable-model-invocation: true\n---\n");
  put("skills/bad/SKILL.md", "---\nname: bad\n---\n");
  put("skills/node_modules/x/SKILL.md", skill("x", "No."));
  const { skills, diagnostics } = loadSkillsFromDir({ dir: path.join(dir, "skills"), source: "user" });
  assert.deepEqual(skills.map(({ name, disableModelInvocation }) => [name, disableModelInvocation]).sort(), [["hidden", true], ["one", false], ["single", false], ["two", false]]);
  const one = skills.find(({ name }) => name === "one")!;
  assert.deepEqual([one.filePath, one.baseDir, one.sourceInfo.source, one.sourceInfo.scope], [path.join(dir, "skills/one/SKILL.md"), path.join(dir, "skills/one"), "local", "user"]);
  assert.deepEqual(diagnostics.map(({ message }: any) => message), ["description is required"]);
  const prompt = formatSkillsForPrompt(skills.filter(({ name }) => name === "two" || name === "hidden"));
  assert.match(prompt, /^\n\n\S/);
  assert.equal(prompt.slice(prompt.indexOf("<available_skills>")), `<available_skills>\n  <skill>\n    <name>two</name>\n    <description>Does &lt;two&gt; &amp; more.</description>\n    <location>${path.join(dir, "skills/deep/er/two/SKILL.md")}</location>\n  </skill>\n</available_skills>`);
  assert.equal(formatSkillsForPrompt([]), "");
  const again = loadSkills({ cwd: dir, agentDir: dir, skillPaths: [path.join(dir, "skills/one"), "./missing"], includeDefaults: true });
  assert.deepEqual(again.skills.map(({ name }) => name).sort(), ["hidden", "one", "single", "two"]);
  assert.equal(again.diagnostics.some(({ message }: any) => message === "skill path does not exist"), true);
  // The user's folder is known.
  const found = loadSkills({ cwd: dir, skillPaths: [path.join(dir, "skills/one")] } as any);
  assert.equal(found.skills.some(({ name }: any) => name === "one"), true);
});

test("context files from the root down, and what needs trust", () => {
  put("ctx/AGENTS.md", "outer");
  put("ctx/inner/CLAUDE.md", "inner");
  put("ctx-agent/AGENTS.md", "user");
  const files = loadProjectContextFiles({ cwd: path.join(dir, "ctx/inner"), agentDir: path.join(dir, "ctx-agent") });
  assert.deepEqual(files.filter((file) => file.path.startsWith(dir)).map(({ content }) => content), ["user", "outer", "inner"]);
  assert.equal(hasTrustRequiringProjectResources(path.join(dir, "ctx")), false);
  put("trusted/.pi/SYSTEM.md", "x");
  assert.equal(hasTrustRequiringProjectResources(path.join(dir, "trusted")), true);
});

test("a bus of one's own", async () => {
  const bus: any = createEventBus();
  const seen: any[] = [];
  const off = bus.on("x", (data: any) => seen.push(data));
  bus.emit("x", 1);
  off();
  bus.emit("x", 2);
  assert.deepEqual(seen, [1]);
});

test("differences of texts", () => {
  assert.deepEqual(generateDiffString("a\nb\nc\n", "a\nB\nc\n"), { diff: " 1 a\n-2 b\n+2 B\n 3 c", firstChangedLine: 2 });
  assert.match(generateUnifiedPatch("f", "a\nb\nc\n", "a\nB\nc\n"), /^--- f\n\+\+\+ f\n@@ -1,3 \+1,3 @@\n a\n-b\n\+B\n c\n$/);
});

test("pictures", async () => {
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAIAAADwyuo0AAAAEElEQVR4nGP4z8AARwzIHABvqgf5gNwAKAAAAABJRU5ErkJggg==", "base64");
  const file = put("x.png", png);
  assert.equal(await detectSupportedImageMimeTypeFromFile(file), "image/png");
  assert.equal(await detectSupportedImageMimeTypeFromFile(put("x.txt", "text")), null);
  assert.equal(await resizeImage(Buffer.from("text"), "image/png"), null);
  const small: any = await resizeImage(png, "image/png", { maxWidth: 2, maxHeight: 2 });
  assert.deepEqual([small.wasResized, small.originalWidth, small.originalHeight, small.width, small.height], [true, 4, 2, 2, 1]);
  assert.deepEqual(await convertToPng(png.toString("base64"), "image/png"), { data: png.toString("base64"), mimeType: "image/png" });
  assert.equal(formatDimensionNote({ ...small, wasResized: false }), undefined);
  assert.match(formatDimensionNote({ wasResized: true, originalWidth: 4000, originalHeight: 3000, width: 2000, height: 1500 } as any)!, /original 4000x3000, displayed at 2000x1500.*2\.00/);
});
