import { describe, expect, it } from 'vitest';
import { inline, parse, safeHref, tick, type Block } from '../../src/lib/markdown/parse';

const text = (s: string) => ({ kind: 'text', text: s });

describe('blocks', () => {
  it('are parsed', () => {
    const kinds = (source: string) => parse(source).map((b) => b.kind);
    expect(kinds('# A\n\ntext\nmore\n\n> said\n\n---\n\n```\n# no\n```\n\n- a\n- b')).toEqual([
      'heading',
      'paragraph',
      'quote',
      'rule',
      'code',
      'list',
    ]);
    expect(kinds('')).toEqual([]);
    expect(kinds('```\nnever closed')).toEqual(['code']);
  });

  it('nested lists and tasks keep their lines', () => {
    const [list] = parse('- [ ] plan\n  - [x] levels\n- wait\n') as [Extract<Block, { kind: 'list' }>];
    expect(list.items.map((i) => [i.done, i.line])).toEqual([
      [false, 0],
      [null, 2],
    ]);
    const below = list.items[0]!.below[0] as Extract<Block, { kind: 'list' }>;
    expect(below.items.map((i) => [i.done, i.line])).toEqual([[true, 1]]);
  });

  it('deep and long input is handled', () => {
    expect(parse('>'.repeat(500) + ' x')).toHaveLength(1);
    expect(
      parse(Array.from({ length: 200 }, (_, i) => ' '.repeat(i) + '- x').join('\n')).length,
    ).toBeGreaterThan(0);
    expect(inline('*'.repeat(3000)).length).toBeGreaterThan(0);
    expect(inline('['.repeat(3000)).length).toBeGreaterThan(0);
  });
});

describe('within a line', () => {
  it.each([
    ['**a**', [{ kind: 'strong', inside: [text('a')] }]],
    ['*a*', [{ kind: 'em', inside: [text('a')] }]],
    ['~~a~~', [{ kind: 'del', inside: [text('a')] }]],
    ['`**a**`', [{ kind: 'code', text: '**a**' }]],
    ['snake_case_name', [text('snake_case_name')]],
    ['2 * 3 * 4', [text('2 * 3 * 4')]],
    ['\\*a\\*', [text('*a*')]],
    ['[x](/trades?symbol=ES)', [{ kind: 'link', href: '/trades?symbol=ES', inside: [text('x')] }]],
    [
      'see https://example.com/a.',
      [
        text('see '),
        { kind: 'link', href: 'https://example.com/a', inside: [text('https://example.com/a')] },
        text('.'),
      ],
    ],
  ])('%s', (source, want) => {
    expect(inline(source)).toEqual(want);
  });
});

describe('dangerous input stays text', () => {
  it.each(['<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '<b>x</b>'])(
    '%s stays text',
    (source) => {
      expect(parse(source)).toEqual([{ kind: 'paragraph', inside: [text(source)] }]);
    },
  );

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    '/\\evil.example',
    'file:///etc',
  ])('%s is no link', (href) => {
    expect(safeHref(href)).toBeNull();
    expect(inline(`[x](${href})`).some((node) => node.kind === 'link')).toBe(false);
  });
});

describe('ticking', () => {
  it('changes only that task', () => {
    const source = '- [ ] a\n  * [X] b\n1. [ ] c\n> - [ ] d';
    expect(tick(source, 0, true)).toBe('- [x] a\n  * [X] b\n1. [ ] c\n> - [ ] d');
    expect(tick(source, 1, false)).toBe('- [ ] a\n  * [ ] b\n1. [ ] c\n> - [ ] d');
    expect(tick(source, 3, true)).toBe('- [ ] a\n  * [X] b\n1. [ ] c\n> - [x] d');
    expect(tick(source, 9, true)).toBe(source);
  });
});
