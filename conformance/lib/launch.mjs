// Stands in for the command line of the reference where a client insists on running a script with Node: runs the
// program under test in its place, with the same input, output, signals and end.

import { spawn } from "node:child_process";
import { commandOf } from "./agents.mjs";

const [command, head] = commandOf("tau");
const child = spawn(command, [...head, ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
