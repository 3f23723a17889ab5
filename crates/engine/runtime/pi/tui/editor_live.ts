// Views of an editor's model that behave as the plain data of pi's editor does: what is read is there now, and what is
// changed, in place too, is changed in the model.
import { type EditorModel, ops } from "tau:ops";
import { KillRing } from "./kill_ring.ts";

/** What has a model; another one may take its place. */
type Owner = { _model: EditorModel };

/** Text and cursor of an editor. */
export type State = { lines: string[]; cursorLine: number; cursorCol: number };

/** A list that tells what it holds after each change. */
function liveList(items: string[], write: (items: string[]) => void): string[] {
  return new Proxy(items, {
    set(target, key, value) {
      const done = Reflect.set(target, key, value);
      write(target);
      return done;
    },
    deleteProperty(target, key) {
      const done = Reflect.deleteProperty(target, key);
      write(target);
      return done;
    },
  });
}

/** Text and cursor, as an object that can be changed. */
export function liveState(owner: Owner): State {
  // Programs set lines and cursor in any order. So a cursor that has no place yet is wanted until something else moves it.
  let wanted: [line: number, col: number] | undefined;
  let placed = "";
  const cursor = () => ops.editorCursor(owner._model);
  const want = (): [number, number] => {
    const now = cursor();
    return wanted && placed === `${now}` ? wanted : now;
  };
  const moved = (line: number, col: number) => {
    wanted = [line, col];
    placed = `${cursor()}`;
  };
  const place = (line: number, col: number) => {
    ops.editorPlace(owner._model, line, col);
    moved(line, col);
  };
  const setLines = (lines: readonly unknown[]) => {
    const [line, col] = want();
    ops.editorSetLines(owner._model, [...lines], line, col);
    moved(line, col);
  };
  return {
    get lines() {
      return liveList(ops.editorLines(owner._model), setLines);
    },
    set lines(lines) {
      setLines(lines);
    },
    get cursorLine() {
      return cursor()[0];
    },
    set cursorLine(line) {
      place(line, want()[1]);
    },
    get cursorCol() {
      return cursor()[1];
    },
    set cursorCol(col) {
      place(want()[0], col);
    },
  };
}

/** What was sent, newest first. */
export function liveHistory(owner: Owner): string[] {
  return liveList(ops.editorHistory(owner._model), (entries) => ops.editorSetHistory(owner._model, [...entries]));
}

/** The pasted texts, by the numbers of their markers. */
export class LivePastes extends Map<number, string> {
  #owner: Owner;

  constructor(owner: Owner) {
    super();
    this.#owner = owner;
    for (const [id, text] of ops.editorPastes(owner._model)) super.set(id, text);
  }

  #write(): void {
    ops.editorSetPastes(this.#owner._model, [...this]);
  }

  override set(id: number, text: string): this {
    super.set(id, text);
    this.#write();
    return this;
  }

  override delete(id: number): boolean {
    const done = super.delete(id);
    this.#write();
    return done;
  }

  override clear(): void {
    super.clear();
    this.#write();
  }
}

/** What was killed. */
export function liveKillRing(owner: Owner): KillRing {
  const ring = new KillRing();
  ring.ring = liveList(ops.editorKills(owner._model), (kills) => ops.editorSetKills(owner._model, [...kills]));
  return ring;
}

/** How far undo goes back. */
export class LiveUndo {
  #owner: Owner;

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  get length(): number {
    return ops.editorSteps(this.#owner._model);
  }

  /** Zero forgets all steps; no other number is one to set. */
  set length(length: number) {
    if (length !== 0) throw new RangeError("the steps of undo can only be forgotten together");
    this.clear();
  }

  clear(): void {
    ops.editorAct(this.#owner._model, "forgetSteps");
  }
}
