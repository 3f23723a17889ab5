// Factories of components: what Rust calls when a place on the screen is there for one.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { TypeError } from "../../internal/primordials.ts";
import { keep } from "../calls.ts";
import { dialectOf } from "../dialect.ts";
import { isComponent, type Mounted, type OverlayOptions } from "./component.ts";
import { connectEditor } from "./editor.ts";
import { footerDataOf, tellBranch } from "./footer.ts";
import { keybindings } from "./keys.ts";
import { comingOf, disposeMounted, place } from "./mounted.ts";
import { handleOf, nextRaised, standsInline, takeFocus, tuiOf } from "./tui.ts";

export type Factory = (...args: unknown[]) => unknown;

/** What an extension says about a component, beside its factory. */
export interface MountOptions {
  overlay?: unknown;
  overlayOptions?: unknown;
  onHandle?: (handle: object) => unknown;
}

/** What became of a component that somebody waits for. */
export interface Outcome {
  value?: unknown;
  error?: { thrown: unknown };
}

/** What became of the call of a factory. */
interface Made {
  component?: unknown;
  thrown?: { error: unknown };
  /** It is done already. */
  isDone: boolean;
  /** The number of the place on the screen, once there is one. */
  number?: number;
}

/**
 * A factory under the number that Rust calls it by. It is called at once, as scripts expect; what it makes stands on the
 * screen when there is a place for it.
 */
export function keepFactory(
  extension: number, place: string, factory: Factory, options: MountOptions = {}, outcome: Outcome = {},
): number {
  const made: Made = { isDone: false };
  const done = (value?: unknown) => {
    if (made.isDone) return;
    made.isDone = true;
    outcome.value = value;
    if (made.number !== undefined) ops.mountWish(made.number, "done", undefined);
  };
  try {
    made.component = call(extension, factory, place, done);
    // Who waits for it hears of its failure.
    if (typeof (made.component as PromiseLike<unknown>)?.then === "function") {
      (made.component as PromiseLike<unknown>).then(undefined, () => {});
    }
  } catch (error) {
    made.thrown = { error };
  }
  return keep((number: number, where: string) => stand(extension, made, options, outcome, number, where));
}

/**
 * What there is to say of the component, as flags. What is there at once is placed within the call, so that what the extension
 * has to say about it has the time of this call.
 */
function stand(
  extension: number, made: Made, options: MountOptions, outcome: Outcome, number: number, where: string,
): number | Promise<number> {
  made.number = number;
  const { component } = made;
  if (made.thrown || typeof (component as PromiseLike<unknown> | undefined)?.then !== "function") {
    return standing(extension, made, component, options, outcome, number, where);
  }
  return (async () => {
    try {
      made.component = await component;
    } catch (error) {
      made.thrown = { error };
    }
    return standing(extension, made, made.component, options, outcome, number, where);
  })();
}

/** One that is done before it is there is never shown. */
function standing(
  extension: number, made: Made, component: unknown, options: MountOptions, outcome: Outcome, number: number, where: string,
): number {
  let mounted: Mounted | undefined;
  try {
    if (made.thrown) throw made.thrown.error;
    if (made.isDone) {
      ops.mountWish(number, "done", undefined);
      return 0;
    }
    if (!isComponent(component)) throw new TypeError("the factory gave no component");
    mounted = { number, extension, place: where, component, isDirty: false, takesKeys: false, hasFocus: false, isHidden: false };
    if (where === "overlay") {
      mounted.overlay = overlayOf(options.overlayOptions);
      mounted.hasOwnWidth = options.overlayOptions === undefined;
      mounted.raised = nextRaised();
      mounted.takesKeys = !mounted.overlay.nonCapturing;
    }
    if (where === "footer") mounted.onBranch = tellBranch;
    place(mounted);
    if (mounted.takesKeys) takeFocus(mounted);
    if (where === "dialog") standsInline(mounted);
    if (where === "editor") connectEditor(mounted);
    if (where === "overlay") options.onHandle?.(handleOf(mounted));
    return comingOf(mounted);
  } catch (thrown) {
    outcome.error = { thrown };
    if (mounted) disposeMounted(number);
    // It cannot give the terminal back any more.
    tuiOf(extension).start();
    throw thrown;
  }
}

function call(extension: number, factory: Factory, where: string, done: (value?: unknown) => void): unknown {
  const tui = tuiOf(extension);
  const { theme } = importNow("tau:host/theme.ts");
  switch (where) {
    case "footer":
      return factory(tui, theme, footerDataOf(extension));
    case "header":
    case "widget":
      return factory(tui, theme);
    case "editor":
      return factory(tui, importNow("tau:pi/coding-agent/themes.ts").getEditorTheme(), keybindings(extension));
    default: {
      const short = dialectOf(extension).keybindingsIfAsked && factory.length <= 3;
      return short ? factory(tui, theme, done) : factory(tui, theme, keybindings(extension), done);
    }
  }
}

/** They may be computed, once. */
function overlayOf(options: unknown): OverlayOptions {
  const given = typeof options === "function" ? (options as () => unknown)() : options;
  return (given as OverlayOptions | undefined) ?? {};
}
