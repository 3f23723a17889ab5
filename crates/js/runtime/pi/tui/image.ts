// An image, or a line of text where the terminal shows none.
import { getCapabilities, getCellDimensions } from "./capabilities.ts";
import { allocateImageId, imageFallback, renderImage } from "./image_protocol.ts";
import { getImageDimensions } from "./image_size.ts";
import { truncateToWidth } from "./text_layout.ts";

const MAX_WIDTH_CELLS = 60;

type ImageOptions = { maxWidthCells?: number; maxHeightCells?: number; filename?: string; imageId?: number };

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
    base64Data: string, mimeType: string, theme: any, options: ImageOptions = {},
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
    if (protocol === "kitty") this.imageId ??= allocateImageId();
    const maxWidthCells = Math.max(1, Math.min(width - 2, this.options.maxWidthCells ?? MAX_WIDTH_CELLS));
    const cell = getCellDimensions();
    const square = Math.max(1, Math.ceil((maxWidthCells * cell.widthPx) / cell.heightPx));
    const image = renderImage(this.base64Data, this.dimensions, {
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
