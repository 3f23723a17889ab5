/** `ReadableStream.tee`: two streams that give the same chunks. */

import { lazyModule } from "../lazy.ts";
import { deferred, kState, quiet } from "./common.ts";
import { cancelStream, ReadableStreamDefaultReader, readFrom, type ReadableStream } from "./readable.ts";
import { closeController, createReadable, enqueueController, errorController } from "./readable_controller.ts";

const loadBytes = lazyModule("internal/webstreams/bytes.ts");

export function tee(stream: ReadableStream): [ReadableStream, ReadableStream] {
  const bytes = loadBytes().isByteController(stream[kState].controller);
  const reader: any = new ReadableStreamDefaultReader(stream);
  const canceled = [false, false];
  const reasons: any[] = [undefined, undefined];
  const bothCanceled = deferred();
  let reading = false;
  let readAgain = false;
  const branches: ReadableStream[] = [];

  const each = (action: (controller: any, index: number) => void) => {
    branches.forEach((branch, index) => {
      if (!canceled[index]) action(branch[kState].controller, index);
    });
  };
  const pull = (): Promise<void> => {
    if (reading) {
      readAgain = true;
      return Promise.resolve();
    }
    reading = true;
    readFrom(reader, {
      chunk(value) {
        // Not at once: errors of the source must be able to come before the chunk.
        queueMicrotask(() => {
          readAgain = false;
          // The first branch takes the memory over, so the copy for the second comes first.
          const chunks = bytes ? [value, canceled[1] ? value : value.slice()] : [];
          each((controller, index) => {
            if (bytes) loadBytes().enqueueBytes(controller, chunks[index]);
            else enqueueController(controller, value);
          });
          reading = false;
          if (readAgain) void pull();
        });
      },
      close() {
        reading = false;
        each((controller) => {
          if (bytes) loadBytes().closeBytes(controller);
          else closeController(controller);
        });
        if (!canceled[0] || !canceled[1]) bothCanceled.resolve(undefined);
      },
      error() {
        reading = false;
      },
    });
    return Promise.resolve();
  };
  const cancel = (index: number) => (reason: any) => {
    canceled[index] = true;
    reasons[index] = reason;
    if (canceled[0] && canceled[1]) bothCanceled.resolve(cancelStream(stream, reasons.slice()));
    return bothCanceled.promise;
  };
  for (const index of [0, 1]) {
    const source = { pull, cancel: cancel(index) };
    branches.push(bytes ? loadBytes().createByteStream(source) : createReadable(source));
  }
  quiet(
    reader[kState].closed.promise.then(undefined, (error: any) => {
      for (const branch of branches) {
        if (bytes) loadBytes().errorBytes(branch[kState].controller, error);
        else errorController(branch[kState].controller, error);
      }
      if (!canceled[0] || !canceled[1]) bothCanceled.resolve(undefined);
    }),
  );
  return branches as [ReadableStream, ReadableStream];
}
