// The palette of 256 colours.

const CUBE = [0, 95, 135, 175, 215, 255];
/** The first sixteen, which terminals may change; these are the usual ones. */
const FIRST = [
  0x000000, 0x800000, 0x008000, 0x808000, 0x000080, 0x800080, 0x008080, 0xc0c0c0, 0x808080, 0xff0000, 0x00ff00,
  0xffff00, 0x0000ff, 0xff00ff, 0x00ffff, 0xffffff,
];

/** Red, green and blue of a number of the palette. */
export function rgbOfIndexed(index: number): [number, number, number] {
  if (index < 16) return [FIRST[index] >> 16, (FIRST[index] >> 8) & 255, FIRST[index] & 255];
  if (index >= 232) {
    const gray = 8 + (index - 232) * 10;
    return [gray, gray, gray];
  }
  const at = index - 16;
  return [CUBE[Math.floor(at / 36)], CUBE[Math.floor(at / 6) % 6], CUBE[at % 6]];
}

/** The nearest of the 240 fixed colours. */
export function nearestIndexed(rgb: number[]): number {
  const steps = rgb.map((value) => closest(CUBE, value));
  const grays = Array.from({ length: 24 }, (_, index) => 8 + index * 10);
  const gray = closest(grays, (rgb[0] + rgb[1] + rgb[2]) / 3);
  const distance = (other: number[]) =>
    0.3 * (rgb[0] - other[0]) ** 2 + 0.59 * (rgb[1] - other[1]) ** 2 + 0.11 * (rgb[2] - other[2]) ** 2;
  const inCube = distance(steps.map((step) => CUBE[step]));
  const inGrays = distance([grays[gray], grays[gray], grays[gray]]);
  // A colour with a hue keeps it, even where a gray is as bright.
  const hue = Math.max(...rgb) - Math.min(...rgb) >= 10;
  if (!hue && inGrays < inCube) return 232 + gray;
  return 16 + 36 * steps[0] + 6 * steps[1] + steps[2];
}

function closest(values: number[], wanted: number): number {
  let best = 0;
  for (let at = 1; at < values.length; at++) {
    if (Math.abs(values[at] - wanted) < Math.abs(values[best] - wanted)) best = at;
  }
  return best;
}
