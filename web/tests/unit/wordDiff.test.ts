import { describe, expect, test } from 'vitest';
import { diffWords, type DiffPart } from '../../src/lib/wordDiff';

const show = (parts: DiffPart[]) =>
  parts.map((p) => ({ same: p.text, removed: `[-${p.text}-]`, added: `[+${p.text}+]` })[p.kind]).join('');

describe('diffWords', () => {
  test.each([
    ['', '', ''],
    ['same text', 'same text', 'same text'],
    ['', 'new', '[+new+]'],
    ['old', '', '[-old-]'],
    ['Held too long', 'Held far too long', 'Held [+far +]too long'],
    ['Sold at 101', 'Sold at 102.', 'Sold at [-101-][+102.+]'],
    ['a b c', 'c b a', '[-a-][+c+] b [-c-][+a+]'],
    ['Größe 1', 'Größe 2', 'Größe [-1-][+2+]'],
  ])('%j to %j', (before, after, parts) => expect(show(diffWords(before, after))).toBe(parts));

  test('the parts add up to both texts', () => {
    const words = ['long', 'short', ' ', '\n', '.', 'NQ'];
    for (let seed = 1; seed < 300; seed++) {
      const pick = (n: number) => words[(seed * 31 + n * n * 17 + n * seed) % words.length]!;
      const before = Array.from({ length: seed % 13 }, (_, n) => pick(n)).join('');
      const after = Array.from({ length: seed % 11 }, (_, n) => pick(n + 3)).join('');
      const parts = diffWords(before, after);
      const without = (kind: string) =>
        parts
          .filter((p) => p.kind !== kind)
          .map((p) => p.text)
          .join('');
      expect(without('added')).toBe(before);
      expect(without('removed')).toBe(after);
    }
  });

  test('long texts without a common word are replaced whole', () => {
    const before = 'a '.repeat(3000);
    const after = 'b '.repeat(3000);
    expect(diffWords(before, after)).toHaveLength(3); // the last space is common
  });
});
