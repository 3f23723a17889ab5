// The components that are on the screen. Rust calls what is here, one thing at a time, and gives each only little time.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { apply, isArray, Map, mapDelete, mapGet, mapSet, String, TypeError } from "../../internal/primordials.ts";
import { isComponent, type Component, type Mounted } from "./component.ts";
import { giveText, insertText, sharesText } from "./editor_text.ts";

/** How many lines are taken of a component, and how many characters of all of them: more than any screen shows. */
const MOST_LINES = 2_000;
const MOST_TEXT = 1 << 20;

const mounts = new Map<number, Mounted>();

export function mountedOf(number: number): Mounted | undefined {
  return mapGet(mounts, number);
}

/** The components of an extension. */
export function mountedBy(extension: number): Mounted[] {
  const own: Mounted[] = [];
  mounts.forEach((mounted) => {
    if (mounted.extension === extension) own[own.length] = mounted;
  });
  return own;
}

/** The newest component at a place. */
export function mountedAt(where: string): Mounted | undefined {
  let newest: Mounted | undefined;
  mounts.forEach((mounted) => {
    if (mounted.place === where) newest = mounted;
  });
  return newest;
}

/** Notes a component that is on the screen from now on. */
export function place(mounted: Mounted): void {
  mapSet(mounts, mounted.number, mounted);
}

/** Whether a component over the screen takes the keys, is out of sight there, or is hidden, as flags. */
export function comingOf({ extension, overlay = {}, takesKeys, isHidden }: Mounted): number {
  const [columns, rows] = ops.uiScreen(extension);
  const { visible } = overlay;
  const isOut = typeof visible === "function" && !visible(columns, rows);
  return (takesKeys ? 1 : 0) | (isOut ? 2 : 0) | (isHidden ? 4 : 0);
}

/** Asks for new lines of a component. */
export function redraw(mounted: Mounted): void {
  if (mounted.isDirty) return;
  mounted.isDirty = true;
  ops.mountWish(mounted.number, "redraw", undefined);
}

/** Passes a signal to a component. Of a key: whether those behind it are for it, too; of the mouse: whether it meant something. */
export function tellMounted(number: number, what: string, value: unknown): boolean {
  const mounted = mapGet(mounts, number);
  if (!mounted) throw new TypeError("the component is gone");
  const { component } = mounted;
  switch (what) {
    case "key":
      (mounted.focused ?? component).handleInput?.(value as string);
      mounted.onTold?.();
      // Rust finds out for whom those behind it are. This may be wrong for a moment, as Rust speaks of the focus later.
      return hasKeys(mounted);
    case "mouse": {
      const took = tookMouse(mounted, component.handleMouse?.(value as object));
      mounted.onTold?.();
      return took;
    }
    case "focus":
      if (mounted.hasFocus !== (value === true)) redrawOthers(mounted);
      mounted.hasFocus = value === true;
      tellFocus(mounted.focused ?? component, value === true);
      return true;
    case "invalidate":
      component.invalidate?.();
      return true;
    case "expand":
      component.setExpanded?.(value === true);
      return true;
    case "branch":
      mounted.onBranch?.();
      return true;
    case "text":
      giveText(component, value as string);
      return true;
    case "shared":
      sharesText(component, value as string);
      return true;
    case "insert":
      insertText(component, value as string);
      mounted.onTold?.();
      return true;
    case "working":
      showWorking(component, value as [string, string] | null);
      return true;
    default:
      throw new TypeError(`a component cannot be told "${what}"`);
  }
}

/** Whether it has the keys, as far as its extension knows. */
export function hasKeys({ hasFocus, isHidden }: Mounted): boolean {
  return hasFocus && !isHidden;
}

/** What others show may say who has the keys. */
function redrawOthers(mounted: Mounted): void {
  for (const other of mountedBy(mounted.extension)) if (other !== mounted) redraw(other);
}

/** What a component made of the mouse. */
interface Took {
  handled?: unknown;
  capture?: unknown;
  focus?: unknown;
  /** The part that wants the keys. */
  focusTarget?: unknown;
}

function tookMouse(mounted: Mounted, result: unknown): boolean {
  const took = result as Took | undefined;
  if (!took) return false;
  if (took.focus) {
    const part = took.focusTarget;
    if (isComponent(part) && part !== mounted.component && part.handleInput) focusPart(mounted, part);
    if (!mounted.hasFocus && mounted.place === "overlay") ops.mountWish(mounted.number, "focus", undefined);
  }
  return !!(took.handled || took.capture || took.focus);
}

/** Gives the keys of a component to a part of it, or back to itself. */
export function focusPart(mounted: Mounted, part: Component | undefined): void {
  const before = mounted.focused ?? mounted.component;
  mounted.focused = part === mounted.component ? undefined : part;
  const now = mounted.focused ?? mounted.component;
  if (now === before) return;
  tellFocus(before, false);
  tellFocus(now, mounted.hasFocus);
  redraw(mounted);
}

function tellFocus(component: Component, has: boolean): void {
  if ("focused" in component) component.focused = has;
}

function embedsWorking(component: Component): boolean {
  return component.embedWorkingStatus === true && typeof component.setWorkingStatusIndicator === "function";
}

function showWorking(component: Component, status: [string, string] | null): void {
  if (!embedsWorking(component)) return;
  const { workingIndicator } = importNow("tau:pi/coding-agent/working_status.ts");
  component.setWorkingStatusIndicator?.(status ? workingIndicator(status[0], status[1]) : undefined);
}

/** The text of a component's lines, what it wants besides, as flags, and how it lies over the screen. */
export function drawMounted(number: number, width: number, columns: number, rows: number): unknown[] {
  const mounted = mapGet(mounts, number);
  if (!mounted) throw new TypeError("the component is gone");
  const { component } = mounted;
  mounted.isDirty = false;
  mounted.onDraw?.();
  const overlay = mounted.place === "overlay" ? layoutOf(mounted, columns, rows) : undefined;
  if (overlay) width = ops.mountWidth(overlay, columns, rows);
  const text = textOf(component.render(width));
  if (overlay) mounted.bounds = overlay.hidden ? undefined : ops.mountBounds(overlay, text.count, columns, rows);
  const keys = mounted.focused ?? component;
  const captures = keys.capturesViewportInput;
  const isCapturing = typeof captures === "function" ? apply(captures as () => unknown, keys, []) === true : captures === true;
  const flags =
    (keys.wantsKeyRelease ? 1 : 0) | (component.handleMouse ? 2 : 0) | (text.isCut ? 4 : 0) | (embedsWorking(component) ? 8 : 0) |
    (isCapturing ? 16 : 0);
  return [text.text, flags, overlay];
}

/** The lines of a component below each other; that of no lines is nothing. */
export function textOf(lines: unknown): { text: string | undefined; count: number; isCut: boolean } {
  if (!isArray(lines)) throw new TypeError("render() gave no list of lines");
  const count = lines.length < MOST_LINES ? lines.length : MOST_LINES;
  let text: string | undefined;
  for (let index = 0; index < count; index++) {
    const line = String(lines[index] ?? "");
    if ((text?.length ?? 0) + line.length > MOST_TEXT) return { text, count: index, isCut: true };
    text = text === undefined ? line : `${text}\n${line}`;
  }
  return { text, count, isCut: count < lines.length };
}

function layoutOf(mounted: Mounted, columns: number, rows: number): object & { hidden: boolean; width?: unknown } {
  const options = mounted.overlay ?? {};
  const { visible, ...rest } = options;
  const hidden = typeof visible === "function" && !visible(columns, rows);
  return { ...rest, width: options.width ?? (mounted.hasOwnWidth ? mounted.component.width : undefined), hidden };
}

/** A component is not on the screen any more. */
export function disposeMounted(number: number): void {
  const mounted = mapGet(mounts, number);
  if (!mounted) return;
  mapDelete(mounts, number);
  mounted.component.dispose?.();
}
