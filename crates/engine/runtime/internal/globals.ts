// The globals of the web and of Node, each made when it is first used: most extensions use three of them.
import { ops } from "tau:ops";
import { installBind } from "./bind.ts";
import { importNow } from "./loader.ts";
import { installLocaleMethods } from "./locale_methods.ts";

/** Global name, module that has it, and its name there when that differs. */
const TABLE: [string, string, string?][] = [
  ["console", "internal/console.ts"],
  ["process", "node/process.ts", "default"],
  ["Buffer", "node/buffer.ts"],
  ["setTimeout", "node/timers.ts"],
  ["clearTimeout", "node/timers.ts"],
  ["setInterval", "node/timers.ts"],
  ["clearInterval", "node/timers.ts"],
  ["setImmediate", "node/timers.ts"],
  ["clearImmediate", "node/timers.ts"],
  ["queueMicrotask", "node/timers.ts"],
  ["URL", "web/url.ts"],
  ["URLSearchParams", "web/url.ts"],
  ["TextEncoder", "web/encoding.ts"],
  ["TextDecoder", "web/encoding.ts"],
  ["atob", "web/base64.ts"],
  ["btoa", "web/base64.ts"],
  ["Event", "web/event.ts"],
  ["EventTarget", "web/event.ts"],
  ["CustomEvent", "web/event.ts"],
  ["ErrorEvent", "web/event.ts"],
  ["MessageEvent", "web/event.ts"],
  ["CloseEvent", "web/event.ts"],
  ["AbortController", "web/abort.ts"],
  ["AbortSignal", "web/abort.ts"],
  ["DOMException", "web/dom_exception.ts"],
  ["ReadableStream", "web/streams.ts"],
  ["ReadableStreamDefaultReader", "web/streams.ts"],
  ["ReadableStreamBYOBReader", "web/streams.ts"],
  ["ReadableStreamDefaultController", "web/streams.ts"],
  ["ReadableByteStreamController", "web/streams.ts"],
  ["ReadableStreamBYOBRequest", "web/streams.ts"],
  ["WritableStream", "web/streams.ts"],
  ["WritableStreamDefaultWriter", "web/streams.ts"],
  ["WritableStreamDefaultController", "web/streams.ts"],
  ["TransformStream", "web/streams.ts"],
  ["TransformStreamDefaultController", "web/streams.ts"],
  ["CountQueuingStrategy", "web/streams.ts"],
  ["ByteLengthQueuingStrategy", "web/streams.ts"],
  ["TextEncoderStream", "web/streams.ts"],
  ["TextDecoderStream", "web/streams.ts"],
  ["CompressionStream", "web/streams.ts"],
  ["DecompressionStream", "web/streams.ts"],
  ["Blob", "web/blob.ts"],
  ["File", "web/blob.ts"],
  ["FormData", "web/formdata.ts"],
  ["Headers", "web/fetch.ts"],
  ["Request", "web/fetch.ts"],
  ["Response", "web/fetch.ts"],
  ["fetch", "web/fetch.ts"],
  ["structuredClone", "web/structured_clone.ts"],
  ["MessageChannel", "web/messaging.ts"],
  ["MessagePort", "web/messaging.ts"],
  ["BroadcastChannel", "web/messaging.ts"],
  ["performance", "web/performance.ts"],
  ["PerformanceObserver", "web/performance.ts"],
  ["PerformanceEntry", "web/performance.ts"],
  ["Performance", "web/performance.ts"],
  ["PerformanceMark", "web/performance.ts"],
  ["PerformanceMeasure", "web/performance.ts"],
  ["PerformanceObserverEntryList", "web/performance.ts"],
  ["PerformanceResourceTiming", "web/performance.ts"],
  ["WebSocket", "web/websocket.ts"],
  ["crypto", "node/crypto.ts", "webcrypto"],
  ["Crypto", "node/crypto.ts"],
  ["CryptoKey", "node/crypto.ts"],
  ["SubtleCrypto", "node/crypto.ts"],
  ["Navigator", "web/navigator.ts"],
  ["navigator", "web/navigator.ts"],
  ["Intl", "internal/intl.ts"],
  ["WebAssembly", "web/webassembly.ts"],
];

/** Helpers that compiled decorators call. */
const babelHelpers = {
  decorate(decorators: any[], target: any, key?: any, descriptor?: any): any {
    const isClass = arguments.length < 3;
    let result = isClass ? target : descriptor === null ? Object.getOwnPropertyDescriptor(target, key) : descriptor;
    for (let i = decorators.length - 1; i >= 0; i--) {
      const decorator = decorators[i];
      if (!decorator) continue;
      result = (isClass ? decorator(result) : arguments.length > 3 ? decorator(target, key, result) : decorator(target, key)) || result;
    }
    if (!isClass && result) Object.defineProperty(target, key, result);
    return result;
  },
  decorateParam: (index: number, decorator: any) => (target: any, key: any) => decorator(target, key, index),
  decorateMetadata: (key: unknown, value: unknown) =>
    typeof (Reflect as any).metadata === "function" ? (Reflect as any).metadata(key, value) : undefined,
};

let installed = false;

/** Puts all globals in place. They can be replaced like Node's. */
export function install(): void {
  if (installed) return;
  installed = true;
  for (const [name, module, exported = name] of TABLE) {
    const makesJobs = name === "queueMicrotask";
    const descriptor = {
      configurable: true,
      enumerable: false,
      get() {
        const value = importNow(`tau:${module}`)[exported];
        if (makesJobs) ops.makesJobs(value);
        Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, writable: true, value });
        return value;
      },
      set(value: unknown) {
        Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, writable: true, value });
      },
    };
    if (makesJobs) ops.makesJobs(descriptor.get);
    Object.defineProperty(globalThis, name, descriptor);
  }
  installBind();
  installLocaleMethods();
  Object.defineProperty(globalThis, "global", { configurable: true, writable: true, value: globalThis });
  Object.defineProperty(globalThis, "babelHelpers", { configurable: true, writable: true, value: babelHelpers });
}

