// A frame of padding and background.
import { dispatchToStacked, type Stacked } from "./component.ts";
import { withBackground } from "./text_layout.ts";

type Background = (text: string) => string;

/** A container that puts padding and a background around its children. */
export class Box {
  children: any[] = [];
  paddingX: number;
  paddingY: number;
  bgFn: Background | undefined;
  cache: { width: number; sample: string | undefined; content: string[]; lines: string[] } | undefined;
  mouseLayout: Stacked;

  constructor(paddingX = 1, paddingY = 1, bgFn?: Background) {
    this.paddingX = paddingX;
    this.paddingY = paddingY;
    this.bgFn = bgFn;
  }

  addChild(component: any): void {
    this.children.push(component);
    this.cache = undefined;
  }

  removeChild(component: any): void {
    const index = this.children.indexOf(component);
    if (index === -1) return;
    this.children.splice(index, 1);
    this.cache = undefined;
  }

  clear(): void {
    this.children = [];
    this.cache = undefined;
  }

  /** Another background; whether it looks different shows when rendering. */
  setBgFn(bgFn?: Background): void {
    this.bgFn = bgFn;
  }

  invalidate(): void {
    this.cache = undefined;
    for (const child of this.children) child.invalidate?.();
  }

  handleMouse(event: any): any {
    const width = Math.max(1, event.width - this.paddingX * 2);
    const x = event.x - this.paddingX;
    const y = event.y - this.paddingY;
    if (y < 0 || x < 0 || x >= width) return undefined;
    return dispatchToStacked(this.mouseLayout, this.children, { ...event, x, y, width });
  }

  render(width: number): string[] {
    if (this.children.length === 0) return [];
    const contentWidth = Math.max(1, width - this.paddingX * 2);
    const margin = " ".repeat(this.paddingX);
    const content: string[] = [];
    const children = [];
    for (const component of this.children) {
      const own = component.render(contentWidth);
      children.push({ component, height: own.length });
      for (const line of own) content.push(margin + line);
    }
    this.mouseLayout = { width: contentWidth, children };
    if (content.length === 0) return [];
    // The same function may colour differently after a theme change, so what it does is compared, not it.
    const sample = this.bgFn?.("test");
    const cache = this.cache;
    if (cache?.width === width && cache.sample === sample && sameLines(cache.content, content)) return cache.lines;
    const background = (line: string) => withBackground(line, width, this.bgFn);
    const empty = Array.from({ length: Math.max(0, Math.ceil(this.paddingY)) }, () => background(""));
    const lines = [...empty, ...content.map(background), ...empty];
    this.cache = { width, sample, content, lines };
    return lines;
  }
}

function sameLines(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
