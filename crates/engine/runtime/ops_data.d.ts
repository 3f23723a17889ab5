// Types of what ops of the engine take and give that is more than a row of their tables can say. Rows name them.

declare module "tau:ops" {
  /** A digest under way. */
  export interface Digest {
    update(bytes: Uint8Array | ArrayBuffer | string): void;
    digest(): Uint8Array;
    copy(): Digest;
  }

  /** The parts of a URL. */
  export type UrlParts = Record<
    | "href" | "origin" | "protocol" | "username" | "password" | "host" | "hostname" | "port" | "pathname" | "search"
    | "hash",
    string
  >;

  /** How a program is started. */
  export interface ChildPlan {
    file: string;
    /** The first argument is the name under which the program runs. */
    args: string[];
    cwd: string | null;
    env: Record<string, string> | null;
    /** `pipe`, `ignore`, or a descriptor of the engine. */
    stdio: (string | { fd: number })[];
    detached: boolean;
    uid: number | null;
    gid: number | null;
  }

  /** What a key is. */
  export interface KeyDetails {
    type: "rsa" | "ec" | "ed25519" | "x25519";
    /** Bits of an RSA key. */
    modulusLength?: number;
    /** Of an RSA key, as `0x` and hexadecimal digits. */
    publicExponent?: string;
    /** Of a key on a curve that has several. */
    namedCurve?: "prime256v1" | "secp384r1";
  }

  /** What a certificate says. */
  export interface Certificate {
    subject: [label: string, value: string][];
    issuer: [label: string, value: string][];
    /** The names it is for besides its subject. */
    names: [kind: string, value: string][] | null;
    /** Where to read more about it. */
    access: [method: string, place: [kind: string, value: string]][] | null;
    ca: boolean;
    /** What its key may be used for. */
    usage: string[] | null;
    /** Seconds since 1970. */
    from: number;
    /** Seconds since 1970. */
    to: number;
    serial: string;
    fingerprint: string;
    fingerprint256: string;
    fingerprint512: string;
    pem: string;
  }

  /** A request over HTTP. */
  export interface HttpRequest {
    /** A number by which it is ended. */
    id: number;
    method: string;
    url: string;
    headers: [name: string, value: string][];
    /** The stream that its body comes from. */
    bodyRid: number | null;
  }

  /** One end of TLS. */
  export interface TlsEnd {
    /** Takes encrypted bytes. */
    receive(bytes: Uint8Array): { data: Uint8Array; closed: boolean };
    /** Takes text to encrypt. */
    send(bytes: Uint8Array): void;
    /** The encrypted bytes that have to go out. */
    take(): Uint8Array;
    /** Says goodbye. */
    end(): void;
    info(): TlsInfo;
    /** The certificates of the other side. */
    certificates(): Uint8Array[];
  }

  /** What both sides have agreed on. */
  export interface TlsInfo {
    handshaking: boolean;
    protocol: string | null;
    cipher: string | null;
    alpn: string | null;
    /** The name that the client asked a server for. */
    servername: string | null;
    /** What is wrong with the certificate of the other side. */
    problem: { code: string; message: string } | null;
  }

  /** What a connection trusts and shows; certificates and keys are PEM texts. */
  export interface TlsServerOptions {
    cert: string[];
    key: string | null;
    /** The protocols that it speaks above TLS, the preferred one first. */
    alpn: string[];
  }

  /** The same for a client. */
  export interface TlsClientOptions extends TlsServerOptions {
    /** What it trusts; without any the system's certificates. */
    ca: string[];
    /** What it trusts beside the system's certificates. */
    extra: string[];
    /** Whether to continue with an invalid certificate. */
    lenient: boolean;
  }

  /** How a signature is made. */
  export interface SignatureScheme {
    /** Missing where the kind of key has its own digest. */
    hash?: string;
    pss: boolean;
    /** The length of the salt of PSS. Without one it is as long as the digest, and a verifier takes any. */
    salt?: number;
    /** Whether the two numbers of an ECDSA signature stand side by side, not as DER. */
    plain: boolean;
  }

  /** How data is compressed. */
  export interface ZlibOptions {
    level?: number;
    /** Of Brotli. */
    quality?: number;
    /** The size of the window of Brotli, as a power of two. */
    window?: number;
    /** Whether Brotli may expect text. */
    text?: boolean;
    /** Whether the input may end anywhere. */
    partial?: boolean;
    /** The most bytes that may come out. */
    limit?: number;
  }

  /** Compression under way. */
  export interface ZlibStream {
    /** Takes the next piece, with a flush: 0 none, 1 `sync`, 2 `full`, 3 the end. Gives what comes out. */
    feed(bytes: Uint8Array, flush: number): Uint8Array;
  }

  /** How a database is opened. */
  export interface SqliteOptions {
    readOnly: boolean;
    foreignKeys: boolean;
    doubleQuotes: boolean;
    /** The longest wait for a lock, in milliseconds. */
    timeout: number;
  }

  /** How rows come. */
  export interface SqliteForm {
    /** Whether whole numbers are `BigInt`. */
    big: boolean;
    /** Whether rows are arrays, not objects. */
    arrays: boolean;
    /** Whether there is only the first row. */
    one: boolean;
  }

  /** A column of a statement; what does not come from a table has no origin. */
  export interface SqliteColumn {
    column: string | null;
    database: string | null;
    name: string;
    table: string | null;
    type: string | null;
  }

  /** The types of values of WebAssembly. */
  export type WasmType = "i32" | "i64" | "f32" | "f64" | "v128" | "externref" | "anyfunc";

  /** What a global holds. */
  interface WasmContent {
    kind: "global";
    content: WasmType;
    mutable: boolean;
  }

  /** What a module imports. */
  export type WasmImport = { module: string; name: string } & ({ kind: "function" | "memory" | "table" } | WasmContent);

  /** What a module imports and exports. */
  export interface WasmModule {
    imports: WasmImport[];
    exports: ({ name: string } & ({ kind: "function" | "memory" | "table" } | WasmContent))[];
  }

  /** What an instance exports, with its numbers, and the function to call when it is made. */
  export interface WasmInstance {
    exports: [name: string, kind: WasmImport["kind"], number: number][];
    start: number | null;
  }

  /** A function of WebAssembly; `host` says which one of JavaScript it is. */
  export interface WasmFunction {
    params: WasmType[];
    results: WasmType[];
    host: number | null;
  }

  /** A call that waits for a function of JavaScript, with what that gets; without a call, what was returned. */
  export type WasmStep = [call: object | null, host: number, values: unknown[]];

  /** A place on the screen, in cells. */
  export interface Rect {
    row: number;
    col: number;
    width: number;
    height: number;
  }

  /** What a provider of completions suggests. */
  export interface Suggested {
    items: { value: string; label: string; description?: string }[];
    prefix: string;
  }
}
