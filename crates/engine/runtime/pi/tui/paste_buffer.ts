// Bracketed paste, which may arrive in pieces.

const START = "\x1b[200~";
const END = "\x1b[201~";

/** Collects a paste until its end mark. */
export class PasteBuffer {
  text: string | undefined;

  /**
   * Takes input. `undefined`: it is no part of a paste. Otherwise the paste, once it is complete, and what was
   * typed after it.
   */
  take(data: string): { pasted?: string; rest: string } | undefined {
    if (data.includes(START)) {
      this.text = "";
      data = data.replace(START, "");
    }
    if (this.text === undefined) return undefined;
    this.text += data;
    const end = this.text.indexOf(END);
    if (end === -1) return { rest: "" };
    const complete = this.text;
    this.text = undefined;
    return { pasted: complete.slice(0, end), rest: complete.slice(end + END.length) };
  }
}
