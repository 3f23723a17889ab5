// The limit on output that programs run for an extension may have.
const { isInteger } = Number;

/** The longest text of Node 22, in UTF-16 code units: the largest limit that can be asked for. */
const LONGEST_TEXT = 536870888;

/** `options.maxBuffer` in bytes, both streams together; undefined when the extension sets none. */
export function maxBufferOf(options: any): number | undefined {
  const given = options?.maxBuffer ?? undefined;
  if (given === undefined || (isInteger(given) && given >= 0 && given <= LONGEST_TEXT)) return given;
  throw new RangeError(`maxBuffer must be an integer between 0 and ${LONGEST_TEXT} bytes`);
}
