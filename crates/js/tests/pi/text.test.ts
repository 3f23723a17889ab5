// Cutting text, and the heads of Markdown files.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, getLanguageFromPath, parseFrontmatter, parseSkillBlock,
  stripFrontmatter, truncateHead, truncateLine, truncateTail,
} from "@earendil-works/pi-coding-agent";

test("the limits are the documented ones", () => {
  assert.deepEqual([DEFAULT_MAX_LINES, DEFAULT_MAX_BYTES], [2000, 51200]);
});

test("sizes are shown with one digit", () => {
  assert.deepEqual([0, 1023, 1024, 1536, 1048576, 5 * 1048576].map(formatSize), ["0B", "1023B", "1.0KB", "1.5KB", "1.0MB", "5.0MB"]);
});

test("text within the limits stays whole", () => {
  const result = truncateHead("a\nb");
  assert.deepEqual(result, {
    content: "a\nb", truncated: false, truncatedBy: null, totalLines: 2, totalBytes: 3, outputLines: 2, outputBytes: 3,
    lastLinePartial: false, firstLineExceedsLimit: false, maxLines: 2000, maxBytes: 51200,
  });
});

test("the head keeps the first lines, the tail the last", () => {
  const text = "1\n2\n3\n4";
  const head = truncateHead(text, { maxLines: 2 });
  assert.deepEqual([head.content, head.truncated, head.truncatedBy, head.totalLines], ["1\n2", true, "lines", 4]);
  const tail = truncateTail(text, { maxLines: 2 });
  assert.deepEqual([tail.content, tail.truncated, tail.truncatedBy, tail.outputLines], ["3\n4", true, "lines", 2]);
});

test("bytes count as UTF-8, and only whole lines are kept", () => {
  const result = truncateHead("ää\nb\nc", { maxBytes: 6 });
  assert.deepEqual([result.content, result.truncatedBy, result.totalBytes], ["ää\nb", "bytes", 8]);
  const first = truncateHead("äää\nb", { maxBytes: 3 });
  assert.deepEqual([first.content, first.firstLineExceedsLimit], ["", true]);
  const last = truncateTail("a\nbcdefgh", { maxBytes: 3 });
  assert.deepEqual([last.content, last.lastLinePartial], ["fgh", true]);
});

test("no line limit at all", () => {
  const text = "x\n".repeat(3000) + "y";
  const result = truncateHead(text, { maxLines: Number.MAX_SAFE_INTEGER });
  assert.deepEqual([result.truncated, result.content === text], [false, true]);
});

test("a line is cut to a number of characters", () => {
  assert.deepEqual(truncateLine("abcdef", 3), { text: "abc... [truncated]", wasTruncated: true });
  assert.deepEqual(truncateLine("abc", 3), { text: "abc", wasTruncated: false });
  assert.deepEqual(truncateLine("ab\u{1F600}", 3), { text: "ab... [truncated]", wasTruncated: true });
});

test("a head is YAML between lines of dashes", () => {
  const text = "---\nname: x\ntools: [read, bash]\nnested:\n  deep: true\n---\n\nBody\nmore\n";
  const frontmatter = { name: "x", tools: ["read", "bash"], nested: { deep: true } };
  assert.deepEqual(parseFrontmatter(text), { frontmatter, body: "Body\nmore" });
  assert.deepEqual(parseFrontmatter("no head\n"), { frontmatter: {}, body: "no head\n" });
  assert.deepEqual(parseFrontmatter("---\nnever closed"), { frontmatter: {}, body: "---\nnever closed" });
  assert.deepEqual(parseFrontmatter("---\r\na: 1\r\n---\r\nb\r\nc"), { frontmatter: { a: 1 }, body: "b\nc" });
  assert.deepEqual(parseFrontmatter("---\n---\nx"), { frontmatter: {}, body: "x" });
  assert.equal(stripFrontmatter("---\na: 1\n---\n  body"), "body");
  assert.throws(() => parseFrontmatter("---\na: [\n---\nx"));
});

test("a skill's block is taken apart", () => {
  const text = '<skill name="x" location="/a/SKILL.md">\nbody\n</skill>\n\nargs here';
  assert.deepEqual(parseSkillBlock(text), { name: "x", location: "/a/SKILL.md", content: "body", userMessage: "args here" });
  assert.equal(parseSkillBlock("hello"), null);
});

test("languages by file name", () => {
  assert.deepEqual(["a.ts", "b.py", "c.rs", "Makefile", "x.unknown"].map(getLanguageFromPath), ["typescript", "python", "rust", "makefile", undefined]);
});
