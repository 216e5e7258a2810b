// Saves a trade's annotations, one change after the other, and checks each against what is stored.

import { answer, api, tagged, type Annotations, type Schemas } from './api/client';
import { saveChecked } from './checkedSave';
import type { Fields, FieldValues } from './conflicts.svelte';
import { tradeFields } from './labels';

type TradeDetail = Schemas['TradeDetail'];

const fields: Fields = {
  notes: { label: tradeFields.notes, kind: 'text' },
  tag_ids: { label: tradeFields.tags, kind: 'ids' },
  setup_ids: { label: tradeFields.setups, kind: 'ids' },
  stop_price: { label: tradeFields.stop_price, kind: 'value' },
  target_price: { label: tradeFields.target_price, kind: 'value' },
  last_stop: { label: tradeFields.last_stop, kind: 'value' },
  initial_risk: { label: tradeFields.initial_risk, kind: 'value' },
  mae: { label: tradeFields.mae, kind: 'value' },
  mfe: { label: tradeFields.mfe, kind: 'value' },
  trade_quality: { label: tradeFields.trade_quality, kind: 'value' },
  confidence: { label: tradeFields.confidence, kind: 'value' },
  emotional_state: { label: tradeFields.emotional_state, kind: 'value' },
  reviewed: { label: 'Reviewed', kind: 'latest' },
  rules: { label: 'Rules', kind: 'latest' }, // a change names single rules; others keep their state
};

/** Returns a trade's annotations in the shape in which they are sent. */
export function annotationsOf(trade: TradeDetail | undefined): FieldValues {
  if (!trade) return {};
  return { ...trade, initial_risk: trade.initial_risk_derived ? null : trade.initial_risk };
}

/** Returns annotations with the name under which they are stored: a single setup is a list of one. */
function normalize({ setup_id, ...annotations }: Annotations): FieldValues {
  return setup_id === undefined
    ? annotations
    : { ...annotations, setup_ids: setup_id === null ? [] : [setup_id] };
}

const turns = new Map<string, Promise<unknown>>();

/** Runs the writes of one trade one after the other, so none meets the tag of another. */
export function inTurn<T>(trade: string, write: () => Promise<T>): Promise<T> {
  const result = (turns.get(trade) ?? Promise.resolve()).then(write);
  const settled = result.catch(() => undefined);
  turns.set(trade, settled);
  void settled.then(() => {
    if (turns.get(trade) === settled) turns.delete(trade);
  });
  return result;
}

/** Saves annotations of a trade; `base` has the values the user began with. Call it in turn. */
export function sendAnnotations(
  trade: string,
  annotations: Annotations,
  base: FieldValues,
): Promise<TradeDetail> {
  const path = { id: trade };
  return saveChecked({
    what: 'trade',
    fields,
    read: () => tagged(api.GET('/api/v1/trades/{id}', { params: { path } })),
    valuesOf: annotationsOf,
    write: (changes, tag) =>
      answer(
        api.PATCH('/api/v1/trades/{id}', {
          params: { path, header: { 'If-Match': tag } },
          body: changes as Annotations,
        }),
      ),
    base,
    mine: normalize(annotations),
  });
}
