/**
 * Returns the visible texts with too little contrast to their background: below 4.5, or below 3 for large letters.
 * Disabled controls, drawings and texts on a gradient are exempt, as they are for axe, and so is the page behind a
 * modal dialog. Runs in the page.
 */
export function findLowContrast(): string[] {
  type Color = [red: number, green: number, blue: number, alpha: number];

  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
  const parsed = new Map<string, Color>();
  const parse = (text: string): Color => {
    const known = parsed.get(text);
    if (known) return known;
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    const color: Color = [red!, green!, blue!, alpha! / 255];
    parsed.set(text, color);
    return color;
  };
  const blend = (over: Color, under: Color): Color => {
    const mix = (i: number) => over[i]! * over[3] + under[i]! * (1 - over[3]);
    return [mix(0), mix(1), mix(2), 1];
  };
  const luminance = (color: Color): number => {
    const linear = (i: number) => {
      const c = color[i]! / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2);
  };

  interface Surface {
    background: Color | undefined; // undefined for a gradient
    opacity: number;
  }
  const surfaces = new Map<Element | null, Surface>([[null, { background: parse('Canvas'), opacity: 1 }]]);
  const surfaceOf = (element: Element | null): Surface => {
    const known = surfaces.get(element);
    if (known || !element) return known!;
    const under = surfaceOf(element.parentElement);
    const style = getComputedStyle(element);
    const opacity = under.opacity * Number(style.opacity);
    const [red, green, blue, alpha] = parse(style.backgroundColor);
    const isGradient = style.backgroundImage !== 'none' || (!under.background && alpha < 1);
    const background = isGradient
      ? undefined
      : blend([red, green, blue, alpha * opacity], under.background ?? [0, 0, 0, 1]);
    const surface = { background, opacity };
    surfaces.set(element, surface);
    return surface;
  };
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.clientWidth !== 1 && // for screen readers only
    !element.closest('svg, option, .sr-only, :disabled, [aria-disabled=true], label:has(:disabled)');
  const hasText = (element: Element): boolean =>
    element.matches('input, select, textarea') ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim());

  const found: string[] = [];
  const top = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
  for (const element of top.querySelectorAll('*')) {
    if (!hasText(element) || !isShown(element)) continue;
    const { background, opacity } = surfaceOf(element);
    if (!background) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const [red, green, blue, alpha] = parse(color);
    const text = blend([red, green, blue, alpha * opacity], background);
    const [light, dark] = [text, background].map(luminance).sort((x, y) => y - x);
    const ratio = (light! + 0.05) / (dark! + 0.05);
    const isLarge = parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.66 : 24);
    if (ratio < (isLarge ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${element.outerHTML.slice(0, 200)}`);
  }
  return found;
}
