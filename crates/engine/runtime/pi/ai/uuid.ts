// Ids that sort by time.

const LARGEST = 2 ** 48 - 1;
let latest = -1;
let counter = 0n;
let seeded = false;

/** A UUID of version 7; later ids sort after earlier ones, also within a millisecond. */
export function uuidv7(timestampMs?: number): string {
  const wanted = timestampMs ?? Date.now();
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > LARGEST) {
    throw new RangeError(`UUIDv7 timestamp must be an integer between 0 and ${LARGEST}`);
  }
  // A clock that was set back must not break the order.
  const time = timestampMs === undefined ? (latest = Math.max(latest, wanted)) : timestampMs;
  const random = crypto.getRandomValues(new Uint8Array(8));
  if (!seeded) {
    counter = BigInt.asUintN(40, new DataView(random.buffer).getBigUint64(0));
    seeded = true;
  }
  counter++;
  // 12 bits after the version and 30 after the variant count; the rest is chance.
  const high = (counter >> 30n) & 0xfffn;
  const low = counter & 0x3fffffffn;
  const tail = (low << 32n) | BigInt(new DataView(random.buffer).getUint32(4));
  const bits =
    (BigInt(time) << 80n) | (0x7n << 76n) | (high << 64n) | (0x2n << 62n) | BigInt.asUintN(62, tail);
  const hex = bits.toString(16).padStart(32, "0");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
