// A chart as a file: its table as CSV, its drawing as PNG. Made in the page, so nothing
// leaves it.

import { saveFile } from '../lib/api/client';
import type { ChartTable } from './TableView.svelte';

/** Returns a file name for a title: "Equity and drawdown" is equity-and-drawdown.png. */
export function fileName(title: string, ending: string): string {
  const name = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${name || 'chart'}.${ending}`;
}

/** Writes a table as CSV (RFC 4180). */
export function toCsv(table: ChartTable): string {
  return [table.head, ...table.rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** Writes a cell. A text that a spreadsheet would run as a formula gets an apostrophe. */
function csvCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d[\d.]*(e[+-]?\d+)?$/i.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function saveCsv(title: string, table: ChartTable): void {
  saveFile(new Blob([toCsv(table)], { type: 'text/csv;charset=utf-8' }), fileName(title, 'csv'));
}

const density = 2; // pixels of the file for each of the page
const padding = 24;
const lineHeight = 22;

/** Saves what a frame shows: its title, its drawings one below the other, and the legend. */
export async function savePng(title: string, note: string | undefined, content: Element): Promise<void> {
  const drawings = await Promise.all([...content.querySelectorAll('svg:not(.lucide)')].map(toImage));
  const legend = [...content.querySelectorAll('[data-legend] > *')].map(legendEntry);
  const width = Math.max(...drawings.map((d) => d.width)) + 2 * padding;
  const top = padding + lineHeight * (note ? 2 : 1) + 8;
  const below = top + drawings.reduce((sum, d) => sum + d.height, 0);
  const height = below + (legend.length > 0 ? lineHeight : 0) + padding;

  const canvas = document.createElement('canvas');
  canvas.width = width * density;
  canvas.height = height * density;
  const context = canvas.getContext('2d')!;
  context.scale(density, density);
  const style = getComputedStyle(content);
  context.fillStyle = surfaceOf(content);
  context.fillRect(0, 0, width, height);
  context.textBaseline = 'middle';
  context.fillStyle = style.color;
  context.font = `600 16px ${style.fontFamily}`;
  context.fillText(title, padding, padding + 8);
  context.font = `13px ${style.fontFamily}`;
  if (note) context.fillText(note, padding, padding + 8 + lineHeight);
  let y = top;
  for (const drawing of drawings) {
    context.drawImage(drawing, padding, y, drawing.width, drawing.height);
    y += drawing.height;
  }
  drawLegend(context, legend, below + lineHeight / 2, style.color);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob) saveFile(blob, fileName(title, 'png'));
}

/** Returns the color behind an element. */
function surfaceOf(element: Element | null): string {
  for (let e = element; e; e = e.parentElement) {
    const color = getComputedStyle(e).backgroundColor;
    if (color !== 'rgba(0, 0, 0, 0)' && color !== 'transparent') return color;
  }
  return 'white';
}

interface LegendEntry {
  text: string;
  color: string;
  dash: number[];
}

function legendEntry(element: Element): LegendEntry {
  const stroke = getComputedStyle(element, '::before');
  const dashes: Record<string, number[]> = { dashed: [6, 4], dotted: [2, 3] };
  return {
    text: element.textContent?.trim() ?? '',
    color: stroke.borderTopColor,
    dash: dashes[stroke.borderTopStyle] ?? [],
  };
}

function drawLegend(
  context: CanvasRenderingContext2D,
  entries: LegendEntry[],
  y: number,
  color: string,
): void {
  let x = padding;
  for (const entry of entries) {
    context.beginPath();
    context.setLineDash(entry.dash);
    context.strokeStyle = entry.color;
    context.lineWidth = 2;
    context.moveTo(x, y);
    context.lineTo(x + 24, y);
    context.stroke();
    context.fillStyle = color;
    context.fillText(entry.text, x + 32, y);
    x += 56 + context.measureText(entry.text).width;
  }
}

// What a drawing takes from the style sheets. An image has none, so each element gets its own as attributes.
const styled = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
];

/** Returns a copy of a drawing that needs no style sheet. */
export function standalone(drawing: Element): Element {
  const copy = drawing.cloneNode(true) as Element;
  const parts = copy.querySelectorAll('*');
  drawing.querySelectorAll('*').forEach((original, i) => {
    const part = parts[i]!;
    const style = getComputedStyle(original);
    for (const name of styled) {
      const value = style.getPropertyValue(name);
      if (value) part.setAttribute(name, value);
    }
    for (const name of ['class', 'style', 'href', 'tabindex']) part.removeAttribute(name);
  });
  for (const name of ['class', 'style']) copy.removeAttribute(name);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return copy;
}

async function toImage(drawing: Element): Promise<HTMLImageElement> {
  const copy = standalone(drawing);
  const box = drawing.getBoundingClientRect();
  copy.setAttribute('width', String(Math.ceil(box.width)));
  copy.setAttribute('height', String(Math.ceil(box.height)));
  const text = new XMLSerializer().serializeToString(copy);
  const address = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  const image = new Image(Math.ceil(box.width), Math.ceil(box.height));
  try {
    image.src = address;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(address);
  }
}
