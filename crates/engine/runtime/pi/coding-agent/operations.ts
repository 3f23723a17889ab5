// Operations of tools as an extension writes them, in the shape in which they are called back.
import type { Handlers } from "./port.ts";

/** The handlers for the operations of a tool; undefined when the tool uses its own. */
export function operationsOf(tool: string, operations: any, signal: AbortSignal | undefined): Handlers | undefined {
  if (!operations) return undefined;
  return SHAPES[tool]?.(operations, signal);
}

const SHAPES: Record<string, (operations: any, signal: AbortSignal | undefined) => Handlers> = {
  read: (own, signal) => ({
    readFile: (path) => own.readFile(path),
    access: (path) => own.access(path),
    detectImageMimeType: (path) => own.detectImageMimeType(path),
    ...streamed(own, signal),
  }),
  edit: (own) => ({
    readFile: (path) => own.readFile(path),
    writeFile: async (path, content) => void (await own.writeFile(path, content)),
    access: async (path) => void (await own.access(path)),
  }),
  write: (own) => ({
    writeFile: async (path, content) => void (await own.writeFile(path, content)),
    mkdir: async (path) => void (await own.mkdir(path)),
  }),
  grep: (own) => ({ isDirectory: (path) => own.isDirectory(path) }),
  find: (own) => ({
    exists: (path) => own.exists(path),
    glob: (pattern, cwd, options) => own.glob(pattern, cwd, options),
  }),
  ls: (own) => ({
    exists: (path) => own.exists(path),
    stat: async (path) => (await own.stat(path)).isDirectory(),
    readdir: (path) => own.readdir(path),
  }),
  bash: (own, signal) => ({
    exec: async (command, cwd, { timeout, env }, send) => {
      const onData = (data: any) => send(typeof data === "string" ? Buffer.from(data) : data);
      const result = await own.exec(command, cwd, { onData, signal, timeout: timeout ?? undefined, env });
      return result?.exitCode ?? null;
    },
  }),
};

/** `createReadStream` of an extension, asked for one piece after the other. */
function streamed(own: any, signal: AbortSignal | undefined): Handlers {
  let pieces: any;
  return {
    openStream(path) {
      const stream = own.createReadStream(path, { signal });
      pieces = (stream[Symbol.asyncIterator] ?? stream[Symbol.iterator]).call(stream);
    },
    async nextPiece() {
      const { done, value } = await pieces.next();
      if (done) return null;
      // Anything else would pass for the end of the file.
      if (typeof value !== "string" && !ArrayBuffer.isView(value)) {
        throw new TypeError("createReadStream gave neither bytes nor text");
      }
      return value;
    },
    closeStream() {
      // Nobody waits for it any more.
      Promise.resolve(pieces?.return?.()).catch(() => {});
    },
  };
}
