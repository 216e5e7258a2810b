// Color arithmetic for the token test: contrast as WCAG defines it, color
// difference as CIE defines it (ΔE 2000), and a color as it looks in deuteranopia.

type Triple = [number, number, number];

// Machado, Oliveira, Fernandes 2009: deuteranopia, severity 1, on linear RGB.
const deuteranopia: [Triple, Triple, Triple] = [
  [0.367322, 0.860646, -0.227968],
  [0.280085, 0.672501, 0.047413],
  [-0.01182, 0.04294, 0.968881],
];

const toXyz: [Triple, Triple, Triple] = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];

const whitePoint: Triple = [0.95047, 1, 1.08883];

/** Returns the linear RGB of #rrggbb. */
function linear(hex: string): Triple {
  return [1, 3, 5].map((i) => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as Triple;
}

const multiply = (m: [Triple, Triple, Triple], v: Triple) =>
  m.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as Triple;

const luminance = (hex: string) => multiply(toXyz, linear(hex))[1];

/** Returns the contrast ratio of two colors, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function lab(rgb: Triple): Triple {
  const [x, y, z] = multiply(toXyz, rgb).map((v, i) => {
    const t = v / whitePoint[i]!;
    return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
  }) as Triple;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Returns how different two colors look to someone with deuteranopia; below 2 they look the same. */
export function deuteranopicDifference(a: string, b: string): number {
  const seen = (hex: string) =>
    lab(multiply(deuteranopia, linear(hex)).map((c) => Math.min(1, Math.max(0, c))) as Triple);
  return differenceOf(seen(a), seen(b));
}

/** Returns how different two colors look. */
export function difference(a: string, b: string): number {
  return differenceOf(lab(linear(a)), lab(linear(b)));
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degreesOf = (y: number, x: number) => ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;

// CIEDE2000, with its definition's names.
function differenceOf([L1, a1, b1]: Triple, [L2, a2, b2]: Triple): number {
  const meanC = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const G = 0.5 * (1 - Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)));
  const [C1, C2] = [Math.hypot(a1 * (1 + G), b1), Math.hypot(a2 * (1 + G), b2)];
  const [h1, h2] = [degreesOf(b1, a1 * (1 + G)), degreesOf(b2, a2 * (1 + G))];
  const turn = ((h2 - h1 + 540) % 360) - 180;
  const dH = 2 * Math.sqrt(C1 * C2) * Math.sin(radians(turn / 2));
  const L = (L1 + L2) / 2;
  const C = (C1 + C2) / 2;
  const h = (h1 + turn / 2 + 360) % 360;
  const T =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63));
  const dL = (L2 - L1) / (1 + (0.015 * (L - 50) ** 2) / Math.sqrt(20 + (L - 50) ** 2));
  const dC = (C2 - C1) / (1 + 0.045 * C);
  const dHue = dH / (1 + 0.015 * C * T);
  const rotation =
    -2 * Math.sqrt(C ** 7 / (C ** 7 + 25 ** 7)) * Math.sin(radians(60 * Math.exp(-(((h - 275) / 25) ** 2))));
  return Math.sqrt(dL ** 2 + dC ** 2 + dHue ** 2 + rotation * dC * dHue);
}
