/** The stream globals of the web. */

import { kState } from "../internal/webstreams/common.ts";
import { errorBytes, isByteController } from "../internal/webstreams/bytes.ts";
import { isReadableStream } from "../internal/webstreams/readable.ts";
import { errorController } from "../internal/webstreams/readable_controller.ts";
import { errorIfNeeded, isWritableStream } from "../internal/webstreams/writable.ts";

export { ByteLengthQueuingStrategy, CountQueuingStrategy } from "../internal/webstreams/common.ts";
export { ReadableByteStreamController } from "../internal/webstreams/bytes.ts";
export { ReadableStreamBYOBReader, ReadableStreamBYOBRequest } from "../internal/webstreams/byob.ts";
export { ReadableStream, ReadableStreamDefaultReader } from "../internal/webstreams/readable.ts";
export { ReadableStreamDefaultController } from "../internal/webstreams/readable_controller.ts";
export { WritableStream } from "../internal/webstreams/writable.ts";
export { WritableStreamDefaultController } from "../internal/webstreams/writable_controller.ts";
export { WritableStreamDefaultWriter } from "../internal/webstreams/writer.ts";
export { TransformStream, TransformStreamDefaultController } from "../internal/webstreams/transform.ts";
export { TextDecoderStream, TextEncoderStream } from "../internal/webstreams/text.ts";
export { CompressionStream, DecompressionStream } from "../internal/webstreams/compression.ts";

/** Fails a web stream from outside, as an aborted signal does. */
export function errorStream(stream: any, error: any): void {
  if (isReadableStream(stream)) {
    const { controller } = stream[kState];
    if (isByteController(controller)) errorBytes(controller, error);
    else errorController(controller, error);
  } else if (isWritableStream(stream)) {
    errorIfNeeded(stream, error);
  } else {
    errorStream(stream.readable, error);
    errorStream(stream.writable, error);
  }
}
