// Colours by how people see them: Oklab, and Okhsl within what screens show, after Björn Ottosson's published formulas.

/** Red, green and blue from 0 to 1, each as light and not as a screen's number. */
type Linear = [number, number, number];
/** Lightness, green to red, blue to yellow. */
type Lab = [number, number, number];

const toLinear = (value: number) => (value >= 0.04045 ? ((value + 0.055) / 1.055) ** 2.4 : value / 12.92);
const fromLinear = (value: number) =>
  value >= 0.0031308 ? 1.055 * value ** (1 / 2.4) - 0.055 : 12.92 * value;

/** Numbers of a screen, 0 to 255, as Oklab. */
export function labOf(red: number, green: number, blue: number): Lab {
  const [r, g, b] = [red, green, blue].map((part) => toLinear(part / 255));
  const l = Math.cbrt(0.412221469470763 * r + 0.5363325372617348 * g + 0.0514459932675022 * b);
  const m = Math.cbrt(0.2119034958178252 * r + 0.6806995506452344 * g + 0.1073969535369406 * b);
  const s = Math.cbrt(0.0883024591900564 * r + 0.2817188391361215 * g + 0.6299787016738222 * b);
  return [
    0.210454268309314 * l + 0.7936177747023054 * m - 0.0040720430116193 * s,
    1.9779985324311684 * l - 2.42859224204858 * m + 0.450593709617411 * s,
    0.0259040424655478 * l + 0.7827717124575296 * m - 0.8086757549230774 * s,
  ];
}

function linearOf([lightness, a, b]: Lab): Linear {
  const l = (lightness + 0.3963377773761749 * a + 0.2158037573099136 * b) ** 3;
  const m = (lightness - 0.1055613458156586 * a - 0.0638541728258133 * b) ** 3;
  const s = (lightness - 0.0894841775298119 * a - 1.2914855480194092 * b) ** 3;
  return [
    4.0767416360759583 * l - 3.3077115392580629 * m + 0.2309699031821043 * s,
    -1.2684379732850315 * l + 2.6097573492876882 * m - 0.341319376002657 * s,
    -0.0041960761386756 * l - 0.7034186179359362 * m + 1.7076146940746117 * s,
  ];
}

/** Oklab as numbers of a screen; what no screen shows is cut. */
export function screenOf(lab: Lab): [number, number, number] {
  const part = (value: number) => Math.round(255 * Math.min(1, Math.max(0, fromLinear(Math.max(0, value)))));
  return linearOf(lab).map(part) as [number, number, number];
}

const K1 = 0.206;
const K2 = 0.03;
const K3 = (1 + K1) / (1 + K2);

/** The lightness of Okhsl for one of Oklab. */
export function okhslLightness(value: number): number {
  return 0.5 * (K3 * value - K1 + Math.sqrt((K3 * value - K1) ** 2 + 4 * K2 * K3 * value));
}

const labLightness = (value: number) => (value * value + K1 * value) / (K3 * (value + K2));

/** The saturation at which the first of red, green and blue is used up, for a hue. */
function mostSaturation(a: number, b: number): number {
  let k: number[];
  let weights: number[];
  if (-1.88170328 * a - 0.80936493 * b > 1) {
    k = [1.19086277, 1.76576728, 0.59662641, 0.75515197, 0.56771245];
    weights = [4.0767416360759583, -3.3077115392580629, 0.2309699031821043];
  } else if (1.81444104 * a - 1.19445276 * b > 1) {
    k = [0.73956515, -0.45954404, 0.08285427, 0.1254107, 0.14503204];
    weights = [-1.2684379732850315, 2.6097573492876882, -0.341319376002657];
  } else {
    k = [1.35733652, -0.00915799, -1.1513021, -0.50559606, 0.00692167];
    weights = [-0.0041960761386756, -0.7034186179359362, 1.7076146940746117];
  }
  const guess = k[0] + k[1] * a + k[2] * b + k[3] * a * a + k[4] * a * b;
  const slopes = [
    0.3963377773761749 * a + 0.2158037573099136 * b,
    -0.1055613458156586 * a - 0.0638541728258133 * b,
    -0.0894841775298119 * a - 1.2914855480194092 * b,
  ];
  // One step of Halley's method.
  const sum = (of: (slope: number) => number) =>
    slopes.reduce((total, slope, index) => total + weights[index] * of(slope), 0);
  const f = sum((slope) => (1 + guess * slope) ** 3);
  const f1 = sum((slope) => 3 * slope * (1 + guess * slope) ** 2);
  const f2 = sum((slope) => 6 * slope * slope * (1 + guess * slope));
  return guess - (f * f1) / (f1 * f1 - 0.5 * f * f2);
}

/** The lightness and chroma of the strongest colour of a hue. */
function cusp(a: number, b: number): [number, number] {
  const saturation = mostSaturation(a, b);
  const most = Math.max(...linearOf([1, saturation * a, saturation * b]));
  const lightness = Math.cbrt(1 / most);
  return [lightness, lightness * saturation];
}

/** The most chroma that a screen shows for a hue at a lightness. */
function mostChroma(a: number, b: number, lightness: number, [cuspL, cuspC]: [number, number]): number {
  // The line from the gray of this lightness outward.
  if ((lightness - cuspL) * cuspC <= 0) return (cuspC * lightness) / cuspL;
  let t = (cuspC * (lightness - 1)) / (cuspL - 1);
  const slopes = [
    0.3963377773761749 * a + 0.2158037573099136 * b,
    -0.1055613458156586 * a - 0.0638541728258133 * b,
    -0.0894841775298119 * a - 1.2914855480194092 * b,
  ];
  const roots = slopes.map((slope) => lightness + t * slope);
  const rows = [
    [4.0767416360759583, -3.3077115392580629, 0.2309699031821043],
    [-1.2684379732850315, 2.6097573492876882, -0.341319376002657],
    [-0.0041960761386756, -0.7034186179359362, 1.7076146940746117],
  ];
  // One step of Halley's method for each of red, green and blue; the first that is reached counts.
  const steps = rows.map((row) => {
    const sum = (of: (root: number, slope: number) => number) =>
      row.reduce((total, weight, index) => total + weight * of(roots[index], slopes[index]), 0);
    const f = sum((root) => root ** 3) - 1;
    const f1 = sum((root, slope) => 3 * slope * root * root);
    const f2 = sum((root, slope) => 6 * slope * slope * root);
    const u = f1 / (f1 * f1 - 0.5 * f * f2);
    return u >= 0 ? -f * u : Number.MAX_VALUE;
  });
  t += Math.min(...steps);
  return t;
}

/** Chroma at no, at middling and at full saturation, for a lightness and a hue. */
function chromas(lightness: number, a: number, b: number): [number, number, number] {
  const top = cusp(a, b);
  const most = mostChroma(a, b, lightness, top);
  const [sMax, tMax] = [top[1] / top[0], top[1] / (1 - top[0])];
  const sMid =
    0.11516993 +
    1 / (7.4477897 + 4.1590124 * b + a * (-2.19557347 + 1.75198401 * b + a * (-2.13704948 - 10.02301043 * b + a * (-4.24894561 + 5.38770819 * b + 4.69891013 * a))));
  const tMid =
    0.11239642 +
    1 / (1.6132032 - 0.68124379 * b + a * (0.40370612 + 0.90148123 * b + a * (-0.27087943 + 0.6122399 * b + a * (0.00299215 - 0.45399568 * b - 0.14661872 * a))));
  const k = most / Math.min(lightness * sMax, (1 - lightness) * tMax);
  const [midA, midB] = [lightness * sMid, (1 - lightness) * tMid];
  const middle = 0.9 * k * Math.sqrt(Math.sqrt(1 / (1 / midA ** 4 + 1 / midB ** 4)));
  const [zeroA, zeroB] = [lightness * 0.4, (1 - lightness) * 0.8];
  const zero = Math.sqrt(1 / (1 / zeroA ** 2 + 1 / zeroB ** 2));
  return [zero, middle, most];
}

const MIDDLE = 0.8;

/** Hue in degrees, saturation and lightness from 0 to 1, as Oklab. */
export function labOfOkhsl(hue: number, saturation: number, lightness: number): Lab {
  if (lightness >= 1) return [1, 0, 0];
  if (lightness <= 0) return [0, 0, 0];
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [Math.cos(angle), Math.sin(angle)];
  const light = labLightness(lightness);
  const [zero, middle, most] = chromas(light, a, b);
  let chroma: number;
  if (saturation < MIDDLE) {
    const t = saturation / MIDDLE;
    const k1 = MIDDLE * zero;
    chroma = (t * k1) / (1 - (1 - k1 / middle) * t);
  } else {
    const t = (saturation - MIDDLE) / (1 - MIDDLE);
    const k1 = ((1 - MIDDLE) * middle * middle * (1 / MIDDLE) ** 2) / zero;
    chroma = middle + (t * k1) / (1 - (1 - k1 / (most - middle)) * t);
  }
  return [light, chroma * a, chroma * b];
}

/** Oklab as hue in degrees, saturation and lightness from 0 to 1; grays have neither hue nor saturation. */
export function okhslOf([light, a, b]: Lab): { h: number; s: number; l: number } {
  const l = okhslLightness(light);
  const chroma = Math.hypot(a, b);
  if (chroma < 1e-6 || l <= 0 || l >= 1) return { h: 0, s: 0, l: Math.min(1, Math.max(0, l)) };
  const [zero, middle, most] = chromas(light, a / chroma, b / chroma);
  let s: number;
  if (chroma < middle) {
    const k1 = MIDDLE * zero;
    s = (chroma / (k1 + (1 - k1 / middle) * chroma)) * MIDDLE;
  } else {
    const k1 = ((1 - MIDDLE) * middle * middle * (1 / MIDDLE) ** 2) / zero;
    const over = chroma - middle;
    s = MIDDLE + (1 - MIDDLE) * (over / (k1 + (1 - k1 / (most - middle)) * over));
  }
  return { h: degrees(a, b), s: Math.min(1, Math.max(0, s)), l };
}

/** The hue of a colour, from 0 to below 360. */
export function degrees(a: number, b: number): number {
  return ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;
}
