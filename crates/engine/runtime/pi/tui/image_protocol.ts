// Images inside a terminal: the Kitty graphics protocol and iTerm2's inline files.
import { lazyModule } from "../../internal/lazy.ts";
import { getCapabilities, getCellDimensions } from "./capabilities.ts";

const path = lazyModule("node/path.ts");
const url = lazyModule("node/url.ts");
const os = lazyModule("node/os.ts");

const KITTY = "\x1b_G";
const ITERM2 = "\x1b]1337;File=";
/** Base64 characters in one Kitty command. */
const KITTY_CHUNK = 4096;

type Dimensions = { widthPx: number; heightPx: number };

/** Whether a line draws an image; such a line is not measured or cut. */
export function isImageLine(line: string): boolean {
  return line.includes(KITTY) || line.includes(ITERM2);
}

/** A random number for an image, so that programs in one terminal do not replace each other's images. */
export function allocateImageId(): number {
  return Math.floor(Math.random() * 0xfffffffe) + 1;
}

/** The commands that send and show a PNG. */
export function encodeKitty(
  base64Data: string,
  options: { columns?: number; rows?: number; imageId?: number; moveCursor?: boolean } = {},
): string {
  const controls = ["a=T", "f=100", "q=2"];
  if (options.moveCursor === false) controls.push("C=1");
  if (options.columns) controls.push(`c=${options.columns}`);
  if (options.rows) controls.push(`r=${options.rows}`);
  if (options.imageId) controls.push(`i=${options.imageId}`);
  if (base64Data.length <= KITTY_CHUNK) return `${KITTY}${controls.join(",")};${base64Data}\x1b\\`;
  let commands = "";
  for (let offset = 0; offset < base64Data.length; offset += KITTY_CHUNK) {
    const more = offset + KITTY_CHUNK < base64Data.length ? "m=1" : "m=0";
    const own = offset === 0 ? `${controls.join(",")},${more}` : more;
    commands += `${KITTY}${own};${base64Data.slice(offset, offset + KITTY_CHUNK)}\x1b\\`;
  }
  return commands;
}

/** Removes an image and frees its data. */
export function deleteKittyImage(imageId: number): string {
  return `${KITTY}a=d,d=I,i=${imageId},q=2\x1b\\`;
}

/** Removes all images and frees their data. */
export function deleteAllKittyImages(): string {
  return `${KITTY}a=d,d=A,q=2\x1b\\`;
}

/** The command that shows a file inline in iTerm2. */
export function encodeITerm2(
  base64Data: string,
  options: {
    width?: number | string; height?: number | string; name?: string; preserveAspectRatio?: boolean; inline?: boolean;
  } = {},
): string {
  const parameters = [`inline=${options.inline !== false ? 1 : 0}`, `size=${Buffer.byteLength(base64Data, "base64")}`];
  if (options.width !== undefined) parameters.push(`width=${options.width}`);
  if (options.height !== undefined) parameters.push(`height=${options.height}`);
  if (options.name) parameters.push(`name=${Buffer.from(options.name).toString("base64")}`);
  if (options.preserveAspectRatio === false) parameters.push("preserveAspectRatio=0");
  return `${ITERM2}${parameters.join(";")}:${base64Data}\x07`;
}

/** The cells an image takes when it is scaled into the given ones. */
export function calculateImageCellSize(
  image: Dimensions, maxWidthCells: number, maxHeightCells: number | undefined, cell: Dimensions,
): { columns: number; rows: number } {
  const maxWidth = Math.max(1, Math.floor(maxWidthCells));
  const maxHeight = maxHeightCells === undefined ? Infinity : Math.max(1, Math.floor(maxHeightCells));
  const widthPx = Math.max(1, image.widthPx);
  const heightPx = Math.max(1, image.heightPx);
  const scale = Math.min((maxWidth * cell.widthPx) / widthPx, (maxHeight * cell.heightPx) / heightPx);
  return {
    columns: Math.max(1, Math.min(maxWidth, Math.ceil((widthPx * scale) / cell.widthPx))),
    rows: Math.max(1, Math.min(maxHeight, Math.ceil((heightPx * scale) / cell.heightPx))),
  };
}

/** The rows an image takes that is scaled to a width in cells. */
export function calculateImageRows(
  imageDimensions: Dimensions, targetWidthCells: number, cellDimensions: Dimensions = { widthPx: 9, heightPx: 18 },
): number {
  return calculateImageCellSize(imageDimensions, targetWidthCells, undefined, cellDimensions).rows;
}

/** The sequence that shows an image here, with the cells it takes; `null` if this terminal shows none. */
export function renderImage(base64Data: string, imageDimensions: Dimensions, options: any = {}): any {
  const protocol = getCapabilities().images;
  if (!protocol) return null;
  const maxWidth = options.maxWidthCells ?? 80;
  const { columns, rows } = calculateImageCellSize(imageDimensions, maxWidth, options.maxHeightCells, getCellDimensions());
  if (protocol === "kitty") {
    const { imageId, moveCursor } = options;
    return { sequence: encodeKitty(base64Data, { columns, rows, imageId, moveCursor }), columns, rows, imageId };
  }
  const preserveAspectRatio = options.preserveAspectRatio ?? true;
  return { sequence: encodeITerm2(base64Data, { width: columns, height: "auto", preserveAspectRatio }), columns, rows };
}

/** `text` as a link, for terminals that know OSC 8. */
export function hyperlink(text: string, target: string): string {
  return `\x1b]8;;${target}\x1b\\${text}\x1b]8;;\x1b\\`;
}

/** What is shown in place of an image. */
export function imageFallback(mimeType: string, dimensions?: Dimensions, filename?: string): string {
  const parts = [`[${mimeType}]`];
  if (filename) {
    const shown = underHome(filename);
    const link = getCapabilities().hyperlinks && path().isAbsolute(filename);
    parts.unshift(link ? hyperlink(shown, url().pathToFileURL(filename).href) : shown);
  }
  if (dimensions) parts.push(`${dimensions.widthPx}x${dimensions.heightPx}`);
  return `[Image: ${parts.join(" ")}]`;
}

function underHome(filename: string): string {
  const home: string = os().homedir();
  const inside = home && (filename === home || filename.startsWith(`${home}/`) || filename.startsWith(`${home}\\`));
  return inside ? `~${filename.slice(home.length)}` : filename;
}
