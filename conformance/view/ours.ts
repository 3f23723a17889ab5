// Runs all cases with the program's own pi-tui, and writes what they gave to the file VIEW_RESULT names.
import { writeFileSync } from "node:fs";
import * as tui from "@earendil-works/pi-tui";
import { cases } from "./cases.mjs";
import { evaluate } from "./evaluate.mjs";

writeFileSync(process.env.VIEW_RESULT!, JSON.stringify({ names: Object.keys(tui), results: await evaluate(tui, cases) }));

export default function () {}
