// Blocks of the conversation that extensions draw. Rust asks for one at a time, and says when one is not needed any more.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { apply, Map, mapDelete, mapGet, mapSet, TypeError } from "../../internal/primordials.ts";
import { keptFunction } from "../calls.ts";
import { isComponent, type Component } from "./component.ts";
import { textOf } from "./mounted.ts";

/** What is kept of a block between two times. */
interface Block {
  /** An object of the extension's, which the call and the result share. */
  readonly state: object;
  readonly parts: Map<string, Component>;
}

/** What a renderer gets beside what it draws. */
interface About {
  expanded?: boolean;
  isPartial?: boolean;
  [name: string]: unknown;
}

const blocks = new Map<string, Block>();

/** The text of a block, and whether it was cut; nothing when the renderer leaves it to others. */
export function drawBlock(
  fn: number, kind: string, block: string, what: unknown, about: About, width: number, invalidates: boolean,
): unknown[] | undefined {
  const render = keptFunction(fn);
  if (!render) throw new TypeError("the renderer is gone");
  if (kind === "markdown") return [changed(render(what, { ...about }), what), false];
  return drawWith(render as Render, kind, block, what, about, width, invalidates);
}

/** The text that a transformer made of another one; of nothing it leaves it as it is. */
function changed(made: unknown, before: unknown): unknown {
  if (made === undefined || made === null) return before;
  if (typeof made !== "string") throw new TypeError("the transformer gave no text");
  return made;
}

/** The numbers of a tool's own renderers. */
interface OwnNumbers {
  call?: number;
  result?: number;
}

/** What draws a tool. */
interface Renderers {
  renderCall?: Render;
  renderResult?: Render;
}

/** The same for a tool, with functions that choose what draws it: the first is asked first. */
export function drawResolved(
  resolvers: number[], tool: string, own: OwnNumbers, kind: string, block: string, what: unknown, about: About, width: number,
  invalidates: boolean,
): unknown[] | undefined {
  const chosen = resolve(resolvers, tool, own, 0);
  const render = kind === "call" ? chosen?.renderCall : chosen?.renderResult;
  if (typeof render !== "function") return undefined;
  return drawWith((...args) => apply(render, chosen, args), kind, block, what, about, width, invalidates);
}

function resolve(resolvers: number[], tool: string, own: OwnNumbers, index: number): Renderers | undefined {
  const resolver = index < resolvers.length ? keptFunction(resolvers[index]) : undefined;
  if (resolver) return resolver(tool, () => resolve(resolvers, tool, own, index + 1)) as Renderers | undefined;
  if (own.call === undefined && own.result === undefined) return undefined;
  const kept = (id: number | undefined) => (id === undefined ? undefined : (keptFunction(id) as Render | undefined));
  return { renderCall: kept(own.call), renderResult: kept(own.result) };
}

function drawWith(
  render: Render, kind: string, block: string, what: unknown, about: About, width: number, invalidates: boolean,
): unknown[] | undefined {
  let kept = mapGet(blocks, block);
  if (!kept) mapSet(blocks, block, (kept = { state: {}, parts: new Map() }));
  const last = mapGet(kept.parts, kind);
  if (invalidates) last?.invalidate?.();
  const component = call(render, kind, block, what, about, kept, last);
  if (component === undefined || component === null) return undefined;
  if (!isComponent(component)) throw new TypeError("the renderer gave no component");
  mapSet(kept.parts, kind, component);
  const { text, isCut } = textOf(component.render(width));
  return [text, isCut];
}

type Render = (...args: unknown[]) => unknown;

function call(
  render: Render, kind: string, block: string, what: unknown, about: About, kept: Block, last: Component | undefined,
): unknown {
  const { theme } = importNow("tau:host/theme.ts");
  const { expanded = false, isPartial = false } = about;
  const context = () => ({
    ...about,
    state: kept.state,
    lastComponent: last,
    invalidate: () => ops.blockRedraw(block),
    ...hints(),
  });
  switch (kind) {
    case "call":
      return render(what, theme, context());
    case "result":
      return render(what, { expanded, isPartial }, theme, context());
    default:
      return render(what, { expanded, outputPad: about.outputPad, ...hints() }, theme);
  }
}

/** The keys of actions, in words and with colours. */
function hints(): object {
  const { keyText, keyHint } = importNow("tau:pi/coding-agent/key_hints.ts");
  return { keyText, keyHint };
}

/** A block is not drawn any more. */
export function forgetBlock(block: string): void {
  const kept = mapGet(blocks, block);
  if (!kept) return;
  mapDelete(blocks, block);
  kept.parts.forEach((component) => component.dispose?.());
}
