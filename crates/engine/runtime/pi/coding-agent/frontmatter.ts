// The head of a Markdown file, and the block that a skill becomes in a message.
import { ops } from "tau:ops";

/** Text before and after the line that closes a head; undefined where there is no head. */
function split(content: string): { head: string; body: string } | undefined {
  if (!content.startsWith("---")) return undefined;
  const end = content.indexOf("\n---", 3);
  if (end === -1) return undefined;
  return { head: content.slice(4, Math.max(4, end)), body: content.slice(end + 4).trim() };
}

/** The fields of a file's head, and what follows it. Throws when the head is no YAML. */
export function parseFrontmatter(content: string): any {
  const text = content.replace(/\r\n?/g, "\n");
  const parts = split(text);
  if (!parts) return { frontmatter: {}, body: text };
  return { frontmatter: ops.piParseYaml(parts.head) ?? {}, body: parts.body };
}

/** What follows a file's head. */
export function stripFrontmatter(content: string): string {
  return parseFrontmatter(content).body;
}

const SKILL = /^<skill name="([^"]*)" location="([^"]*)">\n([\s\S]*?)\n<\/skill>(?:\n\n([\s\S]+))?$/;

/** The parts of a user message that began as `/skill:name`; null when it did not. */
export function parseSkillBlock(text: string): any {
  const match = SKILL.exec(text);
  if (!match) return null;
  const [, name, location, content, rest] = match;
  return { name, location, content, userMessage: rest?.trim() || undefined };
}
