// `Bun` for hooks that were written for it: of its names those that hooks use for files and programs. Nobody else sees it,
// because its presence tells modules which program they run in.
import { ops } from "tau:ops";
import { unavailable } from "./loader.ts";
import * as fs from "../node/fs.ts";
import { posix as path } from "./path_posix.ts";
import { Buffer } from "../node/buffer.ts";
import { fileURLToPath } from "../node/url.ts";
import process from "../node/process.ts";

const users = new Set<number>();

/** Lets the code of these modules see `Bun`. */
export function showBun(modules: number): void {
  if (users.size === 0) {
    const get = () => (users.has(ops.currentExtension()) ? shown() : undefined);
    const set = (value: unknown) =>
      Object.defineProperty(globalThis, "Bun", { configurable: true, enumerable: false, writable: true, value });
    Object.defineProperty(globalThis, "Bun", { configurable: true, enumerable: false, get, set });
  }
  users.add(modules);
}

let bun: any;

/** What is not there says so when it is used. */
function shown(): any {
  const get = (target: any, key: string | symbol) =>
    key in target || typeof key === "symbol" ? target[key] : unavailable(`Bun.${key}`);
  return (bun ??= new Proxy(names, { get }));
}

const pathOf = (file: any): string => (file instanceof URL ? fileURLToPath(file) : String(file?.name ?? file));

function file(where: any): any {
  const name = pathOf(where);
  const bytes = async () => new Uint8Array(await fs.promises.readFile(name));
  const text = () => fs.promises.readFile(name, "utf8");
  return {
    name,
    get size() {
      return fs.statSync(name, { throwIfNoEntry: false })?.size ?? 0;
    },
    get lastModified() {
      return fs.statSync(name, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    },
    text,
    bytes,
    json: async () => JSON.parse(await text()),
    arrayBuffer: async () => (await bytes()).buffer,
    exists: async () => fs.statSync(name, { throwIfNoEntry: false })?.isFile() ?? false,
    stat: () => fs.promises.stat(name),
    write: (data: any) => write(name, data),
    delete: () => fs.promises.unlink(name),
    unlink: () => fs.promises.unlink(name),
  };
}

/** Writes a file, with the folders it needs; gives the number of bytes. */
async function write(where: unknown, data: any): Promise<number> {
  const bytes = typeof data?.arrayBuffer === "function" ? await data.arrayBuffer() : data;
  const content = typeof bytes === "string" ? Buffer.from(bytes) : Buffer.from(bytes.buffer ?? bytes);
  const name = pathOf(where);
  await fs.promises.mkdir(path.dirname(name), { recursive: true });
  await fs.promises.writeFile(name, content);
  return content.length;
}

function which(command: string, { PATH = process.env.PATH ?? "" }: any = {}): string | null {
  const places = command.includes("/") ? [command] : PATH.split(":").map((folder: string) => path.join(folder, command));
  const runs = (place: string) => {
    try {
      fs.accessSync(place, fs.constants.X_OK);
      return fs.statSync(place).isFile();
    } catch {
      return false;
    }
  };
  return places.find(runs) ?? null;
}

const names: any = {
  file,
  write,
  which,
  sleep: (until: number | Date) =>
    new Promise((resolve) => setTimeout(resolve, typeof until === "number" ? until : until.getTime() - Date.now())),
  fileURLToPath,
  get env() {
    return process.env;
  },
  get argv() {
    return process.argv;
  },
};
