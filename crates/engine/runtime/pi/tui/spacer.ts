/** Empty lines. */
export class Spacer {
  lines: number;

  constructor(lines = 1) {
    this.lines = lines;
  }

  setLines(lines: number): void {
    this.lines = lines;
  }

  invalidate(): void {}

  render(_width: number): string[] {
    return Array.from({ length: Math.max(0, Math.ceil(this.lines)) }, () => "");
  }
}
