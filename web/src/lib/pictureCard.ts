// Draws results as a picture to post or send: a title, figures, and the shape of the equity curve. It is drawn in
// the page, with its colors and font, so nothing has to be public and the server needs neither fonts nor images.

import { signOf } from './format/format';

export interface PictureFigure {
  label: string;
  value: string;
  sign?: -1 | 0 | 1; // colors the value
}

export interface PictureCard {
  title: string;
  note: string;
  figures: PictureFigure[]; // at most four
  curve: number[]; // cumulative results; without an axis it has no amounts
}

const width = 1200;
const height = 630; // the size that sites expect of a card
const edge = 72;

/** Draws a card on a canvas with the colors of the current theme. */
export function drawCard(canvas: HTMLCanvasElement, card: PictureCard): void {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d')!;
  const color = readColors();
  const write = (text: string, x: number, y: number, font: string, fill: string) => {
    context.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
    context.fillStyle = fill;
    context.fillText(text, x, y, width - x - edge);
  };
  context.fillStyle = color('--surface');
  context.fillRect(0, 0, width, height);
  write(card.title, edge, 112, '600 56px', color('--text'));
  write(card.note, edge, 160, '400 28px', color('--text-2'));
  const top = card.curve.length < 2 ? 330 : 244; // alone, the figures are in the middle
  const step = (width - 2 * edge) / Math.max(card.figures.length, 1);
  card.figures.forEach(({ label, value, sign = 0 }, i) => {
    const fill = color(sign > 0 ? '--gain' : sign < 0 ? '--loss' : '--text');
    write(label, edge + i * step, top, '400 24px', color('--text-2'));
    context.font = `600 48px ${getComputedStyle(document.body).fontFamily}`;
    context.fillStyle = fill;
    context.fillText(value, edge + i * step, top + 56, step - 24);
  });
  drawCurve(context, card.curve, color);
  write('Fillbook', edge, height - 36, '500 22px', color('--text-3'));
}

function drawCurve(
  context: CanvasRenderingContext2D,
  values: number[],
  color: (token: string) => string,
): void {
  if (values.length < 2) return;
  const [top, bottom] = [350, 550];
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const x = (i: number) => edge + (i / (values.length - 1)) * (width - 2 * edge);
  const y = (v: number) => bottom - ((v - low) / (high - low || 1)) * (bottom - top);
  context.strokeStyle = color('--edge');
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(edge, y(0));
  context.lineTo(width - edge, y(0));
  context.stroke();
  context.strokeStyle = color(signOf(values.at(-1)) < 0 ? '--loss' : '--gain');
  context.lineWidth = 5;
  context.lineJoin = 'round';
  context.beginPath();
  values.forEach((v, i) => (i === 0 ? context.moveTo(x(i), y(v)) : context.lineTo(x(i), y(v))));
  context.stroke();
}

/** Returns a function that resolves a color token: light-dark() is resolved only in a computed color. */
function readColors(): (token: string) => string {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const found = new Map<string, string>();
  const resolve = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  for (const token of ['--surface', '--edge', '--text', '--text-2', '--text-3', '--gain', '--loss'])
    found.set(token, resolve(token));
  probe.remove();
  return (token) => found.get(token)!;
}

/** Returns a card's picture. */
export function toPng(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
  );
}
