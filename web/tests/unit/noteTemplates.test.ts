import { describe, expect, test } from 'vitest';
import { fillTemplate, findPlaceholders, placeholders, starterTemplates } from '../../src/lib/noteTemplates';

describe('templates of notes', () => {
  test('placeholders are filled in, and others stay as typed', () => {
    const text = '# {{date}}: {{ net_pnl }}, {{unknown}}, {{date}} {not} {{Date}}';
    expect(fillTemplate(text, { date: '3 Mar', net_pnl: '+$5.00' })).toBe(
      '# 3 Mar: +$5.00, {{unknown}}, 3 Mar {not} {{Date}}',
    );
  });

  test('a value is not read as a template or as a replacement pattern', () => {
    expect(fillTemplate('{{trade_list}}', { trade_list: '$& {{date}}', date: 'x' })).toBe('$& {{date}}');
    expect(fillTemplate('{{date}}', { date: '' })).toBe('');
  });

  test('the placeholders of a text are found', () => {
    expect([...findPlaceholders('{{r}} {{ r }} {{trades}} {{}}')]).toEqual(['r', 'trades']);
  });

  test('starters use listed placeholders only', () => {
    const known = placeholders.map((p) => p.name);
    for (const starter of starterTemplates) {
      const used = [...findPlaceholders(starter.body)];
      expect(used.length).toBeGreaterThan(0);
      expect(used.filter((name) => !known.includes(name))).toEqual([]);
    }
  });
});
