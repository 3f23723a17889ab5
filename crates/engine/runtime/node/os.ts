// node:os.
import { ops } from "tau:ops";
import { systemError } from "../internal/errors.ts";
import { systemErrorMap } from "../internal/errno.ts";
import { validateInt32 } from "../internal/validators.ts";

const EOL = "\n";
const devNull = "/dev/null";

let names: ReturnType<typeof ops.osUname> | undefined;
function uname(): ReturnType<typeof ops.osUname> {
  return (names ??= ops.osUname());
}

function arch(): string {
  return ops.arch;
}
function platform(): "darwin" | "linux" {
  return ops.platform as "darwin" | "linux";
}
function type(): string {
  return uname().sysname;
}
function release(): string {
  return uname().release;
}
function version(): string {
  return uname().version;
}
function machine(): string {
  return uname().machine;
}
function hostname(): string {
  // It may change while programs run.
  return ops.osUname().hostname;
}
function endianness(): "BE" | "LE" {
  return new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? "LE" : "BE";
}
function homedir(): string {
  return ops.envGet("HOME") || ops.osUser().homedir;
}
function tmpdir(): string {
  const path = ops.envGet("TMPDIR") || ops.envGet("TMP") || ops.envGet("TEMP") || "/tmp";
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
function uptime(): number {
  return ops.osUptime();
}
function loadavg(): number[] {
  return ops.osLoad();
}
function totalmem(): number {
  return ops.osMemory().total;
}
function freemem(): number {
  return ops.osMemory().free;
}
function availableParallelism(): number {
  return ops.osParallelism();
}

/** How long each processor was busy with what, where the system tells. */
function cpuTimes(): Record<string, number>[] {
  if (platform() !== "linux") return [];
  try {
    const lines = (ops.fsReadFile("/proc/stat", 0, true) as string).split("\n");
    return lines
      .filter((line: string) => /^cpu\d/.test(line))
      .map((line: string) => {
        // In hundredths of a second.
        const [user, nice, sys, idle, , irq] = line.split(/\s+/).slice(1).map((count) => Number(count) * 10);
        return { user, nice, sys, idle, irq };
      });
  } catch {
    return [];
  }
}

function cpus(): any[] {
  const times = cpuTimes();
  return ops.osCpus().map(({ model, speed }: any, at: number) => ({
    model: model || "unknown",
    speed,
    times: times[at] ?? { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 },
  }));
}

function networkInterfaces(): Record<string, any[]> {
  const result: Record<string, any[]> = {};
  for (const { name, prefix, scopeid, ...entry } of ops.osInterfaces()) {
    const { address, netmask, family, mac, internal } = entry;
    const shown: any = { address, netmask, family, mac, internal, cidr: `${address}/${prefix}` };
    if (scopeid !== undefined) shown.scopeid = scopeid;
    (result[name] ??= []).push(shown);
  }
  return result;
}

function userInfo(options?: { encoding?: string }): any {
  let user;
  try {
    user = ops.osUser();
  } catch (error: any) {
    throw systemError(error.code, "uv_os_get_passwd");
  }
  const { uid, gid, username, homedir, shell } = user;
  const convert = (text: string) => (options?.encoding === "buffer" ? globalThis.Buffer.from(text) : text);
  return Object.assign(Object.create(null), {
    uid, gid, username: convert(username), homedir: convert(homedir), shell: convert(shell),
  });
}

function getPriority(pid = 0): number {
  validateInt32(pid, "pid");
  return ops.osGetPriority(pid);
}
function setPriority(pid: number, priority?: number): void {
  if (priority === undefined) [pid, priority] = [0, pid];
  validateInt32(pid, "pid");
  validateInt32(priority, "priority", -20, 19);
  ops.osSetPriority(pid, priority);
}

function frozen(entries: Record<string, number>): Record<string, number> {
  return Object.freeze(Object.assign(Object.create(null), entries));
}

/** Errors that the table of messages does not have: name, number on Linux and on macOS. */
const MORE = `EBADMSG 74 94 ECHILD 10 10 EDEADLK 35 11 EDOM 33 33 EDQUOT 122 69 EIDRM 43 90 EINPROGRESS 115 36 EMULTIHOP 72 95
  ENETRESET 102 52 ENOLCK 37 77 ENOLINK 67 97 ENOMSG 42 91 ENOSR 63 98 ENOSTR 60 99 EOPNOTSUPP 95 102 ESTALE 116 70
  ETIME 62 101 EWOULDBLOCK 11 35`;

function makeConstants(): any {
  const errno: Record<string, number> = {};
  const numbers = platform() === "darwin" ? 3 : 2;
  for (const entry of MORE.matchAll(/(\w+) (\d+) (\d+)/g)) errno[entry[1]] = Number(entry[numbers]);
  for (const [number, [name]] of systemErrorMap()) if (number > -3000) errno[name] = -number;
  return Object.assign(Object.create(null), {
    UV_UDP_REUSEADDR: 4,
    dlopen: frozen({ RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: platform() === "darwin" ? 8 : 256, RTLD_LOCAL: 0 }),
    errno: frozen(errno),
    signals: frozen(ops.signals()),
    priority: frozen({
      PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0,
      PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20,
    }),
  });
}

/** Made when it is first looked at: two tables that few programs need. */
let made: any;
const constants: any = new Proxy(Object.create(null), {
  get: (_, key) => (made ??= makeConstants())[key],
  has: (_, key) => key in (made ??= makeConstants()),
  ownKeys: () => Reflect.ownKeys((made ??= makeConstants())),
  getOwnPropertyDescriptor: (_, key) => {
    const found = Reflect.getOwnPropertyDescriptor((made ??= makeConstants()), key);
    return found && { ...found, configurable: true };
  },
});

export {
  EOL, arch, availableParallelism, constants, cpus, devNull, endianness, freemem, getPriority, homedir, hostname,
  loadavg, machine, networkInterfaces, platform, release, setPriority, tmpdir, totalmem, type, uptime, userInfo, version,
};

export default {
  EOL, arch, availableParallelism, constants, cpus, devNull, endianness, freemem, getPriority, homedir, hostname,
  loadavg, machine, networkInterfaces, platform, release, setPriority, tmpdir, totalmem, type, uptime, userInfo, version,
};
