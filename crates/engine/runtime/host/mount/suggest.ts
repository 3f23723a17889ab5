// Providers of completions: those of extensions as Rust asks them, and the one before each as extensions ask it.
import { ops } from "tau:ops";
import { Map, mapGet, mapSet } from "../../internal/primordials.ts";
import { CombinedAutocompleteProvider } from "../../pi/tui/autocomplete.ts";
import { keep } from "../calls.ts";
import { mountedAt } from "./mounted.ts";

interface Written {
  lines: string[];
  cursorLine: number;
  cursorCol: number;
}

interface EditorLike {
  setAutocompleteProvider?(provider: object): void;
}

interface Item {
  value: string;
  label: string;
  description?: string;
}

/** A provider as extensions write it. */
interface Provider {
  getSuggestions(lines: string[], line: number, column: number, options: object): unknown;
  applyCompletion?(lines: string[], line: number, column: number, item: Item, prefix: string): unknown;
  shouldTriggerFileCompletion?(lines: string[], line: number, column: number): unknown;
  triggerCharacters?: unknown;
}

/** What was suggested before, in the words of `getSuggestions`. */
class Before implements Provider {
  readonly #extension: number;
  readonly #number: number;
  readonly #own = new CombinedAutocompleteProvider([], "/");
  /** The number of the provider that it ends with, where that is one of this engine. */
  readonly #theirs: number | undefined;

  constructor(extension: number, number: number, theirs?: number) {
    this.#extension = extension;
    this.#number = number;
    this.#theirs = theirs;
  }

  /** Of all providers of this engine, for the editor of an extension. */
  get triggerCharacters(): string[] {
    const all: string[] = [];
    if (this.#number === ALL) made.forEach((provider) => all.push(...triggersOf(provider)));
    return all;
  }

  async getSuggestions(
    lines: string[], cursorLine: number, cursorCol: number, options: { signal?: AbortSignal; force?: boolean } = {},
  ): Promise<unknown> {
    const written = { lines: [...lines], cursorLine, cursorCol };
    const found = await ops.uiSuggest(this.#extension, this.#number, written, options.force === true);
    return options.signal?.aborted ? null : (found ?? null);
  }

  applyCompletion(lines: string[], cursorLine: number, cursorCol: number, item: Item, prefix: string): Written {
    const theirs = mapGet(made, this.#number === ALL ? newest : this.#theirs);
    if (theirs?.applyCompletion) {
      const applied = readApplied(theirs.applyCompletion(lines, cursorLine, cursorCol, item, prefix));
      if (applied) return applied;
    }
    return this.#own.applyCompletion(lines, cursorLine, cursorCol, item, prefix);
  }

  shouldTriggerFileCompletion(lines: string[], cursorLine: number, cursorCol: number): boolean {
    return this.#own.shouldTriggerFileCompletion(lines, cursorLine, cursorCol);
  }
}

/** The number of what the front end suggests with all providers of extensions around it. */
const ALL = 0;

/** What the editor of an extension asks. */
export function provider(extension: number): object {
  return new Before(extension, ALL);
}

/** The providers of extensions, by number, and the number of the last one. */
const made = new Map<number | undefined, Provider>();
let newest: number | undefined;

/** A factory of a provider under the number that Rust calls it by: it gives the numbers of what it made. */
export function keepProvider(extension: number, factory: (current: object) => unknown): number {
  return keep((number: number, before: number | undefined) => {
    const own = factory(new Before(extension, number, before)) as Provider;
    if (typeof own?.getSuggestions !== "function") throw new TypeError("the factory gave no provider of completions");
    mapSet(made, number, own);
    newest = number;
    const editor = mountedAt("editor");
    (editor?.component as EditorLike | undefined)?.setAutocompleteProvider?.(provider(editor!.extension));
    return functionsOf(own);
  });
}

function triggersOf({ triggerCharacters }: Provider): string[] {
  return Array.isArray(triggerCharacters) ? triggerCharacters.map(String) : [];
}

function functionsOf(own: Provider): object {
  let asking: AbortController | undefined;
  let last = 0;
  /** What it suggested last, as it gave it. */
  let given: Partial<Item>[] = [];
  const suggest = keep(async (written: Written, force: boolean, number: number) => {
    // One that was overtaken: nobody waits for it.
    if (number < last) return null;
    last = number;
    asking?.abort();
    const now = (asking = new AbortController());
    const { lines, cursorLine, cursorCol } = written;
    if (force && own.shouldTriggerFileCompletion?.(lines, cursorLine, cursorCol) === false) return null;
    const found = await own.getSuggestions(lines, cursorLine, cursorCol, { signal: now.signal, force });
    if (found === undefined || found === null) return null;
    const items = (found as { items?: unknown }).items;
    if (!Array.isArray(items)) throw new TypeError("the provider gave no list of items");
    if (number === last) given = items;
    return shownOf(items, (found as { prefix?: unknown }).prefix);
  });
  const triggers = triggersOf(own);
  if (own instanceof Before || typeof own.applyCompletion !== "function") return { suggest, triggers };
  const apply = keep(({ lines, cursorLine, cursorCol }: Written, item: Item, prefix: string) => {
    // It gets the very object that it gave.
    const chosen = given.find((one) => isSame(one, item)) ?? item;
    return readApplied(own.applyCompletion!([...lines], cursorLine, cursorCol, chosen as Item, prefix)) ?? null;
  });
  return { suggest, apply, triggers };
}

/** How many suggestions are shown. */
const MOST = 500;

/** What is shown of an item. */
function shown(item: Partial<Item>): Item {
  const value = String(item?.value ?? "");
  const one: Item = { value, label: String(item?.label ?? value) };
  if (item?.description != null) one.description = String(item.description);
  return one;
}

function isSame(item: Partial<Item>, other: Item): boolean {
  const { value, label, description } = shown(item);
  return value === other.value && label === other.label && (description ?? "") === (other.description ?? "");
}

/** What of suggestions is shown; an item without a text is left out. */
function shownOf(items: Partial<Item>[], prefix: unknown): object {
  return { items: items.slice(0, MOST).map(shown).filter((item) => item.value !== ""), prefix: String(prefix ?? "") };
}

/** The text with a suggestion, as a provider made it. */
function readApplied(made: unknown): Written | undefined {
  const applied = made as Partial<Written> | undefined;
  if (!Array.isArray(applied?.lines)) return undefined;
  return {
    lines: applied.lines.map(String),
    cursorLine: Number(applied.cursorLine) || 0,
    cursorCol: Number(applied.cursorCol) || 0,
  };
}
