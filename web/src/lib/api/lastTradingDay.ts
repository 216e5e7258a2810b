import { dayOf, endOf, addDays, type Day } from '../format/days';
import { filter } from '../filter/filter.svelte';
import { answer, api } from './client';

/** Returns the last day before today on which a trade of the filter's accounts closed, '' if there is none. */
export async function loadLastTradingDay(signal?: AbortSignal): Promise<Day> {
  const { account_id } = filter.scope;
  const query = {
    ...(account_id ? { account_id } : {}),
    to: endOf(addDays(filter.today, -1), filter.timeZone),
    status: 'closed' as const,
    sort: 'closed_at' as const,
    order: 'desc' as const,
    limit: 1,
  };
  const [last] = await answer(
    api.GET('/api/v1/trades', { params: { query }, ...(signal ? { signal } : {}) }),
  );
  return last?.closed_at ? dayOf(new Date(last.closed_at), filter.timeZone) : '';
}
