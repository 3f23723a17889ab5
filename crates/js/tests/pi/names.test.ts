// Every name is there, and a name that stands for something real can be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as agentCore from "@mariozechner/pi-agent-core";
import * as ai from "@mariozechner/pi-ai";
import * as codingAgent from "@mariozechner/pi-coding-agent";

for (const [name, module] of Object.entries({ agentCore, ai, codingAgent })) {
  test(`every name of ${name} has a value`, () => {
    const empty = Object.keys(module).filter((key) => (module as any)[key] === undefined);
    assert.deepEqual(empty, []);
  });
}
