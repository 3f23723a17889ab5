/**
 * The standard streams of `process`. An extension's output never reaches the real standard output, which belongs to
 * the protocol or the screen: all of it goes to standard error. Its input has always ended.
 */

import { ops } from "tau:ops";
import { Readable, Writable } from "../../node/stream.ts";

class Output extends Writable {
  fd: number;
  _type = "pipe";
  constructor(fd: number) {
    super({ decodeStrings: true, emitClose: false, autoDestroy: false });
    this.fd = fd;
  }
  _write(chunk: Uint8Array, _encoding: string, done: (error?: any) => void): void {
    try {
      ops.fsWriteAll(2, chunk, null);
    } catch {
      // Nobody listens any more; that is no reason to fail.
    }
    done();
  }
  _destroy(error: any, done: (error?: any) => void): void {
    done(error);
  }
}

/** `process.stdout` or `process.stderr`. */
export function makeOutput(fd: number): any {
  return new Output(fd);
}

/** `process.stdin`. */
export function makeInput(): any {
  const input: any = new Readable({ read() {} });
  input.push(null);
  input.fd = 0;
  input.ref = input.unref = () => input;
  return input;
}
