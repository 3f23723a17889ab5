// Generated from the tables of ops in Rust; a test of tau-js keeps it fresh. Change those.

/// <reference path="./ops_data.d.ts" />
/// <reference path="./pi/data.d.ts" />

declare module "tau:ops" {
  /** What runs in Rust. */
  export const ops: Ops;

  /** Ops that exist twice: one that blocks, and one with `Async` behind its name that gives a promise. */
  export type Twin =
    | "cryptoPbkdf2"
    | "cryptoScrypt"
    | "cryptoKeyGenerate"
    | "fsReadFile"
    | "fsWriteFile"
    | "fsCopyFile"
    | "fsTruncate"
    | "fsMkdir"
    | "fsMkdirAll"
    | "fsMkdtemp"
    | "fsReaddir"
    | "fsOpen"
    | "fsClose"
    | "fsRead"
    | "fsWrite"
    | "fsReadRest"
    | "fsWriteAll"
    | "fsFstat"
    | "fsFtruncate"
    | "fsFsync"
    | "fsFchmod"
    | "fsFchown"
    | "fsFutimes"
    | "fsStat"
    | "fsLstat"
    | "fsAccess"
    | "fsRealpath"
    | "fsStatfs"
    | "fsRename"
    | "fsLink"
    | "fsSymlink"
    | "fsReadlink"
    | "fsUnlink"
    | "fsChmod"
    | "fsChown"
    | "fsUtimes"
    | "fsRmdir"
    | "fsRm";

  export interface Ops {
    // ---- engine::engine::calls: Calls into extensions.
    /** A call has its result. (pure) */
    callDone(id: number, value: unknown): void;
    /** A call failed with an error. (pure) */
    callFailed(id: number, error: unknown): void;
    /** Reports an error that nobody caught. (pure) */
    reportUncaught(error: unknown): void;
    /** The exit code of the program when nothing else goes wrong. (pure) */
    exitCode(code: number | null | undefined): void;
    /** The number of the extension whose code is at work. (pure) */
    currentExtension(): number;

    // ---- engine::engine::stack: Stacks of errors.
    /** The next stack shows the extension's own line alone. Extensions register things by the dozen as they load: the stack that tells where needs no more. (pure) */
    nextStackIsOwn(): void;

    // ---- engine::loader: The module registry.
    /** The name of the module that a module means. (recorded) */
    moduleResolve(specifier: string, importer: string, require: boolean): string;
    /** Reads and compiles a module. (recorded) */
    moduleLoad(extension: number, id: string): [fn: unknown, kind: "esm" | "cjs" | "json", imports?: string[], isAsync?: boolean];
    /** Evaluates a module of the runtime. (pure) */
    moduleRun(path: string, ...args: unknown[]): void;
    /** The names that a module of the runtime exports, where they are known before it is evaluated. (pure) */
    moduleExports(path: string): string[] | undefined;
    /** The modules of an extension tell apart who awaits. (pure) */
    moduleTrackAwait(extension: number): void;

    // ---- engine::ops::child: Child processes.
    /** Starts a program. (refused) */
    childSpawn(spec: ChildPlan): { pid: number; rid: number; stdio: (number | null)[] };
    /** How a program ended. (recorded) */
    childWait(rid: number): Promise<{ code: number | null; signal: number | null }>;
    /** Sends a signal to a program; whether it was still there. (refused) */
    childKill(rid: number, signal: number): boolean;
    /** Whether a program keeps the engine from being idle. (pure) */
    childRef(rid: number, keep: boolean): void;
    /** Runs a program to its end. (refused) */
    childRun(spec: ChildPlan & { timeout: number; maxBuffer: number | null; killSignal: number }, input: Uint8Array | ArrayBuffer | string | null | undefined): { pid: number; status: number | null; signal: number | null; broke: string | undefined; output: (Uint8Array | null)[] };

    // ---- engine::ops::child::signals: Signals by number, and sending them.
    /** The signals of this system, by name. (pure) */
    signals(): Record<string, number>;
    /** Sends a signal to a process. (refused) */
    processKill(pid: number, signal: number): void;

    // ---- engine::ops::child::terminal: Children with a terminal.
    /** Starts a program in a terminal of its own: `rid` is the program, `stream` what it shows and what is typed. (refused) */
    terminalSpawn(spec: ChildPlan, columns: number, rows: number, utf8: boolean): { pid: number; rid: number; stream: number; terminal: number };
    /** Says how large a terminal is. (refused) */
    terminalResize(rid: number, columns: number, rows: number): void;
    /** The name of the program in the foreground of a terminal. (recorded) */
    terminalProgram(rid: number): string | undefined;

    // ---- engine::ops::crypto::cipher: Symmetric ciphers.
    /** A text under way: `{update(bytes), final(), setAutoPadding(on), setAAD(bytes), getAuthTag(), setAuthTag(bytes)}`. (pure) */
    cryptoCipher(name: string, key: Uint8Array | ArrayBuffer | string, iv: Uint8Array | ArrayBuffer | string, decrypt: boolean, tag: number): { update(bytes: Uint8Array): Uint8Array; final(): Uint8Array; setAutoPadding(on: boolean): void; setAAD(bytes: Uint8Array): void; getAuthTag(): Uint8Array; setAuthTag(bytes: Uint8Array): void };

    // ---- engine::ops::crypto::digest: Digests and HMAC.
    /** A digest under way; nothing when the algorithm is not known. (pure) */
    cryptoHash(name: string): Digest | undefined;
    /** The digest of data; nothing when the algorithm is not known. (pure) */
    cryptoHashOnce(name: string, data: Uint8Array | ArrayBuffer | string): Uint8Array | undefined;
    /** A keyed digest under way; nothing when the algorithm is not known. (pure) */
    cryptoHmac(name: string, key: Uint8Array | ArrayBuffer | string): { update(bytes: Uint8Array | ArrayBuffer | string): void; digest(): Uint8Array } | undefined;
    /** Whether two values are equal. How long it takes depends on the lengths alone. (pure) */
    cryptoEqual(left: Uint8Array | ArrayBuffer | string, right: Uint8Array | ArrayBuffer | string): boolean;

    // ---- engine::ops::crypto::kdf: Keys from passwords and from other keys.
    /** A key from a password, by PBKDF2. (pure) */
    cryptoPbkdf2(password: Uint8Array | ArrayBuffer | string, salt: Uint8Array | ArrayBuffer | string, rounds: number, length: number, hash: string): Uint8Array;
    /** A key from a password, by PBKDF2, from another thread. (pure) */
    cryptoPbkdf2Async(password: Uint8Array | ArrayBuffer | string, salt: Uint8Array | ArrayBuffer | string, rounds: number, length: number, hash: string): Promise<Uint8Array>;
    /** A key from a password, by scrypt. (pure) */
    cryptoScrypt(password: Uint8Array | ArrayBuffer | string, salt: Uint8Array | ArrayBuffer | string, cost: readonly number[], length: number): Uint8Array;
    /** A key from a password, by scrypt, from another thread. (pure) */
    cryptoScryptAsync(password: Uint8Array | ArrayBuffer | string, salt: Uint8Array | ArrayBuffer | string, cost: readonly number[], length: number): Promise<Uint8Array>;
    /** A key from a key, by HKDF. (pure) */
    cryptoHkdf(hash: string, key: Uint8Array | ArrayBuffer | string, salt: Uint8Array | ArrayBuffer | string, info: Uint8Array | ArrayBuffer | string, length: number): Uint8Array;

    // ---- engine::ops::crypto::key_ops: Making, reading and writing keys.
    /** `{kind, der}` of a PEM text, or of DER where a form is given. (pure) */
    cryptoKeyParse(data: Uint8Array | ArrayBuffer | string, form: string | null | undefined, isPrivate: boolean, passphrase: Uint8Array | ArrayBuffer | string | null | undefined): { kind: "private" | "public"; der: Uint8Array };
    /** `{kind, der}` of a JSON web key. (pure) */
    cryptoKeyFromJwk(jwk: unknown): { kind: "secret" | "private" | "public"; der: Uint8Array };
    /** A key as a JSON web key. (pure) */
    cryptoKeyToJwk(kind: string, der: Uint8Array | ArrayBuffer | string): Record<string, string>;
    /** What a key is: its type and its parameters. (pure) */
    cryptoKeyDetails(kind: string, der: Uint8Array | ArrayBuffer | string): KeyDetails;
    /** The public key of a private one. (pure) */
    cryptoKeyPublic(der: Uint8Array | ArrayBuffer | string): Uint8Array;
    /** A key in another form. (pure) */
    cryptoKeyExport(kind: string, der: Uint8Array | ArrayBuffer | string, form: string, pem: boolean, cipher: string | null | undefined, passphrase: Uint8Array | ArrayBuffer | string | null | undefined): Uint8Array;
    /** A new pair of keys. (recorded) */
    cryptoKeyGenerate(kind: string, curve: string, bits: number, exponent: number): [publicKey: Uint8Array, privateKey: Uint8Array];
    /** A new pair of keys, from another thread. (recorded) */
    cryptoKeyGenerateAsync(kind: string, curve: string, bits: number, exponent: number): Promise<[publicKey: Uint8Array, privateKey: Uint8Array]>;
    /** The secret that two pairs share. (pure) */
    cryptoAgree(privateKey: Uint8Array | ArrayBuffer | string, public: Uint8Array | ArrayBuffer | string): Uint8Array;

    // ---- engine::ops::crypto: What `node.
    /** Random bytes. (recorded) */
    randomFill(length: number): Uint8Array;

    // ---- engine::ops::crypto::rsa_cipher: Encryption of short texts with RSA.
    /** Encrypts with a public RSA key. (recorded) */
    cryptoRsaEncrypt(key: Uint8Array | ArrayBuffer | string, hash: string | null | undefined, label: Uint8Array | ArrayBuffer | string, data: Uint8Array | ArrayBuffer | string): Uint8Array;
    /** Decrypts with a private RSA key. (pure) */
    cryptoRsaDecrypt(key: Uint8Array | ArrayBuffer | string, hash: string | null | undefined, label: Uint8Array | ArrayBuffer | string, data: Uint8Array | ArrayBuffer | string): Uint8Array;

    // ---- engine::ops::crypto::sign: Signatures.
    /** Signs data. (recorded) */
    cryptoSign(key: Uint8Array | ArrayBuffer | string, scheme: SignatureScheme, data: Uint8Array | ArrayBuffer | string): Uint8Array;
    /** Whether a signature is right. (pure) */
    cryptoVerify(key: Uint8Array | ArrayBuffer | string, scheme: SignatureScheme, data: Uint8Array | ArrayBuffer | string, signature: Uint8Array | ArrayBuffer | string): boolean;

    // ---- engine::ops::crypto::x509: What certificates say.
    /** What a certificate says. (pure) */
    cryptoX509(data: Uint8Array | ArrayBuffer | string): Certificate;
    /** The DER of a certificate. (pure) */
    cryptoX509Raw(data: Uint8Array | ArrayBuffer | string): Uint8Array;
    /** Whether a key signed a certificate. (pure) */
    cryptoX509Verify(data: Uint8Array | ArrayBuffer | string, key: Uint8Array | ArrayBuffer | string): boolean;

    // ---- engine::ops::dns: Names to addresses, by the system's resolver.
    /** `[{address, family}, …]` in the system's order. (recorded) */
    dnsLookup(name: string): Promise<{ address: string; family: 4 | 6 }[]>;

    // ---- engine::ops::encoding: Text and bytes.
    /** Text as UTF-8. (pure) */
    utf8Encode(text: string): Uint8Array;
    /** Text from UTF-8. (pure) */
    utf8Decode(bytes: Uint8Array | ArrayBuffer | string, fatal: boolean): string;
    /** Text as one byte a character. (pure) */
    latin1Encode(text: string): Uint8Array;
    /** Text from one byte a character. (pure) */
    latin1Decode(bytes: Uint8Array | ArrayBuffer | string): string;
    /** Bytes in base64. (pure) */
    base64Encode(bytes: Uint8Array | ArrayBuffer | string, urlSafe: boolean): string;
    /** Bytes from base64, as far as they can be read. (pure) */
    base64Decode(text: string): Uint8Array;
    /** Bytes as hexadecimal digits. (pure) */
    hexEncode(bytes: Uint8Array | ArrayBuffer | string): string;
    /** Bytes from hexadecimal digits, as far as they can be read. (pure) */
    hexDecode(text: string): Uint8Array;
    /** Which of two values comes first: less than, equal to or greater than zero. (pure) */
    bytesCompare(left: Uint8Array | ArrayBuffer | string, right: Uint8Array | ArrayBuffer | string): number;
    /** The name of an encoding by one of its labels. (pure) */
    encodingName(label: string): string | undefined;
    /** A decoder that takes text piece by piece. (pure) */
    textDecoder(label: string, fatal: boolean, keepMark: boolean): (bytes: Uint8Array, last: boolean) => string;

    // ---- engine::ops::fetch: The HTTP client behind `fetch`.
    /** The number of a stream to write a request's body to. (pure) */
    fetchBodyOpen(): number;
    /** Ends a request. (pure) */
    fetchAbort(id: number): void;
    /** Sends a request; gives the head of the answer. (refused) */
    fetchStart(request: HttpRequest, bytes: Uint8Array | ArrayBuffer | string | null | undefined): Promise<{ status: number; statusText: string; headers: [string, string][]; rid: number }>;

    // ---- engine::ops::fs::constants: The numbers of this system that JavaScript passes back.
    /** The flags of `open` on this system, by name. (pure) */
    fsOpenFlags(): Record<string, number>;

    // ---- engine::ops::fs::content: Whole files.
    /** The whole content of a file. (recorded) */
    fsReadFile(path: string, flags: number, text: boolean): string | Uint8Array;
    /** The whole content of a file. (recorded) */
    fsReadFileAsync(path: string, flags: number, text: boolean): Promise<string | Uint8Array>;
    /** Writes a whole file. (refused) */
    fsWriteFile(path: string, data: string | Uint8Array | ArrayBuffer, flags: number, mode: number, flush: boolean): void;
    /** Writes a whole file. (refused) */
    fsWriteFileAsync(path: string, data: string | Uint8Array | ArrayBuffer, flags: number, mode: number, flush: boolean): Promise<void>;
    /** Copies a file. (refused) */
    fsCopyFile(from: string, to: string, mode: number): void;
    /** Copies a file. (refused) */
    fsCopyFileAsync(from: string, to: string, mode: number): Promise<void>;
    /** Cuts a file to a length. (refused) */
    fsTruncate(path: string, length: number): void;
    /** Cuts a file to a length. (refused) */
    fsTruncateAsync(path: string, length: number): Promise<void>;

    // ---- engine::ops::fs::directory: Directories.
    /** Makes a directory. (refused) */
    fsMkdir(path: string, mode: number): void;
    /** Makes a directory. (refused) */
    fsMkdirAsync(path: string, mode: number): Promise<void>;
    /** Makes a directory and those above it; gives the topmost one that was made. (refused) */
    fsMkdirAll(path: string, mode: number): string | undefined;
    /** Makes a directory and those above it; gives the topmost one that was made. (refused) */
    fsMkdirAllAsync(path: string, mode: number): Promise<string | undefined>;
    /** Makes a directory with a name of its own. (refused) */
    fsMkdtemp(prefix: string): string;
    /** Makes a directory with a name of its own. (refused) */
    fsMkdtempAsync(prefix: string): Promise<string>;
    /** The entries of a directory: names, kinds, and the folders they are in. (recorded) */
    fsReaddirAsync(path: string, recursive: boolean, syscall: string): Promise<[names: string[], kinds: number[], parents: string[]]>;
    /** The entries of a directory: names, kinds, and the folders they are in. (recorded) */
    fsReaddir(path: string, recursive: boolean, syscall: string): [names: string[], kinds: number[], parents: string[]];

    // ---- engine::ops::fs::handle: Open files.
    /** Opens a file; gives its number. (refused) */
    fsOpen(path: string, flags: number, mode: number): number;
    /** Opens a file; gives its number. (refused) */
    fsOpenAsync(path: string, flags: number, mode: number): Promise<number>;
    /** Closes a file. (pure) */
    fsClose(number: number): void;
    /** Closes a file. (pure) */
    fsCloseAsync(number: number): Promise<void>;
    /** Whether an open file is a terminal. The standard streams are none: an extension does not own the terminal. (recorded) */
    isatty(number: number): boolean;
    /** Reads from an open file. (recorded) */
    fsRead(file: number, length: number, position: number | null | undefined): Uint8Array;
    /** Reads from an open file. (recorded) */
    fsReadAsync(file: number, length: number, position: number | null | undefined): Promise<Uint8Array>;
    /** Writes to an open file; gives how many bytes. (refused) */
    fsWrite(file: number, data: string | Uint8Array | ArrayBuffer, position: number | null | undefined): number;
    /** Writes to an open file; gives how many bytes. (refused) */
    fsWriteAsync(file: number, data: string | Uint8Array | ArrayBuffer, position: number | null | undefined): Promise<number>;
    /** Everything from the current position on. (recorded) */
    fsReadRest(file: number, text: boolean): string | Uint8Array;
    /** Everything from the current position on. (recorded) */
    fsReadRestAsync(file: number, text: boolean): Promise<string | Uint8Array>;
    /** Writes all of the data to an open file. (refused) */
    fsWriteAll(file: number, data: string | Uint8Array | ArrayBuffer, position: number | null | undefined): void;
    /** Writes all of the data to an open file. (refused) */
    fsWriteAllAsync(file: number, data: string | Uint8Array | ArrayBuffer, position: number | null | undefined): Promise<void>;
    /** What an open file is. (recorded) */
    fsFstat(file: number): number[];
    /** What an open file is. (recorded) */
    fsFstatAsync(file: number): Promise<number[]>;
    /** Cuts an open file to a length. (refused) */
    fsFtruncate(file: number, length: number): void;
    /** Cuts an open file to a length. (refused) */
    fsFtruncateAsync(file: number, length: number): Promise<void>;
    /** Brings an open file to the disk. (refused) */
    fsFsync(file: number, dataOnly: boolean): void;
    /** Brings an open file to the disk. (refused) */
    fsFsyncAsync(file: number, dataOnly: boolean): Promise<void>;
    /** Changes the permissions of an open file. (refused) */
    fsFchmod(file: number, mode: number): void;
    /** Changes the permissions of an open file. (refused) */
    fsFchmodAsync(file: number, mode: number): Promise<void>;
    /** Changes the owner of an open file. (refused) */
    fsFchown(file: number, uid: number, gid: number): void;
    /** Changes the owner of an open file. (refused) */
    fsFchownAsync(file: number, uid: number, gid: number): Promise<void>;
    /** Changes the times of an open file. (refused) */
    fsFutimes(file: number, accessed: number, modified: number): void;
    /** Changes the times of an open file. (refused) */
    fsFutimesAsync(file: number, accessed: number, modified: number): Promise<void>;

    // ---- engine::ops::fs::inspect: What is known about files without opening them.
    /** What a file is; links are followed. (recorded) */
    fsStat(path: string): number[];
    /** What a file is; links are followed. (recorded) */
    fsStatAsync(path: string): Promise<number[]>;
    /** What a file is; a link is itself. (recorded) */
    fsLstat(path: string): number[];
    /** What a file is; a link is itself. (recorded) */
    fsLstatAsync(path: string): Promise<number[]>;
    /** Throws unless a file can be used in this way. (recorded) */
    fsAccess(path: string, mode: number): void;
    /** Throws unless a file can be used in this way. (recorded) */
    fsAccessAsync(path: string, mode: number): Promise<void>;
    /** The true name of a file. (recorded) */
    fsRealpath(path: string, native: boolean): string;
    /** The true name of a file. (recorded) */
    fsRealpathAsync(path: string, native: boolean): Promise<string>;
    /** What a file system is: type, block size, blocks, free, available, files, free files. (recorded) */
    fsStatfs(path: string): number[];
    /** What a file system is: type, block size, blocks, free, available, files, free files. (recorded) */
    fsStatfsAsync(path: string): Promise<number[]>;
    /** Whether there is something of that name. (recorded) */
    fsExists(path: string): boolean;

    // ---- engine::ops::fs::links: Names, links, owners, permissions and times of files.
    /** Gives a file another name. (refused) */
    fsRename(from: string, to: string): void;
    /** Gives a file another name. (refused) */
    fsRenameAsync(from: string, to: string): Promise<void>;
    /** Gives a file a second name. (refused) */
    fsLink(from: string, to: string): void;
    /** Gives a file a second name. (refused) */
    fsLinkAsync(from: string, to: string): Promise<void>;
    /** Makes a symbolic link. (refused) */
    fsSymlink(target: string, path: string): void;
    /** Makes a symbolic link. (refused) */
    fsSymlinkAsync(target: string, path: string): Promise<void>;
    /** Where a symbolic link points. (recorded) */
    fsReadlink(path: string): string;
    /** Where a symbolic link points. (recorded) */
    fsReadlinkAsync(path: string): Promise<string>;
    /** Removes a file. (refused) */
    fsUnlink(path: string): void;
    /** Removes a file. (refused) */
    fsUnlinkAsync(path: string): Promise<void>;
    /** Changes the permissions of a file. (refused) */
    fsChmod(path: string, mode: number): void;
    /** Changes the permissions of a file. (refused) */
    fsChmodAsync(path: string, mode: number): Promise<void>;
    /** Changes the owner of a file. (refused) */
    fsChown(path: string, uid: number, gid: number, follow: boolean): void;
    /** Changes the owner of a file. (refused) */
    fsChownAsync(path: string, uid: number, gid: number, follow: boolean): Promise<void>;
    /** Changes the times of a file. (refused) */
    fsUtimes(path: string, accessed: number, modified: number, follow: boolean): void;
    /** Changes the times of a file. (refused) */
    fsUtimesAsync(path: string, accessed: number, modified: number, follow: boolean): Promise<void>;
    /** Sets the mask that new files get, and gives the old one; without a mask it only gives it. (refused) */
    umask(mask: number | null | undefined): number;

    // ---- engine::ops::fs::remove: Removing files and trees.
    /** Removes an empty directory. (refused) */
    fsRmdir(path: string): void;
    /** Removes an empty directory. (refused) */
    fsRmdirAsync(path: string): Promise<void>;
    /** Removes a file, or a tree. (refused) */
    fsRmAsync(path: string, recursive: boolean, force: boolean, retries: number, delayMs: number): Promise<void>;
    /** Removes a file, or a tree. (refused) */
    fsRm(path: string, recursive: boolean, force: boolean, retries: number, delayMs: number): void;

    // ---- engine::ops::http: Heads of HTTP/1 messages.
    /** `[length, minor version, method or status, target or reason, name, value, name, value, …]`; nothing when it is not all there yet. (pure) */
    httpParseHead(bytes: Uint8Array | ArrayBuffer | string, response: boolean): [length: number, minor: number, first: string, second: string, ...headers: string[]] | undefined;

    // ---- engine::ops::inspect: What JavaScript itself cannot see of a value.
    /** The target and the handler of a proxy; nothing when it is none. (pure) */
    proxyDetails(value: unknown): [target: object | null, handler: object | null] | undefined;
    /** The state and the result of a promise. (pure) */
    promiseDetails(value: unknown): [state: string, value: unknown] | undefined;

    // ---- engine::ops::intl: What the `Intl` objects cannot do in JavaScript.
    /** The parts of a text: characters, words or sentences. (pure) */
    intlSegments(text: string, granularity: string): number[];
    /** The proper name of a time zone; nothing when there is none. (pure) */
    intlTimeZone(name: string): string | undefined;
    /** The time zone of the system. (recorded) */
    intlSystemTimeZone(): string;
    /** All time zones. (pure) */
    intlTimeZones(): string[];
    /** A moment in a time zone. (pure) */
    intlZoned(milliseconds: number, name: string): [year: number, month: number, day: number, hour: number, minute: number, second: number, millisecond: number, weekday: number, offset: number, abbreviation: string];

    // ---- engine::ops::net: Sockets.
    /** Listens for connections; gives the number and the address. (refused) */
    netListen(address: string, port: number, backlog: number): { rid: number; localAddress?: string; localPort?: number; localFamily?: string; remoteAddress?: string; remotePort?: number; remoteFamily?: string };
    /** Listens on a socket in the file system. (refused) */
    netListenUnix(path: string): { rid: number; localAddress?: string; localPort?: number; localFamily?: string; remoteAddress?: string; remotePort?: number; remoteFamily?: string };
    /** The next connection; nothing when the listener was closed. (recorded) */
    netAccept(rid: number): Promise<{ rid: number; localAddress?: string; localPort?: number; localFamily?: string; remoteAddress?: string; remotePort?: number; remoteFamily?: string } | undefined>;
    /** Stops listening. (pure) */
    netCloseListener(rid: number): void;
    /** Opens a connection. (refused) */
    netConnect(address: string, port: number, localAddress: string | null | undefined, localPort: number | null | undefined): Promise<{ rid: number; localAddress?: string; localPort?: number; localFamily?: string; remoteAddress?: string; remotePort?: number; remoteFamily?: string }>;
    /** Opens a connection to a socket in the file system. (refused) */
    netConnectUnix(path: string): Promise<{ rid: number; localAddress?: string; localPort?: number; localFamily?: string; remoteAddress?: string; remotePort?: number; remoteFamily?: string }>;

    // ---- engine::ops::os: The machine and the user.
    /** What the system calls itself. (recorded) */
    osUname(): Record<"sysname" | "hostname" | "release" | "version" | "machine", string>;
    /** The processors. (recorded) */
    osCpus(): { model: string; speed: number }[];
    /** Total and free memory, in bytes. (recorded) */
    osMemory(): { total: number; free: number };
    /** How long the system has been up, in seconds. (recorded) */
    osUptime(): number;
    /** The load averages. (recorded) */
    osLoad(): number[];
    /** The network interfaces. (recorded) */
    osInterfaces(): { name: string; address: string; netmask: string; family: string; mac: string; internal: boolean; prefix: number; scopeid?: number }[];
    /** How many threads run at once. (recorded) */
    osParallelism(): number;
    /** The user. (recorded) */
    osUser(): { uid: number; gid: number; username: string; homedir: string; shell: string };
    /** The priority of a process. (recorded) */
    osGetPriority(pid: number): number;
    /** Changes the priority of a process. (refused) */
    osSetPriority(pid: number, priority: number): void;
    /** The groups of the user. (recorded) */
    groups(): number[];
    /** What the program was started with, without its own name. (recorded) */
    programArgs(): string[];
    /** What the process has used. (recorded) */
    resourceUsage(): Record<"userCPUTime" | "systemCPUTime" | "maxRSS" | "minorPageFault" | "majorPageFault" | "fsRead" | "fsWrite" | "voluntaryContextSwitches" | "involuntaryContextSwitches", number>;

    // ---- engine::ops::process: The process as JavaScript sees it.
    /** The kind of processor. (recorded) */
    readonly arch: string;
    /** The kind of system. (recorded) */
    readonly platform: "linux" | "darwin";
    /** The process. (recorded) */
    readonly pid: number;
    /** The process that started this one. (recorded) */
    readonly ppid: number;
    /** Ends the program. (refused) */
    processExit(code: number): void;
    /** Runs pending jobs until a function says that it is enough; whether it did. (pure) */
    runJobsUntil(done: Function): boolean;
    /** Writes a line of an extension's console to standard error: standard output belongs to the protocol or the screen. (refused) */
    consoleWrite(level: string, text: string): void;
    /** What `process.execPath` names. (recorded) */
    execPath(): string;
    /** The user. (recorded) */
    getuid(): number;
    /** The effective user. (recorded) */
    geteuid(): number;
    /** The group. (recorded) */
    getgid(): number;
    /** The effective group. (recorded) */
    getegid(): number;
    /** Milliseconds since the engine started, with fractions. (recorded) */
    now(): number;
    /** When that was zero: milliseconds since 1970, with fractions. (recorded) */
    timeOrigin(): number;
    /** Milliseconds since 1970. (recorded) */
    clockNow(): number;
    /** A number from 0 on and below 1, as `Math.random` gives it; asked only of sources that are not the system's. (recorded) */
    chance(): number;
    /** How much memory the process holds, in bytes; zero where the system does not say. (recorded) */
    memoryResident(): number;
    /** The working directory. (recorded) */
    cwd(): string;
    /** Changes the working directory of the engine. (pure) */
    chdir(path: string): void;
    /** A variable of the environment. (recorded) */
    envGet(name: string): string | undefined;
    /** Sets a variable of the environment. (pure) */
    envSet(name: string, value: string): void;
    /** Removes a variable of the environment; whether it was there. (pure) */
    envDelete(name: string): boolean;
    /** The names of all variables. (recorded) */
    envKeys(): string[];
    /** All variables. (recorded) */
    envAll(): Record<string, string>;
    /** Says what is called when a timer is due. (pure) */
    timerHandler(handler: Function): void;
    /** Starts a timer; the delay is in milliseconds. (pure) */
    timerStart(id: number, delay: number, repeat: boolean): void;
    /** Ends a timer. (pure) */
    timerCancel(id: number): void;
    /** Starts an immediate. (pure) */
    immediateStart(id: number): void;
    /** Ends an immediate. (pure) */
    immediateCancel(id: number): void;
    /** Says what runs the calls that wait for the end of the running code. (pure) */
    tickHandler(handler: Function): void;
    /** There are calls that wait for the end of the running code. (pure) */
    ticksWait(): void;
    /** Says what empties the asynchronous context. (pure) */
    contextHandler(handler: Function): void;
    /** A function of the runtime that makes jobs of other functions, in the place of one that the language has. (pure) */
    makesJobs(callback: unknown): void;

    // ---- engine::ops::sqlite: Databases of SQLite, for `node.
    /** Opens a database; gives its number. (refused) */
    sqliteOpen(path: string, options: SqliteOptions): number;
    /** Closes a database. (pure) */
    sqliteClose(rid: number): void;
    /** Runs statements. (refused) */
    sqliteExec(rid: number, sql: string): void;
    /** The names of the parameters, the first one's first; nothing for those without one. (pure) */
    sqlitePrepare(rid: number, sql: string): (string | undefined)[];
    /** Runs a statement that gives no rows. (refused) */
    sqliteRun(rid: number, sql: string, values: readonly unknown[], big: boolean): [lastInsertRowid: number | bigint, changes: number | bigint];
    /** Runs a statement; gives its rows. (refused) */
    sqliteRows(rid: number, sql: string, values: readonly unknown[], form: SqliteForm): unknown[];
    /** The columns of a statement. (pure) */
    sqliteColumns(rid: number, sql: string): SqliteColumn[];
    /** A statement with its values in it. (pure) */
    sqliteExpanded(rid: number, sql: string, values: readonly unknown[]): string | undefined;
    /** Whether a transaction is open. (pure) */
    sqliteInTransaction(rid: number): boolean;
    /** The file of a database. (pure) */
    sqliteLocation(rid: number, name: string): string | undefined;

    // ---- engine::ops::stream: Byte streams.
    /** Reads at most so many bytes; nothing at the end. (recorded) */
    streamRead(rid: number, max: number): Promise<Uint8Array | undefined>;
    /** Writes bytes; gives how many. (refused) */
    streamWrite(rid: number, bytes: Uint8Array | ArrayBuffer | string): Promise<void>;
    /** Says that nothing more is written. (refused) */
    streamShutdown(rid: number): Promise<void>;
    /** Closes whatever has this number. (pure) */
    resourceClose(rid: number): void;

    // ---- engine::ops::tls: TLS without sockets.
    /** The client's end of TLS: `{receive, send, take, end, info, certificates}`. (recorded) */
    tlsClient(name: string, options: TlsClientOptions): TlsEnd;
    /** The server's end of TLS. (recorded) */
    tlsServer(options: TlsServerOptions): TlsEnd;
    /** Whether certificates and key fit each other; throws where not. (pure) */
    tlsCheckServer(options: TlsServerOptions): void;

    // ---- engine::ops::url: Parsing of WHATWG URLs.
    /** The parts of a URL; nothing when it is none. (pure) */
    urlParse(input: string, base: string | null | undefined): UrlParts | undefined;
    /** A URL with another part. (pure) */
    urlSet(href: string, part: string, value: string): UrlParts | undefined;
    /** A domain in letters of ASCII. (pure) */
    domainToAscii(domain: string): string;
    /** A domain as people write it. (pure) */
    domainToUnicode(domain: string): string;

    // ---- engine::ops::wasm: WebAssembly.
    /** Whether bytes are a module. (pure) */
    wasmValidate(bytes: Uint8Array | ArrayBuffer | string): boolean;
    /** Compiles a module; gives its number. (pure) */
    wasmCompile(bytes: Uint8Array | ArrayBuffer | string): number;
    /** What a module imports and exports, in its order. (pure) */
    wasmDescribe(module: number): WasmModule;
    /** The custom sections of a module with this name. (pure) */
    wasmSections(module: number, name: string): Uint8Array[];
    /** Makes a function of JavaScript what a module can import in this place; gives its number. (pure) */
    wasmHost(module: number, place: number, host: number): number;
    /** Makes an instance of what it imports, in the order of the imports. (pure) */
    wasmInstantiate(module: number, imports: readonly number[]): WasmInstance;
    /** What a function takes and gives. (pure) */
    wasmFunction(number: number): WasmFunction;
    /** Calls a function, until it returns or calls JavaScript. (pure) */
    wasmCall(number: number, values: readonly unknown[]): WasmStep;
    /** Continues with what a function of JavaScript returned. (pure) */
    wasmResume(call: object, values: readonly unknown[]): WasmStep;
    /** Makes a memory; sizes are in pages. (pure) */
    wasmMemory(initial: number, maximum: number | null | undefined): number;
    /** The bytes of a memory; another buffer after it has grown. (pure) */
    wasmMemoryBuffer(number: number): ArrayBuffer;
    /** Makes a memory larger by so many pages; gives how many it had. (pure) */
    wasmMemoryGrow(number: number, pages: number): number;
    /** Makes a table. (pure) */
    wasmTable(element: WasmType, initial: number, maximum: number | null | undefined, value: unknown): number;
    /** What a table holds, and how many places it has. (pure) */
    wasmTableShape(number: number): [element: WasmType, length: number];
    /** What is in a place of a table. (pure) */
    wasmTableGet(number: number, index: number): number | null;
    /** Puts something into a place of a table. (pure) */
    wasmTableSet(number: number, index: number, value: unknown): void;
    /** Makes a table larger; gives how many places it had. (pure) */
    wasmTableGrow(number: number, places: number, value: unknown): number;
    /** Makes a global. (pure) */
    wasmGlobal(content: WasmType, mutable: boolean, value: unknown): number;
    /** What a global holds, and whether that can change. (pure) */
    wasmGlobalShape(number: number): [content: WasmType, mutable: boolean];
    /** The value of a global. (pure) */
    wasmGlobalGet(number: number): unknown;
    /** Changes a global. (pure) */
    wasmGlobalSet(number: number, value: unknown): void;

    // ---- engine::ops::watch: Watching files and directories for changes.
    /** Watches a file or a directory; gives a number. (recorded) */
    watchOpen(path: string, recursive: boolean): number;
    /** A pair of what and where; nothing when the watch was closed. (recorded) */
    watchNext(rid: number): Promise<string[] | undefined>;
    /** Stops watching. (pure) */
    watchClose(rid: number): void;

    // ---- engine::ops::websocket: The client behind `WebSocket`.
    /** Opens a connection. (refused) */
    wsConnect(url: string, protocols: readonly string[], headers: readonly unknown[]): Promise<{ rid: number; protocol: string; extensions: string }>;
    /** Sends a message. (refused) */
    wsSend(rid: number, bytes: Uint8Array | ArrayBuffer | string, text: boolean): Promise<void>;
    /** The next message, or how the connection ended. (recorded) */
    wsRecv(rid: number): Promise<{ type: "text"; data: string } | { type: "binary"; data: Uint8Array } | { type: "close"; code: number; reason: string; clean: boolean }>;
    /** Says goodbye; the answer comes as the last message. (refused) */
    wsClose(rid: number, code: number | null | undefined, reason: string): Promise<void>;

    // ---- engine::ops::zlib: Compression.
    /** Compresses or decompresses data. (pure) */
    zlibSync(kind: string, options: ZlibOptions, data: Uint8Array | ArrayBuffer | string): Uint8Array;
    /** Compresses or decompresses data on another thread. (pure) */
    zlibAsync(kind: string, options: ZlibOptions, data: Uint8Array | ArrayBuffer | string): Promise<Uint8Array>;
    /** Compresses or decompresses piece by piece. (pure) */
    zlibStream(kind: string, options: ZlibOptions): ZlibStream;
    /** The checksum of data. (pure) */
    crc32(data: Uint8Array | ArrayBuffer | string, initial: number): number;

    // ---- js::pi: The agent that scripts run in.
    /** The version of tau. (pure) */
    readonly piVersion: string;

    // ---- js::pi::arguments: Arguments of tool calls, checked against a schema.
    /** Arguments of a tool call, checked against a schema and converted. (pure) */
    piValidateArguments(tool: string, schema: unknown, args: unknown): unknown;
    /** Both ends of a text of arguments that cannot be used. (pure) */
    piBothEnds(text: string): string;

    // ---- js::pi::editor: The models behind editors.
    /** A model without text. (pure) */
    editorNew(): EditorModel;
    /** Does what needs no more than its name; whether the cursor, undo or the history changed. (pure) */
    editorAct(model: EditorModel, action: EditorAction): boolean;
    /** Types text. `further`: it belongs to the step before. (pure) */
    editorType(model: EditorModel, text: string, further: boolean): void;
    /** Inserts text as one step of undo. (pure) */
    editorInsert(model: EditorModel, text: string): void;
    /** Pastes text; a marker takes the place of a long one. (pure) */
    editorPaste(model: EditorModel, text: string): void;
    /** Replaces the text. (pure) */
    editorSetText(model: EditorModel, text: string): void;
    /** The text, with or without what its markers stand for. (pure) */
    editorText(model: EditorModel, expanded: boolean): string;
    /** A text with what its markers stand for. (pure) */
    editorExpand(model: EditorModel, text: string): string;
    /** What stands before the cursor in its line, and behind it. (pure) */
    editorAround(model: EditorModel): [string, string];
    /** The line of the cursor, and its column. (pure) */
    editorCursor(model: EditorModel): [number, number];
    /** The rows of the text in so many columns. (pure) */
    editorRows(model: EditorModel, width: number | undefined): EditorRows;
    /** The parts of a text that the cursor steps over. (pure) */
    editorUnits(model: EditorModel, text: string): string[];

    // ---- js::pi::editor::parts: The state of editors, piece by piece.
    /** The lines. (pure) */
    editorLines(model: EditorModel): string[];
    /** Replaces the lines, and puts the cursor where it fits best. (pure) */
    editorSetLines(model: EditorModel, lines: readonly unknown[], line: number, column: number): void;
    /** Puts the cursor where it fits best. (pure) */
    editorPlace(model: EditorModel, line: number, column: number): void;
    /** The pasted texts, by the numbers of their markers. (pure) */
    editorPastes(model: EditorModel): [number, string][];
    /** Replaces the pasted texts. (pure) */
    editorSetPastes(model: EditorModel, pastes: readonly [number, string][]): void;
    /** What was sent, newest first. (pure) */
    editorHistory(model: EditorModel): string[];
    /** Replaces what was sent. (pure) */
    editorSetHistory(model: EditorModel, entries: readonly unknown[]): void;
    /** Remembers a text that was sent. (pure) */
    editorAddToHistory(model: EditorModel, text: string): void;
    /** Which text of the history is shown; -1 for none. (pure) */
    editorShown(model: EditorModel): number;
    /** What was killed, newest last. (pure) */
    editorKills(model: EditorModel): string[];
    /** Replaces what was killed. (pure) */
    editorSetKills(model: EditorModel, kills: readonly unknown[]): void;
    /** What goes on when it is done once more. (pure) */
    editorLastAction(model: EditorModel): "kill" | "yank" | "type-word" | undefined;
    /** Says what goes on when it is done once more. (pure) */
    editorSetLastAction(model: EditorModel, action: string | null | undefined): void;
    /** How many steps undo can go back. (pure) */
    editorSteps(model: EditorModel): number;

    // ---- js::pi::bash: Commands and programs.
    /** Runs a shell command; output comes as `data`. Gives the exit code, or null when there is none. (refused) */
    piBash(rid: number, options: ShellCommand): Promise<number | undefined>;
    /** Runs a program without a shell. Never fails. (refused) */
    piExec(rid: number, options: Omit<ExecOptions, "token"> & { program: string; args: string[] }): Promise<ExecOutput>;
    /** The shell that commands run in. (recorded) */
    piFindShell(custom: string | null | undefined): string;

    // ---- js::pi::diff: Showing what changed in a text.
    /** What changed in a text. (pure) */
    piDiff(path: string, before: string, after: string, context: number): { diff: string; patch: string; firstChangedLine?: number | null };

    // ---- js::pi::files: Files that several want to change.
    /** A promise of the right to change a file: a resource that is closed to pass it on. (pure) */
    piMutationLock(path: string): Promise<number>;
    /** Waits for another program, milliseconds; for pauses that nobody notices. (pure) */
    piSleep(ms: number): void;

    // ---- js::pi::image: Pictures.
    /** Makes a picture small enough; nothing when it cannot be read. (pure) */
    piImageResize(bytes: Uint8Array | ArrayBuffer | string, mimeType: string, largest: { maxWidth: number; maxHeight: number; maxBytes: number; jpegQuality: number }): Promise<ResizedImage | undefined>;
    /** A picture as PNG; nothing when it cannot be read. (pure) */
    piImageToPng(bytes: Uint8Array | ArrayBuffer | string): Promise<Uint8Array | undefined>;
    /** The type of a picture; nothing when it is none. (pure) */
    piImageSniff(bytes: Uint8Array | ArrayBuffer | string): string | undefined;

    // ---- js::pi::models: Models and credentials.
    /** The models of every type that are known without any configuration. (pure) */
    piModels(): Model[];
    /** The key of a provider in the environment, on which another may be laid. (recorded) */
    piEnvKey(provider: string, over?: Record<string, string>): string | undefined;
    /** A registry of models, from the texts of a `models.json` and an `auth.json`. (pure) */
    piRegistry(models: string | null | undefined, auth: string | null | undefined): { rid: number; errors: string[] };
    /** The models of a registry: all of every type, or those that can be asked. (pure) */
    piRegistryModels(rid: number, available: boolean): Model[];
    /** The credentials of a model. (recorded) */
    piRegistryAuth(rid: number, model: unknown): Promise<ModelAuth>;

    // ---- js::pi::one_answer: Requests of extensions to models that do not converse.
    /** A promise of the answer over a wire format of tau: `classifier` or `image` says what for. (recorded) */
    piOneAnswer(rid: number, kind: string, api: string, request: unknown): Promise<object>;

    // ---- js::pi::port: Calls from Rust into JavaScript while an op runs, such as into operations that an extension wrote.
    /** A port: the op that serves it calls the function with what it has to ask. (pure) */
    piPort(dispatch: Function): number;
    /** Answers what was asked through a port. (pure) */
    piPortReply(rid: number, id: number, ok: boolean, value: unknown): void;
    /** Answers with a piece of data. (pure) */
    piPortData(rid: number, id: number, bytes: Uint8Array | ArrayBuffer | string): void;
    /** Ends what a port serves. (pure) */
    piPortCancel(rid: number): void;

    // ---- js::pi::session: Sessions that JavaScript holds by number.
    /** Everything about a session that never changes, but for the file, which may not be there yet. (recorded) */
    piSessionHead(rid: number): { header: SessionHeader; file: string | undefined; cwd: string };
    /** How many entries there are, and the leaf. (recorded) */
    piSessionState(rid: number): [count: number, leaf: string | null | undefined];
    /** The entries from a position on, in the order of the file. (recorded) */
    piSessionEntries(rid: number, from: number): SessionEntry[];
    /** Appends an entry. (refused) */
    piSessionAppend(rid: number, draft: EntryDraft): SessionEntry;
    /** Moves the leaf in memory; null moves it before all entries. (pure) */
    piSessionLeaf(rid: number, id: string | null | undefined): void;

    // ---- js::pi::session_files: How sessions come into JavaScript's hands.
    /** The folder for the sessions of a directory. (recorded) */
    piSessionDir(agentDir: string, cwd: string): string;
    /** A new session with a file. (refused) */
    piSessionCreate(cwd: string, dir: string, options: NewSessionOptions): number;
    /** A new session without a file. (pure) */
    piSessionInMemory(cwd: string, options: NewSessionOptions): number;
    /** A session from its file. (recorded) */
    piSessionOpen(path: string): number;
    /** A new session that begins as another one. (refused) */
    piSessionForkFrom(source: string, dir: string, cwd: string, options: NewSessionOptions): number;
    /** A new session that begins as another one up to an entry. (refused) */
    piSessionForkAt(rid: number, entry: string, dir: string): number;
    /** The file of the most recent session. (recorded) */
    piSessionRecent(dir: string, cwd: string): string | undefined;
    /** The sessions of a folder. (recorded) */
    piSessionList(dir: string): Promise<ListedSession[]>;

    // ---- js::pi::stream: Requests to models by extensions, over the wire formats that tau itself uses.
    /** Starts a request; gives the number of its answer. (refused) */
    piStreamOpen(rid: number, api: string, request: unknown): number;
    /** A promise of the next events; null at the end. (recorded) */
    piStreamNext(rid: number, answer: number): Promise<object[] | undefined>;

    // ---- js::pi::text: Cutting text to size, and YAML.
    /** The beginning of a text, within limits. (pure) */
    piTruncateHead(content: string, lines: number | undefined, bytes: number | undefined): TruncationResult;
    /** The end of a text, within limits. (pure) */
    piTruncateTail(content: string, lines: number | undefined, bytes: number | undefined): TruncationResult;
    /** What YAML says. (pure) */
    piParseYaml(text: string): unknown;

    // ---- js::pi::tools: The built-in tools, for extensions that wrap them.
    /** How a tool presents itself; nothing when there is none of that name. (pure) */
    piToolSpec(name: string): ToolSpec | null;
    /** Arguments of a tool as the tool takes them. (pure) */
    piToolPrepare(name: string, raw: unknown): unknown;
    /** Runs a tool. (refused) */
    piToolRun(rid: number, name: string, options: ToolOptions, id: string, args: unknown): Promise<ToolOutput>;

    // ---- js::pi::view: Text layout, keys and Markdown for the components of `pi/tui`.
    /** How well a text matches what somebody types. (pure) */
    viewFuzzyMatch(query: string, text: string): number | undefined;
    /** A formula as text. (pure) */
    viewLatex(source: string, display: boolean): string | undefined;
    /** Markdown as lines. (pure) */
    viewMarkdown(text: string, width: number | undefined, options: object, style: Function, highlight: Function | null | undefined): string[];
    /** How many columns a text takes. (pure) */
    viewWidth(text: string): number;
    /** A text without control sequences. (pure) */
    viewStrip(text: string): string;
    /** A text in lines. (pure) */
    viewWrap(text: string, width: number | undefined): string[];
    /** A line cut to a width. (pure) */
    viewTruncate(text: string, width: number | undefined, ellipsis: string, pad: boolean): string;
    /** A part of a line, by columns. (pure) */
    viewSlice(line: string, start: number | undefined, length: number | undefined, strict: boolean): string;
    /** The link at a column. (pure) */
    viewLinkAt(line: string, column: number | undefined): string | undefined;
    /** A line laid over another. (pure) */
    viewComposite(base: string, overlay: string, start: number | undefined, length: number | undefined, total: number | undefined): string;
    /** Whether input is a key. (pure) */
    viewMatchesKey(data: string, key: string, modes: number): boolean;
    /** Which key input is. (pure) */
    viewParseKey(data: string, modes: number): string | undefined;
    /** The text of a key in the protocol of kitty. (pure) */
    viewKittyPrintable(data: string): string | undefined;
    /** The text that input types. (pure) */
    viewPrintable(data: string): string | undefined;
    /** Whether a key was released. (pure) */
    viewIsKeyRelease(data: string): boolean;
    /** Whether a key is held. (pure) */
    viewIsKeyRepeat(data: string): boolean;
    /** The parts of a text that a cursor steps over. (pure) */
    viewUnits(text: string): string[];
    /** Where the word to the left begins. (pure) */
    viewWordLeft(before: string): number;
    /** Where the word to the right ends. (pure) */
    viewWordRight(after: string): number;

    // ---- js::bridge::actions: What extensions do through `pi`.
    /** Sends a message of the extension. (refused) */
    sendMessage(id: number, message: unknown, options: unknown): void;
    /** Sends a message as the user would. (refused) */
    sendUserMessage(id: number, content: unknown, deliverAs: string | null | undefined, expand: boolean): void;
    /** Sends text as the user would, which waits in the queue while a run is under way. (refused) */
    send(id: number, content: unknown): void;
    /** Appends an entry to the session. (refused) */
    appendEntry(id: number, kind: string, data: unknown): string;
    /** Names the session. (refused) */
    setSessionName(id: number, name: string): void;
    /** The name of the session. (recorded) */
    getSessionName(id: number): string | undefined;
    /** Labels an entry. (refused) */
    setLabel(id: number, entry: string, label: string | null | undefined): void;
    /** The tools that the model may call. (recorded) */
    getActiveTools(id: number): string[];
    /** Chooses the tools that the model may call. (refused) */
    setActiveTools(id: number, names: readonly string[]): void;
    /** All tools, as they present themselves. (recorded) */
    getAllTools(id: number): (ToolInfo & { reaches?: true })[];
    /** Which tools a call of a tool may reach that is not written in JavaScript. (recorded) */
    toolReaches(id: number, name: string, input: unknown): "all" | string[];
    /** All settings. (recorded) */
    getSettings(id: number): unknown;
    /** All commands. (recorded) */
    getCommands(id: number): CommandInfo[];
    /** The thinking level. (recorded) */
    getThinkingLevel(id: number): ThinkingLevel;
    /** Chooses the thinking level. (refused) */
    setThinkingLevel(id: number, level: string): void;
    /** Chooses the model; whether it could. (refused) */
    setModel(id: number, model: unknown): Promise<boolean>;
    /** Runs a program to its end. (refused) */
    exec(id: number, program: string, args: readonly string[], options: ExecOptions): Promise<ExecOutput>;
    /** Throws when the session of the extension is over. (pure) */
    extCheck(id: number): void;

    // ---- js::bridge::answer: What a handler answered.
    /** Settles a call with a value. (pure) */
    callSettles(call: number, value: unknown): void;

    // ---- js::bridge::builtins: Extensions that are part of tau.
    /** Registers what an extension of tau has, in the name of this one. (pure) */
    extBuiltin(id: number, name: string, options: unknown): void;
    /** The MCP servers of a session, in place of those in files; for an extension that brought `mcp` along. (pure) */
    extMcpConfig(id: number, config: unknown): void;

    // ---- js::bridge::bus: `pi.
    /** Calls a listener of this engine on behalf of its extension. Whatever goes wrong in it is reported, and the emitter continues; a listener that had to be stopped is marked, so that it is not called again. (pure) */
    busHear(entry: object, data: unknown): unknown;
    /** Reports a listener that threw. (pure) */
    busFailed(owner: number, channel: string, error: unknown): void;
    /** A number that changes when listeners come or go elsewhere. (pure) */
    busVersion(): number;
    /** Whether a channel has listeners outside this engine. (pure) */
    busElsewhere(channel: string): boolean;
    /** Sends data on a channel to the listeners outside this engine. (refused) */
    busEmit(id: number, channel: string, data: unknown): void;
    /** Listens to a channel for an extension. (pure) */
    busOn(id: number, channel: string, number: number): void;
    /** Stops listening. (pure) */
    busOff(number: number): void;

    // ---- js::bridge::children: Child sessions.
    /** The number of the extension that called, by a stack. (pure) */
    childCaller(stack: string): number;
    /** What a session's opener calls itself. (pure) */
    childOpener(id: number): string;
    /** Opens a session below this one; gives its number and what it is called. (refused) */
    childOpen(id: number, wanted: unknown): Promise<number>;
    /** Calls a function with each event of a child session. (pure) */
    childListen(id: number, number: number, callback: number): void;

    // ---- js::bridge::children::acting: What a child session does.
    /** Ends the run. (refused) */
    childAbort(number: number): void;
    /** Ends the command of the user. (refused) */
    childAbortBash(number: number): void;
    /** Chooses the tools that the model may call. (refused) */
    childSetActiveTools(number: number, names: readonly string[]): void;
    /** Chooses the thinking level. (refused) */
    childSetThinkingLevel(number: number, level: unknown): void;
    /** Names the session. (refused) */
    childSetSessionName(number: number, name: string): void;
    /** Empties the queues; gives what waited. (refused) */
    childClearQueue(number: number): { steering: string[]; followUp: string[] };
    /** Sends a message of an extension. (refused) */
    childSendMessage(number: number, sent: { message: unknown; options: unknown }): void;
    /** Sends a prompt. (refused) */
    childPrompt(id: number, number: number, asked: { text: string; images: readonly unknown[]; streamingBehavior?: string | null | undefined; expand?: boolean | null | undefined }): Promise<void>;
    /** Puts a message into a queue. (refused) */
    childEnqueue(id: number, number: number, asked: { text: string; images: readonly unknown[]; streamingBehavior?: string | null | undefined; expand?: boolean | null | undefined }): Promise<void>;
    /** Begins another session in the place of the open one. (refused) */
    childNewSession(id: number, number: number, parentSession: string | null | undefined): Promise<{ cancelled: boolean }>;
    /** Opens another session in the place of the open one. (refused) */
    childSwitchSession(id: number, number: number, path: string): Promise<{ cancelled: boolean }>;
    /** Begins another session with a part of the open one. (refused) */
    childFork(id: number, number: number, entry: string): Promise<{ cancelled: boolean; selectedText: string | null }>;
    /** Writes the session as a page. (refused) */
    childExport(id: number, number: number, path: string | null | undefined): Promise<string>;
    /** Waits until the session is idle. (refused) */
    childWaitForIdle(id: number, number: number): Promise<void>;
    /** Waits until no run is under way. (refused) */
    childWaitForRun(id: number, number: number): Promise<void>;
    /** Compacts the conversation. (refused) */
    childCompact(id: number, number: number, instructions: string | null | undefined): Promise<CompactionDone>;
    /** Chooses the model. (refused) */
    childSetModel(id: number, number: number, model: unknown): Promise<void>;
    /** Chooses the next model; gives it. (refused) */
    childCycleModel(id: number, number: number, direction: string | null | undefined): Promise<CycledModel | undefined>;
    /** Says how steering messages are taken from their queue. (refused) */
    childSetSteeringMode(id: number, number: number, mode: string | null | undefined): Promise<void>;
    /** Says how follow-up messages are taken from their queue. (refused) */
    childSetFollowUpMode(id: number, number: number, mode: string | null | undefined): Promise<void>;
    /** Says whether the session compacts by itself. (refused) */
    childSetAutoCompaction(id: number, number: number, on: unknown): Promise<void>;
    /** Says whether the session repeats failed requests by itself. (refused) */
    childSetAutoRetry(id: number, number: number, on: unknown): Promise<void>;
    /** Runs a command of the user. (refused) */
    childBash(id: number, number: number, command: string, excludeFromContext: unknown): Promise<BashResult>;
    /** Loads extensions and resources anew. (refused) */
    childReload(id: number, number: number): Promise<void>;
    /** Ends the session. (refused) */
    childClose(id: number, number: number): Promise<void>;

    // ---- js::bridge::children::asking: What a child session answers.
    /** The tree that is open now. (recorded) */
    childSession(number: number): [session: number, cwd: string, dir: string, id: string];
    /** Whether a run is under way. (recorded) */
    childIsStreaming(number: number): boolean;
    /** Whether the conversation is being compacted. (recorded) */
    childIsCompacting(number: number): boolean;
    /** Whether a command of the user runs. (recorded) */
    childIsBashRunning(number: number): boolean;
    /** The model. (recorded) */
    childModel(number: number): Model | undefined;
    /** The thinking level. (recorded) */
    childThinkingLevel(number: number): ThinkingLevel;
    /** The thinking levels that the model has. (recorded) */
    childThinkingLevels(number: number): ThinkingLevel[];
    /** The models that the session is limited to. (recorded) */
    childScopedModels(number: number): ScopedModel[];
    /** The system prompt. (recorded) */
    childSystemPrompt(number: number): string;
    /** The tools that the model may call. (recorded) */
    childActiveTools(number: number): string[];
    /** All tools, as they present themselves. (recorded) */
    childAllTools(number: number): ToolSpec[];
    /** How full the context is. (recorded) */
    childContextUsage(number: number): ContextUsage | undefined;
    /** The conversation. (recorded) */
    childMessages(number: number): Message[];
    /** What the model said last. (recorded) */
    childLastText(number: number): string | undefined;
    /** The texts that wait in queues. (recorded) */
    childQueued(number: number): { steering: string[]; followUp: string[] };
    /** How steering messages are taken from their queue. (recorded) */
    childSteeringMode(number: number): "all" | "one-at-a-time";
    /** How follow-up messages are taken from their queue. (recorded) */
    childFollowUpMode(number: number): "all" | "one-at-a-time";
    /** Whether the session compacts by itself. (recorded) */
    childAutoCompaction(number: number): boolean;
    /** Whether the session repeats failed requests by itself. (recorded) */
    childAutoRetry(number: number): boolean;
    /** The commands that a user can give. (recorded) */
    childCommands(number: number): CommandInfo[];
    /** The files of its extensions. (recorded) */
    childExtensions(number: number): string[];
    /** What it has used. (recorded) */
    childUsage(number: number): Usage;
    /** What there is to count. (recorded) */
    childStats(number: number): SessionStats;

    // ---- js::bridge::context: What `ctx` answers and does.
    /** The mode that the session runs in. (recorded) */
    ctxMode(id: number, call: number): "tui" | "rpc" | "json" | "print";
    /** Whether there is a user to ask; throws when the session of the context is over. (recorded) */
    ctxHasUi(id: number, call: number): boolean;
    /** What the session is called and how many stand above it, when an extension of another one opened it. (recorded) */
    ctxChild(id: number, call: number): { name: string; depth: number } | undefined;
    /** The working directory. (recorded) */
    ctxCwd(id: number, call: number): string;
    /** Whether no run is under way. (recorded) */
    ctxIsIdle(id: number, call: number): boolean;
    /** Whether messages wait in a queue. (recorded) */
    ctxHasPendingMessages(id: number, call: number): boolean;
    /** Whether the user trusts the project. (recorded) */
    ctxIsProjectTrusted(id: number, call: number): boolean;
    /** The system prompt. (recorded) */
    ctxSystemPrompt(id: number, call: number): string;
    /** What the system prompt is made of. (recorded) */
    ctxSystemPromptOptions(id: number, call: number): SystemPromptOptions;
    /** The thinking level. (recorded) */
    ctxThinkingLevel(id: number, call: number): ThinkingLevel;
    /** How full the context is. (recorded) */
    ctxContextUsage(id: number, call: number): ContextUsage | undefined;
    /** The model. (recorded) */
    ctxModel(id: number, call: number): Model | undefined;
    /** The models that the session is limited to. (recorded) */
    ctxScopedModels(id: number, call: number): ScopedModel[];
    /** The session of the context when it is another one than the extension's own, as for a gate that is asked about a child: its number, its working directory, its folder. (recorded) */
    ctxSession(id: number, call: number): [session: number, cwd: string, dir: string, id: string] | undefined;
    /** Ends the run. (refused) */
    ctxAbort(id: number, call: number): void;
    /** Ends the program in order. (refused) */
    ctxShutdown(id: number, call: number): void;
    /** An `AbortSignal` of the run the call belongs to. (pure) */
    ctxSignal(id: number, call: number): AbortSignal;
    /** A function that gives what it gets. As long as it is there, a script holds the context of a command. (pure) */
    ctxHold(): (handler: number | undefined) => number | undefined;
    /** Waits until no run is under way. (refused) */
    ctxWaitForIdle(id: number, call: number, handler: number | null | undefined): Promise<void>;
    /** Loads extensions and resources anew. (refused) */
    ctxReload(id: number, call: number, handler: number | null | undefined): Promise<void>;
    /** Compacts the conversation. (refused) */
    ctxCompact(id: number, call: number, handler: number | null | undefined, options: { customInstructions?: string | null | undefined }): Promise<CompactionDone>;
    /** Begins another session. (refused) */
    ctxNewSession(id: number, call: number, handler: number | null | undefined, options: { parentSession?: string | null | undefined; setup?: number | null | undefined }): Promise<Replaced>;
    /** Begins another session with a part of this one. (refused) */
    ctxFork(id: number, call: number, handler: number | null | undefined, options: { entryId: string; position: unknown }): Promise<Replaced>;
    /** Moves to another place of the tree. (refused) */
    ctxNavigateTree(id: number, call: number, handler: number | null | undefined, options: { targetId: string; summarize?: boolean | null | undefined; customInstructions?: string | null | undefined; replaceInstructions?: boolean | null | undefined; label?: string | null | undefined }): Promise<Navigated>;
    /** Opens another session. (refused) */
    ctxSwitchSession(id: number, call: number, handler: number | null | undefined, path: string): Promise<Replaced>;

    // ---- js::bridge::events: Handlers of events.
    /** What is special about an event in the dialect of an extension; nothing when nothing is. (pure) */
    extEvent(id: number, name: string): { signal?: boolean } | undefined;
    /** Removes a handler. (pure) */
    extOff(number: number): void;

    // ---- js::bridge::hook_files: Where hooks are.
    /** The files that the registry has for a directory, in the order in which they count. The caller has decided that the project's are wanted. (recorded) */
    piHooks(cwd: string, home: string): string[];

    // ---- js::bridge::mcp: The MCP servers of extensions.
    /** Registers an MCP server. (pure) */
    extMcpServer(id: number, name: string, config: unknown): void;
    /** Removes an MCP server. (pure) */
    extUnregisterMcpServer(id: number, name: string): void;
    /** All MCP servers that are registered. (recorded) */
    getMcpServers(id: number): McpServer[];

    // ---- js::bridge::model_answers: Models of the session that do not converse.
    /** A promise of the answer of a model, as the session asks models of its type: `classifier` or `image`. (recorded) */
    modelsOneAnswer(id: number, port: number, kind: string, request: unknown): Promise<object>;
    /** What a function of this extension answered for a model of its provider, when it is an answer. (recorded) */
    modelsAnswered(id: number, asked: unknown, answer: unknown): object;
    /** The words for a failure of such a function. (recorded) */
    modelsFailed(id: number, asked: unknown, why: string): string;
    /** How long such a function may take, in milliseconds. (recorded) */
    modelsPatience(id: number): number;
    /** A value whose texts do not quote the key, headers and settings of these options. (pure) */
    modelsHide(value: unknown, options: unknown): any;
    /** Asks providers, or those of these names, for their models; a promise of what failed. (recorded) */
    modelsRefresh(id: number, providers: string[] | undefined, token: number | null | undefined): Promise<[string, string][]>;

    // ---- js::bridge::models: Models.
    /** All models. (recorded) */
    modelsAll(id: number): Model[] | undefined;
    /** The models that there are credentials for. (recorded) */
    modelsAvailable(id: number): Model[] | undefined;
    /** The models of a type. (recorded) */
    modelsOfType(id: number, kind: string): Model[] | undefined;
    /** A model. (recorded) */
    modelsFind(id: number, provider: string | null | undefined, model: string | null | undefined): Model | undefined;
    /** Reads the text of a `models.json`. (pure) */
    modelsLoad(id: number, text: string): void;
    /** What is wrong with the models that were read. (recorded) */
    modelsErrors(id: number): string[] | undefined;
    /** Whether there are credentials for a provider. (recorded) */
    modelsHasAuth(id: number, provider: string | null | undefined): boolean | undefined;
    /** Where the credentials of a provider come from. (recorded) */
    modelsAuthStatus(id: number, provider: string | null | undefined): AuthStatus | undefined;
    /** Whether the credentials of a provider come from a login. (recorded) */
    modelsUsesLogin(id: number, provider: string | null | undefined): boolean | undefined;
    /** The credentials of a model. (recorded) */
    modelsAuth(id: number, model: unknown): Promise<ModelAuth>;
    /** Whether the session has a wire format to reach a model with. (recorded) */
    modelsSpeaks(id: number, model: unknown): boolean;
    /** Starts a request over the session's wire format of a model, for a port; gives the number of its answer. (refused) */
    modelsStreamOpen(id: number, port: number, model: unknown, request: unknown): number;

    // ---- js::bridge::mount::blocks: Blocks of the conversation, for components.
    /** The rows of a block of the conversation. (pure) */
    blockRows(block: unknown, width: number | undefined, padding: number | undefined, expandKey: string): string[];

    // ---- js::bridge::mount::facts: The screen, for components.
    /** The columns and the rows of the screen. (pure) */
    uiScreen(id: number): [number, number];
    /** Whether the screen is `regular` or `fullscreen`. (pure) */
    uiMode(id: number): string;
    /** The columns that an editor leaves free at its sides, and how many suggestions it shows. (pure) */
    uiEditorLook(id: number): [number, number];
    /** Whether the cursor is the terminal's own. (pure) */
    uiHasHardwareCursor(id: number): boolean;
    /** Whether the terminal tells keys apart that look the same to others. (pure) */
    uiHasKittyKeys(id: number): boolean;
    /** The branch that is checked out. (pure) */
    uiBranch(id: number): string | undefined;
    /** What extensions say in the footer. (pure) */
    uiStatuses(id: number): ([string, string])[];
    /** How many providers there are models of. (pure) */
    uiProviders(id: number): number;
    /** The keys of all actions, unless they are the ones that are known already. (pure) */
    uiKeys(id: number, known: number): { serial: number; actions: [id: string, keys: string[], does: string][]; own: Record<string, string[]> } | undefined;
    /** The actions of the program. (pure) */
    uiActions(id: number): string[];
    /** Whether a key is that of a shortcut of an extension. (pure) */
    uiIsShortcut(id: number, data: string): boolean;
    /** Whether the output of tools is shown in full. (recorded) */
    uiToolsExpanded(id: number, call: number): boolean;

    // ---- js::bridge::mount::ops: Components on the screen.
    /** A component wants something of the place where it stands. (pure) */
    mountWish(number: number, what: string, value: unknown): void;
    /** The columns that an overlay has. (pure) */
    mountWidth(overlay: unknown, columns: number, rows: number): number;
    /** Where an overlay lies that has so many lines. (pure) */
    mountBounds(overlay: unknown, lines: number, columns: number, rows: number): Rect;
    /** A block of the conversation looks different now. (pure) */
    blockRedraw(block: string): void;
    /** Shows a component over the screen. (refused) */
    uiShowOverlay(id: number, call: number, factory: number): void;
    /** Listens to what the user types. (refused) */
    uiOnTerminalInput(id: number, call: number, handler: number): void;
    /** Does so no more. (refused) */
    uiOffTerminalInput(id: number, handler: number): void;
    /** Leaves the terminal to another program, or takes it back; whether that is done. (refused) */
    uiLend(id: number, wants: boolean): boolean;
    /** What a provider of completions suggests; zero is all of them. (recorded) */
    uiSuggest(id: number, number: number, written: unknown, force: boolean): Promise<Promise<Suggested | null>>;

    // ---- js::bridge::nested: Tools that a tool written in JavaScript calls.
    /** The tools that a call may call. (recorded) */
    callableTools(id: number, call: number): ToolSpec[];
    /** Calls a tool, through every gate. (refused) */
    executeTool(id: number, call: number, name: string, args: unknown, token: number | null | undefined, update: Function | null | undefined): Promise<NestedOutcome>;

    // ---- js::bridge::register: What extensions register.
    /** Notes where the factory of an extension is. (pure) */
    extFactory(id: number, factory: object): void;
    /** The rules of the dialect of an extension that scripts follow. (pure) */
    extDialect(id: number): Dialect;
    /** Registers a handler; gives its number. (pure) */
    extOn(id: number, event: string, callback: Function, stack: string): number | undefined;
    /** Registers a tool. (pure) */
    extTool(id: number, spec: unknown, functions: ToolFunctions, stack: string): void;
    /** Registers a command. (pure) */
    extCommand(id: number, name: string, spec: { description?: unknown; handler: number; complete?: number }, stack: string): void;
    /** Registers a shortcut. (pure) */
    extShortcut(id: number, key: string, description: string | null | undefined, callback: number): void;
    /** Registers a flag. (pure) */
    extFlag(id: number, spec: unknown): void;
    /** The value of a flag. (recorded) */
    extGetFlag(id: number, name: string): boolean | string | undefined;
    /** Registers a renderer of messages. (pure) */
    extMessageRenderer(id: number, customType: string, callback: number): void;
    /** Registers a renderer of entries. (pure) */
    extEntryRenderer(id: number, customType: string, callback: number): void;
    /** Registers a transformer of Markdown. (pure) */
    extMarkdownTransformer(id: number, callback: number, kinds: unknown): void;
    /** Registers a function that renders tools of any name. (pure) */
    extToolResolver(id: number, callback: number): void;
    /** Registers a provider of models. (pure) */
    extProvider(id: number, name: string, config: unknown, stream: number | null | undefined, oauth: object | null | undefined, source: number | null | undefined): void;
    /** A provider cannot be registered: throws why, or tells the user while the extension loads. (pure) */
    extProviderRefused(id: number, why: string): void;
    /** Most models of one provider. (pure) */
    extMostModels(): number;
    /** Removes a provider. (pure) */
    extUnregisterProvider(id: number, name: string): void;

    // ---- js::bridge::replace: Replacing the session and moving in its tree.
    /** The number of the `pi` that an extension has now. (pure) */
    extSuccessor(id: number): number;
    /** The session that is open, for those who write to it: its number, its working directory, its folder. (recorded) */
    sessionOpen(id: number): [session: number, cwd: string, dir: string, id: string];
    /** Says that an extension wrote to the session by itself. (refused) */
    sessionWritten(id: number): void;

    // ---- js::bridge::routing: Virtual models of extensions.
    /** Registers a model that others answer for. (pure) */
    extVirtualModel(id: number, spec: unknown, route: number): void;
    /** Removes such a model. (pure) */
    extUnregisterVirtualModel(id: number, provider: string, model: string): void;
    /** Which model answers a conversation in the place of a virtual one. (recorded) */
    modelsRoute(id: number, model: unknown, messages: unknown, thinking: string | null | undefined, token: number | null | undefined): Promise<{ model: Model; thinkingLevel: ThinkingLevel }>;

    // ---- js::bridge::session: `ctx.sessionManager`, as far as it reads.
    /** The id of the session; throws when it is over. (recorded) */
    sessionId(id: number): string;
    /** Its working directory. (recorded) */
    sessionCwd(id: number): string;
    /** The folder of its file. (recorded) */
    sessionDir(id: number): string | undefined;
    /** Its file. (recorded) */
    sessionFile(id: number): string | undefined;
    /** The entry that the next one follows. (recorded) */
    sessionLeaf(id: number): string | null;
    /** An entry. (recorded) */
    sessionEntry(id: number, entry: string): SessionEntry | undefined;
    /** The label of an entry. (recorded) */
    sessionLabel(id: number, entry: string): string | undefined;
    /** All labels, by the id of their entry. (recorded) */
    sessionLabels(id: number): Record<string, string>;
    /** The name of the session. (recorded) */
    sessionName(id: number): string | undefined;
    /** The header of its file. (recorded) */
    sessionHeader(id: number): SessionHeader;
    /** How many entries there are. (recorded) */
    sessionCount(id: number): number;
    /** The ids of all entries. (recorded) */
    sessionEntries(id: number): string[];
    /** The ids of the entries on the way to an entry, or to the leaf. (recorded) */
    sessionBranch(id: number, from: string | null | undefined): string[];
    /** The ids of the entries that follow an entry. (recorded) */
    sessionChildren(id: number, entry: string): string[];
    /** The id of each entry and of its parent, for walking the tree without a call per node. (recorded) */
    sessionParents(id: number): ([string, string | null])[];
    /** The conversation as the model gets it. (recorded) */
    sessionContext(id: number): SessionContext;

    // ---- js::bridge::settings: Settings that extensions declare.
    /** Declares a setting. (pure) */
    extSetting(id: number, spec: unknown): void;
    /** The value of a setting that the extension declared. (recorded) */
    getSetting(id: number, key: string): SettingValue;

    // ---- js::bridge::signal: Abort signals.
    /** A token that JavaScript can cancel. (pure) */
    tokenNew(): number;
    /** Cancels a token. (pure) */
    tokenCancel(id: number): void;
    /** Forgets a token. (pure) */
    tokenDrop(id: number): void;

    // ---- js::bridge::ui: `ctx.
    /** Lets the user choose. (recorded) */
    uiSelect(id: number, call: number, title: string | null | undefined, options: unknown, waiting: { token?: number | null | undefined; timeout: unknown }): Promise<string | undefined>;
    /** Lets the user confirm. (recorded) */
    uiConfirm(id: number, call: number, title: string | null | undefined, message: string | null | undefined, waiting: { token?: number | null | undefined; timeout: unknown }): Promise<boolean>;
    /** Lets the user write a line. (recorded) */
    uiInput(id: number, call: number, title: string | null | undefined, placeholder: string | null | undefined, waiting: { token?: number | null | undefined; timeout: unknown }): Promise<string | undefined>;
    /** Lets the user write a text. (recorded) */
    uiEditor(id: number, call: number, title: string | null | undefined, prefill: string | null | undefined): Promise<string | undefined>;
    /** Shows a component until it is done. (recorded) */
    uiCustom(id: number, call: number, factory: number, overlays: boolean, blocked: unknown): Promise<void>;
    /** Shows a notice. (refused) */
    uiNotify(id: number, call: number, text: string, level: unknown): void;
    /** Shows a text in the status line. (refused) */
    uiSetStatus(id: number, call: number, key: string | null | undefined, text: string | null | undefined): void;
    /** Shows lines or a component beside the editor. (refused) */
    uiSetWidget(id: number, call: number, key: string | null | undefined, lines: unknown, factory: number | null | undefined, placement: unknown): void;
    /** Names the terminal. (refused) */
    uiSetTitle(id: number, call: number, text: string | null | undefined): void;
    /** Shows in the tab or the task bar that work is under way, or not any more. (refused) */
    uiSetProgress(id: number, call: number, works: boolean): void;
    /** Replaces the text in the editor. (refused) */
    uiSetEditorText(id: number, call: number, text: string | null | undefined): void;
    /** Puts a text into the editor as if it was pasted. (refused) */
    uiPasteToEditor(id: number, call: number, text: string | null | undefined): void;
    /** Says what is shown while the session works. (refused) */
    uiSetWorkingMessage(id: number, call: number, text: string | null | undefined): void;
    /** Says whether it is shown that the session works. (refused) */
    uiSetWorkingVisible(id: number, call: number, visible: unknown): void;
    /** Says how it is shown that the session works. (refused) */
    uiSetWorkingIndicator(id: number, call: number, options: unknown): void;
    /** Says what stands in the place of thinking that is hidden. (refused) */
    uiSetHiddenThinkingLabel(id: number, call: number, text: string | null | undefined): void;
    /** Shows the results of tools in full, or not. (refused) */
    uiSetToolsExpanded(id: number, call: number, expanded: unknown): void;
    /** Replaces the footer. (refused) */
    uiSetFooter(id: number, call: number, factory: number | null | undefined): void;
    /** Replaces the header. (refused) */
    uiSetHeader(id: number, call: number, factory: number | null | undefined): void;
    /** Replaces the editor. (refused) */
    uiSetEditorComponent(id: number, call: number, factory: number | null | undefined): void;
    /** Adds a provider of completions. (refused) */
    uiAddAutocompleteProvider(id: number, call: number, factory: number): void;
    /** The theme in use, unless it is the one that is known already. (recorded) */
    uiTheme(id: number, call: number, known: number): ThemeData | undefined;
    /** All themes. (recorded) */
    uiThemes(id: number, call: number): ThemeData[];
    /** The names of all themes. (recorded) */
    themeNames(): string[];
    /** Changes the theme; gives why it cannot. (refused) */
    uiSetTheme(id: number, call: number, name: string): string | undefined;
    /** Shows everything in these colours; gives the number of their theme, or why that cannot be. (refused) */
    uiShowTheme(id: number, call: number, name: string | null | undefined, appearance: string, colors: unknown): number | string;
    /** A theme that is built in. (pure) */
    builtinTheme(name: string): ThemeData | undefined;
    /** The text in the editor. (recorded) */
    uiEditorText(id: number, call: number): string;
    /** Whether there is a user to ask. (recorded) */
    uiAvailable(id: number, call: number): boolean;
    /** Whether somebody shows components. (recorded) */
    uiMounts(id: number, call: number): boolean;
    /** Whether there is a terminal. (recorded) */
    uiTerminal(id: number, call: number): boolean;
  }
}
