import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contrast, deuteranopicDifference, difference } from './color';

const css = readFileSync(new URL('../../src/styles/tokens.css', import.meta.url), 'utf8');

const chosen = css.slice(css.indexOf("[data-colors='green-red']"));

/** Returns the value of a color token in a theme. */
function token(name: string, theme: 'light' | 'dark', source = css): string {
  const found = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(source);
  if (!found) throw new Error(`no color token ${name}`);
  return found[theme === 'light' ? 1 : 2]!;
}

describe('the arithmetic', () => {
  it('agrees with published values', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(difference('#ff0000', '#00ff00')).toBeCloseTo(86.6, 1);
  });

  it('shows green and brown of equal lightness as the same color to a deuteranope', () => {
    expect(difference('#7a7a00', '#a66a00')).toBeGreaterThan(15);
    expect(deuteranopicDifference('#7a7a00', '#a66a00')).toBeLessThan(10);
  });
});

describe.each(['light', 'dark'] as const)('%s theme', (theme) => {
  const color = (name: string) => token(name, theme);

  it('gain and loss look different, also in deuteranopia', () => {
    for (const [gain, loss, least] of [
      ['gain', 'loss', 40],
      ['gain-soft', 'loss-soft', 15],
    ] as const) {
      expect(difference(color(gain), color(loss)), `${gain} and ${loss}`).toBeGreaterThan(least);
      expect(deuteranopicDifference(color(gain), color(loss)), `${gain} and ${loss}`).toBeGreaterThan(least);
    }
  });

  it('gain looks different from the accent, and loss from an error', () => {
    expect(difference(color('gain'), color('accent'))).toBeGreaterThan(10);
    expect(difference(color('loss'), color('danger'))).toBeGreaterThan(7);
  });

  it('green and red are as readable as blue and orange', () => {
    const other = (name: string) => token(name, theme, chosen);
    expect(difference(other('gain'), other('loss'))).toBeGreaterThan(40);
    expect(difference(other('gain-soft'), other('loss-soft'))).toBeGreaterThan(15);
    expect(difference(other('gain'), color('accent')), 'accent').toBeGreaterThan(10);
    expect(difference(other('loss'), color('danger')), 'danger').toBeGreaterThan(7);
    for (const name of ['gain', 'loss']) {
      for (const ground of ['ground', 'surface', 'surface-2', 'surface-3'])
        expect(contrast(other(name), color(ground)), `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      expect(contrast(other(name), other(`${name}-soft`)), `${name}-soft`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each([
    ['text', ['ground', 'surface', 'surface-2', 'surface-3'], 4.5],
    ['text-2', ['ground', 'surface', 'surface-2', 'surface-3'], 4.5],
    ['text-3', ['surface', 'surface-2'], 4.5],
    ['gain', ['ground', 'surface', 'surface-2', 'surface-3', 'gain-soft'], 4.5],
    ['loss', ['ground', 'surface', 'surface-2', 'surface-3', 'loss-soft'], 4.5],
    ['accent', ['ground', 'surface', 'surface-2', 'accent-soft'], 4.5],
    ['on-accent', ['accent'], 4.5],
    ['warn', ['surface', 'warn-soft'], 4.5],
    ['danger', ['surface', 'danger-soft'], 4.5],
    ['edge-strong', ['surface', 'surface-2'], 3],
    ['focus', ['ground', 'surface'], 3],
    ...[1, 2, 3, 4, 5].map((n): [string, string[], number] => [`line-${n}`, ['surface', 'surface-2'], 4.5]),
  ])('%s is readable on %s', (name, grounds, least) => {
    for (const ground of grounds)
      expect(contrast(color(name), color(ground)), ground).toBeGreaterThanOrEqual(least);
  });
});
