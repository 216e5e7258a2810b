package httpapi

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"sort"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/tradefilter"
)

// Links to trade lists. A link lists exactly a figure's trades, with the request's
// filter. If no list filter selects these trades, there is no link.

// formatLink returns the address of the list with the closed trades that pass.
func formatLink(values url.Values) string {
	values.Set("status", string(ledger.StatusClosed))
	return prefix + "/trades?" + values.Encode()
}

// canLink reports whether a list can show all selected trades. Figures count closed
// trades, so with status=open there are none to list. Realized results also count open
// trades, and a period tests their parts; a list has neither.
func (in FigureQuery) canLink() bool {
	if in.isRealized() {
		return in.filter.Status == tradefilter.Closed && in.filter.Scope.Period == journal.Period{}
	}
	return in.filter.Status != tradefilter.Open
}

// linkValues returns the query parameters for a list, which has no tz.
func (in FigureQuery) linkValues() url.Values {
	values := maps.Clone(in.sent)
	if in.filter.UsesZone() && in.filter.Zone == nil && in.TZ != "" {
		values.Set("filter_tz", in.TZ)
	}
	return values
}

// linkedOutcomes are the outcomes in each trade set.
var linkedOutcomes = map[analytics.TradeSet][]tradefilter.Outcome{
	analytics.Winners: {tradefilter.Win}, analytics.Losers: {tradefilter.Loss}, analytics.Breakevens: {tradefilter.Breakeven},
	analytics.WinnersAndLosers: {tradefilter.Win, tradefilter.Loss},
}

// listedSets are the trade sets without a condition.
var listedSets = []analytics.TradeSet{
	analytics.LargestWinner, analytics.LargestLoser, analytics.InDrawdown, analytics.LongestWins, analytics.LongestLosses,
}

// setLink returns the link to an explanation's trades. There is no filter by place in a
// run or in a drawdown, and several trades may have the largest result: these are linked
// by their ids, if the explanation has all of them.
func (in FigureQuery) setLink(e *analytics.Explanation) string {
	which := e.Which
	values, outcomes := in.linkValues(), linkedOutcomes[which]
	switch {
	case in.unit() == unitStrategy:
		return "" // a list has trades, and not all of a strategy's
	case slices.Contains(listedSets, which):
		if e.TradeCount == 0 || e.TradeCount > len(e.TradeIDs) {
			return ""
		}
		return prefix + "/trades?" + url.Values{"trade_id": {strings.Join(toStrings(e.TradeIDs), ",")}}.Encode()
	case !in.canLink():
		return ""
	case outcomes != nil:
		if asked := in.filter.Outcomes; len(asked) > 0 {
			outcomes = slices.DeleteFunc(slices.Clone(outcomes), func(o tradefilter.Outcome) bool { return !slices.Contains(asked, o) })
		}
		if len(outcomes) == 0 {
			return "" // no trades
		}
		values.Set("outcome", strings.Join(toStrings(outcomes), ","))
	case which == analytics.WithRisk:
		if in.filter.HasR.Set && !in.filter.HasR.Value {
			return ""
		}
		values.Set("has_r", "true")
	case which != analytics.AllTrades:
		return ""
	}
	return formatLink(values)
}

// rowLink returns the link to the trades in a breakdown row, or none if the caller must
// not see trades.
func (in FigureQuery) rowLink(ctx context.Context, by analytics.Dimension, key string, zone *time.Location) string {
	values := in.linkValues()
	if hidesTrades(caller(ctx)) || in.unit() == unitStrategy || !in.canLink() || in.isRealized() || !in.addRowFilter(values, by, key, zone) {
		return ""
	}
	return formatLink(values)
}

// rowParameters are the parameters for selecting a row by its key.
var rowParameters = map[analytics.Dimension]string{
	analytics.BySide: "side", analytics.ByInstrument: "instrument_type", analytics.ByAccount: "account_id", analytics.BySymbol: "symbol",
	analytics.ByRoot: "root", analytics.BySession: "session", analytics.ByGrade: "trade_quality", analytics.ByWeekday: "weekday", analytics.ByHour: "hour",
	analytics.ByTradingRule: "rule_broken",
}

// addRowFilter narrows the filter to one row, and reports whether it could.
func (in FigureQuery) addRowFilter(values url.Values, by analytics.Dimension, key string, zone *time.Location) bool {
	switch by { //nolint:exhaustive // the others have one parameter
	case analytics.BySetup:
		return addLinkedID(values, "setup_id", "setup_mode", in.filter.SetupMode, toStrings(in.filter.Setups), key)
	case analytics.ByMistake:
		if key == "" {
			values.Set("mistake", "false")
			return true
		}
		return addLinkedID(values, "tag_id", "tag_mode", in.filter.TagMode, toStrings(in.filter.Tags), key)
	case analytics.ByTag:
		return addLinkedID(values, "tag_id", "tag_mode", in.filter.TagMode, toStrings(in.filter.Tags), key)
	case analytics.ByMonth:
		return in.addMonth(values, key, zone)
	case analytics.ByHoldTime:
		return in.addHoldTime(values, key)
	case analytics.ByMAE, analytics.ByMFE, analytics.ByExitEfficiency, analytics.ByATR, analytics.ByGap, analytics.ByRelativeVolume,
		analytics.ByOpeningRange:
		return addExcursionRange(values, by, key)
	case analytics.ByWeekday, analytics.ByHour:
		if !in.setFilterZone(values, zone) {
			return false
		}
	}
	name, known := rowParameters[by]
	if !known || key == "" || strings.Contains(key, ",") { // a list would be cut there
		return false
	}
	values.Set(name, key)
	return true
}

// addExcursionRange narrows the filter to an excursion bucket, and reports whether it
// could: not if the query has a range for the same value.
func addExcursionRange(values url.Values, by analytics.Dimension, key string) bool {
	within, known := analytics.ExcursionRange(by, key)
	low, high := string(by)+"_min", string(by)+"_max"
	if !known || values.Has(low) || values.Has(high) {
		return false
	}
	if within.Min.Valid {
		values.Set(low, within.Min.String())
	}
	if within.Max.Valid {
		values.Set(high, within.Max.String())
	}
	return true
}

// setFilterZone sets the zone for weekdays and hours, and reports whether the query needs
// no other one.
func (in FigureQuery) setFilterZone(values url.Values, zone *time.Location) bool {
	if in.filter.UsesZone() && in.filter.Zone != nil && in.filter.Zone.String() != zone.String() {
		return false
	}
	values.Set("filter_tz", zone.String())
	return true
}

// addLinkedID narrows the filter to the trades with a tag or a setup, or without any if
// the id is empty, and reports whether it could.
func addLinkedID(values url.Values, name, modeName string, mode tradefilter.Mode, asked []string, id string) bool {
	isAny := mode == "" || mode == tradefilter.Any
	switch {
	case id == "":
		values.Del(name)
		values.Set(modeName, string(tradefilter.None))
		return true
	case isAny && (len(asked) == 0 || slices.Contains(asked, id)), mode == tradefilter.All && len(asked) == 0:
		values.Set(name, id)
		values.Del(modeName)
		return true
	case isAny && len(asked) == 1 || mode == tradefilter.All:
		if !slices.Contains(asked, id) {
			asked = append(slices.Clone(asked), id)
		}
		values.Set(name, strings.Join(asked, ","))
		values.Set(modeName, string(tradefilter.All))
		return true
	}
	return false // excluding some and requiring others
}

// addHoldTime narrows the holding time to a breakdown row.
func (in FigureQuery) addHoldTime(values url.Values, key string) bool {
	row, known := analytics.HoldRange(key)
	if !known {
		return false
	}
	asked := in.filter.Hold
	if row.Min.Valid && (!asked.Min.Valid || asked.Min.Decimal.Cmp(row.Min.Decimal) < 0) {
		values.Set("hold_min", row.Min.Decimal.String())
	}
	if row.Max.Valid && (!asked.Max.Valid || asked.Max.Decimal.Cmp(row.Max.Decimal) > 0) {
		values.Set("hold_max", row.Max.Decimal.String())
	}
	return true
}

// addMonth narrows the period to a calendar month in the zone, and reports whether a
// period can express it.
func (in FigureQuery) addMonth(values url.Values, month string, zone *time.Location) bool {
	period := in.filter.Scope.Period
	first, err := time.Parse("2006-01", month)
	if err != nil {
		return false
	}
	from, ok := startOfDay(first, zone)
	next, ok2 := startOfDay(first.AddDate(0, 1, 0), zone)
	if !ok || !ok2 {
		return false
	}
	to := next.Add(-time.Microsecond)
	if asked := period.From; asked == nil || asked.Before(from) {
		values.Set("from", journal.FormatInstant(from))
	}
	if asked := period.To; asked == nil || asked.After(to) {
		values.Set("to", journal.FormatInstant(to))
	}
	return true
}

// startOfDay returns the first instant of a calendar day in a zone. It reports false
// where clocks go back over midnight: then a part of the day before comes after it.
func startOfDay(day time.Time, zone *time.Location) (time.Time, bool) {
	const reach = 36 * time.Hour // more than any offset and any clock change
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
