// System error names, numbers and messages.

// One line each: name, number on Linux (and, after a slash, on macOS where it differs), message.
const TABLE = `
EPERM 1 operation not permitted
ENOENT 2 no such file or directory
ESRCH 3 no such process
EINTR 4 interrupted system call
EIO 5 i/o error
ENXIO 6 no such device or address
E2BIG 7 argument list too long
ENOEXEC 8 exec format error
EBADF 9 bad file descriptor
EAGAIN 11/35 resource temporarily unavailable
ENOMEM 12 not enough memory
EACCES 13 permission denied
EFAULT 14 bad address in system call argument
EBUSY 16 resource busy or locked
EEXIST 17 file already exists
EXDEV 18 cross-device link not permitted
ENODEV 19 no such device
ENOTDIR 20 not a directory
EISDIR 21 illegal operation on a directory
EINVAL 22 invalid argument
ENFILE 23 file table overflow
EMFILE 24 too many open files
ENOTTY 25 inappropriate ioctl for device
ETXTBSY 26 text file is busy
EFBIG 27 file too large
ENOSPC 28 no space left on device
ESPIPE 29 invalid seek
EROFS 30 read-only file system
EMLINK 31 too many links
EPIPE 32 broken pipe
ERANGE 34 result too large
ENAMETOOLONG 36/63 name too long
ENOSYS 38/78 function not implemented
ENOTEMPTY 39/66 directory not empty
ELOOP 40/62 too many symbolic links encountered
EUNATCH 49/4023 protocol driver not attached
ENODATA 61/96 no data available
ENONET 64/4056 machine is not on the network
EPROTO 71/100 protocol error
EOVERFLOW 75/84 value too large for defined data type
EILSEQ 84/92 illegal byte sequence
ENOTSOCK 88/38 socket operation on non-socket
EDESTADDRREQ 89/39 destination address required
EMSGSIZE 90/40 message too long
EPROTOTYPE 91/41 protocol wrong type for socket
ENOPROTOOPT 92/42 protocol not available
EPROTONOSUPPORT 93/43 protocol not supported
ESOCKTNOSUPPORT 94/44 socket type not supported
ENOTSUP 95/45 operation not supported on socket
EAFNOSUPPORT 97/47 address family not supported
EADDRINUSE 98/48 address already in use
EADDRNOTAVAIL 99/49 address not available
ENETDOWN 100/50 network is down
ENETUNREACH 101/51 network is unreachable
ECONNABORTED 103/53 software caused connection abort
ECONNRESET 104/54 connection reset by peer
ENOBUFS 105/55 no buffer space available
EISCONN 106/56 socket is already connected
ENOTCONN 107/57 socket is not connected
ESHUTDOWN 108/58 cannot send after transport endpoint shutdown
ETIMEDOUT 110/60 connection timed out
ECONNREFUSED 111/61 connection refused
EHOSTDOWN 112/64 host is down
EHOSTUNREACH 113/65 host is unreachable
EALREADY 114/37 connection already in progress
EREMOTEIO 121/4030 remote I/O error
ECANCELED 125/89 operation canceled
EAI_ADDRFAMILY 3000 address family not supported
EAI_AGAIN 3001 temporary failure
EAI_BADFLAGS 3002 bad ai_flags value
EAI_CANCELED 3003 request canceled
EAI_FAIL 3004 permanent failure
EAI_FAMILY 3005 ai_family not supported
EAI_MEMORY 3006 out of memory
EAI_NODATA 3007 no address
EAI_NONAME 3008 unknown node or service
EAI_OVERFLOW 3009 argument buffer overflow
EAI_SERVICE 3010 service not available for socket type
EAI_SOCKTYPE 3011 socket type not supported
EAI_BADHINTS 3013 invalid value for hints
EAI_PROTOCOL 3014 resolved protocol is unknown
EFTYPE 4028/79 inappropriate file type or format
ECHARSET 4080 invalid Unicode character
UNKNOWN 4094 unknown error
EOF 4095 end of file
`;

type Entry = [code: string, message: string];

let numbers: Map<number, Entry> | undefined;
let codes: Map<string, number> | undefined;

function load(): void {
  numbers = new Map();
  codes = new Map();
  const darwin = globalThis.process?.platform === "darwin";
  for (const line of TABLE.trim().split("\n")) {
    const [, code, linux, mac, message] = /^(\w+) (\d+)(?:\/(\d+))? (.*)$/.exec(line)!;
    const number = -Number(darwin && mac !== undefined ? mac : linux);
    numbers.set(number, [code, message]);
    codes.set(code, number);
  }
}

/** The negative number of a system error name, or -4094 (unknown). */
export function errnoOf(code: string): number {
  if (codes === undefined) load();
  return codes!.get(code) ?? -4094;
}

/** The text that goes with a system error name. */
export function messageOf(code: string): string {
  if (numbers === undefined) load();
  return numbers!.get(codes!.get(code) ?? -4094)?.[1] ?? "unknown error";
}

/** All known system errors: number to name and message. */
export function systemErrorMap(): Map<number, Entry> {
  if (numbers === undefined) load();
  return numbers!;
}
