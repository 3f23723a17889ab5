// Measures TypeScript extensions side by side: tau, and the reference with its own loader. `benches/run extensions` starts it.
//
// The programs take turns, so that what else the machine does is shared out fairly. Arguments name the measurements that
// are wanted (start, memory, dispatch, context, stream, histories, suite); without any, all are. TAU_ROUNDS says how often each is
// repeated.

import { contextOfLongHistory } from "./measures/context.mjs";
import { dispatch } from "./measures/dispatch.mjs";
import { histories } from "./measures/histories.mjs";
import { memory } from "./measures/memory.mjs";
import { start } from "./measures/start.mjs";
import { stream } from "./measures/stream.mjs";
import { suite } from "./measures/suite.mjs";
import { loadable } from "./examples.mjs";
import { removeHomes } from "./program.mjs";
import { Table } from "./table.mjs";

const MEASURES = { start, memory, dispatch, context: contextOfLongHistory, stream, histories, suite };

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in MEASURES));
if (unknown.length > 0) throw new Error(`no such measurement: ${unknown.join(", ")}; there are ${Object.keys(MEASURES).join(", ")}`);

const rounds = Number(process.env.TAU_ROUNDS ?? 10);
const table = new Table();
try {
	const names = Object.keys(MEASURES).filter((name) => wanted.length === 0 || wanted.includes(name));
	const examples = names.some((name) => ["start", "memory", "suite"].includes(name)) ? await loadable() : [];
	if (examples.length > 0) console.log(`${examples.length} examples are loaded by both programs in one run.`);
	for (const name of names) {
		console.error(`measuring: ${name} …`);
		await MEASURES[name]({ table, examples, rounds });
	}
} finally {
	// Also when one of them failed.
	table.print();
	removeHomes();
}
