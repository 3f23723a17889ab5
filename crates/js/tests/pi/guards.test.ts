// Telling events apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defineTool, isBashToolResult, isEditToolResult, isFindToolResult, isGrepToolResult, isLsToolResult,
  isReadToolResult, isToolCallEventType, isWriteToolResult,
} from "@earendil-works/pi-coding-agent";

test("a tool call is told by its tool", () => {
  const event: any = { type: "tool_call", toolName: "bash", toolCallId: "1", input: { command: "ls" } };
  assert.equal(isToolCallEventType("bash", event), true);
  assert.equal(isToolCallEventType("write", event), false);
  assert.equal(isToolCallEventType("my_tool", { ...event, toolName: "my_tool" }), true);
});

test("each guard knows its own tool", () => {
  const guards: any = {
    bash: isBashToolResult, read: isReadToolResult, edit: isEditToolResult, write: isWriteToolResult,
    grep: isGrepToolResult, find: isFindToolResult, ls: isLsToolResult,
  };
  for (const name of Object.keys(guards)) {
    const known = Object.keys(guards).filter((tool) => guards[tool]({ type: "tool_result", toolName: name }));
    assert.deepEqual(known, [name]);
  }
});

test("defineTool gives the definition back", () => {
  const definition: any = { name: "x" };
  assert.equal(defineTool(definition), definition);
});
