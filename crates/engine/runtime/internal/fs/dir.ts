/** `fs.Dir`: a directory read entry by entry. */

import { ops } from "tau:ops";
import { codeError } from "../errors.ts";
import { validateUint32 } from "../validators.ts";
import { toOptions, toPath } from "./args.ts";
import { settle } from "./forms.ts";
import { makeListing } from "./stats.ts";

/** An open directory. The whole listing is taken when it is opened. */
export class Dir {
  #path: string;
  #entries: any[];
  #at = 0;
  #closed = false;

  constructor(path: string, entries: any[]) {
    this.#path = path;
    this.#entries = entries;
  }

  get path(): string {
    return this.#path;
  }

  #check(): void {
    if (this.#closed) throw codeError("ERR_DIR_CLOSED", "Directory handle was closed");
  }

  readSync(): any {
    this.#check();
    return this.#entries[this.#at++] ?? null;
  }

  read(callback?: any): any {
    const promise = (async () => this.readSync())();
    if (typeof callback !== "function") return promise;
    settle(promise, callback, (entry) => [entry]);
  }

  closeSync(): void {
    this.#check();
    this.#closed = true;
    this.#entries = [];
  }

  close(callback?: any): any {
    const promise = (async () => this.closeSync())();
    if (typeof callback !== "function") return promise;
    settle(promise, callback);
  }

  async *entries(): AsyncGenerator<any> {
    try {
      for (;;) {
        const entry = await this.read();
        if (entry === null) return;
        yield entry;
      }
    } finally {
      if (!this.#closed) await this.close();
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<any> {
    return this.entries();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#closed) await this.close();
  }

  [Symbol.dispose](): void {
    if (!this.#closed) this.closeSync();
  }
}

function prepare(path: unknown, options: unknown): [string, any] {
  const given = { ...toOptions(options), withFileTypes: true };
  if (given.bufferSize !== undefined) validateUint32(given.bufferSize, "options.bufferSize", true);
  return [toPath(path), given];
}

export function opendirSync(path: unknown, options?: unknown): Dir {
  const [place, given] = prepare(path, options);
  return new Dir(place, makeListing(ops.fsReaddir(place, Boolean(given.recursive), "opendir"), place, given));
}

/** Checks now, opens later. */
export function opendirLater(path: unknown, options?: unknown): () => Promise<Dir> {
  const [place, given] = prepare(path, options);
  return async () =>
    new Dir(place, makeListing(await ops.fsReaddirAsync(place, Boolean(given.recursive), "opendir"), place, given));
}
