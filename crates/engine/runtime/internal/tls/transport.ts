// TLS over any transport: the engine encrypts, JavaScript moves the bytes.
import type { TlsEnd } from "tau:ops";
import { codeError } from "../errors.ts";
import type { Transport } from "../net/transport.ts";

const CHUNK = 64 * 1024;

export interface TlsTransport extends Transport {
  /** Resolves when both sides have agreed. */
  handshake(): Promise<void>;
}

export function tlsTransport(state: TlsEnd, inner: Transport): TlsTransport {
  let early: Uint8Array[] = [];
  let ended = false;

  async function flush(): Promise<void> {
    const bytes = state.take();
    if (bytes.length > 0) await inner.write(bytes);
  }

  function receive(bytes: Uint8Array): void {
    let received: any;
    try {
      received = state.receive(bytes);
    } catch (error) {
      // Tells the other side what is wrong, as far as it still listens.
      flush().catch(() => {});
      throw error;
    }
    if (received.data.length > 0) early.push(received.data);
    if (received.closed) ended = true;
  }

  return {
    async handshake() {
      await flush();
      while (state.info().handshaking) {
        const bytes = await inner.read(CHUNK);
        if (bytes === null) {
          const message = "Client network socket disconnected before secure TLS connection was established";
          throw codeError("ECONNRESET", message);
        }
        receive(bytes);
        await flush();
      }
    },
    async read() {
      for (;;) {
        const ready = early.shift();
        if (ready) return ready;
        if (ended) return null;
        const bytes = await inner.read(CHUNK);
        if (bytes === null) {
          ended = true;
          continue;
        }
        receive(bytes);
        // Answers that the protocol wants, such as new keys.
        await flush();
      }
    },
    async write(bytes) {
      state.send(bytes);
      await flush();
    },
    async shutdown() {
      state.end();
      await flush();
      await inner.shutdown();
    },
    close() {
      early = [];
      inner.close();
    },
  };
}
