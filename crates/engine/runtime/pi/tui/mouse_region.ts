// Mouse handling for components that have none.
import { dispatchMouseEvent } from "./component.ts";

/** Shows a component and handles the mouse events it leaves. */
export class MouseRegion {
  child: any;
  onMouse: (event: any) => any;

  constructor(child: any, onMouse: (event: any) => any) {
    this.child = child;
    this.onMouse = onMouse;
  }

  render(width: number): string[] {
    return this.child.render(width);
  }

  handleMouse(event: any): any {
    return dispatchMouseEvent(this.child, event) ?? this.onMouse(event);
  }

  invalidate(): void {
    this.child.invalidate();
  }
}
