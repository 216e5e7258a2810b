package analytics

import (
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// addFilteredValues draws the values only filters use.
func addFilteredValues(t *rapid.T, row *Trade) {
	row.Root = rapid.SampledFrom([]string{row.Symbol, "NQ", "MNQ"}).Draw(t, "root")
	if rapid.Bool().Draw(t, "option") {
		row.OptionRight = rapid.SampledFrom([]string{"call", "put"}).Draw(t, "right")
		row.Expiry = journal.DayOf(row.ClosedAt.AddDate(0, 0, rapid.IntRange(-2, 9).Draw(t, "expiry")))
	}
	row.EmotionalState = rapid.SampledFrom([]string{"", "CALM", "FOMO"}).Draw(t, "emotion")
	row.Reviewed, row.HasNote, row.HasAttachment = rapid.Bool().Draw(t, "reviewed"), rapid.Bool().Draw(t, "note"), rapid.Bool().Draw(t, "file")
	row.Excursion = nil
	for i := range excursionValues {
		if rapid.IntRange(0, 2).Draw(t, "has value") > 0 {
			if row.Excursion == nil {
				row.Excursion = &TradeExcursion{}
			}
			*row.Excursion.values()[i] = decimal.Of(decimal.FromScaled(rapid.Int64Range(-3000, 3000).Draw(t, "value"), 3))
		}
	}
	if row.InitialRisk.Valid && row.InitialRisk.Decimal.Sign() > 0 {
		row.RMultiple = decimal.Of(row.Net.DivRound(row.InitialRisk.Decimal, 6))
	}
}

func anyMode() *rapid.Generator[tradefilter.Mode] {
	return rapid.SampledFrom([]tradefilter.Mode{"", "", tradefilter.Any, tradefilter.All, tradefilter.None})
}

// anyConditions draws each condition rarely, so a few are set at a time.
func anyConditions() *rapid.Generator[tradefilter.Conditions] {
	return rapid.Custom(func(t *rapid.T) (c tradefilter.Conditions) {
		isSet := func(name string) bool { return rapid.IntRange(0, 7).Draw(t, "has "+name) == 0 }
		drawFlag := func(name string) (flag journal.Opt[bool]) {
			if isSet(name) {
				flag = journal.Some(rapid.Bool().Draw(t, name))
			}
			return flag
		}
		limits := []string{"-99999999999999999", "-2.5", "-1", "-0.123456789012345678", "0", "0.005", "1", "2.51", "900000000000000.000000000000000001"}
		drawRange := func(name string) (r tradefilter.Range) {
			if isSet(name + " from") {
				r.Min = decimal.Of(decimal.Must(rapid.SampledFrom(limits).Draw(t, name)))
			}
			if isSet(name + " to") {
				r.Max = decimal.Of(decimal.Must(rapid.SampledFrom(limits).Draw(t, name)))
			}
			return r
		}
		c.PnL, c.R = drawRange("pnl"), drawRange("r")
		c.MAER, c.MFER, c.ExitEfficiency, c.ATRPct = drawRange("mae"), drawRange("mfe"), drawRange("exit"), drawRange("atr")
		c.GapPct, c.RelativeVolume, c.OpeningRange = drawRange("gap"), drawRange("volume"), drawRange("opening")
		c.HasExcursion = drawFlag("excursion")
		if isSet("hold") {
			c.Hold.Min = decimal.Of(decimal.Must(rapid.SampledFrom([]string{"0", "60", "3599.9999999", "3600"}).Draw(t, "hold")))
		}
		if isSet("hold to") {
			c.Hold.Max = decimal.Of(decimal.Must(rapid.SampledFrom([]string{"0.5", "300", "86400"}).Draw(t, "hold")))
		}
		if isSet("dte") {
			c.DTE.Min = decimal.Of(decimal.New(int64(rapid.IntRange(-1, 5).Draw(t, "dte"))))
		}
		if isSet("dte to") {
			c.DTE.Max = decimal.Of(decimal.New(int64(rapid.IntRange(-1, 9).Draw(t, "dte"))))
		}
		if isSet("root") {
			c.Roots = []string{"NQ"}
		}
		if isSet("right") {
			c.OptionRights = []string{"put"}
		}
		if isSet("weekday") {
			c.Weekdays = rapid.SliceOfN(rapid.IntRange(0, 6), 1, 3).Draw(t, "weekdays")
		}
		if isSet("hour") {
			c.Hours = rapid.SliceOfN(rapid.IntRange(0, 23), 1, 12).Draw(t, "hours")
		}
		if isSet("session") {
			c.Sessions = rapid.SliceOfN(rapid.SampledFrom(tradefilter.Sessions()), 1, 2).Draw(t, "sessions")
		}
		if rapid.Bool().Draw(t, "has zone") {
			c.Zone = anyZone().Draw(t, "filter zone")
		}
		if isSet("outcome") {
			c.Outcomes = rapid.SliceOfN(rapid.SampledFrom([]tradefilter.Outcome{tradefilter.Win, tradefilter.Loss, tradefilter.Breakeven}), 1, 2).Draw(t, "outcomes")
		}
		if isSet("quality") {
			c.Qualities = []int{1, 4}
		}
		if isSet("emotion") {
			c.EmotionalStates = []string{"FOMO"}
		}
		c.HasR = drawFlag("has r")
		c.Mistake, c.Reviewed, c.HasNote, c.HasAttachment = drawFlag("mistake"), drawFlag("reviewed"), drawFlag("note"), drawFlag("file")
		if isSet("words") {
			c.Words = []string{"A", "ZZ"}[:rapid.IntRange(1, 2).Draw(t, "words")]
		}
		if isSet("rules") {
			c.RuleStates = []tradefilter.RuleState{tradefilter.Broken}
		}
		if isSet("trades") {
			c.Trades = []journal.TradeID{"t002", "0198c0de-0000-7000-8000-000000000004"}
		}
		return c
	})
}

// anyLookups draws what conditions need besides columns.
func anyLookups(words int) *rapid.Generator[Lookups] {
	return rapid.Custom(func(t *rapid.T) Lookups {
		l := Lookups{Mistakes: []journal.TagID{"mistake"}}
		ids := []journal.TradeID{"t001", "t003", "0198c0de-0000-7000-8000-000000000002", "0198c0de-0000-7000-8000-000000000004"}
		for range words {
			l.Words = append(l.Words, WordLookup{Tags: []journal.TagID{"y"}, Trades: NewTradeIDs(ids[:2])})
		}
		l.Rules = NewTradeIDs(ids[1:3])
		if rapid.IntRange(0, 9).Draw(t, "among") == 0 {
			l.Among = NewTradeIDs(ids)
		}
		return l
	})
}

// passesConditions tests a closed trade directly.
func passesConditions(row *Trade, f *Filter) bool {
	zone := time.UTC
	if f.Zone != nil {
		zone = f.Zone
	}
	opened := row.OpenedAt.In(zone)
	held := decimal.FromScaled(row.ClosedAt.Sub(row.OpenedAt).Microseconds(), 6)
	inRange := func(r tradefilter.Range, v decimal.Null) bool {
		return !r.Min.Valid && !r.Max.Valid || v.Valid && (!r.Min.Valid || v.Decimal.Sub(r.Min.Decimal).Sign() >= 0) && (!r.Max.Valid || r.Max.Decimal.Sub(v.Decimal).Sign() >= 0)
	}
	var days decimal.Null
	if row.Expiry != "" {
		days = decimal.Of(decimal.New(int64(journal.DayOf(opened).DaysUntil(row.Expiry))))
	}
	flag := func(want journal.Opt[bool], is bool) bool { return !want.Set || want.Value == is }
	var e TradeExcursion
	if row.Excursion != nil {
		e = *row.Excursion
	}
	return matchesAny(f.Symbols, row.Symbol) && matchesAny(f.InstrumentTypes, row.InstrumentType) && matchesAny(f.Roots, row.Root) &&
		(f.Side == "" || string(f.Side) == row.Side.String()) && matchesAny(f.OptionRights, row.OptionRight) && inRange(f.DTE, days) &&
		matchesAny(f.Weekdays, int(opened.Weekday())) && matchesAny(f.Hours, opened.Hour()) && matchesAny(f.Sessions, slowSession(row.OpenedAt)) &&
		matchesAny(f.Outcomes, slowOutcome(row, f.Tolerance)) && inRange(f.PnL, decimal.Of(row.Net)) && inRange(f.R, row.RMultiple) && flag(f.HasR, row.RMultiple.Valid) && inRange(f.Hold, decimal.Of(held)) &&
		slowMode(f.TagMode, f.Tags, row.Tags) && slowMode(f.SetupMode, f.Setups, row.Setups) && flag(f.Mistake, slices.Contains(row.Tags, "mistake")) &&
		matchesAny(f.Qualities, int(row.Quality)) && matchesAny(f.EmotionalStates, row.EmotionalState) && flag(f.Reviewed, row.Reviewed) &&
		inRange(f.MAER, e.MAER) && inRange(f.MFER, e.MFER) && inRange(f.ExitEfficiency, e.ExitEfficiency) &&
		inRange(f.ATRPct, e.ATRPct) && inRange(f.GapPct, e.GapPct) && inRange(f.RelativeVolume, e.RelativeVolume) &&
		inRange(f.OpeningRange, e.OpeningRange) && flag(f.HasExcursion, e.MAELow.Valid && e.MFELow.Valid) &&
		flag(f.HasNote, row.HasNote) && flag(f.HasAttachment, row.HasAttachment) && passesLookups(row, f)
}

func passesLookups(row *Trade, f *Filter) bool {
	isIn := func(set *TradeIDs) bool {
		key, packed := packID(row.ID)
		_, has := set.ids.keys[key]
		_, other := set.ids.others[row.ID]
		return packed && has || other
	}
	for i, word := range f.Words {
		if !strings.HasPrefix(row.Symbol, word) && !slices.Contains(row.Tags, "y") && !isIn(f.Lookups.Words[i].Trades) {
			return false
		}
	}
	return (f.Lookups.Among == nil || isIn(f.Lookups.Among)) && matchesAny(f.Trades, row.ID) && (len(f.RuleStates) == 0 || isIn(f.Lookups.Rules))
}

func slowMode[T comparable](mode tradefilter.Mode, want, have []T) bool {
	found := 0
	for _, id := range want {
		if slices.Contains(have, id) {
			found++
		}
	}
	switch mode {
	case tradefilter.None:
		return found == 0 && (len(want) > 0 || len(have) == 0)
	case tradefilter.All:
		return found == len(want)
	case tradefilter.Any:
	}
	return found > 0 || len(want) == 0
}

func slowOutcome(row *Trade, tolerance tradefilter.Tolerance) tradefilter.Outcome {
	limit := tolerance.Amount
	if tolerance.InR {
		limit = row.InitialRisk.Decimal.Mul(tolerance.R)
	}
	switch {
	case row.Net.Sub(limit).Sign() > 0:
		return tradefilter.Win
	case row.Net.Add(limit).Sign() < 0:
		return tradefilter.Loss
	}
	return tradefilter.Breakeven
}

func slowSession(at time.Time) tradefilter.Session {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err)
	}
	clock := at.In(zone).Format("15:04")
	switch {
	case clock < "04:00" || clock >= "20:00":
		return tradefilter.Overnight
	case clock < "09:30":
		return tradefilter.Premarket
	case clock < "16:00":
		return tradefilter.Regular
	}
	return tradefilter.Afterhours
}
