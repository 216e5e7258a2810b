// Trading rules and goals: reading them, their results and where they stand.

import { filter } from '../filter/filter.svelte';
import { answer, api } from './client';
import { query } from './queries.svelte';

export const readTradingRules = () =>
  query(() => ({
    key: ['rules', 'list'],
    load: (signal) => answer(api.GET('/api/v1/trading-rules', { signal })),
  }));

/** Reads how well each rule was kept, in the filter's trades. */
export const readRuleResults = () =>
  query(() => ({
    key: ['rules', 'results', filter.scope],
    load: (signal) =>
      answer(
        api.GET('/api/v1/trading-rules/results', {
          params: { query: { ...filter.scope, date_basis: 'open' } },
          signal,
        }),
      ),
  }));

/** Reads what is left of today's limits. */
export const readLimits = () =>
  query(() => ({
    key: ['rules', 'today', filter.today],
    load: (signal) => answer(api.GET('/api/v1/trading-rules/today', { signal })),
  }));

export const readGoals = () =>
  query(() => ({
    key: ['rules', 'goals'],
    load: (signal) => answer(api.GET('/api/v1/goals', { signal })),
  }));

export const readGoalProgress = () =>
  query(() => ({
    key: ['rules', 'progress', filter.today, filter.timeZone],
    load: (signal) =>
      answer(
        api.GET('/api/v1/goals/progress', {
          params: { query: { day: filter.today, tz: filter.timeZone } },
          signal,
        }),
      ),
  }));
