// @vitest-environment jsdom

import { describe, expect, it } from 'vitest';
import { fileName, standalone, toCsv } from '../../src/charts/download';
import { formats } from '../../src/lib/formats.svelte';

describe('a chart as a file', () => {
  it('is named after its title', () => {
    expect(fileName('Equity and drawdown', 'png')).toBe('equity-and-drawdown.png');
    expect(fileName('Daily P&L: größte', 'csv')).toBe('daily-p-and-l-gro-te.csv');
    expect(fileName('…', 'csv')).toBe('chart.csv');
  });

  it('quotes cells, and a formula is text', () => {
    const table = {
      head: ['Name', 'Value'],
      rows: [
        ['a, "b"', '-1.5'],
        ['=SUM(A1)', '+2e3'],
        ['-x', '-1.5 to 2'],
      ],
    };
    expect(toCsv(table)).toBe('Name,Value\r\n"a, ""b""",-1.5\r\n\'=SUM(A1),+2e3\r\n\'-x,\'-1.5 to 2\r\n');
  });

  it('has plain values, and formatted ones again afterwards', () => {
    const row = () => [
      formats.money(1234.5, 'USD', { signed: true }),
      formats.share(0.25),
      formats.duration(90),
      formats.dateTime('2026-03-02T14:30:00Z'),
      formats.r(null),
    ];
    expect(formats.asPlain(row)).toEqual(['1234.5', '0.25', '90', '2026-03-02T14:30:00Z', '']);
    expect(row()[0]).toBe('+$1,234.50');
  });

  it('draws without style sheets, links and inline styles', () => {
    document.body.innerHTML =
      '<svg class="x"><a href="/y"><rect class="bar" style="fill: red" width="2"></rect></a></svg>';
    const copy = standalone(document.querySelector('svg')!);
    const bar = copy.querySelector('rect')!;
    expect(bar.getAttribute('width')).toBe('2');
    expect(copy.outerHTML).not.toMatch(/class=|style=|href=/);
  });
});
