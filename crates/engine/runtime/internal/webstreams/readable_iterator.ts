/** Asynchronous iteration over a `ReadableStream`. */

import { quiet } from "./common.ts";
import { cancelStream, ReadableStreamDefaultReader, readFrom, releaseReader, type ReadableStream } from "./readable.ts";

/** The chunks of `stream`; leaving early cancels it unless `preventCancel`. */
export function iterate(stream: ReadableStream, preventCancel: boolean): AsyncIterableIterator<any> {
  const reader = new ReadableStreamDefaultReader(stream);
  let finished = false;
  let last: Promise<any> = Promise.resolve();

  const read = () =>
    new Promise<any>((resolve, reject) => {
      if (finished) {
        resolve({ value: undefined, done: true });
        return;
      }
      readFrom(reader, {
        chunk: (value) => resolve({ value, done: false }),
        close() {
          finished = true;
          releaseReader(reader);
          resolve({ value: undefined, done: true });
        },
        error(error) {
          finished = true;
          releaseReader(reader);
          reject(error);
        },
      });
    });
  const stop = async (value: unknown) => {
    if (finished) return { value, done: true };
    finished = true;
    if (preventCancel) {
      releaseReader(reader);
      return { value, done: true };
    }
    const canceled = cancelStream(stream, value);
    releaseReader(reader);
    await canceled;
    return { value, done: true };
  };
  // Calls run one after another, also when nobody waits in between.
  const queue = (step: () => Promise<any>) => {
    const result = last.then(step, step);
    last = result;
    quiet(result);
    return result;
  };
  const iterator = Object.create(IteratorPrototype);
  iterator.next = () => queue(read);
  iterator.return = (value?: unknown) => queue(() => stop(value));
  return iterator;
}

const IteratorPrototype = Object.create(
  Object.getPrototypeOf(Object.getPrototypeOf((async function* () {}).prototype)),
);
