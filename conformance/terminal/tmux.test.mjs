// What depends on how tmux is set up.

import { test } from "node:test";
import { inTmux, skip } from "../lib/terminal/both.mjs";

const SCRIPT = "replies: ['Yes.']";
const WARNING = /tmux does not pass shift\+enter and other keys on\. Add `set -s extended-keys on`/;

test("shift+enter begins a line in a tmux with extended keys", { skip }, () =>
	inTmux({ script: SCRIPT, options: ["set -s extended-keys on"] }, async (seat) => {
		await seat.isReady();
		await seat.writes("one");
		await seat.press("shift+enter");
		await seat.types("two");
		await seat.until("two lines", (screen) => /^one\ntwo$/m.test(screen));
	}),
);

test("a tmux without extended keys is told what to do about it", { skip }, () =>
	inTmux({ script: SCRIPT, options: [] }, (seat) => seat.until("the advice", (screen) => WARNING.test(screen.replace(/\n +/g, " ")))),
);
