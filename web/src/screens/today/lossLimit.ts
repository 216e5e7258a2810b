import { countActive, emptyFilter, type Filter } from '../../lib/filter/filter';

/** Reports whether the filter includes every trade of its accounts today, so the result can be compared with the limit. */
export function isLimitShown(filter: Filter): boolean {
  const { range, from, to, accounts, basis, tz } = emptyFilter;
  return countActive({ ...filter, range, from, to, accounts, basis, tz }) === 0;
}
