/** `pipeTo`. */

import { kState, invalidState, quiet } from "./common.ts";
import { cancelStream, ReadableStreamDefaultReader, readFrom, releaseReader, type ReadableStream } from "./readable.ts";
import { abortStream, isClosing, isWritableStream, type WritableStream } from "./writable.ts";
import { closeFromPipe, releaseWriter, WritableStreamDefaultWriter, writeTo } from "./writer.ts";

export { isWritableStream };

interface Options {
  preventClose?: boolean;
  preventAbort?: boolean;
  preventCancel?: boolean;
  signal?: AbortSignal;
}

/** Moves all chunks; the promise settles when source and destination are done as the options say. */
export function pipe(source: ReadableStream, destination: WritableStream, options: Options): Promise<void> {
  const preventClose = Boolean(options.preventClose);
  const preventAbort = Boolean(options.preventAbort);
  const preventCancel = Boolean(options.preventCancel);
  const { signal } = options;
  const from = source[kState];
  const to = destination[kState];
  const reader: any = new ReadableStreamDefaultReader(source);
  const writer: any = new WritableStreamDefaultWriter(destination);
  from.disturbed = true;
  let shuttingDown = false;
  let lastWrite: Promise<any> = Promise.resolve();

  return new Promise((resolve, reject) => {
    const finalize = (failure?: { error: any }) => {
      releaseWriter(writer);
      releaseReader(reader);
      signal?.removeEventListener("abort", onAbort);
      if (failure) reject(failure.error);
      else resolve();
    };
    const writesDone = async (): Promise<void> => {
      let seen: Promise<any>;
      do {
        seen = lastWrite;
        await seen.then(undefined, () => {});
      } while (seen !== lastWrite);
    };
    const shutdown = (action: (() => Promise<any>) | undefined, failure?: { error: any }) => {
      if (shuttingDown) return;
      shuttingDown = true;
      const run = () => {
        if (!action) return finalize(failure);
        action().then(
          () => finalize(failure),
          (error) => finalize({ error }),
        );
      };
      if (to.state === "writable" && !isClosing(destination)) void writesDone().then(run);
      else run();
    };

    const onAbort = () => {
      const error = signal!.reason;
      const actions: (() => Promise<any>)[] = [];
      if (!preventAbort) {
        actions.push(() => (to.state === "writable" ? abortStream(destination, error) : Promise.resolve()));
      }
      if (!preventCancel) {
        actions.push(() => (from.state === "readable" ? cancelStream(source, error) : Promise.resolve()));
      }
      shutdown(() => Promise.all(actions.map((action) => action())), { error });
    };
    if (signal) {
      if (signal.aborted) {
        onAbort();
        return;
      }
      signal.addEventListener("abort", onAbort);
    }

    const sourceFailed = (error: unknown) => {
      shutdown(preventAbort ? undefined : () => abortStream(destination, error), { error });
    };
    const destinationFailed = (error: unknown) => {
      shutdown(preventCancel ? undefined : () => cancelStream(source, error), { error });
    };
    const sourceClosed = () => {
      shutdown(preventClose ? undefined : () => closeFromPipe(writer));
    };

    const watch = () => {
      if (from.state === "errored") sourceFailed(from.error);
      else quiet(reader[kState].closed.promise.then(undefined, () => from.state === "errored" && sourceFailed(from.error)));
      if (to.state === "errored") destinationFailed(to.error);
      else quiet(writer[kState].closed.promise.then(undefined, () => to.state === "errored" && destinationFailed(to.error)));
      if (from.state === "closed") sourceClosed();
      else quiet(reader[kState].closed.promise.then(() => from.state === "closed" && sourceClosed()));
      if (isClosing(destination) || to.state === "closed") {
        const error = invalidState("Destination WritableStream is closed");
        shutdown(preventCancel ? undefined : () => cancelStream(source, error), { error });
      }
    };

    // One chunk at a time: read only when the destination has room.
    const step = (): Promise<boolean> => {
      if (shuttingDown) return Promise.resolve(true);
      return writer[kState].ready.promise.then(
        () =>
          new Promise<boolean>((done, failed) => {
            if (shuttingDown) return done(true);
            readFrom(reader, {
              chunk(value) {
                lastWrite = writeTo(writer, value);
                quiet(lastWrite);
                done(false);
              },
              close: () => done(true),
              error: failed,
            });
          }),
      );
    };
    const loop = async () => {
      while (!(await step()));
    };
    watch();
    quiet(loop());
  });
}

