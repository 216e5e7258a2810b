package analytics

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/tradefilter"
)

var zoneNames = []string{"UTC", "Europe/Athens", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns", "Asia/Beirut"}

func anyZone() *rapid.Generator[*time.Location] {
	return rapid.Custom(func(t *rapid.T) *time.Location {
		zone, err := time.LoadLocation(rapid.SampledFrom(zoneNames).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		return zone
	})
}

// startDays are days with clock changes in some zone, and some without.
var startDays = []string{"2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01", "2006-10-29", "2026-10-24", "2026-06-15", "2024-02-29"}

func anyInstant() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		day := journal.Day(rapid.SampledFrom(startDays).Draw(t, "day")).Time()
		minutes := rapid.IntRange(-26*60, 26*60).Draw(t, "minutes")
		return day.Add(time.Duration(minutes) * time.Minute)
	})
}

// anyTrades draws a journal: repeating close instants, few symbols and sizes, all
// outcomes, annotations on some. Amounts are cents, or sometimes any number.
func anyTrades(size int) *rapid.Generator[[]Trade] {
	return rapid.Custom(func(t *rapid.T) []Trade {
		money := rapid.Map(rapid.Int64Range(-300, 300), func(v int64) decimal.Decimal { return decimal.FromScaled(v, 2) })
		if rapid.IntRange(0, 4).Draw(t, "odd") == 0 {
			money = anyAmount()
		}
		some := func(name string) decimal.Null {
			if rapid.Bool().Draw(t, "has "+name) {
				return decimal.Of(money.Draw(t, name).Abs())
			}
			return decimal.Null{}
		}
		rows := make([]Trade, rapid.IntRange(0, size).Draw(t, "trades"))
		for i := range rows {
			row := Trade{
				ID:     journal.TradeID(fmt.Sprintf("t%03d", i)),
				Symbol: rapid.SampledFrom([]string{"AAA", "BBB", "CCC"}).Draw(t, "symbol"), InstrumentType: rapid.SampledFrom([]string{"stock", "future"}).Draw(t, "type"),
				Side: Side(rapid.IntRange(0, 1).Draw(t, "side")), ClosedAt: anyInstant().Draw(t, "closed"),
				Gross: money.Draw(t, "gross"), Fees: money.Draw(t, "fees"), EntryNotional: money.Draw(t, "entry"), Volume: money.Draw(t, "volume").Abs(),
				InitialRisk: some("risk"), MFE: some("mfe"), MAE: some("mae"), Quality: uint8(rapid.IntRange(0, 5).Draw(t, "grade")),
				Tags:     rapid.SampledFrom([][]journal.TagID{nil, {"x"}, {"y"}, {"x", "y"}, {"mistake"}}).Draw(t, "tags"),
				Setups:   rapid.SampledFrom([][]journal.SetupID{nil, {"s"}, {"s", "u"}}).Draw(t, "setups"),
				External: rapid.SampledFrom([]string{"", "", "1", "10", "2"}).Draw(t, "external"), Arrival: int64(i) + 1,
			}
			row.Instrument = row.Symbol
			if rapid.Bool().Draw(t, "uuid") {
				row.ID = journal.TradeID(fmt.Sprintf("0198c0de-0000-7000-8000-%012d", i))
				row.Arrival += int64(size) // no two trades in an account have the same
			}
			row.Net = row.Gross.Sub(row.Fees)
			addFilteredValues(t, &row)
			row.OpenedAt = row.ClosedAt.Add(-time.Duration(rapid.SampledFrom([]int{0, 1, 5, 15, 59, 60, 61, 1440, 20000}).Draw(t, "held")) * time.Minute)
			rows[i] = row
		}
		return rows
	})
}

func anyFilter() *rapid.Generator[Filter] {
	return rapid.Custom(func(t *rapid.T) Filter {
		f := Filter{Basis: Basis(rapid.IntRange(0, 1).Draw(t, "basis"))}
		if rapid.Bool().Draw(t, "has from") {
			at := anyInstant().Draw(t, "from")
			f.Period.From = &at
		}
		if rapid.Bool().Draw(t, "has to") {
			at := anyInstant().Draw(t, "to")
			f.Period.To = &at
		}
		f.Conditions = anyConditions().Draw(t, "conditions")
		f.Lookups = anyLookups(len(f.Words)).Draw(t, "lookups")
		f.Invert = rapid.IntRange(0, 7).Draw(t, "invert") == 0
		f.Tolerance = anyTolerance().Draw(t, "tolerance")
		f.Symbols = rapid.SampledFrom([][]string{nil, nil, {"AAA"}, {"AAA", "CCC"}, {"ZZZ"}}).Draw(t, "symbols")
		f.Side = rapid.SampledFrom([]tradefilter.Side{"", "", tradefilter.Short}).Draw(t, "side")
		f.InstrumentTypes = rapid.SampledFrom([][]string{nil, nil, {"future"}, {"stock", "future"}}).Draw(t, "types")
		f.Tags = rapid.SampledFrom([][]journal.TagID{nil, nil, {"x"}, {"y", "mistake"}}).Draw(t, "tags")
		f.TagMode = anyMode().Draw(t, "tag mode")
		f.Setups = rapid.SampledFrom([][]journal.SetupID{nil, nil, {"u"}}).Draw(t, "setups")
		f.SetupMode = anyMode().Draw(t, "setup mode")
		return f
	})
}

// dumpAnswers returns all answers about a selection as JSON.
func dumpAnswers(t *rapid.T, s *Selection, zone *time.Location) string {
	capital := Capital{Starting: decimal.New(10), Currency: "USD", Cash: [][]CashEvent{{
		{At: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), Amount: decimal.New(500), Flow: true},
		{At: time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC), Amount: decimal.Must("-0.123456789")},
	}, {{At: time.Date(2026, 6, 15, 0, 0, 0, 0, time.UTC), Amount: decimal.New(3)}}}}
	answers := map[string]any{
		"summary": Summarize(s, capital), "daily": ListDays(s, zone), "behavior": AnalyzeBehavior(s, BehaviorQuery{Zone: zone, Seed: 5}),
		"r": ComputeRStats(s), "drawdowns": ListDrawdowns(s, capital, 0), "calendar": BuildCalendar(s.columns, CalendarQuery{Filter: s.filter, Zone: zone, Year: 2026}), "evidence": AssessEvidence(s, zone, 5),
		"montecarlo": SimulateFutures(s, Simulation{Paths: 5, Trades: 7, Capital: capital}), "share": BuildShareView(s, ShareQuery{Zone: zone, Capital: capital}),
		"amounts": BuildShareView(s, ShareQuery{Zone: zone, Capital: capital, ShowAmounts: true}), "compare": CompareSelections(s, s, zone, capital, capital),
	}
	for _, by := range Dimensions() {
		if by != ByAccount {
			answers["by "+string(by)] = BreakDown(s, BreakdownQuery{By: by, Zone: zone, Mistakes: []journal.TagID{"mistake"}, Evidence: by == BySymbol || by == ByTag})
		}
	}
	sets := s.tradeSets(capital)
	for _, f := range Figures() {
		if key := "trades " + string(f.Trades); answers[key] == nil {
			answers[key] = fmt.Sprint(sets.find(f.Trades))
		}
	}
	text, err := json.MarshalIndent(answers, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func checkEqual(t *rapid.T, what, a, b string) {
	if a != b {
		t.Fatalf("%s:\n%s", what, gocmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")))
	}
}

// TestArithmeticsAgree checks that both arithmetics agree to the last digit.
func TestArithmeticsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := SelectTrades([]*Columns{BuildColumns("a", anyTrades(25).Draw(t, "rows"))}, Filter{})
		zone := anyZone().Draw(t, "zone")
		unbounded := *s
		unbounded.unbounded = true
		checkEqual(t, "128 bits and unbounded", dumpAnswers(t, s, zone), dumpAnswers(t, &unbounded, zone))
	})
}

// Neither row order nor distribution over accounts makes a difference.
func TestOrderAndAccountsDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := anyTrades(25).Draw(t, "rows")
		filter, zone := anyFilter().Draw(t, "filter"), anyZone().Draw(t, "zone")
		together := SelectTrades([]*Columns{BuildColumns("a", rows)}, filter)
		parts := make([][]Trade, 3)
		for _, row := range rapid.Permutation(rows).Draw(t, "order") {
			k := rapid.IntRange(0, 2).Draw(t, "account")
			parts[k] = append(parts[k], row)
		}
		apart := SelectTrades([]*Columns{buildPaged(t, "a", parts[0]), buildPaged(t, "b", parts[1]), buildPaged(t, "c", parts[2])}, filter)
		checkEqual(t, "one account and three", dumpAnswers(t, together, zone), dumpAnswers(t, apart, zone))
	})
}

// A selection is the trades accepted by a direct implementation, in order.
func TestSelectionIsTheFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, f := anyTrades(30).Draw(t, "rows"), anyFilter().Draw(t, "filter")
		var want []journal.TradeID
		for _, row := range sortRowsByClosing(rows) {
			at := row.ClosedAt
			if f.Basis == ByOpening {
				at = row.OpenedAt
			}
			if f.Period.Contains(at) && passesConditions(&row, &f) != f.Invert {
				want = append(want, row.ID)
			}
		}
		s := SelectTrades([]*Columns{buildPaged(t, "a", rows)}, f)
		var got []journal.TradeID
		for i := range s.Len() {
			got = append(got, s.ID(i))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("selected %v, want %v", got, want)
		}
	})
}

func matchesAny[T comparable](wanted []T, have ...T) bool {
	return len(wanted) == 0 || slices.ContainsFunc(have, func(v T) bool { return slices.Contains(wanted, v) })
}

func sortRowsByClosing(rows []Trade) []Trade {
	return slices.SortedFunc(slices.Values(rows), func(a, b Trade) int {
		return cmp.Or(a.ClosedAt.Compare(b.ClosedAt), a.OpenedAt.Compare(b.OpenedAt), cmp.Compare(a.Symbol, b.Symbol),
			cmp.Compare(a.External, b.External), cmp.Compare(a.Arrival, b.Arrival))
	})
}

// TestIDsDoNotMatter returns every trade another id, as a restore does: no figure
// may change.
func TestIDsDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := anyTrades(25).Draw(t, "rows")
		zone := anyZone().Draw(t, "zone")
		names := map[journal.TradeID]journal.TradeID{}
		others := rapid.Permutation(rows).Draw(t, "others")
		restored := slices.Clone(rows)
		for i := range rows {
			restored[i].ID = others[i].ID
			names[others[i].ID] = rows[i].ID
		}
		figures := func(rows []Trade, name func(journal.TradeID) journal.TradeID) string {
			s := SelectTrades([]*Columns{buildPaged(t, "a", rows)}, Filter{})
			order := []journal.TradeID{}
			for i := range s.Len() {
				order = append(order, name(s.ID(i)))
			}
			text, err := json.Marshal([]any{
				order, Summarize(s, Capital{}), ListDrawdowns(s, Capital{}, 10), ListDays(s, zone), AssessEvidence(s, zone, 5),
				SimulateFutures(s, Simulation{Paths: 5, Trades: 7}), AnalyzeBehavior(s, BehaviorQuery{Zone: zone, Seed: 5}).WithoutTradeIDs(),
			})
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		checkEqual(t, "with other ids", figures(rows, func(id journal.TradeID) journal.TradeID { return id }),
			figures(restored, func(id journal.TradeID) journal.TradeID { return names[id] }))
	})
}

// Columns after several changes equal columns built from the result, and the old columns
// do not change.
func TestWithChangesEqualsBuild(t *testing.T) {
	t.Parallel()
	rapid.Check(t, testkit.LimitChecks(testkit.Rounds(40, 100), func(t *rapid.T) {
		rows := anyTrades(30).Draw(t, "rows")
		c := buildPaged(t, "a", rows)
		current := map[journal.TradeID]Trade{}
		for _, row := range rows {
			current[row.ID] = row
		}
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			before := allRows(c)
			changed := anyTrades(10).Draw(t, "changed")
			removed := []journal.TradeID{"unknown"}
			for _, id := range slices.Sorted(maps.Keys(current)) {
				if len(id) == 4 && rapid.IntRange(0, 5).Draw(t, "remove") == 0 {
					removed = append(removed, id)
				}
			}
			next := c.WithChanges(changed, removed)
			if !gocmp.Equal(before, allRows(c)) {
				t.Fatal("WithChanges modified its receiver")
			}
			for _, id := range removed {
				delete(current, id)
			}
			for _, row := range changed {
				current[row.ID] = row
			}
			c = next
			for i, p := range c.pages {
				if p.len() == 0 || p.len() > 2*c.pageRows || i > 0 && c.pages[i-1].len()+p.len() <= c.pageRows {
					t.Fatalf("page %d of %d has %d trades", i, len(c.pages), p.len())
				}
			}
		}
		built := BuildColumns("a", slices.Collect(maps.Values(current)))
		if diff := gocmp.Diff(allRows(built), allRows(c)); diff != "" {
			t.Fatalf("built and changed differ:\n%s", diff)
		}
		zone := anyZone().Draw(t, "zone")
		a, b := SelectTrades([]*Columns{built}, Filter{}), SelectTrades([]*Columns{c}, Filter{})
		checkEqual(t, "built and changed", dumpAnswers(t, a, zone), dumpAnswers(t, b, zone))
	}))
}

// buildPaged builds columns with short pages, so small histories have several.
func buildPaged(t *rapid.T, account journal.AccountID, rows []Trade) *Columns {
	return buildColumns(account, rows, rapid.IntRange(1, 12).Draw(t, "page"))
}

func allRows(c *Columns) []Trade {
	rows := make([]Trade, c.Len())
	for i := range rows {
		rows[i] = c.Trade(i)
	}
	return rows
}

// A row read back equals the stored row, except for the entry notional's sign and the
// order of tags and setups.
func TestRowsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := anyTrades(20).Draw(t, "rows")
		c := BuildColumns("a", rows)
		for i, row := range sortRowsByClosing(rows) {
			row.EntryNotional = row.EntryNotional.Abs()
			if diff := gocmp.Diff(row, c.Trade(i)); diff != "" {
				t.Fatalf("row %d:\n%s", i, diff)
			}
		}
		if c.Len() != len(rows) || c.account != "a" {
			t.Fatalf("%d rows of %s", c.Len(), c.account)
		}
	})
}

// The whole equals the sum over its days, and over the rows in every partitioning
// breakdown.
func TestTotalsAreSumsOfTheirParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, zone := anyTrades(40).Draw(t, "rows"), anyZone().Draw(t, "zone")
		s := SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{Basis: Basis(rapid.IntRange(0, 1).Draw(t, "basis"))})
		whole := Summarize(s, Capital{})
		var net, gross, fees, volume, last decimal.Decimal
		trades, wins, date := 0, 0, journal.Day("")
		for _, day := range ListDays(s, zone) {
			net, gross, fees, volume = net.Add(day.NetPnL), gross.Add(day.GrossPnL), fees.Add(day.Fees), volume.Add(day.Volume)
			trades, wins = trades+day.Trades, wins+day.Wins
			if !day.CumulativePnL.Equal(net) || day.Date <= date {
				t.Fatalf("day %s after %s: cumulative %s, want %s", day.Date, date, day.CumulativePnL, net)
			}
			date, last = day.Date, day.CumulativePnL
		}
		if !net.Equal(whole.NetPnL) || !last.Equal(net) || !gross.Equal(whole.GrossPnL) || !fees.Equal(whole.TotalFees) || !volume.Equal(whole.Volume) ||
			trades != whole.TotalTrades || wins != whole.Wins {
			t.Fatalf("days add up to %s of %d, the whole is %s of %d", net, trades, whole.NetPnL, whole.TotalTrades)
		}
		if !whole.GrossProfit.Sub(whole.GrossLoss).Equal(whole.NetPnL) || !whole.GrossPnL.Sub(whole.TotalFees).Equal(whole.NetPnL) {
			t.Fatalf("profit %s, loss %s, net %s", whole.GrossProfit, whole.GrossLoss, whole.NetPnL)
		}
		for _, by := range Dimensions() {
			if by == BySetup || by == ByTag || by == ByMistake {
				continue
			}
			sum, n := decimal.Zero, 0
			for _, row := range BreakDown(s, BreakdownQuery{By: by, Zone: zone}) {
				sum, n = sum.Add(row.NetPnL), n+row.Trades
			}
			if !sum.Equal(whole.NetPnL) || n != whole.TotalTrades {
				t.Fatalf("by %s adds up to %s of %d, the whole is %s of %d", by, sum, n, whole.NetPnL, whole.TotalTrades)
			}
		}
	})
}

// Without amounts, a journal's view stays the same with 1024 times the money.
func TestShareViewHidesAmounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, zone := anyTrades(30).Draw(t, "rows"), anyZone().Draw(t, "zone")
		factor := decimal.New(1024)
		scaled := slices.Clone(rows)
		for i := range scaled {
			row := &scaled[i]
			for _, d := range []*decimal.Decimal{&row.Net, &row.Gross, &row.Fees, &row.EntryNotional, &row.Volume} {
				*d = d.Mul(factor)
			}
			for _, d := range []*decimal.Null{&row.InitialRisk, &row.MAE, &row.MFE} {
				d.Decimal = d.Decimal.Mul(factor)
			}
		}
		view := func(rows []Trade) string {
			text, err := json.MarshalIndent(BuildShareView(SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{}), ShareQuery{Zone: zone, Currency: "USD"}), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		checkEqual(t, "the journal and 1024 times it", view(rows), view(scaled))
	})
}

// The clock agrees with package time for any instants.
func TestClockIsTheZone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		zone := anyZone().Draw(t, "zone")
		c, eastern := newClock(zone), newYorkClock()
		for range 20 {
			at := anyInstant().Draw(t, "at").Add(time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(t, "off")) * time.Microsecond)
			local := at.In(zone)
			micros := at.UnixMicro()
			if dayName(c.day(micros)) != journal.DayOf(local) || c.hour(micros) != local.Hour() || c.weekday(micros) != int(local.Weekday()) {
				t.Fatalf("%s is %s, hour %d, weekday %d", local, dayName(c.day(micros)), c.hour(micros), c.weekday(micros))
			}
			wall := at.In(eastern.zone)
			minute := wall.Hour()*60 + wall.Minute()
			want := tradefilter.Overnight
			switch {
			case minute >= 240 && minute < 570:
				want = tradefilter.Premarket
			case minute >= 570 && minute < 960:
				want = tradefilter.Regular
			case minute >= 960 && minute < 1200:
				want = tradefilter.Afterhours
			}
			if got := sessions[eastern.sessionAt(micros)]; got != want {
				t.Fatalf("%s is in %s, want %s", wall, got, want)
			}
			end := endOfDay(journal.DayOf(local), zone)
			if wall := end.In(zone).Format("2006-01-02 15:04:05"); wall != local.Format("2006-01-02")+" 23:59:59" || at.Truncate(time.Second).After(end) {
				t.Fatalf("%s ends at %s", local, end.In(zone))
			}
		}
	})
}

// No figure is a number JSON cannot write.
func TestFiguresAreFinite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := SelectTrades([]*Columns{BuildColumns("a", anyTrades(6).Draw(t, "rows"))}, Filter{})
		dumpAnswers(t, s, time.UTC) // fails on infinities
		if sum := Summarize(s, Capital{}); math.IsNaN(sum.StdDev) || sum.WinRate < 0 || sum.WinRate > 1 {
			t.Fatalf("deviation %v, win rate %v", sum.StdDev, sum.WinRate)
		}
	})
}
