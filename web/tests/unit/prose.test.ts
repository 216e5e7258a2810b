import { expect, test } from 'vitest';
import { extractProse } from './prose';

test('comments, texts and markup are prose; code is not', () => {
  const source = [
    '<!-- First comment. -->',
    '<script lang="ts">',
    "  const whoever = call('a text here'); // second comment",
    '  /* third',
    '     comment */',
    '</script>',
    '<p class="stack">Some text <b>and more</b> at the end {value} of it.</p>',
  ].join('\n');
  const prose = extractProse(source, 'x.svelte').map(({ line, text }) => `${line}: ${text.trim()}`);
  expect(prose).toEqual([
    '1: <!-- First comment. -->',
    '3: // second comment',
    '4: /* third\n     comment */',
    "3: 'a text here'",
    '7: >Some text',
    '7: >and more',
    '7: > at the end',
    '7: } of it.',
  ]);
});

test('an address is not a comment', () => {
  expect(extractProse("const url = 'https://example.com/a b';", 'x.ts')).toEqual([
    { line: 1, text: "'https://example.com/a b'" },
  ]);
});
