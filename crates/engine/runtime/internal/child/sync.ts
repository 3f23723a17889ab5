/** Children that the program waits for: `spawnSync`, `execFileSync`, `execSync`. */

import { type ChildPlan, ops } from "tau:ops";
import { errnoOf } from "../errno.ts";
import { invalidArgType } from "../errors.ts";
import { toBuffer, toData } from "../fs/args.ts";
import { signalName, signalNumber } from "../process/signals.ts";
import { checkMaxBuffer, checkTimeout, makePlan, splitArgs } from "./options.ts";

function failed(plan: ChildPlan, code: string, errno: number): Error {
  const syscall = `spawnSync ${plan.file}`;
  const spawnargs = plan.args.slice(1);
  return Object.assign(new Error(`${syscall} ${code}`), { errno, code, syscall, path: plan.file, spawnargs });
}

/** `spawnSync(file, args?, options?)`. */
export function spawnSync(file: any, givenArgs?: any, givenOptions?: any): any {
  const [args, given] = splitArgs(file, givenArgs, givenOptions);
  const options = { maxBuffer: 1024 * 1024, ...given };
  checkTimeout(options.timeout);
  checkMaxBuffer(options.maxBuffer);
  const plan = makePlan(file, args, options);
  let input = options.input;
  if (input !== undefined && input !== null) {
    if (typeof input !== "string" && !ArrayBuffer.isView(input)) {
      throw invalidArgType("options.stdio[0]", ["Buffer", "TypedArray", "DataView", "string"], input);
    }
    plan.stdio[0] = "pipe";
    input = toData(input, options.encoding === "buffer" ? undefined : options.encoding);
  }
  const killSignal = signalNumber(options.killSignal ?? "SIGTERM");
  const maxBuffer = options.maxBuffer === Infinity ? null : options.maxBuffer;
  let done;
  try {
    done = ops.childRun({ ...plan, timeout: options.timeout ?? 0, maxBuffer, killSignal }, input ?? null);
  } catch (error: any) {
    if (typeof error?.syscall !== "string" || !error.syscall.startsWith("spawn ")) throw error;
    return {
      error: failed(plan, error.code, error.errno), status: null, signal: null, output: null, pid: 0,
      stdout: undefined, stderr: undefined,
    };
  }
  const { encoding } = options;
  const text = encoding && encoding !== "buffer";
  const output = done.output.map((bytes: Uint8Array | null) => {
    if (bytes === null) return null;
    return text ? toBuffer(bytes).toString(encoding) : toBuffer(bytes);
  });
  const result: any = done.broke ? { error: failed(plan, done.broke, errnoOf(done.broke)) } : {};
  return Object.assign(result, {
    status: done.status, signal: signalName(done.signal), output, pid: done.pid, stdout: output[1], stderr: output[2],
  });
}

function check(result: any, command: string): any {
  let error = result.error;
  if (!error) {
    if (result.status === 0) return undefined;
    const said = result.stderr?.length > 0 ? `\n${result.stderr.toString()}` : "";
    error = new Error(`Command failed: ${command}${said}`);
  }
  return Object.assign(error, result);
}

function runChecked(file: any, args: any, options: any, command: string): any {
  const result = spawnSync(file, args, options);
  // What a child says about errors is shown unless the caller takes it.
  if (options.stdio === undefined && result.stderr?.length > 0) globalThis.process.stderr.write(result.stderr);
  const error = check(result, command);
  if (error) throw error;
  return result.stdout;
}

/** `execFileSync(file, args?, options?)`. */
export function execFileSync(file: any, givenArgs?: any, givenOptions?: any): any {
  const [args, options] = splitArgs(file, givenArgs, givenOptions);
  return runChecked(file, args, options, [file, ...args].join(" "));
}

/** `execSync(command, options?)`: a line for the shell. */
export function execSync(command: any, options?: any): any {
  const shell = typeof options?.shell === "string" ? options.shell : true;
  return runChecked(command, [], { ...options, shell }, command);
}
