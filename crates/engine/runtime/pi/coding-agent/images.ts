// Pictures for models and terminals.
import { ops, type ResizedImage } from "tau:ops";
import { importNow } from "../../internal/loader.ts";

const MAX_SIDE = 2000;
const MAX_BYTES = 4_718_592;
const JPEG_QUALITY = 80;
/** The start of a file is enough to tell what kind of picture it is. */
const SNIFF_BYTES = 4100;

/**
 * Makes a picture fit `options` (`maxWidth`, `maxHeight`, `maxBytes` of the base64 text, `jpegQuality` to try first).
 * Gives the picture as base64 with its sizes before and after; null when that is not possible.
 */
export async function resizeImage(bytes: Uint8Array, mimeType: string, options: any = {}): Promise<ResizedImage | null> {
  const { maxWidth = MAX_SIDE, maxHeight = MAX_SIDE, maxBytes = MAX_BYTES, jpegQuality = JPEG_QUALITY } = options;
  return (await ops.piImageResize(bytes, mimeType, { maxWidth, maxHeight, maxBytes, jpegQuality })) ?? null;
}

/** A picture as PNG; null when it cannot be read. */
export async function convertToPng(base64Data: string, mimeType: string): Promise<any> {
  if (mimeType === "image/png") return { data: base64Data, mimeType };
  const png = await ops.piImageToPng(Buffer.from(base64Data, "base64"));
  return png ? { data: Buffer.from(png).toString("base64"), mimeType: "image/png" } : null;
}

/** Tells the model how coordinates in a smaller picture relate to the original. */
export function formatDimensionNote(result: ResizedImage): string | undefined {
  if (!result.wasResized) return undefined;
  const { originalWidth, originalHeight, width, height } = result;
  const factor = (originalWidth / width).toFixed(2);
  const sizes = `original ${originalWidth}x${originalHeight}, displayed at ${width}x${height}`;
  return `[Image: ${sizes}. Multiply coordinates by ${factor} to map to original image.]`;
}

/** The media type of a file when it is a picture that models take; else null. */
export async function detectSupportedImageMimeTypeFromFile(filePath: string): Promise<string | null> {
  const { open } = importNow("tau:node/fs/promises.ts");
  const file = await open(filePath, "r");
  try {
    const buffer = Buffer.alloc(SNIFF_BYTES);
    const { bytesRead } = await file.read(buffer, 0, SNIFF_BYTES, 0);
    return ops.piImageSniff(buffer.subarray(0, bytesRead)) ?? null;
  } finally {
    await file.close();
  }
}
