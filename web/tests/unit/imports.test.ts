// No file in src imports itself, directly or through others. Type imports count; the
// router's dynamic imports of screens do not, because they run later.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|js|svelte)$/.test(name))
  .map((name) => join('src', name));

/** Returns the files in src imported by a file. */
function importsOf(file: string): string[] {
  const paths = readFileSync(file, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g);
  return [...paths].flatMap(([, path]) => {
    const base = join(dirname(file), path!);
    return [base, `${base}.ts`, `${base}/index.ts`].filter((name) => files.includes(name));
  });
}

/** Returns the circles found by a depth-first search. */
function findCircles(imports: Map<string, string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const next of imports.get(file)!) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return found;
}

it('no import leads back to its own file', () => {
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  expect(imports.get('src/main.ts')).toContain('src/App.svelte');
  expect(findCircles(imports)).toEqual([]);
});
