// Draws the layers of a candle chart on a canvas. Labels, the grid and the crosshair
// are SVG around it.

import type { Scale } from '../scale';
import { isEmpty, type Candle } from './bars';
import type { IndicatorId, IndicatorLine } from './indicators';
import type { ChartLevel, Extremes, Mark } from './marks';

/** The colors of tokens.css in the current theme. */
export interface Palette extends Record<IndicatorId, string> {
  up: string;
  down: string;
  upSoft: string;
  downSoft: string;
  line: string;
  mark: string;
  surface: string;
  shade: string;
  volume: string;
}

export interface Scene {
  width: number;
  left: number;
  right: number;
  top: number;
  foot: number; // of the prices
  volumeTop: number;
  volumeFoot: number;
  xAt: Scale; // from bars
  yAt: Scale; // from prices
  candles: Candle[]; // the visible ones
  sessions: { from: number; to: number }[]; // those that are shaded
  extremes: Extremes | null;
  entry: number | null; // where the bands begin
  levels: ChartLevel[]; // prices in units
  lines: IndicatorLine[];
  marks: Mark[];
  palette: Palette;
}

export function drawScene(context: CanvasRenderingContext2D, height: number, ratio: number, s: Scene): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, s.width, height);
  context.save();
  context.beginPath();
  context.rect(s.left, 0, s.right - s.left, height);
  context.clip();
  drawSessions(context, s);
  drawBands(context, s);
  drawVolume(context, s);
  drawCandles(context, s);
  drawLines(context, s);
  drawLevels(context, s);
  drawFills(context, s);
  context.restore();
}

function drawSessions(context: CanvasRenderingContext2D, s: Scene): void {
  context.fillStyle = s.palette.shade;
  for (const { from, to } of s.sessions)
    context.fillRect(s.xAt(from), s.top, s.xAt(to) - s.xAt(from), s.volumeFoot - s.top);
}

/** Fills from the entry to the price reached for certain, and hatches up to the one that is possible. */
function drawBands(context: CanvasRenderingContext2D, s: Scene): void {
  if (!s.extremes || s.entry === null) return;
  const { best, worst, from, to } = s.extremes;
  const [x, width] = [s.xAt(from), Math.max(2, s.xAt(to) - s.xAt(from))];
  const clampedY = (price: number) => Math.max(s.top, Math.min(s.yAt(price), s.foot));
  const entry = clampedY(s.entry);
  for (const [bound, soft, strong] of [
    [best, s.palette.upSoft, s.palette.up],
    [worst, s.palette.downSoft, s.palette.down],
  ] as const) {
    const certain = clampedY(bound.certain);
    const possible = clampedY(bound.possible);
    context.globalAlpha = 0.55;
    context.fillStyle = soft;
    context.fillRect(x, Math.min(entry, certain), width, Math.abs(certain - entry));
    context.globalAlpha = 1;
    hatch(context, x, Math.min(certain, possible), width, Math.abs(possible - certain), strong);
    context.fillStyle = strong;
    context.fillRect(x, certain - 0.5, width, 1);
  }
}

function hatch(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  color: string,
): void {
  if (height < 1) return;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = color;
  context.globalAlpha = 0.5;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = x - height; at < x + width; at += 6) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

/** Returns the left edge and the width of a candle's body, in whole pixels. */
function bodyOf(candle: Candle, xAt: Scale): [number, number] {
  const [left, right] = [xAt(candle.first), xAt(candle.end)];
  const width = Math.max(1, Math.min(14, Math.round((right - left) * 0.7)));
  return [Math.round((left + right - width) / 2), width];
}

function drawVolume(context: CanvasRenderingContext2D, s: Scene): void {
  const most = s.candles.reduce((max, c) => Math.max(max, c.v), 0);
  if (most === 0) return;
  context.fillStyle = s.palette.volume;
  for (const candle of s.candles) {
    const [x, width] = bodyOf(candle, s.xAt);
    const height = (candle.v / most) * (s.volumeFoot - s.volumeTop);
    context.fillRect(x, s.volumeFoot - height, width, height);
  }
}

/** Draws rising candles hollow and falling ones filled; narrow ones are a line from low to high. */
function drawCandles(context: CanvasRenderingContext2D, s: Scene): void {
  for (const candle of s.candles) {
    if (isEmpty(candle)) continue;
    const rises = candle.c >= candle.o;
    const [x, width] = bodyOf(candle, s.xAt);
    const middle = x + width / 2;
    const [high, low] = [s.yAt(candle.h), s.yAt(candle.l)];
    const [top, foot] = [s.yAt(Math.max(candle.o, candle.c)), s.yAt(Math.min(candle.o, candle.c))];
    context.fillStyle = context.strokeStyle = rises ? s.palette.up : s.palette.down;
    if (width < 4) {
      context.fillRect(Math.floor(middle), high, 1, Math.max(1, low - high));
      if (width >= 2) context.fillRect(x, s.yAt(candle.c) - 0.5, width, 1);
      continue;
    }
    context.fillRect(Math.round(middle - 0.5), high, 1, top - high);
    context.fillRect(Math.round(middle - 0.5), foot, 1, low - foot);
    const body = Math.max(1, foot - top);
    if (!rises || body < 3) {
      context.fillRect(x, top, width, body);
      continue;
    }
    context.fillStyle = s.palette.surface;
    context.fillRect(x, top, width, body);
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, top + 0.5, width - 1, body - 1);
  }
}

/** The color of each kind of level. */
export const levelColors = { entry: 'line', exit: 'line', stop: 'down', target: 'up' } as const;

/** Draws a line through the value at the end of each candle; one with steps is horizontal for a day. */
function drawLines(context: CanvasRenderingContext2D, s: Scene): void {
  context.save();
  context.beginPath();
  context.rect(s.left, s.top, s.right - s.left, s.foot - s.top);
  context.clip();
  context.lineWidth = 1.5;
  context.lineJoin = 'round';
  for (const line of s.lines) {
    context.strokeStyle = s.palette[line.id];
    context.setLineDash(line.steps ? [2, 3] : []);
    context.beginPath();
    let before: number | null = null;
    for (const candle of s.candles) {
      const value = line.values[candle.end - 1] ?? null;
      const [left, right] = [s.xAt(candle.first), s.xAt(candle.end)];
      const x = line.steps ? right : (left + right) / 2;
      if (value !== null) {
        const y = s.yAt(value);
        if (before === null || (line.steps && before !== value)) context.moveTo(line.steps ? left : x, y);
        context.lineTo(x, y);
      }
      before = value;
    }
    context.stroke();
  }
  context.restore();
}

function drawLevels(context: CanvasRenderingContext2D, s: Scene): void {
  context.lineWidth = 1;
  for (const level of s.levels) {
    const y = Math.round(s.yAt(level.price)) + 0.5;
    if (y < s.top || y > s.foot) continue;
    const isPlan = level.kind === 'stop' || level.kind === 'target';
    context.strokeStyle = s.palette[levelColors[level.kind]];
    context.setLineDash(isPlan ? [5, 4] : []);
    context.beginPath();
    context.moveTo(s.left, y);
    context.lineTo(s.right, y);
    context.stroke();
  }
  context.setLineDash([]);
}

/** Draws a triangle whose tip is the fill: from below for a buy, from above for a sell; hollow if it closes. */
function drawFills(context: CanvasRenderingContext2D, s: Scene): void {
  context.lineJoin = 'round';
  for (const { at, price, fill } of s.marks) {
    const [x, y] = [s.xAt(at), s.yAt(price)];
    if (x < s.left || x > s.right) continue;
    const down = fill.side === 'buy' ? 1 : -1;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 6, y + 11 * down);
    context.lineTo(x - 6, y + 11 * down);
    context.closePath();
    context.lineWidth = 4;
    context.strokeStyle = s.palette.surface;
    context.stroke();
    context.fillStyle = fill.opens ? s.palette.mark : s.palette.surface;
    context.fill();
    context.lineWidth = 1.75;
    context.strokeStyle = s.palette.mark;
    context.stroke();
  }
}
