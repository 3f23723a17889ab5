// What components are made of: containers, focus, and the way of a mouse event.
import { isImageLine } from "./image_protocol.ts";
import { overlayLine } from "./text_layout.ts";

/** A sequence that takes no columns and says where the terminal's own cursor belongs. */
export const CURSOR_MARKER = "\x1b_pi:c\x07";

/** Whether a component can have the keyboard focus. */
export function isFocusable<Component extends object>(component: Component | null): component is Component & { focused: boolean } {
  return component !== null && "focused" in component;
}

/** Whether a screen manages its own viewport (fullscreen) instead of writing into the terminal's scrollback. */
export function isViewportTUI(tui: any): boolean {
  return tui[Symbol.for("@earendil-works/pi-tui/viewport")] === true;
}

/** Lays an overlay over `overlayWidth` columns of a line, from column `startCol` on. */
export function compositeTuiLine(
  baseLine: string, overlay: string, startCol: number, overlayWidth: number, totalWidth: number,
): string {
  return isImageLine(baseLine) ? baseLine : overlayLine(baseLine, overlay, startCol, overlayWidth, totalWidth);
}

/** Offers a mouse event to a component; the result remembers who took it and where that one stands. */
export function dispatchMouseEvent(component: any, event: any): any {
  const result = component.handleMouse?.(event);
  if (!result || "target" in result) return result || undefined;
  if (!result.handled && !result.capture && !result.focus) return undefined;
  const target = {
    component,
    originX: event.screenX - event.x,
    originY: event.screenY - event.y,
    width: event.width,
    height: event.height,
  };
  return { ...result, handled: true, ...(result.focus ? { focusTarget: component } : {}), target };
}

/** Children stacked on each other, with the height each had when last rendered. */
export type Stacked = { width: number; children: { component: any; height: number }[] } | undefined;

/** Offers a mouse event to the stacked child under it. */
export function dispatchToStacked(stacked: Stacked, children: any[], event: any): any {
  const heights =
    stacked?.width === event.width
      ? stacked!.children
      : children.map((component) => ({ component, height: component.render(event.width).length }));
  let top = 0;
  for (const { component, height } of heights) {
    if (event.y >= top && event.y < top + height) {
      return dispatchMouseEvent(component, { ...event, y: event.y - top, height });
    }
    top += height;
  }
  return undefined;
}

/** A component that shows its children below each other. */
export class Container {
  children: any[] = [];
  mouseLayout: Stacked;

  addChild(component: any): void {
    this.children.push(component);
  }

  removeChild(component: any): void {
    const index = this.children.indexOf(component);
    if (index !== -1) this.children.splice(index, 1);
  }

  clear(): void {
    this.children = [];
  }

  invalidate(): void {
    for (const child of this.children) child.invalidate?.();
  }

  handleMouse(event: any): any {
    if (event.y < 0 || event.y >= event.height) return undefined;
    const result = dispatchToStacked(this.mouseLayout, this.children, event);
    // A container that takes keys itself keeps the focus when a part of it is clicked.
    return result?.focus && (this as any).handleInput ? { ...result, focusTarget: this } : result;
  }

  render(width: number): string[] {
    const lines: string[] = [];
    const children = [];
    for (const component of this.children) {
      const own = component.render(width);
      children.push({ component, height: own.length });
      for (const line of own) lines.push(line);
    }
    this.mouseLayout = { width, children };
    return lines;
  }
}
