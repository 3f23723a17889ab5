// Formulas as text.
import { ops } from "tau:ops";

/** A LaTeX formula in Unicode; `undefined` if it uses what has no such form. `display` stacks fractions and limits. */
export function renderLatex(source: string, options: { display?: boolean } = {}): string | undefined {
  return ops.viewLatex(source, options.display ?? false);
}
