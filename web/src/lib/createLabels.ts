// Creates a tag or a setup from its name, while a trade is edited.

import { answer, api } from './api/client';
import { act } from './api/queries.svelte';

// Distinct in both themes. The name decides, so a name always gets the same color.
export const tagColors = [
  '#0ea5e9',
  '#8b5cf6',
  '#d97706',
  '#0d9488',
  '#db2777',
  '#65a30d',
  '#64748b',
  '#dc2626',
];

function pickColor(name: string): string {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 9973;
  return tagColors[sum % tagColors.length]!;
}

export async function createTag(name: string): Promise<string> {
  const tag = await act({
    run: () => answer(api.POST('/api/v1/tags', { body: { name, color: pickColor(name.toLowerCase()) } })),
    touches: ['tags'],
  });
  return tag.id;
}

export async function createSetup(name: string): Promise<string> {
  const setup = await act({
    run: () => answer(api.POST('/api/v1/setups', { body: { name } })),
    touches: ['setups'],
  });
  return setup.id;
}
