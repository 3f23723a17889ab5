// `pi.events`: one bus for all extensions of a session. Within an engine payloads go by reference, functions included;
// what others get is made by Rust, and only when somebody elsewhere listens.
import { ops } from "tau:ops";

type Listener = (data: unknown) => unknown;
type Entry = { id: number; owner: number; channel: string; listener: Listener; stopped?: boolean };

const channels = new Map<string, Entry[]>();
const entries = new Map<number, Entry>();
let next = 0;

/** Which channels have listeners elsewhere, as long as nobody begins or stops to listen to anything. */
const elsewhere = new Map<string, boolean>();
let version = -1;

function heardElsewhere(channel: string): boolean {
  const now = ops.busVersion();
  if (now !== version) {
    version = now;
    elsewhere.clear();
  }
  let heard = elsewhere.get(channel);
  if (heard === undefined) elsewhere.set(channel, (heard = ops.busElsewhere(channel) as boolean));
  return heard;
}

export function emit(owner: number, channel: string, data: unknown): void {
  ops.extCheck(owner);
  // First the others: they get what was emitted, not what listeners here make of it.
  const abroad = heardElsewhere(channel);
  if (abroad) ops.busEmit(owner, channel, data);
  const list = channels.get(channel);
  if (!list || list.length === 0) {
    // An error nobody listens for must not vanish.
    if (channel === "error" && !abroad) throw data;
    return;
  }
  for (const entry of [...list]) call(entry, data);
}

/** Calls a listener; what it throws or rejects with is told to the user and never reaches the emitter. */
function call(entry: Entry, data: unknown): void {
  const result: any = ops.busHear(entry, data);
  if (entry.stopped) off(entry);
  if (result === undefined || result === null) return;
  const failed = (error: unknown) => ops.busFailed(entry.owner, entry.channel, error);
  try {
    if (typeof result.then === "function") result.then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}

/** An event from elsewhere, for one listener. */
export function hear(id: number, data: unknown): void {
  const entry = entries.get(id);
  if (entry) call(entry, data);
}

export function on(owner: number, channel: string, listener: Listener): () => void {
  if (typeof listener !== "function") throw new TypeError(`pi.events.on("${channel}"): the listener is not a function`);
  const entry = { id: ++next, owner, channel, listener };
  ops.busOn(owner, channel, entry.id);
  entries.set(entry.id, entry);
  const list = channels.get(channel);
  if (list) list.push(entry);
  else channels.set(channel, [entry]);
  return () => off(entry);
}

function off(entry: Entry): void {
  if (!entries.delete(entry.id)) return;
  ops.busOff(entry.id);
  const list = channels.get(entry.channel);
  const index = list ? list.indexOf(entry) : -1;
  if (index >= 0) list!.splice(index, 1);
}

/** Forgets the listeners of an extension that could not be loaded. */
export function dropListeners(owner: number): void {
  for (const entry of [...entries.values()]) if (entry.owner === owner) off(entry);
}
