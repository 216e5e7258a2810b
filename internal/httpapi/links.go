package httpapi

import (
	"net/url"
	"slices"
	"sort"
	"strings"
	"time"

	"fillbook/internal/analytics"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// Links to lists of trades. A link lists exactly the trades of a figure, with the
// filter of the request. If the filters of a list cannot select these trades,
// there is no link.

// formatLink returns the address of the list of the closed trades that pass.
func formatLink(values url.Values) string {
	values.Set("status", string(ledger.StatusClosed))
	return prefix + "/trades?" + values.Encode()
}

// canLink reports whether a list can show all trades of the question. Figures are
// of closed trades, so with status=open there are none to list. Realized results
// are also of open trades, and a period tests their parts; a list has neither.
func (in FigureQuery) canLink() bool {
	if in.isRealized() {
		return in.Status.Value == ledger.StatusClosed && in.From.at == nil && in.To.at == nil
	}
	return in.Status.Value != ledger.StatusOpen
}

// setLink returns the link to a set of trades of the question. Only the whole can
// be listed: there is no filter by outcome, risk or place in a run.
func (in FigureQuery) setLink(which analytics.TradeSet) string {
	if which != analytics.AllTrades || !in.canLink() {
		return ""
	}
	return formatLink(in.values())
}

// rowLink returns the link to the trades of a row of a breakdown.
func (in FigureQuery) rowLink(by analytics.Dimension, key string, zone *time.Location) string {
	values := in.values()
	if !in.canLink() || in.isRealized() || key == "" || !in.addRowFilter(values, by, key, zone) {
		return ""
	}
	return formatLink(values)
}

// addRowFilter narrows the filter of the question to one row, and reports whether
// it could.
func (in FigureQuery) addRowFilter(values url.Values, by analytics.Dimension, key string, zone *time.Location) bool {
	switch by {
	case analytics.BySymbol:
		values.Set("symbol", key)
		return !strings.Contains(key, ",") // a list would be cut there
	case analytics.BySide:
		values.Set("side", key)
	case analytics.ByInstrument:
		values.Set("instrument_type", key)
	case analytics.ByAccount:
		values.Set("account_id", key)
	case analytics.BySetup:
		values.Set("setup_id", key)
		return isAloneOrAmong(in.SetupID, key)
	case analytics.ByTag, analytics.ByMistake:
		values.Set("tag_id", key)
		return isAloneOrAmong(in.TagID, key)
	case analytics.ByMonth:
		return in.addMonth(values, key, zone)
	default:
		return false
	}
	return true
}

// isAloneOrAmong reports whether a filter by one id selects the trades of the
// request that have it. If the request filters by other ids, a trade must have
// one of those as well, which a list cannot express.
func isAloneOrAmong(filter []string, id string) bool {
	ids, err := splitList[string]("", filter)
	return err == nil && (len(ids) == 0 || slices.Contains(ids, id))
}

// addMonth narrows the period to a calendar month of the zone, and reports whether
// a period can express it.
func (in FigureQuery) addMonth(values url.Values, month string, zone *time.Location) bool {
	query, err := in.query()
	first, err2 := time.Parse("2006-01", month)
	if err != nil || err2 != nil {
		return false
	}
	from, ok := startOfDay(first, zone)
	next, ok2 := startOfDay(first.AddDate(0, 1, 0), zone)
	if !ok || !ok2 {
		return false
	}
	to := next.Add(-time.Microsecond)
	if asked := query.Trades.Scope.Period.From; asked == nil || asked.Before(from) {
		values.Set("from", journal.FormatInstant(from))
	}
	if asked := query.Trades.Scope.Period.To; asked == nil || asked.After(to) {
		values.Set("to", journal.FormatInstant(to))
	}
	return true
}

// startOfDay returns the first instant of a calendar day in a zone. It reports
// false where clocks go back over that midnight: the day before then has a part
// after it.
func startOfDay(day time.Time, zone *time.Location) (time.Time, bool) {
	const reach = 36 * time.Hour // more than any offset and any change of clocks
	wall := func(at time.Time) time.Time {
		_, offset := at.In(zone).Zone()
		return at.UTC().Add(time.Duration(offset) * time.Second)
	}
	low := day.Add(-reach)
	steps := int(2 * reach / time.Microsecond)
	found := low.Add(time.Microsecond * time.Duration(sort.Search(steps, func(i int) bool {
		return !wall(low.Add(time.Duration(i) * time.Microsecond)).Before(day)
	})))
	for at := low; at.Before(day.Add(reach)); {
		_, change := at.In(zone).ZoneBounds()
		if change.IsZero() {
			break
		}
		if wall(change).Before(day) && !wall(change.Add(-time.Microsecond)).Before(day) {
			return time.Time{}, false
		}
		at = change
	}
	return found, true
}
