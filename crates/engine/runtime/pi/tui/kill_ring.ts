/** Deleted texts, newest last, to be put back with yank. */
export class KillRing {
  ring: string[] = [];

  /** Adds a text: to the newest one when kills follow each other, before or after it. */
  push(text: string, options: { prepend: boolean; accumulate?: boolean }): void {
    if (!text) return;
    const newest = options.accumulate ? (this.ring.pop() ?? "") : "";
    this.ring.push(options.prepend ? text + newest : newest + text);
  }

  peek(): string | undefined {
    return this.ring.at(-1);
  }

  /** Makes the newest text the oldest. */
  rotate(): void {
    if (this.ring.length > 1) this.ring.unshift(this.ring.pop()!);
  }

  get length(): number {
    return this.ring.length;
  }
}
