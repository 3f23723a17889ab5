// The size of an image, from the first bytes of its file.

type Dimensions = { widthPx: number; heightPx: number };

/** The bytes of a file given as base64, as far as its size may stand in them. */
function head(base64Data: string, bytes = 64): Buffer {
  return Buffer.from(base64Data.slice(0, Math.ceil(bytes / 3) * 4), "base64");
}

const ascii = (bytes: Buffer, from: number, to: number) => bytes.toString("latin1", from, to);

export function getPngDimensions(base64Data: string): Dimensions | null {
  const bytes = head(base64Data);
  if (bytes.length < 24 || ascii(bytes, 0, 4) !== "\x89PNG") return null;
  return { widthPx: bytes.readUInt32BE(16), heightPx: bytes.readUInt32BE(20) };
}

export function getGifDimensions(base64Data: string): Dimensions | null {
  const bytes = head(base64Data);
  if (bytes.length < 10 || !["GIF87a", "GIF89a"].includes(ascii(bytes, 0, 6))) return null;
  return { widthPx: bytes.readUInt16LE(6), heightPx: bytes.readUInt16LE(8) };
}

/** Walks the segments of a JPEG to the frame header, which has the size. */
export function getJpegDimensions(base64Data: string): Dimensions | null {
  const bytes = Buffer.from(base64Data, "base64");
  if (bytes.length < 2 || bytes[0] !== 0xff || bytes[1] !== 0xd8) return null;
  let offset = 2;
  while (offset < bytes.length - 9) {
    if (bytes[offset] !== 0xff) {
      offset++;
      continue;
    }
    const marker = bytes[offset + 1];
    if (marker >= 0xc0 && marker <= 0xc2) {
      return { widthPx: bytes.readUInt16BE(offset + 7), heightPx: bytes.readUInt16BE(offset + 5) };
    }
    const length = bytes.readUInt16BE(offset + 2);
    if (length < 2) return null;
    offset += 2 + length;
  }
  return null;
}

/** A WebP is lossy, lossless or extended, and each keeps its size elsewhere. */
export function getWebpDimensions(base64Data: string): Dimensions | null {
  const bytes = head(base64Data);
  if (bytes.length < 30 || ascii(bytes, 0, 4) !== "RIFF" || ascii(bytes, 8, 12) !== "WEBP") return null;
  switch (ascii(bytes, 12, 16)) {
    case "VP8 ":
      return { widthPx: bytes.readUInt16LE(26) & 0x3fff, heightPx: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { widthPx: (bits & 0x3fff) + 1, heightPx: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { widthPx: bytes.readUIntLE(24, 3) + 1, heightPx: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

/** The size of an image of a known type; `null` if it is none. */
export function getImageDimensions(base64Data: string, mimeType: string): Dimensions | null {
  const readers: Record<string, (data: string) => Dimensions | null> = {
    "image/png": getPngDimensions,
    "image/jpeg": getJpegDimensions,
    "image/gif": getGifDimensions,
    "image/webp": getWebpDimensions,
  };
  try {
    return readers[mimeType]?.(base64Data) ?? null;
  } catch {
    return null;
  }
}
