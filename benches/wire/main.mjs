// Measures how the programs read answers in each wire format of tau: tau, and the reference beside it. `benches/run wire`
// starts it.
//
// Arguments are parts of names of formats; without any, all are measured. `--quick` takes fewer rounds.

import { FORMATS } from "../../conformance/wire/formats.mjs";
import { missingIn } from "../../conformance/wire/programs.mjs";
import { PROGRAMS, removeHomes } from "../extensions/program.mjs";
import { Table } from "../extensions/table.mjs";
import { pieces } from "./pieces.mjs";
import { sessions } from "./sessions.mjs";

const quick = process.argv.includes("--quick");
const wanted = process.argv.slice(2).filter((word) => word !== "--quick");

const formats = [];
for (const format of FORMATS.filter(({ answers }) => answers)) {
	if (wanted.length > 0 && !wanted.some((word) => format.name.includes(word))) continue;
	const reason = await missingIn(format);
	if (reason) console.log(`${format.name}: ${reason}`);
	else formats.push(format);
}
if (formats.length === 0) throw new Error(`no such format: ${wanted.join(", ")}`);

const table = new Table();
const programs = Object.keys(PROGRAMS);
try {
	await pieces({ table, formats, programs, rounds: quick ? 1 : 5 });
	await sessions({ table, formats, programs, seconds: quick ? 3 : 10 });
} finally {
	// Also when one of them failed.
	table.print();
	removeHomes();
}
