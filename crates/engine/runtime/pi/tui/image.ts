// An image, or a line of text where the terminal shows none.
import { getCapabilities, getCellDimensions } from "./capabilities.ts";
import { allocateImageId, imageFallback, renderImage } from "./image_protocol.ts";
import { getImageDimensions } from "./image_size.ts";
import { truncateToWidth } from "./text_layout.ts";

const MAX_WIDTH_CELLS = 60;

type ImageOptions = { maxWidthCells?: number; maxHeightCells?: number; filename?: string; imageId?: number };

/** Turns base64 of an image of that type into base64 of a PNG; null when it cannot. */
type Transcoder = (data: string, mimeType: string) => string | null;

/** PNGs that were made, the latest last; images are drawn again and again. */
const made = new Map<string, string | null>();
const MOST_MADE = 32;
let transcoder: Transcoder | undefined;

/** Sets what makes PNGs for terminals that draw nothing else; undefined for nothing. */
export function setImageTranscoder(next: Transcoder | undefined): void {
  transcoder = next;
  made.clear();
}

/** The image in a form that the terminal draws; null when there is none. */
function drawable(data: string, mimeType: string, protocol: string): string | null {
  if (protocol !== "kitty" || mimeType === "image/png" || !transcoder) return data;
  const known = made.get(data);
  const png = known === undefined ? transcoder(data, mimeType) : known;
  made.delete(data);
  made.set(data, png);
  if (made.size > MOST_MADE) made.delete(made.keys().next().value!);
  return png;
}

/** An image in base64. */
export class Image {
  base64Data: string;
  mimeType: string;
  theme: any;
  options: ImageOptions;
  dimensions: { widthPx: number; heightPx: number };
  imageId: number | undefined;
  cachedLines: string[] | undefined;
  cachedWidth: number | undefined;

  constructor(
    base64Data: string, mimeType: string, theme: unknown, options: ImageOptions = {},
    dimensions?: { widthPx: number; heightPx: number },
  ) {
    this.base64Data = base64Data;
    this.mimeType = mimeType;
    this.theme = theme;
    this.options = options;
    this.dimensions = dimensions || getImageDimensions(base64Data, mimeType) || { widthPx: 800, heightPx: 600 };
    this.imageId = options.imageId;
  }

  /** The number under which the terminal knows this image. */
  getImageId(): number | undefined {
    return this.imageId;
  }

  invalidate(): void {
    this.cachedLines = undefined;
  }

  render(width: number): string[] {
    if (this.cachedLines && this.cachedWidth === width) return this.cachedLines;
    this.cachedLines = this._imageLines(width) ?? [
      truncateToWidth(this.theme.fallbackColor(imageFallback(this.mimeType, this.dimensions, this.options.filename)), width),
    ];
    this.cachedWidth = width;
    return this.cachedLines;
  }

  _imageLines(width: number): string[] | undefined {
    const protocol = getCapabilities().images;
    if (!protocol) return undefined;
    const data = drawable(this.base64Data, this.mimeType, protocol);
    if (data === null) return undefined;
    if (protocol === "kitty") this.imageId ??= allocateImageId();
    const maxWidthCells = Math.max(1, Math.min(width - 2, this.options.maxWidthCells ?? MAX_WIDTH_CELLS));
    const cell = getCellDimensions();
    const square = Math.max(1, Math.ceil((maxWidthCells * cell.widthPx) / cell.heightPx));
    const image = renderImage(data, this.dimensions, {
      maxWidthCells,
      maxHeightCells: this.options.maxHeightCells ?? square,
      imageId: this.imageId,
      moveCursor: false,
    });
    if (!image) return undefined;
    this.imageId = image.imageId || this.imageId;
    const empty: string[] = Array.from({ length: image.rows - 1 }, () => "");
    if (protocol === "kitty") return [image.sequence, ...empty];
    // iTerm2 moves the cursor below the image: it is drawn from the last of its lines, after going back up.
    const up = empty.length > 0 ? `\x1b[${empty.length}A` : "";
    return [...empty, up + image.sequence];
  }
}
