/** `FileHandle`: an open file of `node:fs/promises`. */

import { ops } from "tau:ops";
import { EventEmitter } from "../../node/events.ts";
import { codeError } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { readFileLater, writeFileLater } from "./content.ts";
import { callAsync } from "./forms.ts";
import { byFd } from "./table.ts";
import { readAsync, reading, readvAsync, writeAsync, writevAsync, writing } from "./transfer.ts";

const streams = lazyModule("internal/fs/streams.ts");
const readline = lazyModule("node/readline.ts");
const webStreams = lazyModule("web/streams.ts");

/** An open file. It is closed when the engine ends; `close` is better. */
export class FileHandle extends EventEmitter {
  #fd: number;
  #closing: Promise<void> | undefined;

  constructor(fd: number) {
    super();
    this.#fd = fd;
  }

  get fd(): number {
    return this.#fd;
  }

  #open(syscall: string): number {
    if (this.#fd !== -1) return this.#fd;
    const error = codeError("EBADF", "file closed") as any;
    error.syscall = syscall;
    throw error;
  }

  async #call(name: string, syscall: string, ...args: any[]): Promise<any> {
    return callAsync(byFd[name](this.#open(syscall), ...args));
  }

  getAsyncId(): number {
    return 0;
  }

  appendFile(data: unknown, options?: unknown): Promise<void> {
    return this.writeFile(data, options);
  }
  async chmod(mode: unknown): Promise<void> {
    return this.#call("fchmod", "fchmod", mode);
  }
  async chown(uid: unknown, gid: unknown): Promise<void> {
    return this.#call("fchown", "fchown", uid, gid);
  }
  async datasync(): Promise<void> {
    return this.#call("fdatasync", "fdatasync");
  }
  async sync(): Promise<void> {
    return this.#call("fsync", "fsync");
  }
  async stat(options?: unknown): Promise<any> {
    return this.#call("fstat", "fstat", options);
  }
  async truncate(length = 0): Promise<void> {
    return this.#call("ftruncate", "ftruncate", length);
  }
  async utimes(atime: unknown, mtime: unknown): Promise<void> {
    return this.#call("futimes", "futime", atime, mtime);
  }

  async read(...args: any[]): Promise<{ bytesRead: number; buffer: any }> {
    const wanted = reading(this.#open("read"), args);
    return { bytesRead: await readAsync(wanted), buffer: wanted.buffer };
  }
  async readv(buffers: unknown, position?: unknown): Promise<{ bytesRead: number; buffers: any }> {
    return { bytesRead: await readvAsync(this.#open("readv"), buffers, position), buffers };
  }
  async write(...args: any[]): Promise<{ bytesWritten: number; buffer: any }> {
    const wanted = writing(this.#open("write"), args);
    return { bytesWritten: await writeAsync(wanted), buffer: wanted.given };
  }
  async writev(buffers: unknown, position?: unknown): Promise<{ bytesWritten: number; buffers: any }> {
    return { bytesWritten: await writevAsync(this.#open("writev"), buffers, position), buffers };
  }
  async readFile(options?: unknown): Promise<any> {
    this.#open("read");
    return readFileLater(this, options)();
  }
  async writeFile(data: any, options?: any): Promise<void> {
    this.#open("write");
    return writeFileLater(this, data, options, "w", true)();
  }

  readLines(options?: any): any {
    const input = this.createReadStream(options);
    return readline().createInterface({ input, crlfDelay: Infinity });
  }
  createReadStream(options: any = {}): any {
    return new (streams().ReadStream)(undefined, { ...options, fd: this });
  }
  createWriteStream(options: any = {}): any {
    return new (streams().WriteStream)(undefined, { ...options, fd: this });
  }
  readableWebStream(): any {
    const handle = this;
    return new (webStreams().ReadableStream)({
      type: "bytes",
      async pull(controller: any) {
        const bytes = await ops.fsReadAsync(handle.#open("read"), 64 * 1024, null);
        if (bytes.length > 0) return controller.enqueue(bytes);
        controller.close();
        controller.byobRequest?.respond(0);
      },
    });
  }

  close = (): Promise<void> => {
    if (this.#closing) return this.#closing;
    if (this.#fd === -1) return Promise.resolve();
    const fd = this.#fd;
    this.#fd = -1;
    this.#closing = ops.fsCloseAsync(fd).finally(() => {
      this.#closing = undefined;
      this.emit("close");
    });
    return this.#closing!;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
