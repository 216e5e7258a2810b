// Reduces a screenshot to 256 colors, so it is small enough for the README: the
// most frequent colors and those far from any other. Reads the PNG files of Chromium
// (8 bits per channel).

import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

export function inFewColors(png: Buffer): Buffer {
  const { width, height, channels, rows } = decode(png);
  const colors = new Map<number, number>();
  const pixels = new Uint32Array(width * height);
  for (let i = 0; i < pixels.length; i++) {
    const at = i * channels;
    const color = (rows[at]! << 16) | (rows[at + 1]! << 8) | rows[at + 2]!;
    pixels[i] = color;
    colors.set(color, (colors.get(color) ?? 0) + 1);
  }
  const used = [...colors].sort((a, b) => b[1] - a[1]).map(([color]) => color);
  const palette = used.splice(0, 160);
  for (const color of used) {
    if (palette.length === 256) break;
    if (distance(palette[nearest(palette, color)]!, color) > 800) palette.push(color);
  }
  const index = new Map(palette.map((color, i) => [color, i]));
  const out = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const color = pixels[y * width + x]!;
      let i = index.get(color);
      if (i === undefined) index.set(color, (i = nearest(palette, color)));
      out[y * (width + 1) + 1 + x] = i;
    }
  }
  return encode(width, height, palette, out);
}

function nearest(palette: number[], color: number): number {
  let best = 0;
  let least = Infinity;
  for (const [i, p] of palette.entries()) {
    const away = distance(p, color);
    if (away < least) [best, least] = [i, away];
  }
  return best;
}

function distance(a: number, b: number): number {
  return [16, 8, 0].reduce((sum, bits) => sum + (((a >> bits) & 255) - ((b >> bits) & 255)) ** 2, 0);
}

function decode(png: Buffer) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = { 2: 3, 6: 4 }[png[25]!];
  if (png[24] !== 8 || !channels) throw new Error('only PNGs of 8 bits in RGB or RGBA');
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return {
    width,
    height,
    channels,
    rows: unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels),
  };
}

/** Reverses the PNG filter of each row. */
function unfiltered(packed: Buffer, stride: number, channels: number): Buffer {
  const height = packed.length / (stride + 1);
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const kind = packed[y * (stride + 1)]!;
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? rows[y * stride + x - channels]! : 0;
      const up = y > 0 ? rows[(y - 1) * stride + x]! : 0;
      const corner = x >= channels && y > 0 ? rows[(y - 1) * stride + x - channels]! : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][kind]!;
      rows[y * stride + x] = packed[y * (stride + 1) + 1 + x]! + guess;
    }
  }
  return rows;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function encode(width: number, height: number, palette: number[], rows: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.from(palette.flatMap((p) => [p >> 16, (p >> 8) & 255, p & 255]));
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}
