// util.styleText.
import { colorCodes } from "../inspect/options.ts";
import { invalidArgType } from "../errors.ts";
import { validateBoolean, validateOneOf, validateString } from "../validators.ts";

function wantsColor(stream: any): boolean {
  const { env } = globalThis.process;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "") return env.FORCE_COLOR !== "0";
  if (env.NO_COLOR || env.NODE_DISABLE_COLORS) return false;
  return Boolean(stream?.isTTY) && env.TERM !== "dumb";
}

/** `util.styleText`: text with colours and effects, when the stream shows them. */
export function styleText(format: string | string[], text: string, options: any = {}): string {
  validateString(text, "text");
  const { validateStream = true, stream = globalThis.process.stdout } = options;
  validateBoolean(validateStream, "options.validateStream");
  if (validateStream && (stream === null || typeof stream !== "object")) {
    throw invalidArgType("stream", ["ReadableStream", "WritableStream", "Stream"], stream);
  }
  const colors = colorCodes();
  let open = "";
  let close = "";
  for (const name of Array.isArray(format) ? format : [format]) {
    if (name === "none") continue;
    const codes = colors[name];
    if (codes === undefined) validateOneOf(name, "format", Object.keys(colors));
    open += `\u001b[${codes[0]}m`;
    close = `\u001b[${codes[1]}m${close}`;
  }
  return validateStream && !wantsColor(stream) ? text : `${open}${text}${close}`;
}
