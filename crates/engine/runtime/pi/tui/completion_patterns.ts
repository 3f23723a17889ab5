// Where a completion may begin: after white space, and after punctuation in Chinese, Japanese and Korean text,
// which is written without spaces.

const SCRIPTS = ["Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"].map((name) => `\\p{Script_Extensions=${name}}`);
const CJK = `[${SCRIPTS.join("")}]`;
const SEPARATOR = `(?:\\s|(?=\\p{Punctuation})${CJK}|[，．：；！？（）［］｛｝“”‘’…—])`;

const made = new Map<string, RegExp>();

function pattern(source: string): RegExp {
  let regex = made.get(source);
  if (!regex) made.set(source, (regex = new RegExp(source, "u")));
  return regex;
}

/** Whether a character belongs to a script that is written without spaces. */
export const isCjk = (char: string) => pattern(CJK).test(char);

/** Whether text contains something that ends a path. */
export const hasSeparator = (text: string) => pattern(SEPARATOR).test(text);

/** Whether a word begins behind `text`. */
export const endsAtBoundary = (text: string) => pattern(`(?:^|${SEPARATOR})$`).test(text);

/** Whether `text` ends in a word that one of `characters` begins, or in an attachment in quotes. */
export function endsInTriggeredWord(text: string, characters: string[]): boolean {
  const set = characters.map((character) => character.replace(/[\\^$.*+?()[\]{}|-]/g, "\\$&")).join("");
  const word = `(?:(?!${SEPARATOR}).)*`;
  return pattern(`(?:^|${SEPARATOR})(?:@"[^"]*|[${set}]${word})$`).test(text);
}
