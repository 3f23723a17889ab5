// Streams of events that end with a result.

type Waiter = (result: IteratorResult<any>) => void;

/** Events that are pushed at one end and iterated at the other; the one that completes the stream has its result. */
export class EventStream<T = any, R = any> {
  #queue: T[] = [];
  #next = 0;
  #waiting: Waiter[] = [];
  #done = false;
  #isComplete: (event: T) => boolean;
  #extractResult: (event: T) => R;
  #result = Promise.withResolvers<R>();

  constructor(isComplete: (event: T) => boolean, extractResult: (event: T) => R) {
    this.#isComplete = isComplete;
    this.#extractResult = extractResult;
  }

  /** Adds an event; what comes after the last one is dropped. */
  push(event: T): void {
    if (this.#done) return;
    if (this.#isComplete(event)) {
      this.#done = true;
      this.#result.resolve(this.#extractResult(event));
    }
    const waiter = this.#waiting.shift();
    if (waiter) waiter({ value: event, done: false });
    else this.#queue.push(event);
    if (this.#done) this.#release();
  }

  /** Ends the stream without another event. */
  end(result?: R): void {
    this.#done = true;
    if (result !== undefined) this.#result.resolve(result);
    this.#release();
  }

  #release(): void {
    for (const waiter of this.#waiting.splice(0)) waiter({ value: undefined, done: true });
  }

  #take(): T {
    const event = this.#queue[this.#next++];
    if (this.#next > 1024) this.#queue.splice(0, this.#next), (this.#next = 0);
    return event;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      if (this.#next < this.#queue.length) {
        yield this.#take();
        continue;
      }
      if (this.#done) return;
      const { value, done } = await new Promise<IteratorResult<T>>((resolve) => this.#waiting.push(resolve));
      if (done) return;
      yield value;
    }
  }

  /** What the stream comes to. */
  result(): Promise<R> {
    return this.#result.promise;
  }
}

/** The events of a model's answer; the result is the message, also when it failed. */
export class AssistantMessageEventStream extends EventStream {
  constructor() {
    super(
      (event: any) => event.type === "done" || event.type === "error",
      (event: any) => (event.type === "done" ? event.message : event.error),
    );
  }
}

/** A new {@link AssistantMessageEventStream}. */
export function createAssistantMessageEventStream(): AssistantMessageEventStream {
  return new AssistantMessageEventStream();
}

/** The message of an answer that failed before it began. */
export function failedMessage(model: any, error: any, stopReason: "error" | "aborted" = "error"): any {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: [],
    api: model?.api,
    provider: model?.provider,
    model: model?.id,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost },
    stopReason,
    errorMessage: error instanceof Error ? error.message : String(error),
    timestamp: Date.now(),
  };
}

/** A stream at once whose events come from what `setup` gives later. */
export function lazyStream(model: any, setup: () => Promise<AsyncIterable<any>>): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  const run = async () => {
    for await (const event of await setup()) stream.push(event);
    stream.end();
  };
  run().catch((error) => stream.push({ type: "error", reason: "error", error: failedMessage(model, error) }));
  return stream;
}

/** The functions of a wire format whose module is loaded when one of them is called. */
export function lazyApi(load: () => Promise<any>): any {
  const through = (name: string) => (model: any, context: any, options: any) =>
    lazyStream(model, async () => (await load())[name](model, context, options));
  return { stream: through("stream"), streamSimple: through("streamSimple") };
}
