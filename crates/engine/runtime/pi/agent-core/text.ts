// Small things about text and errors.

/** Text without what terminals and stored sessions cannot take: control characters and halves of pairs. */
export function sanitizeBinaryOutput(text: string): string {
  return [...text]
    .filter((character) => {
      const code = character.codePointAt(0)!;
      if (character === "\t" || character === "\n" || character === "\r") return true;
      return code > 0x1f && !(code >= 0xfff9 && code <= 0xfffb) && !(code >= 0xd800 && code <= 0xdfff);
    })
    .join("");
}

/** The bytes of a text as UTF-8. */
export function utf8ByteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** Anything that was thrown, as an error. */
export function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
