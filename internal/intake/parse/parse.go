// Package parse reads single values as files write them: numbers, dates, times and zones,
// order sides and states. What one value leaves open, such as whether 1,234 is a thousand
// or 03/04 is in March, is decided over a whole column ([SettleSeparator],
// [SettleDateOrder]).
package parse
