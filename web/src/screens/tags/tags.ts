// Writes of the tag manager, with what undoes them.

import { answer, api, type Schemas } from '../../lib/api/client';

export type Tag = Schemas['Tag'];

/** The most trades of a tag whose deletion can be undone: one request changes so many. */
export const maxUndo = 1000;

/** Deletes a tag and returns the trades that had it, or null if they are too many to restore it. */
export async function deleteTag(tag: Tag): Promise<string[] | null> {
  const trades = tag.trades <= maxUndo ? await listTrades(tag.id) : null;
  await answer(api.DELETE('/api/v1/tags/{id}', { params: { path: { id: tag.id } } }));
  return trades;
}

async function listTrades(tag: string): Promise<string[]> {
  const params = { query: { tag_id: [tag], limit: maxUndo } };
  return (await answer(api.GET('/api/v1/trades', { params }))).map((t) => t.id);
}

/** Creates a deleted tag again and puts it on its trades. */
export async function restoreTag(tag: Tag, trades: string[]): Promise<void> {
  const { name, color, description, kind } = tag;
  const { id } = await answer(api.POST('/api/v1/tags', { body: { name, color, description, kind } }));
  if (trades.length > 0)
    await answer(api.PATCH('/api/v1/trades', { body: { ids: trades, add_tag_ids: [id] } }));
}

/** Returns how many trades a tag is on, in words. */
export function onTrades(count: number, plural: (n: number, word: string) => string): string {
  return count === 0 ? 'not on any trade' : `on ${plural(count, 'trade')}`;
}
