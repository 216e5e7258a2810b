import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reports, settings } from '../../src/app/places';

it.each([
  ['reports', reports],
  ['settings', settings],
])('the palette has the tabs of %s', (screen, places) => {
  const source = readFileSync(new URL(`../../src/screens/${screen}/Screen.svelte`, import.meta.url), 'utf8');
  const tabs = [...source.matchAll(/\{ id: '(\w+)', label: '([^']+)'/g)].map(([, id, label]) => ({
    path: `/${screen}/${id}`,
    label,
  }));
  expect(tabs.length).toBeGreaterThan(3);
  expect(places.map(({ path, label }) => ({ path, label }))).toEqual(tabs);
});
