// util.parseEnv: the text of `.env` files.
import { validateString } from "../validators.ts";

const LINE = /^[ \t]*(?:export[ \t]+)?([^\s=#][^=\n]*?)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^\n#]*))[^\n]*$/gm;

/** Reads `NAME=value` lines into an object. */
export function parseEnv(content: string): Record<string, string> {
  validateString(content, "content");
  const values: Record<string, string> = {};
  for (const [, name, double, single, back, bare] of content.replace(/\r\n?/g, "\n").matchAll(LINE)) {
    // Only double quotes know escapes.
    if (double !== undefined) values[name] = double.replaceAll("\\n", "\n");
    else values[name] = single ?? back ?? bare.trim();
  }
  return values;
}
