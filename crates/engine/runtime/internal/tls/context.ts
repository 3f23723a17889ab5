// What a connection trusts and shows: certificates and keys from options and the environment.
import { ops, type TlsClientOptions, type TlsServerOptions } from "tau:ops";
import { Buffer } from "../../node/buffer.ts";
import { codeTypeError, invalidArgType } from "../errors.ts";
import { lazyModule } from "../lazy.ts";

const loadKeys = lazyModule("internal/crypto/keys.ts");

function pemTexts(value: unknown, name: string): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((one) => {
    if (typeof one === "string") return one;
    if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer) return Buffer.from(one as any).toString();
    if (one?.pem !== undefined) return pemTexts(one.pem, name)[0];
    throw invalidArgType(name, ["string", "Buffer", "TypedArray", "DataView"], one);
  });
}

/** A key, decrypted where a passphrase comes with it. */
function keyText(value: any, passphrase: unknown): string | undefined {
  const [text] = pemTexts(value, "options.key");
  const own = Array.isArray(value) ? value[0]?.passphrase : undefined;
  if (text === undefined || !text.includes("ENCRYPTED")) return text;
  return loadKeys().createPrivateKey({ key: text, passphrase: own ?? passphrase }).export({ type: "pkcs8", format: "pem" });
}

function protocols(value: any): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map(String);
  // The form of the protocol itself: every name has its length before it.
  const bytes = Buffer.from(value);
  const names: string[] = [];
  for (let at = 0; at < bytes.length; at += 1 + bytes[at]) names.push(bytes.toString("latin1", at + 1, at + 1 + bytes[at]));
  return names;
}

export class SecureContext {
  readonly options: any;
  readonly context: object = {};

  constructor(options: any = {}) {
    this.options = options;
  }
}

export function createSecureContext(options: any = {}): SecureContext {
  const context = new SecureContext(options);
  if (options.pfx !== undefined) throw codeTypeError("ERR_INVALID_ARG_VALUE", "options.pfx is not available in tau");
  // Wrong certificates are noticed here, not with the first connection.
  if (options.cert && options.key) ops.tlsCheckServer(serverOptions(options));
  return context;
}

function merged(options: any): any {
  return { ...options.secureContext?.options, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
}

let extra: string[] | undefined;

/** What `NODE_EXTRA_CA_CERTS` adds to the system's certificates. */
function extraCertificates(): string[] {
  if (extra) return extra;
  const path = ops.envGet("NODE_EXTRA_CA_CERTS");
  try {
    extra = path ? [ops.fsReadFile(path, 0, true) as string] : [];
  } catch {
    extra = [];
  }
  return extra;
}

/** For the client's op. */
export function clientOptions(given: unknown): TlsClientOptions & { reject: boolean } {
  const options = merged(given);
  const lenient = options.rejectUnauthorized === false || (options.rejectUnauthorized === undefined && ops.envGet("NODE_TLS_REJECT_UNAUTHORIZED") === "0");
  return {
    ca: pemTexts(options.ca, "options.ca"),
    extra: extraCertificates(),
    cert: pemTexts(options.cert, "options.cert"),
    key: keyText(options.key, options.passphrase) ?? null,
    alpn: protocols(options.ALPNProtocols),
    // A `checkServerIdentity` of one's own decides about the name itself.
    lenient: lenient || typeof options.checkServerIdentity === "function",
    reject: !lenient,
  };
}

/** For the server's op. */
export function serverOptions(given: unknown): TlsServerOptions {
  const options = merged(given);
  return {
    cert: pemTexts(options.cert, "options.cert"),
    key: keyText(options.key, options.passphrase) ?? null,
    alpn: protocols(options.ALPNProtocols),
  };
}
