// The screen, as components and extensions know it: `tui`. What of it an extension must not own does nothing.
import { ops } from "tau:ops";
import { Map, mapDelete, mapGet, mapSet } from "../../internal/primordials.ts";
import { Container } from "../../pi/tui/component.ts";
import { keep } from "../calls.ts";
import { isComponent, type Component, type Mounted, type OverlayOptions } from "./component.ts";
import { comingOf, focusPart, hasKeys, mountedBy, mountedOf, place, redraw } from "./mounted.ts";

type Listener = (data: string) => unknown;

/** The title that a sequence gives the window, and its progress. */
const TITLE = /^\x1b\][02];([^\x07\x1b]*)(?:\x07|\x1b\\)/;
const PROGRESS = /^\x1b\]9;4;(\d)[^\x07\x1b]*(?:\x07|\x1b\\)/;
/** How many overlays may be on their way to the screen: one that shows them faster than it paints has to stop. */
const MOST_COMING = 500;

/** The terminal. What an extension must not do with it does nothing. */
class ScreenTerminal {
  readonly #extension: number;

  constructor(extension: number) {
    this.#extension = extension;
  }

  get columns(): number {
    return ops.uiScreen(this.#extension)[0];
  }
  get rows(): number {
    return ops.uiScreen(this.#extension)[1];
  }
  get kittyProtocolActive(): boolean {
    return ops.uiHasKittyKeys(this.#extension);
  }
  /** Of what is written, the title of the window and progress are shown. */
  write(data: string): void {
    let rest = String(data);
    for (;;) {
      const [title, progress] = [TITLE.exec(rest), PROGRESS.exec(rest)];
      if (title) this.setTitle(title[1]);
      if (progress) this.setProgress(progress[1] !== "0");
      const taken = (title ?? progress)?.[0].length;
      if (taken === undefined) return;
      rest = rest.slice(taken);
    }
  }
  setTitle(title: string): void {
    ops.uiSetTitle(this.#extension, 0, String(title));
  }
  setProgress(works: boolean): void {
    ops.uiSetProgress(this.#extension, 0, !!works);
  }
  hideCursor(): void {}
  showCursor(): void {}
  clearLine(): void {}
  clearFromCursor(): void {}
  clearScreen(): void {}
  moveBy(): void {}
}

/** What a screen has that is the program's alone, as `isViewportTUI()` asks for it. */
const VIEWPORT = Symbol.for("@earendil-works/pi-tui/viewport");

/** The screen of one extension. */
class Screen extends Container {
  readonly terminal: ScreenTerminal;
  onDebug: (() => void) | undefined;
  readonly #extension: number;
  readonly #listeners = new Map<Listener, () => void>();
  #clearsOnShrink = false;
  #isStopped = false;
  /** Overlays that are asked for and not there yet. */
  #coming = 0;

  constructor(extension: number) {
    super();
    this.#extension = extension;
    this.terminal = new ScreenTerminal(extension);
  }

  get fullRedraws(): number {
    return 0;
  }

  requestRender(): void {
    for (const mounted of mountedBy(this.#extension)) redraw(mounted);
  }

  renderNow(): void {
    this.requestRender();
  }

  invalidate(): void {
    for (const mounted of mountedBy(this.#extension)) {
      mounted.component.invalidate?.();
      redraw(mounted);
    }
  }

  showOverlay(component: Component, options: OverlayOptions = {}): object {
    if (!isComponent(component)) throw new TypeError("showOverlay() takes a component");
    if (this.#coming >= MOST_COMING) throw new RangeError(`${MOST_COMING} overlays are on their way to the screen already`);
    const extension = this.#extension;
    let mounted: Mounted | undefined;
    const waiting: ((mounted: Mounted) => void)[] = [];
    const raised = nextRaised();
    this.#coming += 1;
    ops.uiShowOverlay(
      extension,
      0,
      keep((number: number) => {
        this.#coming -= 1;
        mounted = {
          number, extension, place: "overlay", component, overlay: options, isDirty: false,
          takesKeys: !options.nonCapturing, hasFocus: false, isHidden: false, raised,
        };
        place(mounted);
        if (mounted.takesKeys && isOnTop(mounted)) takeFocus(mounted, raised);
        for (const use of waiting) use(mounted);
        return comingOf(mounted);
      }),
    );
    const handle = new OverlayHandle(extension, (use) => (mounted ? use(mounted) : void waiting.push(use)));
    if (!options.nonCapturing) mapSet(claims, extension, handle);
    return handle;
  }

  /** Takes the topmost overlay away. */
  hideOverlay(): void {
    let top: Mounted | undefined;
    for (const mounted of overlaysOf(this.#extension)) {
      if (!top || (mounted.raised ?? 0) > (top.raised ?? 0)) top = mounted;
    }
    if (!top) return;
    top.isOver = true;
    ops.mountWish(top.number, "done", undefined);
  }

  hasOverlay(): boolean {
    return this.#coming > 0 || overlaysOf(this.#extension).some((mounted) => !mounted.isHidden);
  }

  /** What stands on the screen gets the keys; a part of it gets them in the place of the component that has them. */
  setFocus(component: Component | null): void {
    const own = mountedBy(this.#extension);
    const whole = own.find((mounted) => mounted.component === component);
    const holder = whole ?? own.find((mounted) => mounted.hasFocus) ?? own[own.length - 1];
    if (!holder) return;
    focusPart(holder, whole || !component ? undefined : component);
    if (whole && !whole.hasFocus) ops.mountWish(whole.number, "focus", undefined);
  }

  getFocusedComponent(): Component | null {
    const holder = mountedBy(this.#extension).find((mounted) => mounted.hasFocus);
    return holder?.focused ?? holder?.component ?? null;
  }

  get mode(): string {
    return ops.uiMode(this.#extension);
  }

  get [VIEWPORT](): boolean {
    return this.mode === "fullscreen";
  }
  setLayoutRoot(): void {}

  addInputListener(listener: Listener): () => void {
    const off = listen(this.#extension, 0, listener);
    this.#listeners.set(listener, off);
    return () => this.removeInputListener(listener);
  }

  removeInputListener(listener: Listener): void {
    this.#listeners.get(listener)?.();
    this.#listeners.delete(listener);
  }

  /** Another program gets the terminal, until `start()`. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    ops.uiLend(this.#extension, true);
  }

  start(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    ops.uiLend(this.#extension, false);
  }

  getShowHardwareCursor(): boolean {
    return ops.uiHasHardwareCursor(this.#extension);
  }
  setShowHardwareCursor(): void {}
  getClearOnShrink(): boolean {
    return this.#clearsOnShrink;
  }
  setClearOnShrink(clears: boolean): void {
    this.#clearsOnShrink = clears;
  }
  async queryTerminalBackgroundColor(): Promise<undefined> {
    return undefined;
  }
  async queryTerminalColorScheme(): Promise<undefined> {
    return undefined;
  }
  onTerminalColorSchemeChange(): () => void {
    return () => {};
  }
  setTerminalColorSchemeNotifications(): void {}
}

/** What a listener made of a key. */
interface Answer {
  consume?: unknown;
  data?: unknown;
}

/** Lets an extension hear what the user types; gives what ends that. */
export function listen(extension: number, call: number, listener: Listener): () => void {
  let isOver = false;
  let rejected: { error: unknown } | undefined;
  const number = keep((data: string) => {
    // It was asked before the screen knew.
    if (isOver) return undefined;
    const result = listener(data) as Answer | PromiseLike<unknown> | undefined;
    // A promise is not awaited. If it fails, the failure is reported with the next key.
    if (typeof (result as PromiseLike<unknown>)?.then === "function") {
      (result as PromiseLike<unknown>).then(undefined, (error: unknown) => (rejected = { error }));
      const before = rejected;
      rejected = undefined;
      if (before) throw before.error;
      return undefined;
    }
    if ((result as Answer | undefined)?.consume) return true;
    const changed = (result as Answer | undefined)?.data;
    return typeof changed === "string" ? changed : undefined;
  });
  ops.uiOnTerminalInput(extension, call, number);
  return () => {
    isOver = true;
    ops.uiOffTerminalInput(extension, number);
  };
}

type Use = (mounted: Mounted) => void;

/** The overlays of an extension that stay. */
function overlaysOf(extension: number): Mounted[] {
  return mountedBy(extension).filter((mounted) => mounted.place === "overlay" && !mounted.isOver);
}

let raised = 0;

/** What lies above everything that came before. */
export function nextRaised(): number {
  return (raised += 1);
}

/** Whether no other component of its extension has the keys that came to lie above it. */
function isOnTop(mounted: Mounted): boolean {
  return !mountedBy(mounted.extension).some((other) => other.hasFocus && (other.raised ?? 0) > (mounted.raised ?? 0));
}

/** The handles of overlays that get the keys as soon as they are there, by extension. */
const claims = new Map<number, OverlayHandle>();

/** A component in the place of the editor is there: it has the keys, above the overlays that its extension has. */
export function standsInline(mounted: Mounted): void {
  mapDelete(claims, mounted.extension);
  takeFocus(mounted);
}

/** One has the keys now, and no other of its extension. They all hear of it later; scripts may ask before. */
export function takeFocus(mounted: Mounted, order = nextRaised()): void {
  mounted.raised = order;
  for (const other of mountedBy(mounted.extension)) {
    const has = other === mounted;
    if (other.hasFocus !== has) redraw(other);
    other.hasFocus = has;
  }
}

/** What an extension can do with an overlay of its own. */
class OverlayHandle {
  readonly #use: (use: Use) => void;
  readonly #extension: number;
  #isHidden = false;
  #number: number | undefined;

  constructor(extension: number, use: (use: Use) => void) {
    this.#extension = extension;
    this.#use = use;
    use((mounted) => {
      this.#number = mounted.number;
      this.#claims(false);
    });
  }

  /** Whether it is to have the keys as soon as it is there. */
  #claims(wants: boolean): void {
    if (wants) mapSet(claims, this.#extension, this);
    else if (mapGet(claims, this.#extension) === this) mapDelete(claims, this.#extension);
  }

  hide(): void {
    this.#claims(false);
    this.#use((mounted) => {
      mounted.isOver = true;
      ops.mountWish(mounted.number, "done", undefined);
    });
  }

  setHidden(hidden: boolean): void {
    this.#isHidden = hidden;
    this.#use((mounted) => {
      mounted.isHidden = hidden;
      ops.mountWish(mounted.number, "hide", hidden);
    });
  }

  isHidden(): boolean {
    return this.#isHidden;
  }

  focus(): void {
    if (this.#number === undefined) this.#claims(true);
    this.#use((mounted) => {
      mounted.takesKeys = true;
      takeFocus(mounted);
      ops.mountWish(mounted.number, "focus", undefined);
    });
  }

  unfocus(options?: { target?: Component | null }): void {
    this.#claims(false);
    const target = options?.target;
    this.#use((mounted) => {
      mounted.takesKeys = mounted.hasFocus = false;
      ops.mountWish(mounted.number, "unfocus", undefined);
      if (!target) return;
      for (const other of mountedBy(mounted.extension)) {
        if (other.component === target) ops.mountWish(other.number, "focus", undefined);
      }
    });
  }

  isFocused(): boolean {
    const claim = mapGet(claims, this.#extension);
    if (claim) return claim === this && !this.#isHidden;
    const mounted = this.#number === undefined ? undefined : mountedOf(this.#number);
    return mounted !== undefined && hasKeys(mounted);
  }

  getBounds(): object | undefined {
    const mounted = this.#number === undefined ? undefined : mountedOf(this.#number);
    return mounted?.isHidden ? undefined : mounted?.bounds;
  }
}

/** What an extension can do with the overlay that a component of it stands in. */
export function handleOf(mounted: Mounted): object {
  return new OverlayHandle(mounted.extension, (use) => use(mounted));
}

const screens = new Map<number, Screen>();

/** The screen of an extension. */
export function tuiOf(extension: number): Screen {
  let screen = mapGet(screens, extension);
  if (!screen) mapSet(screens, extension, (screen = new Screen(extension)));
  return screen;
}
