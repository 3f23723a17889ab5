/**
 * The test runner behind `node:test`. Tests of one file run one after another, starting as soon as the running code
 * of the file lets them.
 */

import { clearTimeout, setTimeout } from "../node/timers.ts";
import { createSignal } from "../web/abort.ts";
import { codeError, invalidArgType } from "./errors.ts";
import { lazyModule } from "./lazy.ts";
import { MockTracker } from "./mock.ts";
import { nextTick } from "./tick.ts";

const loadAssert = lazyModule("node/assert.ts");

/** What the host is told at the end. */
export interface Report {
  passed: number;
  failed: number;
  skipped: number;
  failures: { name: string; error: string }[];
}

type Fn = (...args: any[]) => any;

interface Options {
  skip?: boolean | string;
  todo?: boolean | string;
  timeout?: number;
  signal?: AbortSignal;
  plan?: number;
  [other: string]: any;
}

interface Hooks {
  before: Hook[];
  after: Hook[];
  beforeEach: Hook[];
  afterEach: Hook[];
}
type Hook = { fn: Fn; options: Options };

const report: Report = { passed: 0, failed: 0, skipped: 0, failures: [] };

/** The tracker that `import { mock }` gives. */
export const mock = new MockTracker();

/** A test or a group of tests. */
class Node {
  name: string;
  fn: Fn;
  options: Options;
  parent: Node | undefined;
  isSuite: boolean;
  hooks: Hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
  children: Node[] = [];
  /** Settles when it is over, whatever its outcome. */
  done: Promise<void>;
  finish!: () => void;
  failed = false;
  skipped: boolean | string | undefined;
  todo: boolean | string | undefined;
  startedBefore = false;
  body: Promise<void> | undefined;

  constructor(name: string, fn: Fn, options: Options, parent: Node | undefined, isSuite: boolean) {
    this.name = name;
    this.fn = fn;
    this.options = options;
    this.parent = parent;
    this.isSuite = isSuite;
    this.skipped = options.skip || parent?.skipped || undefined;
    this.todo = options.todo || parent?.todo || undefined;
    this.done = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  get path(): string {
    const above = this.parent?.path;
    return above ? `${above} > ${this.name}` : this.name;
  }

  /** This node and those around it, the outermost first. */
  chain(): Node[] {
    return [...(this.parent?.chain() ?? []), this];
  }
}

const root = new Node("", () => {}, {}, undefined, true);
/** The group whose body is running. */
let collecting: Node = root;
let running: Promise<void> = Promise.resolve();

/** Takes the arguments apart: `(name?, options?, fn?)`. */
function parse(name: unknown, options: any, fn: any): { name: string; options: Options; fn: Fn } {
  if (typeof name === "function") [name, options, fn] = [undefined, undefined, name];
  else if (name !== null && typeof name === "object") [name, options, fn] = [undefined, name, options];
  else if (typeof options === "function") [options, fn] = [undefined, options];
  if (fn !== undefined && fn !== null && typeof fn !== "function") throw invalidArgType("fn", "function", fn);
  return {
    name: typeof name === "string" && name !== "" ? name : fn?.name || "<anonymous>",
    options: { ...options },
    fn: fn ?? (() => {}),
  };
}

/** Registers a test in the group that is being described; the promise settles when it has run. */
export function addTest(name: unknown, options: unknown, fn: unknown, extra: Options = {}): Promise<void> {
  const parsed = parse(name, options, fn);
  const node = new Node(parsed.name, parsed.fn, { ...parsed.options, ...extra }, collecting, false);
  collecting.children.push(node);
  if (collecting === root) enqueue(node);
  return node.done;
}

/** Registers a group and runs its body. */
export function addSuite(name: unknown, options: any, fn: any, extra: Options = {}): Promise<void> {
  const parsed = parse(name, options, fn);
  const suite = new Node(parsed.name, parsed.fn, { ...parsed.options, ...extra }, collecting, true);
  collecting.children.push(suite);
  const outer = collecting;
  collecting = suite;
  try {
    const body = parsed.fn.call(undefined, suiteContext(suite));
    if (typeof body?.then === "function") {
      // What an asynchronous body describes later would land elsewhere; wait for it before the tests run.
      suite.body = body.then(undefined, (error: unknown) => fail(suite, error));
    }
  } catch (error) {
    fail(suite, error);
  } finally {
    collecting = outer;
  }
  if (outer === root) enqueue(suite);
  return suite.done;
}

function suiteContext(suite: Node): object {
  return { name: suite.name, fullName: suite.path, signal: createSignal().signal };
}

export function addHook(kind: keyof Hooks, fn: any, options: any = {}): void {
  if (typeof fn !== "function") throw invalidArgType("fn", "function", fn);
  collecting.hooks[kind].push({ fn, options });
}

function enqueue(node: Node): void {
  running = running.then(() => new Promise((resolve) => nextTick(resolve))).then(() => runNode(node));
}

async function runNode(node: Node): Promise<void> {
  try {
    if (node.isSuite) await runSuite(node);
    else await runTest(node);
  } finally {
    node.finish();
  }
}

async function runSuite(suite: Node): Promise<void> {
  await suite.body;
  if (!suite.skipped) {
    try {
      await runBefore(suite);
    } catch (error) {
      fail(suite, error);
      suite.children.forEach((child) => child.finish());
      return;
    }
  }
  for (const child of suite.children) await runNode(child);
  if (!suite.skipped) await runAfter(suite);
}

/** Runs the `before` hooks of this node and of everything around it that has not started. */
async function runBefore(node: Node): Promise<void> {
  for (const each of node.chain()) {
    if (each.startedBefore) continue;
    each.startedBefore = true;
    for (const hook of each.hooks.before) await call(hook.fn, hook.options, [suiteContext(each)]);
  }
}

async function runAfter(node: Node, context: unknown = suiteContext(node)): Promise<void> {
  for (const hook of node.hooks.after) {
    try {
      await call(hook.fn, hook.options, [context]);
    } catch (error) {
      fail(node, error);
    }
  }
}

async function runTest(node: Node): Promise<void> {
  if (node.skipped) {
    report.skipped += 1;
    return;
  }
  const { signal, abort } = createSignal();
  const context = new TestContext(node, signal);
  const around = node.parent!.chain();
  try {
    await runBefore(node.parent!);
    for (const each of around) for (const hook of each.hooks.beforeEach) await call(hook.fn, hook.options, [context]);
    await call(node.fn, node.options, [context]);
    await context.settle();
  } catch (error) {
    fail(node, error);
  }
  await runAfter(node, context);
  for (const each of around.reverse()) {
    for (const hook of each.hooks.afterEach) {
      try {
        await call(hook.fn, hook.options, [context]);
      } catch (error) {
        fail(node, error);
      }
    }
  }
  context.mock.reset();
  abort();
  if (node.skipped) report.skipped += 1;
  else if (!node.failed) report.passed += 1;
}

/** Calls a test or a hook: a promise, a callback as second argument, or neither. */
async function call(fn: Fn, options: Options, args: any[]): Promise<void> {
  let timer: any;
  const limits: Promise<never>[] = [];
  const { timeout, signal } = options;
  if (timeout !== undefined && timeout !== Infinity) {
    limits.push(
      new Promise((_, reject) => {
        timer = setTimeout(() => {
          reject(codeError("ERR_TEST_FAILURE", `test timed out after ${timeout}ms`));
        }, timeout);
      }),
    );
  }
  if (signal) {
    if (signal.aborted) throw signal.reason;
    limits.push(new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })));
  }
  const work = fn.length > args.length ? withCallback(fn, args) : (async () => fn(...args))();
  try {
    await Promise.race([work, ...limits]);
  } finally {
    clearTimeout(timer);
  }
}

function withCallback(fn: Fn, args: any[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const result = fn(...args, (error?: unknown) => (error ? reject(error) : resolve()));
    if (typeof result?.then === "function") {
      result.then(undefined, () => {});
      reject(codeError("ERR_TEST_FAILURE", "passed a callback but also returned a Promise"));
    }
  });
}

function fail(node: Node, error: unknown): void {
  if (node.failed) return;
  node.failed = true;
  if (node.todo) {
    node.failed = false;
    return;
  }
  report.failed += 1;
  report.failures.push({ name: node.path, error: describe(error) });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const head = `${error.name}${(error as any).code ? ` [${(error as any).code}]` : ""}: ${error.message}`;
  const stack = error.stack ?? "";
  const text = stack.includes(error.message) ? stack : `${head}\n${stack}`;
  return error.cause === undefined ? text : `${text}\ncaused by ${describe(error.cause)}`;
}

const assertions = new Map<string, Fn>();

/** Adds `name` to the functions of `t.assert`. */
export function registerAssertion(name: string, fn: Fn): void {
  assertions.set(name, fn);
}

/** What a test function is given. */
export class TestContext {
  #node: Node;
  #signal: AbortSignal;
  #mock: MockTracker | undefined;
  #assert: any;
  #subtests: Promise<void> = Promise.resolve();
  #planned: number | undefined;
  #counted = 0;

  constructor(node: Node, signal: AbortSignal) {
    this.#node = node;
    this.#signal = signal;
    if (node.options.plan !== undefined) this.plan(node.options.plan);
  }

  get name(): string {
    return this.#node.name;
  }
  get fullName(): string {
    return this.#node.path;
  }
  get signal(): AbortSignal {
    return this.#signal;
  }
  get mock(): MockTracker {
    return (this.#mock ??= new MockTracker());
  }

  /** The functions of `node:assert`, counted for `plan`. */
  get assert(): any {
    if (this.#assert) return this.#assert;
    const counted: any = {};
    const source = loadAssert().default;
    for (const name of Object.keys(source)) {
      if (typeof source[name] !== "function" || /^[A-Z]/.test(name)) continue;
      counted[name] = (...args: any[]) => {
        this.#counted += 1;
        return source[name](...args);
      };
    }
    for (const [name, fn] of assertions) {
      counted[name] = (...args: any[]) => {
        this.#counted += 1;
        return fn.apply(this, args);
      };
    }
    return (this.#assert = counted);
  }

  plan(count: number): void {
    this.#planned = count;
  }

  skip(message?: string): void {
    this.#node.skipped = message || true;
  }

  todo(message?: string): void {
    this.#node.todo = message || true;
  }

  diagnostic(_message: string): void {}

  runOnly(_value: boolean): void {}

  /** Runs a test inside this one. Those that were not awaited run one after another. */
  test(name: unknown, options?: unknown, fn?: unknown): Promise<void> {
    const parsed = parse(name, options, fn);
    const node = new Node(parsed.name, parsed.fn, parsed.options, this.#node, false);
    this.#counted += 1;
    const run = this.#subtests.then(() => runNode(node));
    this.#subtests = run.then(() => {
      if (node.failed && !this.#node.failed) {
        // Already reported under its own name.
        this.#node.failed = true;
      }
    });
    return this.#subtests;
  }

  before(fn: Fn, options: Options = {}): void {
    this.#node.hooks.before.push({ fn, options });
    this.#node.startedBefore = false;
  }
  after(fn: Fn, options: Options = {}): void {
    this.#node.hooks.after.push({ fn, options });
  }
  beforeEach(fn: Fn, options: Options = {}): void {
    this.#node.hooks.beforeEach.push({ fn, options });
  }
  afterEach(fn: Fn, options: Options = {}): void {
    this.#node.hooks.afterEach.push({ fn, options });
  }

  /** Calls `condition` until it no longer throws. */
  async waitFor(condition: Fn, options: { interval?: number; timeout?: number } = {}): Promise<any> {
    const { interval = 50, timeout = 1000 } = options;
    const end = Date.now() + timeout;
    for (;;) {
      try {
        return await condition();
      } catch (error) {
        if (Date.now() >= end) throw codeError("ERR_TEST_FAILURE", "waitFor() timed out", Error, { cause: error });
        await new Promise((resolve) => setTimeout(resolve as any, interval));
      }
    }
  }

  /** For the runner: waits for the subtests and checks the plan. */
  async settle(): Promise<void> {
    await this.#subtests;
    if (this.#planned !== undefined && this.#planned !== this.#counted) {
      throw codeError("ERR_TEST_FAILURE", `plan expected ${this.#planned} assertions but received ${this.#counted}`);
    }
  }
}

/** Waits until everything that was registered has run; tells the outcome. */
export async function internalRunTests(): Promise<Report> {
  let seen: Promise<void>;
  do {
    seen = running;
    await seen;
  } while (seen !== running);
  await runAfter(root);
  return report;
}
