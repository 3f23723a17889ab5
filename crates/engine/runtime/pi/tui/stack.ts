// Children next to each other that share the room there is.
import { compositeTuiLine, Container } from "./component.ts";
import { visibleWidth } from "./text_layout.ts";

type Entry = {
  component: any;
  /** Size before sharing: a number, or what the content needs. */
  basis?: number | "auto";
  grow?: number;
  shrink?: number;
  minSize?: number;
  maxSize?: number;
  visible?: (viewport: { width: number; height: number }) => boolean;
};

const LAYOUT_NODE = Symbol.for("@earendil-works/pi-tui/layout-node");
const UNLIMITED = Number.MAX_SAFE_INTEGER;

function size(value: number | undefined, fallback: number): number {
  return value === undefined || !Number.isFinite(value) ? fallback : Math.max(0, Math.floor(value));
}

/** What `VStack` and `HStack` have in common. */
export class Stack extends Container {
  entries: Entry[] = [];
  gap: number;
  align: string;

  constructor(children: any[] = [], options: { gap?: number; align?: string } = {}) {
    super();
    this.gap = size(options.gap, 0);
    this.align = options.align ?? "stretch";
    for (const child of children) {
      if ("render" in child) this.addChild(child);
      else this.addChild(child.component, child);
    }
  }

  addChild(component: unknown, options: Partial<Entry> = {}): void {
    super.addChild(component);
    const entry: Entry = { component };
    if (options.basis !== undefined) entry.basis = options.basis;
    if (options.grow !== undefined) entry.grow = size(options.grow, 0);
    if (options.shrink !== undefined) entry.shrink = size(options.shrink, 1);
    if (options.minSize !== undefined) entry.minSize = size(options.minSize, 0);
    if (options.maxSize !== undefined) entry.maxSize = size(options.maxSize, UNLIMITED);
    if (options.visible !== undefined) entry.visible = options.visible;
    this.entries.push(entry);
  }

  removeChild(component: unknown): void {
    super.removeChild(component);
    const index = this.entries.findIndex((entry) => entry.component === component);
    if (index !== -1) this.entries.splice(index, 1);
  }

  clear(): void {
    super.clear();
    this.entries.length = 0;
  }

  /** The children shown in a viewport of this width. */
  _visibleEntries(width: number): Entry[] {
    const viewport = { width, height: UNLIMITED };
    return this.entries.filter((entry) => entry.visible?.(viewport) ?? true);
  }

  [LAYOUT_NODE](): any {
    return { type: (this as any).layoutType, entries: this.entries, gap: this.gap, align: this.align };
  }
}

/** The sizes of entries whose contents need `intrinsic`, in `available` columns or rows if that is limited. */
export function allocateSizes(entries: Entry[], intrinsic: number[], available: number | undefined, gap: number): number[] {
  const sizes = entries.map((entry, index) => {
    const wanted = entry.basis === undefined || entry.basis === "auto" ? (intrinsic[index] ?? 0) : entry.basis;
    const min = Math.max(0, Math.floor(entry.minSize ?? 0));
    const max = Math.max(min, Math.floor(entry.maxSize ?? UNLIMITED));
    return Math.max(min, Math.min(max, Math.floor(wanted)));
  });
  if (available !== undefined) {
    const room = Math.max(0, Math.floor(available) - Math.max(0, entries.length - 1) * gap);
    share(sizes, entries, room - sizes.reduce((sum, own) => sum + own, 0));
  }
  return sizes;
}

/** Spreads `surplus` over the sizes by their weights, in rounds until nothing is left; a negative one is taken. */
function share(sizes: number[], entries: Entry[], surplus: number): void {
  const grows = surplus > 0;
  let remaining = Math.abs(surplus);
  const weight = (index: number) =>
    grows ? (entries[index].grow ?? 0) : (entries[index].shrink ?? 1) * Math.max(1, sizes[index]);
  const capacity = (index: number) =>
    grows ? (entries[index].maxSize ?? UNLIMITED) - sizes[index] : sizes[index] - (entries[index].minSize ?? 0);
  const takesPart = (index: number) =>
    (grows ? (entries[index].grow ?? 0) : (entries[index].shrink ?? 1)) > 0 && capacity(index) > 0;
  while (remaining > 0) {
    const parts = [...entries.keys()].filter(takesPart);
    const total = parts.reduce((sum, index) => sum + weight(index), 0);
    const before = remaining;
    for (const index of parts) {
      if (remaining <= 0) break;
      const proposed = Math.max(1, Math.floor((remaining * weight(index)) / total));
      const delta = Math.min(remaining, proposed, capacity(index));
      if (delta <= 0) continue;
      sizes[index] += grows ? delta : -delta;
      remaining -= delta;
    }
    if (remaining === before) return;
  }
}

/** Children below each other, with a gap between them. */
export class VStack extends Stack {
  layoutType = "vstack";

  render(width: number): string[] {
    const safeWidth = Math.max(1, width);
    const entries = this._visibleEntries(safeWidth);
    const rendered: string[][] = entries.map((entry) => entry.component.render(safeWidth));
    const sizes = allocateSizes(entries, rendered.map((lines) => lines.length), undefined, this.gap);
    const lines: string[] = [];
    rendered.forEach((own, index) => {
      if (index > 0) for (let gap = 0; gap < this.gap; gap++) lines.push("");
      for (let row = 0; row < sizes[index]; row++) lines.push(own[row] ?? "");
    });
    return lines;
  }
}

/** Children beside each other, with a gap between them. */
export class HStack extends Stack {
  layoutType = "hstack";

  render(width: number): string[] {
    const safeWidth = Math.max(1, width);
    const entries = this._visibleEntries(safeWidth);
    if (entries.length === 0) return [];
    const widest = (lines: string[]) => lines.reduce((most, line) => Math.max(most, visibleWidth(line)), 0);
    const intrinsic = entries.map((entry) => widest(entry.component.render(safeWidth)));
    const widths = allocateSizes(entries, intrinsic, safeWidth, this.gap);
    const rendered: string[][] = entries.map((entry, index) =>
      widths[index] === 0 ? [] : entry.component.render(widths[index]),
    );
    const height = rendered.reduce((most, lines) => Math.max(most, lines.length), 0);
    const result: string[] = Array.from({ length: height }, () => "");
    let x = 0;
    rendered.forEach((lines, index) => {
      const free = height - lines.length;
      const top = this.align === "center" ? Math.floor(free / 2) : this.align === "end" ? free : 0;
      lines.forEach((line, row) => {
        result[top + row] = compositeTuiLine(result[top + row], line, x, widths[index], safeWidth);
      });
      x += widths[index] + this.gap;
    });
    return result;
  }
}
