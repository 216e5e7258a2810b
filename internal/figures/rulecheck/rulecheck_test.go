package rulecheck_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/figures/rulecheck/oracle"
	"fillbook/internal/trading/rules"
)

func at(text string) time.Time {
	instant, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		panic(err)
	}
	return instant
}

func money(text string) decimal.Null { return decimal.Of(decimal.Must(text)) }

// day returns trades on one day: the first opens at 10:00 UTC, each lasts a minute, and
// the next opens five minutes after the one before.
func day(date string, nets ...int64) (list []oracle.Trade) {
	start := at(date + " 10:00:00")
	for k, net := range nets {
		opened := start.Add(time.Duration(5*k) * time.Minute)
		list = append(list, oracle.Trade{Account: "a", Trade: analytics.Trade{
			ID: journal.TradeID(fmt.Sprintf("%s-%d", date, k)), Symbol: "ES", Root: "ES", Instrument: "ES",
			OpenedAt: opened, ClosedAt: opened.Add(time.Minute), Net: decimal.New(net), Quantity: decimal.New(1), Arrival: int64(k),
		}})
	}
	return list
}

// build returns trades in opening order as columns have them.
func build(trades []oracle.Trade) analytics.Openings {
	closed, open := map[journal.AccountID][]analytics.Trade{}, map[journal.AccountID][]analytics.Trade{}
	var accounts []journal.AccountID
	for i := range trades {
		t := &trades[i]
		if !slices.Contains(accounts, t.Account) {
			accounts = append(accounts, t.Account)
		}
		if t.Open {
			open[t.Account] = append(open[t.Account], t.Trade)
		} else {
			closed[t.Account] = append(closed[t.Account], t.Trade)
		}
	}
	slices.Sort(accounts)
	var columns []*analytics.Columns
	for n, account := range accounts {
		columns = append(columns, analytics.BuildColumns(account, closed[account]).WithName(string(account), int64(n)),
			analytics.BuildColumns(account, open[account]).WithName(string(account), int64(n)))
	}
	return analytics.ListOpenings(columns, analytics.Filter{})
}

func newRule(kind rules.Kind, params rules.Params) rules.Rule {
	rule, err := rules.Rule{Kind: kind, Params: params, Zone: "UTC", From: "1990-01-01"}.Check()
	if err != nil {
		panic(err)
	}
	return rule
}

func verdicts(list []rulecheck.Verdict) string {
	var text strings.Builder
	for _, v := range list {
		text.WriteByte("-+x?"[v])
	}
	return text.String()
}

func listVerdicts(j *rulecheck.Judgement) []rulecheck.Verdict {
	list := make([]rulecheck.Verdict, j.Len())
	for i := range list {
		list[i] = j.Verdict(i)
	}
	return list
}

func judge(rule rules.Rule, facts rulecheck.Facts, trades ...oracle.Trade) (string, rulecheck.Judgement) {
	openings := build(trades)
	j := rulecheck.Judge(&rule, openings, &facts)
	return verdicts(listVerdicts(&j)), j
}

// TestWorkedStopAfterLosses is the worked example of two days: the rule removes +50 and
// -200 on the first, and +400 on the second.
func TestWorkedStopAfterLosses(t *testing.T) {
	t.Parallel()
	trades := append(day("2026-03-02", -100, -100, 50, -200), day("2026-03-03", -100, -100, 400)...)
	rule := newRule(rules.StopAfterLosses, rules.Params{N: 2})
	if got, _ := judge(rule, rulecheck.Facts{}, trades...); got != "++xx++x" {
		t.Errorf("the verdicts are %s", got)
	}
	openings := build(trades)
	effect, outcome := rulecheck.NewWhatIf(&rule, openings, &rulecheck.Facts{}).Measure()
	if !effect.Effect.Equal(decimal.New(-250)) || effect.Removed.Trades != 3 || effect.Removed.Wins != 2 || effect.Removed.Losses != 1 ||
		!effect.Removed.Net.Equal(decimal.New(250)) || effect.DaysTouched != 2 || effect.Enough {
		t.Errorf("the effect is %+v", effect)
	}
	if ids := fmt.Sprint(outcome.ListRemoved(2)); ids != "[2026-03-02-2 2026-03-02-3]" {
		t.Errorf("the first removed trades are %s", ids)
	}
	// Two days with +150 and -400: a draw has 300, -250 or -800.
	if b := effect.Interval; b == nil || !b.Low.Equal(decimal.New(-800)) || !b.High.Equal(decimal.New(300)) {
		t.Errorf("the interval is %+v", b)
	}
}

// TestKinds: the verdicts by kind on small days.
func TestKinds(t *testing.T) {
	t.Parallel()
	monday := "2026-03-02"
	for name, c := range map[string]struct {
		kind   rules.Kind
		params rules.Params
		nets   []int64
		want   string
	}{
		"a breakeven neither counts nor resets":        {rules.StopAfterLosses, rules.Params{N: 2}, []int64{-1, 0, -1, 5}, "+++x"},
		"a win resets the row":                         {rules.StopAfterLosses, rules.Params{N: 2}, []int64{-1, 1, -1, 5}, "++++"},
		"a forbidden win does not lift the stop":       {rules.StopAfterLosses, rules.Params{N: 1}, []int64{-1, 9, 9}, "+xx"},
		"losses count over wins":                       {rules.MaxLosses, rules.Params{N: 2}, []int64{-1, 5, -1, 5}, "+++x"},
		"touching the loss limit counts":               {rules.MaxDailyLoss, rules.Params{Amount: money("100")}, []int64{-60, -40, 500, 1}, "++xx"},
		"short of the loss limit":                      {rules.MaxDailyLoss, rules.Params{Amount: money("100.01")}, []int64{-60, -40, 500}, "+++"},
		"profit reached stays reached":                 {rules.StopAtProfit, rules.Params{Amount: money("100")}, []int64{100, -90, 5}, "+xx"},
		"half of the peak is given back":               {rules.GiveBack, rules.Params{Share: money("0.5")}, []int64{100, -50, 500, 1}, "++xx"},
		"a day without a peak gives nothing back":      {rules.GiveBack, rules.Params{Share: money("0.5")}, []int64{-100, -50, 1}, "+++"},
		"a peak below the least peak":                  {rules.GiveBack, rules.Params{Share: money("0.5"), MinPeak: money("101")}, []int64{100, -80, 1}, "+++"},
		"the third trade is one too many":              {rules.MaxTrades, rules.Params{N: 2}, []int64{1, 1, 1, 1}, "++xx"},
		"four minutes after a loss":                    {rules.CoolDown, rules.Params{Minutes: money("5")}, []int64{-1, 1, 1}, "+x+"},
		"exactly so many minutes later is kept":        {rules.CoolDown, rules.Params{Minutes: money("4")}, []int64{-1, 1, 1}, "+++"},
		"the second loss in a row rests":               {rules.CoolDown, rules.Params{Minutes: money("10"), N: 2}, []int64{-1, -1, 1, 1, 1}, "++xx+"},
		"before its own minute":                        {rules.NoTrading, rules.Params{Before: "10:05"}, []int64{1, 1, 1}, "x++"},
		"after includes its own minute":                {rules.NoTrading, rules.Params{After: "10:05"}, []int64{1, 1, 1}, "+xx"},
		"a window includes its beginning, not its end": {rules.NoTrading, rules.Params{Between: []string{"10:05-10:10"}}, []int64{1, 1, 1}, "+x+"},
		"a window over midnight":                       {rules.NoTrading, rules.Params{Between: []string{"23:00-10:05"}}, []int64{1, 1, 1}, "x++"},
		"no times: the whole day":                      {rules.NoTrading, rules.Params{}, []int64{1}, "x"},
		"one open at a time":                           {rules.MaxOpen, rules.Params{N: 1}, []int64{1, 1}, "++"},
		"no stop":                                      {rules.StopSet, rules.Params{}, []int64{1}, "x"},
		"no setup is unknown":                          {rules.OnlySetups, rules.Params{SetupIDs: []journal.SetupID{"s"}}, []int64{1}, "?"},
		"another symbol":                               {rules.OnlySymbols, rules.Params{Symbols: []string{"nq"}}, []int64{1}, "x"},
		"the root":                                     {rules.OnlySymbols, rules.Params{Symbols: []string{"es"}}, []int64{1}, "+"},
		"no plan is unknown":                           {rules.MinRewardRisk, rules.Params{Ratio: money("2")}, []int64{1}, "?"},
		"no risk is unknown":                           {rules.MaxSize, rules.Params{Risk: money("2")}, []int64{1}, "?"},
		"the size itself is kept":                      {rules.MaxSize, rules.Params{Quantity: money("1")}, []int64{1}, "+"},
		"above the size":                               {rules.MaxSize, rules.Params{Quantity: money("0.5")}, []int64{1}, "x"},
		"an open risk that is not stated":              {rules.MaxOpenRisk, rules.Params{Amount: money("5")}, []int64{1}, "?"},
		"nothing was added":                            {rules.NoAddingToLosers, rules.Params{}, []int64{-1}, "+"},
		"tags that are absent are avoided":             {rules.AvoidTags, rules.Params{TagIDs: []journal.TagID{"t"}}, []int64{1}, "+"},
		"setups that are absent are avoided":           {rules.AvoidSetups, rules.Params{SetupIDs: []journal.SetupID{"t"}}, []int64{1}, "+"},
		"not reviewed in time":                         {rules.ReviewBy, rules.Params{Hours: money("2")}, []int64{1}, "x"},
		"the time for the review is not over":          {rules.ReviewBy, rules.Params{Hours: money("200")}, []int64{1}, "?"},
	} {
		got, _ := judge(newRule(c.kind, c.params), rulecheck.Facts{Now: at("2026-03-03 12:00:00")}, day(monday, c.nets...)...)
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestKnownIsWhatClosedBefore: a close at the instant of the opening is not known, but its
// trade is no longer open.
func TestKnownIsWhatClosedBefore(t *testing.T) {
	t.Parallel()
	trades := day("2026-03-02", -10, 5)
	trades[1].OpenedAt = trades[0].ClosedAt
	if got, _ := judge(newRule(rules.StopAfterLosses, rules.Params{N: 1}), rulecheck.Facts{}, trades...); got != "++" {
		t.Errorf("a loss at the instant of the opening: %s", got)
	}
	if got, _ := judge(newRule(rules.MaxOpen, rules.Params{N: 1}), rulecheck.Facts{}, trades...); got != "++" {
		t.Errorf("open at the instant of the close: %s", got)
	}
	trades[1].OpenedAt = trades[0].ClosedAt.Add(-time.Microsecond)
	if got, _ := judge(newRule(rules.MaxOpen, rules.Params{N: 1}), rulecheck.Facts{}, trades...); got != "+x" {
		t.Errorf("two open trades: %s", got)
	}
}

// TestDayOfMaxDailyLoss: the day is broken below the limit, once, even if it recovers, and
// touching the limit breaks only later trades.
func TestDayOfMaxDailyLoss(t *testing.T) {
	t.Parallel()
	rule := newRule(rules.MaxDailyLoss, rules.Params{Amount: money("100")})
	trades := append(day("2026-03-02", -100, 300), day("2026-03-03", -101, 300, -400)...)
	got, j := judge(rule, rulecheck.Facts{}, trades...)
	if got != "+x+xx" {
		t.Errorf("the verdicts are %s", got)
	}
	var list []string
	for _, b := range j.ListBreaks() {
		list = append(list, fmt.Sprintf("%s %v %s", b.Day(), b.OfDay, b.Value))
	}
	want := "2026-03-02 false 100, 2026-03-03 true 101, 2026-03-03 false 101, 2026-03-03 false 101"
	if text := strings.Join(list, ", "); text != want {
		t.Errorf("the breaks are\n%s, want\n%s", text, want)
	}
	openings := build(trades)
	r := rulecheck.Summarize(&rule, openings, &j, rulecheck.Selection{}, false)
	if r.DaysBroken != 2 || r.DaysKept != 0 || r.NetKept.Valid || r.Broken != 3 || r.Kept != 2 {
		t.Errorf("the results are %+v", r)
	}
}

// TestDayBoundaries: the day changes at midnight on the rule's clock, over both changes of
// the clocks.
func TestDayBoundaries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, loss, inside, outside string }{
		{"Europe/Prague", "2026-03-29 00:30:00", "2026-03-29 21:59:59", "2026-03-29 22:00:00"},   // 23 hours
		{"Europe/Prague", "2026-10-25 00:30:00", "2026-10-25 22:59:59", "2026-10-25 23:00:00"},   // 25 hours
		{"America/Chicago", "2026-03-08 07:30:00", "2026-03-09 04:59:59", "2026-03-09 05:00:00"}, // 23 hours
		{"America/New_York", "2026-11-01 04:30:00", "2026-11-02 04:59:59", "2026-11-02 05:00:00"},
	} {
		rule := newRule(rules.StopAfterLosses, rules.Params{N: 1})
		rule.Zone = c.zone
		trades := day("2026-01-02", -5, 1, 1)
		for i, opened := range []string{c.loss, c.inside, c.outside} {
			trades[i].OpenedAt, trades[i].ClosedAt = at(opened), at(opened).Add(time.Second)
		}
		trades[1].ClosedAt = trades[2].ClosedAt.Add(time.Hour)
		if got, _ := judge(rule, rulecheck.Facts{}, trades...); got != "+x+" {
			t.Errorf("%s after %s: %s", c.zone, c.loss, got)
		}
	}
}

// TestStreaksCountTradingDays: days without trades neither extend nor break a streak.
func TestStreaksCountTradingDays(t *testing.T) {
	t.Parallel()
	rule := newRule(rules.MaxTrades, rules.Params{N: 1})
	trades := slices.Concat(day("2026-03-02", 1), day("2026-03-03", 1), day("2026-03-05", 1, 1), day("2026-03-09", 1), day("2026-03-20", 1), day("2026-03-23", 1))
	openings := build(trades)
	j := rulecheck.Judge(&rule, openings, &rulecheck.Facts{})
	r := rulecheck.Summarize(&rule, openings, &j, rulecheck.Selection{}, false)
	if r.DaysKept != 5 || r.DaysBroken != 1 || r.CurrentStreak != 3 || r.LongestStreak != 3 || r.SinceBreak != 3 || r.BreaksTotal != 1 ||
		!r.NetKept.Decimal.Equal(decimal.New(6)) || !r.NetBroken.Decimal.Equal(decimal.New(1)) {
		t.Errorf("the results are %+v", r)
	}
}

// TestResize: a trade above the size keeps a part of its result, and one whose part is
// less than a contract is removed.
func TestResize(t *testing.T) {
	t.Parallel()
	trades := day("2026-03-02", -90, 30, 10)
	trades[0].Quantity, trades[1].Quantity = decimal.New(3), decimal.New(2)
	rule := newRule(rules.MaxSize, rules.Params{Quantity: money("2")})
	openings := build(trades)
	effect, outcome := rulecheck.NewWhatIf(&rule, openings, &rulecheck.Facts{}).Measure()
	if effect.Resized.Trades != 1 || !effect.Resized.NetAfter.Equal(decimal.New(-60)) || !effect.Effect.Equal(decimal.New(30)) || !outcome.HasResized() {
		t.Errorf("two contracts: %+v", effect)
	}
	rule = newRule(rules.MaxSize, rules.Params{Quantity: money("0.9")})
	effect, _ = rulecheck.NewWhatIf(&rule, openings, &rulecheck.Facts{}).Measure()
	if effect.Removed.Trades != 3 || effect.Resized.Trades != 0 || !effect.Effect.Equal(decimal.New(50)) {
		t.Errorf("less than a contract: %+v", effect)
	}
}

// drawTrades draws a journal: two accounts, overnight trades, equal instants, open trades,
// breakevens, missing values.
func drawTrades(t *rapid.T, onlyClosed bool) ([]oracle.Trade, rulecheck.Facts) {
	start := rapid.SampledFrom([]string{"2026-03-28 20:00:00", "2026-10-24 20:00:00", "2026-06-01 12:00:00"}).Draw(t, "start")
	now := at(start)
	n := rapid.IntRange(0, 25).Draw(t, "trades")
	facts := rulecheck.Facts{Capital: map[journal.AccountID]rulecheck.Capital{}, Gap: rapid.IntRange(1, 4).Draw(t, "gap")}
	if rapid.Bool().Draw(t, "tolerance") {
		facts.Tolerance.Amount = decimal.New(2)
	}
	facts.Mixed = !onlyClosed && rapid.IntRange(0, 9).Draw(t, "mixed") == 0
	var trades []oracle.Trade
	entries := map[journal.TradeID][]rulecheck.EntryStep{}
	var began []journal.TradeID
	minutes := rapid.SampledFrom([]int{0, 0, 1, 7, 30, 300, 900})
	for i := range n {
		now = now.Add(time.Duration(minutes.Draw(t, "wait")) * time.Minute)
		trade := oracle.Trade{Account: rapid.SampledFrom([]journal.AccountID{"a", "b"}).Draw(t, "account")}
		trade.Trade = analytics.Trade{
			ID: journal.TradeID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i)), Symbol: rapid.SampledFrom([]string{"ES", "NQ"}).Draw(t, "symbol"), OpenedAt: now,
			ClosedAt: now.Add(time.Duration(minutes.Draw(t, "held")) * time.Minute), Net: decimal.New(int64(rapid.IntRange(-6, 6).Draw(t, "net"))),
			Quantity: decimal.New(int64(rapid.IntRange(1, 4).Draw(t, "quantity"))), Arrival: int64(i),
			Removed: rapid.IntRange(0, 9).Draw(t, "removed") == 0, HasStop: rapid.Bool().Draw(t, "stop"),
		}
		// A rising text keeps the drawn order where instants are equal.
		trade.Root, trade.Instrument, trade.EntryNotional = trade.Symbol, fmt.Sprintf("%04d", i), trade.Quantity.Mul(decimal.New(10))
		if rapid.Bool().Draw(t, "risk") {
			trade.InitialRisk = decimal.Of(decimal.New(int64(rapid.IntRange(1, 5).Draw(t, "amount"))))
		}
		if rapid.Bool().Draw(t, "planned") {
			trade.PlannedR = decimal.Of(decimal.New(int64(rapid.IntRange(-1, 4).Draw(t, "reward"))))
		}
		if rapid.Bool().Draw(t, "labelled") {
			trade.Setups = []journal.SetupID{rapid.SampledFrom([]journal.SetupID{"s1", "s2"}).Draw(t, "setup")}
			trade.Tags = []journal.TagID{rapid.SampledFrom([]journal.TagID{"t1", "t2"}).Draw(t, "tag")}
		}
		if rapid.Bool().Draw(t, "reviewed") {
			trade.ReviewedAt = trade.ClosedAt.Add(time.Duration(rapid.IntRange(0, 4).Draw(t, "hours")) * time.Hour)
		}
		if !onlyClosed && rapid.IntRange(0, 5).Draw(t, "open") == 0 {
			trade.Open, trade.ClosedAt, trade.Removed = true, trade.OpenedAt, false
		}
		if rapid.IntRange(0, 7).Draw(t, "began") == 0 {
			trade.Began = true
			began = append(began, trade.ID)
		}
		if rapid.IntRange(0, 2).Draw(t, "added") == 0 {
			trade.Entries = []rulecheck.EntryStep{
				{At: now.UnixMicro(), Quantity: decimal.New(1), Notional: decimal.New(10)},
				{At: now.UnixMicro(), Quantity: trade.Quantity, Notional: trade.EntryNotional, AddsToLoser: rapid.Bool().Draw(t, "loser")},
			}
			entries[trade.ID] = trade.Entries
		}
		trades = append(trades, trade)
	}
	facts.Now, facts.Began = now, analytics.NewTradeIDs(began)
	facts.Entries = func(id journal.TradeID) []rulecheck.EntryStep { return entries[id] }
	facts.Capital["b"] = rulecheck.Capital{}
	facts.Capital["a"] = rulecheck.Capital{Starting: decimal.New(50), Cash: []analytics.CashEvent{{At: at(start).Add(time.Hour), Amount: decimal.New(-20)}}}
	return trades, facts
}

// drawRule draws a rule of any kind.
func drawRule(t *rapid.T) rules.Rule {
	amount := func() decimal.Null { return countOf(rapid.IntRange(1, 9).Draw(t, "limit")) }
	rule := rules.Rule{
		Kind: rapid.SampledFrom(rules.Kinds()).Draw(t, "kind"), From: "2026-01-01",
		Zone: rapid.SampledFrom([]string{"UTC", "Europe/Prague", "America/Chicago", "Asia/Tokyo"}).Draw(t, "zone"),
	}
	if rapid.IntRange(0, 3).Draw(t, "narrow") == 0 {
		rule.Accounts, rule.Weekdays, rule.From, rule.To = []journal.AccountID{"a"}, []int{0, 1, 6}, "2026-03-29", "2026-10-26"
	}
	p := &rule.Params
	for _, name := range rules.Names(rule.Kind) {
		switch name {
		case "n":
			p.N = rapid.IntRange(1, 3).Draw(t, "n")
		case "amount":
			p.Amount = amount()
		case "share":
			p.Share = rapid.SampledFrom([]decimal.Null{money("0.3"), money("0.5"), money("1")}).Draw(t, "share")
		case "min_peak":
			p.MinPeak = rapid.SampledFrom([]decimal.Null{{}, money("3")}).Draw(t, "min_peak")
		case "minutes":
			p.Minutes = rapid.SampledFrom([]decimal.Null{money("1"), money("7"), money("37.5"), money("500")}).Draw(t, "minutes")
		case "before":
			p.Before = rapid.SampledFrom([]string{"", "09:30"}).Draw(t, "before")
		case "after":
			p.After = rapid.SampledFrom([]string{"", "22:07"}).Draw(t, "after")
		case "between":
			p.Between = rapid.SampledFrom([][]string{nil, {"23:30-01:00"}, {"02:00-03:00", "12:00-12:30"}}).Draw(t, "between")
		case "setup_ids":
			p.SetupIDs = []journal.SetupID{"s1"}
		case "tag_ids":
			p.TagIDs = []journal.TagID{"t2"}
		case "symbols":
			p.Symbols = []string{"NQ"}
		case "ratio":
			p.Ratio = amount()
		case "hours":
			p.Hours = countOf(rapid.IntRange(1, 3).Draw(t, "hours"))
		}
	}
	if rule.Kind == rules.MaxSize {
		size := rapid.SampledFrom([]*decimal.Null{&p.Quantity, &p.Notional, &p.Risk, &p.EquityPct}).Draw(t, "size")
		*size = countOf(rapid.IntRange(1, 60).Draw(t, "most"))
	}
	rule, err := rule.Check()
	if err != nil {
		t.Fatal(err)
	}
	return rule
}

func countOf(n int) decimal.Null { return decimal.Of(decimal.New(int64(n))) }

// TestVerdictsAgreeWithTheOracle compares all kinds on random journals.
func TestVerdictsAgreeWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		trades, facts := drawTrades(t, false)
		rule := drawRule(t)
		openings := build(trades)
		if len(openings.Trades) != len(trades) {
			t.Fatalf("%d openings for %d trades", len(openings.Trades), len(trades))
		}
		for i := range trades {
			if openings.Trades[i].ID() != trades[i].ID {
				t.Fatalf("the order differs at %d", i)
			}
		}
		got := rulecheck.Judge(&rule, openings, &facts)
		if want := oracle.Judge(&rule, trades, &facts); !slices.Equal(listVerdicts(&got), want) {
			t.Fatalf("%s %s: %s, the oracle says %s", rule.Kind, rule.Params.Encode(), verdicts(listVerdicts(&got)), verdicts(want))
		}
		for _, b := range got.ListBreaks() {
			if !b.OfDay && got.Verdict(int(b.Place)) != rulecheck.Broken {
				t.Fatalf("a break of a trade that is not broken: %+v", b)
			}
		}
	})
}

// TestEnforcementAgreesWithTheOracle compares the removed trades, and checks that the
// effect is what they made.
func TestEnforcementAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		trades, facts := drawTrades(t, true)
		rule := drawRule(t)
		if !rulecheck.CanEnforce(rule.Kind) || rule.Kind == rules.MaxSize {
			return
		}
		openings := build(trades)
		effect, outcome := rulecheck.NewWhatIf(&rule, openings, &facts).Measure()
		want := oracle.Enforce(&rule, trades, &facts)
		kept := outcome.KeptIDs()
		sum := decimal.Zero
		for i := range trades {
			if kept.Has(trades[i].ID) == want[i] {
				t.Fatalf("%s %s: trade %d is removed %v by the oracle", rule.Kind, rule.Params.Encode(), i, want[i])
			}
			if want[i] {
				sum = sum.Sub(trades[i].Net)
			}
		}
		if !effect.Effect.Equal(sum) || !effect.Removed.Net.Equal(sum.Neg()) {
			t.Fatalf("the effect is %s, the removed trades made %s", effect.Effect, sum.Neg())
		}
	})
}

// TestPlaceboIsReproducible recomputes the rounds from the documented generator.
func TestPlaceboIsReproducible(t *testing.T) {
	t.Parallel()
	trades := append(day("2026-03-02", -100, -100, 50, -200), day("2026-03-03", -100, -100, 400)...)
	rule := newRule(rules.StopAfterLosses, rules.Params{N: 2})
	openings := build(trades)
	x := rulecheck.NewWhatIf(&rule, openings, &rulecheck.Facts{})
	effect, _ := x.Measure()
	got := x.MeasurePlacebo(&effect)
	below := newBelow(1)
	sum, good := int64(0), 0
	for range 200 {
		round := slices.Clone(trades)
		for _, span := range [][2]int{{0, 4}, {4, 7}} {
			var nets []decimal.Decimal
			for _, trade := range trades[span[0]:span[1]] {
				nets = append(nets, trade.Net)
			}
			for i := len(nets) - 1; i > 0; i-- {
				j := below(i + 1)
				nets[i], nets[j] = nets[j], nets[i]
			}
			for k, net := range nets {
				round[span[0]+k].Net = net
			}
		}
		made := int64(0)
		for i, removed := range oracle.Enforce(&rule, round, &rulecheck.Facts{}) {
			if removed {
				net, _ := round[i].Net.ToScaled(0)
				made -= net
			}
		}
		sum += made
		if made >= -250 {
			good++
		}
	}
	if mean := decimal.New(sum).DivAverage(decimal.New(200)); got == nil || !got.Mean.Equal(mean) || got.ShareAtLeastAsGood != float64(good)/200 {
		t.Errorf("the placebo is %+v, recomputed %s and %v", got, mean, float64(good)/200)
	}
}
