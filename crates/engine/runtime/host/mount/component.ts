// What components are, as the host meets them: objects of extensions, of which nothing is sure.

/** Something that draws itself. */
export interface Component {
  render(width: number): unknown;
  handleInput?(data: string): unknown;
  handleMouse?(event: object): unknown;
  invalidate?(): unknown;
  dispose?(): unknown;
  setExpanded?(expanded: boolean): unknown;
  /** An editor that shows itself what is under way. */
  embedWorkingStatus?: unknown;
  setWorkingStatusIndicator?(indicator: object | undefined): unknown;
  wantsKeyRelease?: unknown;
  /** The keys that scroll the conversation are for it. */
  capturesViewportInput?: unknown;
  focused?: unknown;
  width?: unknown;
}

/** How a component lies over the screen, as extensions write it. */
export interface OverlayOptions {
  visible?: (columns: number, rows: number) => unknown;
  width?: unknown;
  [option: string]: unknown;
}

/** A component that stands somewhere on the screen. */
export interface Mounted {
  readonly number: number;
  /** The `pi` of the extension that it belongs to. */
  readonly extension: number;
  readonly place: string;
  readonly component: Component;
  /** How it lies over the screen, if it does. */
  overlay?: OverlayOptions;
  /** Nothing was said of how it lies: it is as wide as it says. */
  hasOwnWidth?: boolean;
  /** It has asked for new lines, and they were not drawn yet. */
  isDirty: boolean;
  /** Over the screen, it gets the keys while it is on top. */
  takesKeys: boolean;
  hasFocus: boolean;
  /** A part of it that has the keys in its place. */
  focused?: Component;
  isHidden: boolean;
  /** It is about to be taken away. */
  isOver?: boolean;
  /** When it came to lie on top of the others of its extension. */
  raised?: number;
  /** Where it was drawn last. */
  bounds?: { row: number; col: number; width: number; height: number };
  /** Hears of other branches. */
  onBranch?: () => void;
  /** Called before it is drawn. */
  onDraw?: () => void;
  /** Called after it was told something that may have changed it. */
  onTold?: () => void;
}

/** Whether something is a component. */
export function isComponent(value: unknown): value is Component {
  return typeof value === "object" && value !== null && typeof (value as Component).render === "function";
}
