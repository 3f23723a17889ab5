// A window on a component that is taller than the screen.
import { Container } from "./component.ts";

const LAYOUT_NODE = Symbol.for("@earendil-works/pi-tui/layout-node");
const grey = (code: number) => (text: string) => `\x1b[${code}m${text}\x1b[39m`;

/** Scrolls its one child. The screen that lays it out tells it the heights; alone it shows its whole child. */
export class ScrollView extends Container {
  child: any;
  followEnd: boolean;
  primary: boolean;
  overscroll: string;
  scrollbarTrackStyle: (text: string) => string;
  scrollbarThumbStyle: (text: string) => string;
  scrollbarHideDelayMs: number;
  currentScrollbar: string;
  currentScrollTop = 0;
  contentHeight = 0;
  currentViewportHeight = 0;
  followingEnd: boolean;
  /** The end was reached without wanting to follow it. */
  followSuppressedAtEnd = false;
  requestRenderCallback: (() => void) | undefined;
  transientScrollbarVisible = false;
  scrollbarActive = false;
  scrollbarHideTimer: any;

  constructor(component: any, options: any = {}) {
    super();
    if (options.axis !== undefined && options.axis !== "vertical") {
      throw new Error(`Unsupported ScrollView axis: ${options.axis}`);
    }
    this.child = component;
    this.children.push(component);
    this.followEnd = (options.follow ?? "none") === "end";
    this.followingEnd = this.followEnd;
    this.primary = options.primary ?? false;
    this.overscroll = options.overscroll ?? "chain";
    this.currentScrollbar = options.scrollbar ?? "hidden";
    this.scrollbarTrackStyle = options.scrollbarTrackStyle ?? grey(90);
    this.scrollbarThumbStyle = options.scrollbarThumbStyle ?? grey(37);
    this.scrollbarHideDelayMs = Math.max(0, Math.floor(options.scrollbarHideDelayMs ?? 1000));
  }

  get scrollTop(): number {
    return this.currentScrollTop;
  }

  get isFollowingEnd(): boolean {
    return this.followingEnd;
  }

  get viewportHeight(): number {
    return this.currentViewportHeight;
  }

  get scrollbar(): string {
    return this.currentScrollbar;
  }

  get isScrollbarVisible(): boolean {
    if (this.scrollbar === "always") return this.currentViewportHeight > 0;
    return this.scrollbar === "auto" && this._overflows() && this.transientScrollbarVisible;
  }

  get isScrollbarActive(): boolean {
    return this.scrollbarActive;
  }

  setScrollbar(scrollbar: string): void {
    if (scrollbar === this.currentScrollbar) return;
    this.currentScrollbar = scrollbar;
    if (scrollbar !== "auto") this.hideTransientScrollbar();
    else if (this.scrollbarActive) this.markScrollbarActivity();
    this.requestRenderCallback?.();
  }

  setScrollbarActive(active: boolean): void {
    if (active === this.scrollbarActive) return;
    this.scrollbarActive = active;
    this.markScrollbarActivity();
    this.requestRenderCallback?.();
  }

  /** The columns left for the child beside the scrollbar. */
  getContentWidth(width: number): number {
    return this.scrollbar === "always" && width > 1 ? width - 1 : width;
  }

  /** Shows a scrollbar of the kind that hides itself again. */
  markScrollbarActivity(): void {
    if (this.scrollbar !== "auto" || !this._overflows()) return;
    this.hideTransientScrollbar();
    this.transientScrollbarVisible = true;
    if (this.scrollbarActive) return;
    this.scrollbarHideTimer = setTimeout(() => {
      this.scrollbarHideTimer = undefined;
      this.transientScrollbarVisible = false;
      this.requestRenderCallback?.();
    }, this.scrollbarHideDelayMs);
    this.scrollbarHideTimer.unref?.();
  }

  hideTransientScrollbar(): void {
    this.transientScrollbarVisible = false;
    if (this.scrollbarHideTimer === undefined) return;
    clearTimeout(this.scrollbarHideTimer);
    this.scrollbarHideTimer = undefined;
  }

  /** Shows the child from a line on; with `disableFollow` the end is not followed even there. */
  scrollTo(scrollTop: number, options: { disableFollow?: boolean } = {}): void {
    const requested = Number.isFinite(scrollTop) ? Math.trunc(scrollTop) : this.currentScrollTop;
    const next = this._clamp(requested);
    const atEnd = next === this._maxScrollTop();
    const suppressed = options.disableFollow === true && atEnd;
    this._moveTo(next, !suppressed && this.followEnd && atEnd, suppressed);
  }

  /** Scrolls by some lines; gives those that there was no room for. */
  scrollBy(lines: number): number {
    const requested = Number.isFinite(lines) ? Math.trunc(lines) : 0;
    if (requested === 0) return 0;
    const start = this.followingEnd ? this._maxScrollTop() : this.currentScrollTop;
    const next = this._clamp(start + requested);
    const wasFollowing = this.followingEnd;
    this.currentScrollTop = next;
    this.followingEnd = this.followEnd && next === this._maxScrollTop();
    this.followSuppressedAtEnd = false;
    if (next !== start) this.markScrollbarActivity();
    if (next !== start || this.followingEnd !== wasFollowing) this.requestRenderCallback?.();
    return requested - (next - start);
  }

  scrollToStart(): void {
    this._jumpTo(0, this.followEnd && !this._overflows());
  }

  scrollToEnd(): void {
    this._jumpTo(this._maxScrollTop(), this.followEnd);
  }

  /** Told by the screen after laying out. */
  updateLayout(contentHeight: number, viewportHeight: number, requestRender: () => void): void {
    this.contentHeight = Math.max(0, Math.floor(contentHeight));
    this.currentViewportHeight = Math.max(0, Math.floor(viewportHeight));
    this.requestRenderCallback = requestRender;
    const end = this._maxScrollTop();
    this.currentScrollTop = this.followingEnd ? end : this._clamp(this.currentScrollTop);
    if (this.currentScrollTop < end) this.followSuppressedAtEnd = false;
    if (this.followEnd && this.currentScrollTop === end && !this.followSuppressedAtEnd) this.followingEnd = true;
    if (!this._overflows()) this.hideTransientScrollbar();
  }

  addChild(_component: any): void {
    throw new Error("ScrollView has exactly one child");
  }

  removeChild(_component: any): void {
    throw new Error("ScrollView child cannot be removed");
  }

  clear(): void {
    throw new Error("ScrollView child cannot be cleared");
  }

  render(width: number): string[] {
    const contentWidth = this.getContentWidth(width);
    const lines = this.child.render(contentWidth);
    return contentWidth === width ? lines : lines.map((line: string) => `${line} `);
  }

  _overflows(): boolean {
    return this.contentHeight > this.currentViewportHeight;
  }

  _maxScrollTop(): number {
    return Math.max(0, this.contentHeight - this.currentViewportHeight);
  }

  _clamp(scrollTop: number): number {
    return Math.max(0, Math.min(this._maxScrollTop(), scrollTop));
  }

  _moveTo(next: number, following: boolean, suppressed: boolean): void {
    const moved = next !== this.currentScrollTop;
    if (!moved && following === this.followingEnd && suppressed === this.followSuppressedAtEnd) return;
    this.currentScrollTop = next;
    this.followingEnd = following;
    this.followSuppressedAtEnd = suppressed;
    if (moved) this.markScrollbarActivity();
    this.requestRenderCallback?.();
  }

  _jumpTo(next: number, following: boolean): void {
    const changed = this.currentScrollTop !== next || this.followingEnd !== following;
    this.currentScrollTop = next;
    this.followingEnd = following;
    this.followSuppressedAtEnd = false;
    if (!changed) return;
    this.markScrollbarActivity();
    this.requestRenderCallback?.();
  }

  [LAYOUT_NODE](): any {
    return { type: "scroll", component: this.child, state: this };
  }
}
