// Changes settings over and over, by the code of the published version that the argument names, until standard input
// ends; then says how often it did, and how often a change was gone before the next one. Run by the tests of settings, in a
// process of its own.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { indexOf } from "./agents.mjs";

const { SettingsManager } = await import(indexOf(process.argv[2]));

const manager = SettingsManager.create(process.cwd(), process.env.PI_CODING_AGENT_DIR);
let over = false;
process.stdin.on("end", () => (over = true)).resume();

const file = join(process.env.PI_CODING_AGENT_DIR, "settings.json");
/** The manager knows all of its changes and would put back what was lost, so each is looked for. */
const isThere = (round) => `theirs/round-${round}` in JSON.parse(readFileSync(file, "utf8")).modelThinkingLevels;

let rounds = 0;
let lost = 0;
while (!over) {
	manager.setModelThinkingLevel("theirs", `round-${rounds}`, "high");
	await manager.flush();
	// It gives up when the lock is held for more than 0.2 s; then it has not written, and says so.
	if (manager.drainErrors().length === 0) rounds += 1;
	if (rounds === 1) process.stdout.write("writing\n");
	await pause(1);
	if (rounds > 0 && !isThere(rounds - 1)) lost += 1;
}
process.stdout.write(`${JSON.stringify({ rounds, lost })}\n`);
