// Ranking by how well a typed query matches.
import { ops } from "tau:ops";

/** How well `query` matches `text`; a lower score is better. */
export function fuzzyMatch(query: string, text: string): { matches: boolean; score: number } {
  const score = ops.viewFuzzyMatch(query, text);
  return score === undefined ? { matches: false, score: 0 } : { matches: true, score };
}

/** The items whose text matches all words of `query`, separated by spaces or slashes, best first. */
export function fuzzyFilter<T>(items: T[], query: string, getText: (item: T) => string): T[] {
  const words = query.trim().split(/[\s/]+/).filter((word) => word !== "");
  if (words.length === 0) return items;
  const found: { item: T; score: number }[] = [];
  for (const item of items) {
    const text = getText(item);
    let total = 0;
    const all = words.every((word) => {
      const score = ops.viewFuzzyMatch(word, text);
      total += score ?? 0;
      return score !== undefined;
    });
    if (all) found.push({ item, score: total });
  }
  return found.sort((a, b) => a.score - b.score).map(({ item }) => item);
}
