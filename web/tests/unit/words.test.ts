// Checks that comments and texts of the page contain none of the words that
// docs/glossary.md rules out.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { extractProse } from './prose';

const root = join(__dirname, '../..');
const folders = ['src', 'tests'];
const skipped = ['schema.d.ts', 'words.test.ts', 'prose.test.ts', 'hostile.ts'];

function readBannedWords(): string[] {
  const glossary = readFileSync(join(root, '../docs/glossary.md'), 'utf8');
  const section = glossary.split('## Words we do not use')[1] ?? '';
  const cells = section.match(/^\| [^|]+ \|/gm) ?? [];
  return cells.map((cell) => cell.slice(2, -2).trim()).filter((word) => word !== 'Word');
}

function listFiles(): string[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(ts|js|svelte|css)$/.test(entry.name))
    .filter((entry) => !skipped.includes(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

const words = readBannedWords();
const banned = new RegExp(
  `(?<![\\w-])(${words.map((w) => w.replace(/[- ]/g, '[-\\s]')).join('|')})(?![\\w-])`,
  'gi',
);

test('the glossary lists banned words', () => {
  expect(words.length).toBeGreaterThan(10);
});

describe('no banned words', () => {
  test.each(listFiles().map((file) => [relative(root, file), file]))('%s', (_, file) => {
    const source = readFileSync(file, 'utf8');
    const found = extractProse(source, file).flatMap(({ line, text }) =>
      [...text.matchAll(banned)].map((match) => `line ${line}: ${match[0]}`),
    );
    expect(found).toEqual([]);
  });
});
