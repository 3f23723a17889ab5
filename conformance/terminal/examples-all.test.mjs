// No example extension is left out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SETS } from "../extensions/sets.mjs";
import { CONVERSATION } from "./examples/conversation.mjs";
import { DIALOGS } from "./examples/dialogs.mjs";
import { EDITORS } from "./examples/editors.mjs";
import { GAMES } from "./examples/games.mjs";
import { GATES } from "./examples/gates.mjs";
import { OVERLAYS } from "./examples/overlays.mjs";
import { TOOLS } from "./examples/tools.mjs";

const ROWS = [CONVERSATION, DIALOGS, EDITORS, GAMES, GATES, OVERLAYS, TOOLS].flat();

test("every example is played in a terminal", () => {
	const { examples } = SETS.find(({ name }) => name === "reference");
	const played = new Set(ROWS.map(({ example }) => example));
	assert.deepEqual([...examples.keys()].filter((name) => !played.has(name)), []);
	assert.deepEqual([...played].filter((name) => !examples.has(name)), []);
});

test("what cannot be played has a reason", (context) => {
	for (const { example, needs, steps } of ROWS) {
		assert.ok(needs || steps, example);
		if (needs) context.diagnostic(`${example} only starts: it needs ${needs}`);
	}
});
