// Completing commands and paths.
import { endsAtBoundary, hasSeparator } from "./completion_patterns.ts";
import { findFiles, listFiles } from "./file_completion.ts";
import { fuzzyFilter } from "./fuzzy.ts";

type Item = { value: string; label: string; description?: string };
type Suggestions = { items: Item[]; prefix: string } | null;

const DELIMITERS = " \t\"'=";

/** Completes slash commands, their arguments, and paths; files after `@` are searched for with `fd`. */
export class CombinedAutocompleteProvider {
  commands: any[];
  basePath: string;
  fdPath: string | null;

  constructor(commands: any[] = [], basePath: string, fdPath: string | null = null) {
    this.commands = commands;
    this.basePath = basePath;
    this.fdPath = fdPath;
  }

  async getSuggestions(
    lines: string[], cursorLine: number, cursorCol: number, options: { signal: AbortSignal; force?: boolean },
  ): Promise<Suggestions> {
    const text = (lines[cursorLine] || "").slice(0, cursorCol);
    const attachment = attachmentPrefix(text);
    if (attachment) return found(await findFiles(this.basePath, this.fdPath, attachment, options.signal), attachment);
    if (!options.force && text.startsWith("/")) return this._commandSuggestions(text);
    const path = pathPrefix(text, options.force ?? false);
    return path === null ? null : found(listFiles(this.basePath, path), path);
  }

  async _commandSuggestions(text: string): Promise<Suggestions> {
    const space = text.indexOf(" ");
    const nameOf = (command: any): string => ("name" in command ? command.name : command.value);
    if (space === -1) {
      const typed = text.slice(1);
      // Skills are found without typing what all of them begin with.
      const searched = (name: string) => (typed.startsWith("skill:") ? name : name.replace(/^skill:/, ""));
      const items = this.commands.map((command) => {
        const name = nameOf(command);
        const description = [command.argumentHint, command.description].filter(Boolean).join(" — ");
        return { value: name, label: name, ...(description && { description }) };
      });
      return found(fuzzyFilter(items, typed, (item) => searched(item.value)), text);
    }
    const command = this.commands.find((command) => nameOf(command) === text.slice(1, space));
    const argument = text.slice(space + 1);
    const items = await command?.getArgumentCompletions?.(argument);
    return found(Array.isArray(items) ? items : [], argument);
  }

  /** The lines and the cursor after `item` has taken the place of `prefix`. */
  applyCompletion(
    lines: string[], cursorLine: number, cursorCol: number, item: Item, prefix: string,
  ): { lines: string[]; cursorLine: number; cursorCol: number } {
    const line = lines[cursorLine] || "";
    const before = line.slice(0, cursorCol - prefix.length);
    const quoted = prefix.startsWith('"') || prefix.startsWith('@"');
    let after = line.slice(cursorCol);
    if (quoted && item.value.endsWith('"') && after.startsWith('"')) after = after.slice(1);
    const isCommand = prefix.startsWith("/") && before.trim() === "" && !prefix.slice(1).includes("/");
    const isDirectory = item.label.endsWith("/");
    let inserted = item.value;
    let cursor = inserted.length;
    if (isCommand) {
      inserted = `/${item.value} `;
      cursor = inserted.length;
    } else {
      // In a folder one goes on typing, inside the quotes if there are any.
      if (isDirectory && inserted.endsWith('"')) cursor--;
      if (prefix.startsWith("@") && !isDirectory) {
        inserted += " ";
        cursor++;
      }
    }
    const changed = [...lines];
    changed[cursorLine] = before + inserted + after;
    return { lines: changed, cursorLine, cursorCol: before.length + cursor };
  }

  /** Whether tab completes a path here: not in the name of a command. */
  shouldTriggerFileCompletion(lines: string[], cursorLine: number, cursorCol: number): boolean {
    const text = (lines[cursorLine] || "").slice(0, cursorCol).trim();
    return !text.startsWith("/") || text.includes(" ");
  }
}

function found(items: Item[], prefix: string): Suggestions {
  return items.length === 0 ? null : { items, prefix };
}

function isTokenStart(text: string, index: number): boolean {
  return (index > 0 && DELIMITERS.includes(text[index - 1])) || endsAtBoundary(text.slice(0, index));
}

/** The part of `text` from a quote on that has not been closed, with an `@` before it. */
function quotedPrefix(text: string): string | null {
  if (text.split('"').length % 2 === 1) return null;
  let start = text.lastIndexOf('"');
  if (text[start - 1] === "@") start--;
  return isTokenStart(text, start) ? text.slice(start) : null;
}

/** The word that `text` ends in. */
function lastWord(text: string): string {
  let start = 0;
  let index = 0;
  for (const character of text) {
    index += character.length;
    if (DELIMITERS.includes(character) || hasSeparator(character)) start = index;
  }
  return text.slice(start);
}

function attachmentPrefix(text: string): string | null {
  const quoted = quotedPrefix(text);
  if (quoted?.startsWith('@"')) return quoted;
  const word = lastWord(text);
  return word.startsWith("@") ? word : null;
}

/** The path that `text` ends in. Unless forced, only what looks like one, or the beginning of a word. */
function pathPrefix(text: string, force: boolean): string | null {
  const quoted = quotedPrefix(text);
  if (quoted) return quoted;
  const word = lastWord(text);
  if (force || word.includes("/") || word.startsWith(".")) return word;
  return word === "" && text !== "" && endsAtBoundary(text) ? word : null;
}

