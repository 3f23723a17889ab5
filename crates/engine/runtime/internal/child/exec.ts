/** `execFile` and `exec`: a child whose output is gathered. */

import { codeRangeError, invalidArgType } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { kPromisify } from "../symbols.ts";
import { normalizeEncoding, validateFunction } from "../validators.ts";
import { bufferClass } from "../fs/args.ts";
import { ChildProcess, watchSignal } from "./process.ts";
import { checkMaxBuffer, checkTimeout, makePlan, splitArgs } from "./options.ts";

const errnoModule = lazyModule("internal/errno.ts");

type Done = (error: any, stdout: any, stderr: any) => void;

/** Gathers one stream of a child, up to a limit. */
class Gathered {
  #text: boolean;
  #limit: number;
  #parts: any[] = [];
  #size = 0;

  constructor(stream: any, name: string, encoding: any, limit: number, overflow: (error: Error) => void) {
    this.#text = encoding !== undefined;
    this.#limit = limit;
    if (!stream) return;
    if (this.#text) stream.setEncoding(encoding);
    stream.on("data", (chunk: any) => {
      if (this.#size > this.#limit) return;
      // What fits is kept; characters count as the bytes they are.
      const length = this.#text ? bufferClass().byteLength(chunk, encoding) : chunk.length;
      this.#size += length;
      if (this.#size <= this.#limit) return void this.#parts.push(chunk);
      this.#parts.push(chunk.slice(0, this.#limit - (this.#size - length)));
      overflow(codeRangeError("ERR_CHILD_PROCESS_STDIO_MAXBUFFER", `${name} maxBuffer length exceeded`));
    });
  }

  get value(): any {
    return this.#text ? this.#parts.join("") : bufferClass().concat(this.#parts);
  }
}

/** `execFile(file, args?, options?, callback?)`. */
export function execFile(file: any, ...rest: any[]): ChildProcess {
  const callback: Done | undefined = typeof rest.at(-1) === "function" ? rest.pop() : undefined;
  while (rest.length > 0 && rest.at(-1) == null) rest.pop();
  if (rest.length > 2) throw invalidArgType("callback", "Function", rest.at(-1));
  return run(file, rest[0], rest[1], callback);
}

function run(file: any, givenArgs: unknown, givenOptions: unknown, callback: Done | undefined): ChildProcess {
  const [args, given] = splitArgs(file, givenArgs, givenOptions);
  const options = {
    encoding: "utf8", timeout: 0, maxBuffer: 1024 * 1024, killSignal: "SIGTERM", shell: false, ...given,
    // These children always have pipes.
    stdio: undefined,
  };
  checkTimeout(options.timeout);
  checkMaxBuffer(options.maxBuffer);
  const child = new ChildProcess();
  child._start(makePlan(file, args, options));
  watchSignal(child, options.signal, options.killSignal);

  const name = normalizeEncoding(options.encoding);
  const encoding = options.encoding && options.encoding !== "buffer" ? name : undefined;
  const limit = options.maxBuffer ?? Infinity;
  const command = args.length > 0 ? `${file} ${args.join(" ")}` : file;
  let failure: any;
  let killed = false;
  let finished = false;
  let timer: any;

  const end = () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
    killed = true;
    try {
      child.kill(options.killSignal);
    } catch (error) {
      failure ??= error;
      exited(null, null);
    }
  };
  const overflow = (error: Error) => {
    failure ??= error;
    end();
  };
  const out = new Gathered(child.stdout, "stdout", encoding, limit, overflow);
  const err = new Gathered(child.stderr, "stderr", encoding, limit, overflow);

  const exited = (code: number | null, signal: string | null) => {
    if (finished) return;
    finished = true;
    clearTimeout(timer);
    if (!callback) return;
    const [stdout, stderr] = [out.value, err.value];
    if (!failure && code === 0 && signal === null) return callback(null, stdout, stderr);
    if (!failure) {
      const named = code !== null && code < 0 ? (errnoModule().systemErrorMap().get(code)?.[0] ?? code) : code;
      failure = Object.assign(new Error(`Command failed: ${command}\n${stderr}`), {
        code: named, killed: child.killed || killed, signal,
      });
    }
    failure.cmd = command;
    callback(failure, stdout, stderr);
  };

  if (options.timeout > 0) {
    timer = setTimeout(() => {
      timer = undefined;
      end();
    }, options.timeout);
  }
  child.on("close", exited);
  child.on("error", (error: any) => {
    failure = error;
    child.stdout?.destroy();
    child.stderr?.destroy();
    exited(null, null);
  });
  return child;
}

/** `exec(command, options?, callback?)`: a line for the shell. */
export function exec(command: any, options?: any, callback?: any): ChildProcess {
  if (typeof options === "function") [options, callback] = [undefined, options];
  if (callback != null) validateFunction(callback, "callback");
  const shell = typeof options?.shell === "string" ? options.shell : true;
  return run(command, undefined, { ...options, shell }, callback ?? undefined);
}

/** Their promises give both outputs, and errors carry them. */
function promised(start: (...args: any[]) => ChildProcess): (...args: any[]) => Promise<any> {
  return (...args) => {
    let child!: ChildProcess;
    const promise: any = new Promise((resolve, reject) => {
      child = start(...args, (error: any, stdout: any, stderr: any) => {
        if (error === null) return resolve({ stdout, stderr });
        reject(Object.assign(error, { stdout, stderr }));
      });
    });
    promise.child = child;
    return promise;
  };
}
Object.defineProperty(exec, kPromisify, { value: promised(exec) });
Object.defineProperty(execFile, kPromisify, { value: promised(execFile) });
