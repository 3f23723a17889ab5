// Components that show blocks of a conversation.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AssistantMessageComponent, BashExecutionComponent, BranchSummaryMessageComponent, CompactionSummaryMessageComponent,
  CustomMessageComponent, initTheme, SkillInvocationMessageComponent, ToolExecutionComponent, UserMessageComponent,
} from "@earendil-works/pi-coding-agent";
import { Box, Container, Text } from "@earendil-works/pi-tui";

initTheme();
const tui: any = { requestRender() {}, terminal: { rows: 24, columns: 80 } };
const plain = (line: string) => line.replace(/\x1b\][^\x07]*\x07/g, "").replace(/\x1b\[[0-9;]*m/g, "").trim();
/** What a component shows, without empty rows. */
const shown = (component: any, width = 60): string => component.render(width).map(plain).filter(Boolean).join("\n");
const any = (value: unknown): any => value;

test("an answer shows what was said and thought, and why it ended", () => {
  const answer = (content: object[], more: object = {}) => any({ role: "assistant", content, stopReason: "stop", ...more });
  const component = new AssistantMessageComponent();
  assert.deepEqual(component.render(60), []);
  component.updateContent(answer([{ type: "text", text: "hello" }, { type: "text", text: "  " }]));
  assert.equal(shown(component), "hello");
  component.updateContent(answer([{ type: "thinking", thinking: "deep" }, { type: "text", text: "said" }]));
  assert.equal(shown(component), "deep\nsaid");
  component.setHideThinkingBlock(true);
  assert.equal(shown(component), "Thinking...\nsaid");
  component.setHiddenThinkingLabel("hm");
  assert.equal(shown(component), "hm\nsaid");
  component.updateContent(answer([], { stopReason: "error", errorMessage: "no room" }));
  assert.match(shown(component), /Error: no room/);
  component.updateContent(answer([{ type: "toolCall", id: "1", name: "ls", arguments: {} }], { stopReason: "error", errorMessage: "x" }));
  assert.equal(shown(component), "");
  component.updateContent(answer([{ type: "text", text: "cut" }], { stopReason: "aborted" }));
  assert.match(shown(component), /cut\nOperation aborted/);
  assert.equal(component instanceof Container, true);
});

test("functions of extensions change the texts of messages for their width", () => {
  const told: any[] = [];
  const louder = (markdown: string, context: any) => {
    told.push(context);
    return markdown.toUpperCase();
  };
  const message: any = { role: "assistant", content: [{ type: "text", text: "hello" }], stopReason: "stop" };
  const answer = new AssistantMessageComponent(message, false, undefined, undefined, 1, [louder], "e1", "2026-01-01");
  assert.equal(shown(answer), "HELLO");
  assert.deepEqual(told.at(-1), { messageType: "assistant", isStreaming: false, availableWidth: 58, messageId: "e1", timestamp: "2026-01-01" });
  assert.equal(shown(new UserMessageComponent("hi", undefined, 1, [louder])), "HI");
  assert.equal(told.at(-1).messageType, "user");
});

test("summaries and skills show their text when they are unfolded", () => {
  const compaction = new CompactionSummaryMessageComponent(any({ summary: "all of it", tokensBefore: 5000 }));
  const branch = new BranchSummaryMessageComponent(any({ summary: "what was", fromId: "a" }));
  const skill = new SkillInvocationMessageComponent(any({ name: "review", location: "/x", content: "Look at it." }));
  for (const [component, title, text] of [[compaction, /5,?000/, "all of it"], [branch, /[Bb]ranch/, "what was"], [skill, /review/, "Look at it."]] as const) {
    assert.match(shown(component), title);
    assert.doesNotMatch(shown(component), new RegExp(text));
    component.setExpanded(true);
    assert.match(shown(component), new RegExp(text));
    assert.equal(component instanceof Box, true);
  }
});

test("a message of an extension is drawn by its renderer, or with its text", () => {
  const message: any = { role: "custom", customType: "note", content: [{ type: "text", text: "body" }], display: true };
  assert.match(shown(new CustomMessageComponent(message)), /note[^]*body/);
  const renderer: any = ({ customType }: any, { expanded }: any) => new Text(`${customType} ${expanded}`, 0, 0);
  const drawn = new CustomMessageComponent(message, renderer);
  assert.equal(shown(drawn), "note false");
  drawn.setExpanded(true);
  assert.equal(shown(drawn), "note true");
  assert.match(shown(new CustomMessageComponent(message, () => undefined)), /body/);
  const failing = new CustomMessageComponent(message, () => { throw new Error("no"); });
  assert.match(shown(failing), /body/);
});

test("a call is drawn by its tool, part by part, or by tau", () => {
  const call = new ToolExecutionComponent("odd", "c1", { path: "a" }, {}, undefined, tui, "/tmp");
  assert.match(shown(call), /odd/);
  call.markExecutionStarted();
  call.setArgsComplete();
  call.updateResult({ content: [{ type: "text", text: "found it" }], isError: false });
  call.setExpanded(true);
  assert.match(shown(call), /found it/);
  const told: any[] = [];
  const definition: any = {
    renderCall: (args: any, _theme: any, context: any) => {
      told.push(context);
      return new Text(`calls ${args.path}`, 0, 0);
    },
    renderResult: (result: any, { expanded }: any, _theme: any, context: any) => {
      told.push(context);
      return new Text(`${result.content[0].text} ${expanded}`, 0, 0);
    },
  };
  const own = new ToolExecutionComponent("odd", "c2", { path: "a" }, {}, definition, tui, "/tmp");
  assert.match(shown(own), /calls a/);
  own.updateArgs({ path: "b" });
  own.updateResult({ content: [{ type: "text", text: "part" }], isError: false }, true);
  assert.match(shown(own), /calls b[^]*part false/);
  own.updateResult({ content: [{ type: "text", text: "whole" }], isError: true });
  own.setExpanded(true);
  assert.match(shown(own), /whole true/);
  const { toolCallId, cwd, isError, isPartial, state, lastComponent } = told.at(-1);
  assert.deepEqual([toolCallId, cwd, isError, isPartial], ["c2", "/tmp", true, false]);
  assert.equal(lastComponent instanceof Text, true);
  assert.equal(told.every((context) => context.state === state), true);
  const failing: any = { renderCall: () => { throw new Error("no"); } };
  assert.match(shown(new ToolExecutionComponent("odd", "c3", {}, {}, failing, tui, "/tmp")), /odd/);
});

test("images of a result stand below it, or are named", () => {
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const content = [{ type: "text", text: "seen" }, { type: "image", data, mimeType: "image/png" }];
  const call = new ToolExecutionComponent("odd", "c1", {}, { showImages: false }, undefined, tui, "/tmp");
  call.updateResult({ content, isError: false });
  const without = call.render(60).length;
  call.setShowImages(true);
  assert.match(shown(call), /seen/);
  assert.match(shown(call), /image\/png/);
  assert.equal(call.render(60).length > without - 1, true);
});

test("a command shows its output while it comes, and how it ended", () => {
  const bash = new BashExecutionComponent("make all", tui);
  bash.appendOutput("one\r\n");
  bash.appendOutput("\x1b[31mtwo\x1b[39m");
  assert.match(shown(bash), /make all[^]*one\ntwo/);
  bash.setComplete(3, false);
  assert.match(shown(bash), /two/);
  assert.deepEqual([bash.getOutput(), bash.getCommand()], ["one\ntwo", "make all"]);
  bash.setExpanded(true);
  assert.match(shown(bash), /one\ntwo/);
});
