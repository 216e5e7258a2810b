// Changes the annotations of many trades at once, and shows them before the list
// is fetched again.

import { answer, api, type Annotations, type Schemas } from '../../lib/api/client';
import { ApiError, asApiError } from '../../lib/api/errors';

type Trade = Schemas['Trade'];
type TradeDetail = Schemas['TradeDetail'];
type Tag = Trade['tags'][number];

/** A change to the annotations of several trades, as PATCH /trades takes it. */
export interface BulkChange {
  add_tag_ids?: string[];
  remove_tag_ids?: string[];
  add_setup_ids?: string[];
  remove_setup_ids?: string[];
  set?: { reviewed?: boolean; trade_quality?: number | null; emotional_state?: string };
}

const maxIds = 1000; // of one request

/** A change of more than one request that failed after some trades were saved. */
export class PartlySaved extends ApiError {
  constructor(
    readonly saved: number,
    fault: ApiError,
  ) {
    super(fault.status, fault.code, fault.message, fault.field, fault.details, fault.retryAfter);
  }
}

/**
 * Changes trades. Each request of up to 1000 trades is saved as a whole or not at all; more trades take several
 * requests, and `onprogress` is called with the number saved after each.
 */
export async function sendChange(
  ids: string[],
  change: BulkChange,
  onprogress: (saved: number) => void,
): Promise<void> {
  let saved = 0;
  while (saved < ids.length) {
    const body = { ids: ids.slice(saved, saved + maxIds), ...change };
    try {
      await answer(api.PATCH('/api/v1/trades', { body }));
    } catch (fault) {
      const error = explainMissing(asApiError(fault));
      throw saved > 0 ? new PartlySaved(saved, error) : error;
    }
    saved += body.ids.length;
    onprogress(saved);
  }
}

/** Says that a trade in the request was deleted meanwhile: the request's others are not changed either. */
function explainMissing(error: ApiError): ApiError {
  if (error.code !== 'not_found') return error;
  const message = 'A selected trade no longer exists, so nothing was changed. Apply again for the others.';
  return new ApiError(error.status, error.code, message);
}

/** Returns a trade as it will be after a change; `tags` has the tags that can be added. */
export function applyChange(trade: Trade, change: BulkChange, tags: Tag[], now: string): Trade {
  const tagIds = replaceIds(trade.tag_ids, change.remove_tag_ids, change.add_tag_ids);
  const byId = new Map([...tags, ...trade.tags].map((tag) => [tag.id, tag]));
  return {
    ...trade,
    tag_ids: tagIds,
    tags: tagIds.flatMap((id) => byId.get(id) ?? []),
    setup_ids: replaceIds(trade.setup_ids, change.remove_setup_ids, change.add_setup_ids),
    reviewed_at: change.set?.reviewed ? (trade.reviewed_at ?? now) : trade.reviewed_at,
    trade_quality: change.set?.trade_quality === undefined ? trade.trade_quality : change.set.trade_quality,
    emotional_state: change.set?.emotional_state ?? trade.emotional_state,
  };
}

/** Returns a trade as it will be when its pending annotations are saved. */
export function withAnnotations(trade: TradeDetail, annotations: Annotations): TradeDetail {
  const { reviewed, setup_id, rules, ...rest } = annotations;
  const sent = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...trade,
    ...sent,
    ...(rules === undefined ? {} : { rules: mergeRules(trade.rules, rules) }),
    ...(setup_id === undefined ? {} : { setup_ids: setup_id === null ? [] : [setup_id] }),
    ...(reviewed === undefined || reviewed === null
      ? {}
      : { reviewed_at: reviewed ? (trade.reviewed_at ?? new Date().toISOString()) : null }),
  };
}

/** Returns the states of rules after a change: rules it does not name keep theirs. */
function mergeRules(rules: Trade['rules'], changes: Annotations['rules']): Trade['rules'] {
  if (!changes) return [];
  const isNamed = (r: Trade['rules'][number]) =>
    changes.some((c) => c.setup_id === r.setup_id && c.rule === r.rule);
  const set = changes.flatMap((c) => (c.state ? [{ ...c, state: c.state }] : []));
  return [...rules.filter((r) => !isNamed(r)), ...set];
}

function replaceIds(ids: string[], removed: string[] = [], added: string[] = []): string[] {
  return [...new Set([...ids.filter((id) => !removed.includes(id)), ...added])];
}
