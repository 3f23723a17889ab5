// Arguments of prompt templates.

/** The words of a line; quotes keep words together. */
export function parseCommandArgs(line: string): string[] {
  const words: string[] = [];
  let word = "";
  let quote = "";
  for (const character of line) {
    if (quote) {
      if (character === quote) quote = "";
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (/\s/.test(character)) {
      if (word) words.push(word);
      word = "";
    } else {
      word += character;
    }
  }
  return word ? [...words, word] : words;
}

/** A template with `$1`, `$@`, `$ARGUMENTS`, `${@:2}` and `${@:2:3}` replaced. */
export function substituteArgs(content: string, args: string[]): string {
  return content.replace(/\$(?:(\d+)|@|ARGUMENTS|\{@:(\d+)(?::(\d+))?\})/g, (_, place, from, count) => {
    if (place !== undefined) return args[Number(place) - 1] ?? "";
    if (from === undefined) return args.join(" ");
    const start = Math.max(0, Number(from) - 1);
    return args.slice(start, count === undefined ? undefined : start + Number(count)).join(" ");
  });
}
