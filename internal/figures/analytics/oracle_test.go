package analytics

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics/oracle"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/tradefilter"
)

// TestFiguresAgreeWithTheOracle computes every figure for random journals and compares it
// with the oracle's.
func TestFiguresAgreeWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, testkit.LimitChecks(testkit.Rounds(3, 40), func(rt *rapid.T) {
		tr := newTrial(rt)
		q := tr.question()
		tr.checkAll(q)
		q.Realized = true
		tr.checkRealized(q)
	}))
}

// trial is a random journal for both implementations.
type trial struct {
	*rapid.T
	journal   oracle.Journal
	rows      map[string][]Trade // by account, in arrival order
	parts     map[journal.TradeID][]Trade
	cash      map[string][]CashEvent
	states    map[journal.TradeID][]TradeRule
	tolerance tradefilter.Tolerance
	instants  []time.Time
}

// pauses are the times between trades and the holding times: detector and bucket limits,
// and instants right beside them.
var pauses = []time.Duration{
	5 * time.Minute, 15 * time.Minute, time.Minute, 0, 15*time.Minute - time.Microsecond, time.Microsecond, 30 * time.Second,
	30 * time.Minute, time.Hour, time.Hour + time.Microsecond, 4 * time.Hour, 24 * time.Hour, 50 * time.Hour, 7 * 24 * time.Hour,
}

// anchors are instants around which calendars are hard: clock changes in some zones and a
// new year. They are close together, because the oracle visits every day.
var anchors = []string{
	"2025-12-31T23:30:00Z", "2026-01-05T14:29:00Z", "2026-03-08T06:30:00Z", "2026-03-28T21:45:00Z", "2026-03-29T00:45:00Z", "2026-04-05T02:45:00Z",
}

const (
	mistakeTag   = "chased"
	calendarYear = 2026
	usualSymbols = "AAA,BBB,CCC,DDD"
)

func draw[T any](tr *trial, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(tr.T, label)
}

// isOneIn is true about once in n times.
func (tr *trial) isOneIn(n int, label string) bool {
	return rapid.IntRange(0, 16*n).Draw(tr.T, label)%n == n-1
}

func newTrial(t *rapid.T) *trial {
	tr := &trial{
		T: t, rows: map[string][]Trade{}, parts: map[journal.TradeID][]Trade{}, cash: map[string][]CashEvent{}, states: map[journal.TradeID][]TradeRule{},
		journal: oracle.Journal{
			Names:      map[string]string{"calm": "calm", "news": "news", mistakeTag: mistakeTag, "breakout": "breakout", "reversal": "reversal"},
			Mistakes:   map[string]bool{mistakeTag: true},
			Checklists: map[string][]string{"breakout": {"Volume", "Trend"}, "reversal": {}},
		},
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "accounts") {
		id := fmt.Sprint("account ", i)
		starting := draw(tr, "balance", "0", "1000", "250.5", "-100")
		tr.journal.Accounts = append(tr.journal.Accounts, oracle.Account{ID: id, Name: id, Starting: rat(decimal.Must(starting)), Currency: "USD"})
	}
	tr.setTolerance()
	at := tr.instant()
	for i := range draw(tr, "trades", 40, 60, 20, 8, 3, 0) {
		if at = at.Add(draw(tr, "pause", pauses...)); tr.isOneIn(25, "jump") {
			at = tr.instant()
		}
		tr.addTrade(i, at)
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "cash") {
		tr.addCash(i)
	}
	return tr
}

func (tr *trial) instant() time.Time {
	at, err := time.Parse(time.RFC3339, draw(tr, "anchor", anchors...))
	if err != nil {
		tr.Fatal(err)
	}
	return at
}

func (tr *trial) setTolerance() {
	text := draw(tr, "tolerance", "null", "5", "null", `{"amount":12.34}`, `{"r":0.5}`, "0")
	var err error
	if tr.tolerance, err = tradefilter.ParseTolerance([]byte(text)); err != nil {
		tr.Fatal(err)
	}
	switch text {
	case "5", "0":
		tr.journal.ToleranceAmount = rat(decimal.Must(text))
		tr.journal.Tolerance = tr.journal.ToleranceAmount
	case `{"amount":12.34}`:
		tr.journal.ToleranceAmount = big.NewRat(1234, 100)
		tr.journal.Tolerance = oracle.Object{"amount": tr.journal.ToleranceAmount}
	case `{"r":0.5}`:
		tr.journal.ToleranceR = big.NewRat(1, 2)
		tr.journal.Tolerance = oracle.Object{"r": tr.journal.ToleranceR}
	}
}

// addTrade adds a trade opened at an instant: closed at once or in two parts, or open
// with a closed part.
func (tr *trial) addTrade(number int, at time.Time) {
	row := Trade{
		ID: journal.TradeID(fmt.Sprintf("t%03d", number)), Symbol: draw(tr, "symbol", strings.Split(usualSymbols, ",")...),
		InstrumentType: draw(tr, "type", "stock", "future", "option", "forex"), Side: Side(rapid.IntRange(0, 1).Draw(tr.T, "side")),
		OpenedAt: at, ClosedAt: at.Add(draw(tr, "held", pauses...)), Gross: tr.amount("gross"), Fees: decimal.Must(draw(tr, "fees", "0", "1", "0.35", "-0.2")),
		EntryNotional: decimal.Must(draw(tr, "size", "1000", "2000", "0.5", "-37.63", "3000")), Volume: decimal.Must(draw(tr, "volume", "2000", "0", "7.25")),
		External: draw(tr, "external", "", "", "1", "10", "2"), Arrival: int64(number) + 1, Quality: draw[uint8](tr, "grade", 0, 0, 1, 3, 5),
	}
	if row.Removed = tr.isOneIn(8, "removed"); row.Removed {
		row.Gross = decimal.Zero
	}
	row.Instrument, row.Net = row.Symbol, row.Gross.Sub(row.Fees)
	tr.annotate(&row)
	account := draw(tr, "account", tr.journal.Accounts...).ID
	t := tr.toOracle(&row, account)
	switch draw(tr, "closing", "at once", "at once", "in parts", "at once", "not yet") {
	case "in parts":
		first := tr.part(&row, &t, row.OpenedAt.Add((row.ClosedAt.Sub(row.OpenedAt) / 2).Truncate(time.Microsecond)), tr.amount("part"), decimal.Must("0.1"), decimal.New(1))
		if first.ClosedAt.Before(row.ClosedAt) {
			tr.part(&row, &t, row.ClosedAt, row.Gross.Sub(first.Gross), row.Fees.Sub(first.Fees), row.Volume.Sub(first.Volume))
		} else { // both at one instant are one part
			t.Parts, tr.parts[row.ID] = nil, nil
		}
	case "not yet":
		row.Open = true
		tr.part(&row, &t, row.ClosedAt, row.Gross, row.Fees, row.Volume)
		tr.journal.Open = append(tr.journal.Open, t)
		tr.rows[account] = append(tr.rows[account], row)
		return
	}
	tr.journal.Trades = append(tr.journal.Trades, t)
	tr.rows[account] = append(tr.rows[account], row)
	tr.instants = append(tr.instants, row.OpenedAt, row.ClosedAt)
}

func (tr *trial) amount(label string) decimal.Decimal {
	return decimal.Must(draw(tr, label, "100", "-100", "0", "12.5", "-7.77", "5", "-5", "333.333333", "0.01"))
}

// annotate adds risk, excursions, tags, setups and rule states to some trades.
func (tr *trial) annotate(row *Trade) {
	if tr.isOneIn(3, "risk") {
		row.InitialRisk = decimal.Of(decimal.Must(draw(tr, "initial risk", "100", "0.3", "7", "5")))
	}
	if tr.isOneIn(3, "mfe") {
		row.MFE = decimal.Of(decimal.Must(draw(tr, "best", "0", "1", "40", "200", "2000")))
	}
	if !tr.isOneIn(3, "words") {
		return
	}
	tags, setups := []journal.TagID{"calm", mistakeTag, "news"}, []journal.SetupID{"breakout", "reversal"}
	row.Tags = tags[:rapid.IntRange(0, 3).Draw(tr.T, "tags")]
	row.Setups = setups[:rapid.IntRange(0, 2).Draw(tr.T, "setups")]
	for _, setup := range row.Setups {
		for _, rule := range []string{"News", "Trend", "Volume"} {
			if state := draw(tr, "state", RuleFollowed, RuleBroken, "", RuleFollowed, RuleNotApplicable); state != "" {
				tr.states[row.ID] = append(tr.states[row.ID], TradeRule{setup, rule, state})
			}
		}
	}
}

// part adds what a trade realized at an instant.
func (tr *trial) part(row *Trade, t *oracle.Trade, at time.Time, gross, fees, volume decimal.Decimal) Trade {
	p := *row
	p.Part, p.ClosedAt, p.Gross, p.Fees, p.Net, p.Volume = true, at, gross, fees, gross.Sub(fees), volume
	tr.parts[row.ID] = append(tr.parts[row.ID], p)
	t.Parts = append(t.Parts, oracle.Part{At: at, Net: rat(p.Net), Gross: rat(gross), Fees: rat(fees), Volume: rat(volume)})
	return p
}

func (tr *trial) toOracle(row *Trade, account string) oracle.Trade {
	t := oracle.Trade{
		ID: string(row.ID), Account: account, AccountName: account, Symbol: row.Symbol, Instrument: row.InstrumentType, Long: row.Side != Short,
		OpenedAt: row.OpenedAt, ClosedAt: row.ClosedAt, Net: rat(row.Net), Gross: rat(row.Gross), Fees: rat(row.Fees), Entry: rat(row.EntryNotional),
		Volume: rat(row.Volume), Grade: int(row.Quality), External: row.External, Arrival: int(row.Arrival),
		Tags: toTexts(row.Tags), Setups: toTexts(row.Setups), Removed: row.Removed,
	}
	if row.InitialRisk.Valid {
		t.Risk = rat(row.InitialRisk.Decimal)
	}
	if row.MFE.Valid {
		t.MFE = rat(row.MFE.Decimal)
	}
	for _, r := range tr.states[row.ID] {
		t.Rules = append(t.Rules, oracle.Rule{Setup: string(r.Setup), Rule: r.Rule, State: string(r.State)})
	}
	return t
}

func rat(d decimal.Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

func toTexts[T ~string](list []T) []string {
	var texts []string
	for _, v := range list {
		texts = append(texts, string(v))
	}
	return texts
}

// addCash adds a cash result or flow, half of them at a trade's instant.
func (tr *trial) addCash(number int) {
	account := draw(tr, "account", tr.journal.Accounts...).ID
	e := CashEvent{
		ID: journal.CashID(fmt.Sprint("c", number)), At: tr.instant(), Flow: rapid.Bool().Draw(tr.T, "flow"),
		Amount: decimal.Must(draw(tr, "amount", "100", "-100", "0.25", "-3", "1000")),
	}
	if len(tr.instants) > 0 && rapid.Bool().Draw(tr.T, "with a trade") {
		e.At = draw(tr, "instant", tr.instants...)
	}
	tr.cash[account] = append(tr.cash[account], e)
	tr.journal.Cash = append(tr.journal.Cash, oracle.Cash{ID: string(e.ID), Account: account, At: e.At, Amount: rat(e.Amount), Flow: e.Flow})
}

// question draws accounts, a period at or beside instants in the journal, and filters.
func (tr *trial) question() oracle.Question {
	q := oracle.Question{Zone: anyZone().Draw(tr.T, "zone"), ByOpening: tr.isOneIn(3, "by opening")}
	if tr.isOneIn(3, "one account") {
		q.Accounts = []string{draw(tr, "account", tr.journal.Accounts...).ID}
	}
	edge := func(label string) *time.Time {
		if len(tr.instants) == 0 || !tr.isOneIn(5, label) {
			return nil
		}
		at := draw(tr, label, tr.instants...).Add(draw(tr, "beside", 0, 0, time.Microsecond, -time.Microsecond))
		return &at
	}
	if q.From, q.To = edge("from"), edge("to"); q.From != nil && q.To != nil && q.From.After(*q.To) {
		q.From, q.To = q.To, q.From
	}
	if tr.isOneIn(8, "symbols") {
		q.Symbols = strings.Split(usualSymbols, ",")[:rapid.IntRange(1, 3).Draw(tr.T, "symbols")]
	}
	if tr.isOneIn(9, "side") {
		q.Side = draw(tr, "side", "long", "short")
	}
	if tr.isOneIn(12, "instrument") {
		q.Instruments = []string{draw(tr, "instrument", "stock", "future")}
	}
	if tr.isOneIn(9, "tags") {
		q.Tags = []string{draw(tr, "tag", "news", mistakeTag), "calm"}
	}
	if tr.isOneIn(12, "setups") {
		q.Setups = []string{"breakout"}
	}
	if tr.isOneIn(4, "sequence") {
		q.Sequence = draw(tr, "conditions", oracle.Sequence{AfterLosses: 1}, oracle.Sequence{AfterWins: 1}, oracle.Sequence{AfterLosses: 2},
			oracle.Sequence{NthMax: 1}, oracle.Sequence{NthMin: 2, NthMax: 3}, oracle.Sequence{AfterWins: 1, NthMin: 2})
	}
	q.ClosedOnly = tr.isOneIn(3, "closed only")
	return q
}

// answers are what analytics needs to answer a question.
type answers struct {
	columns   []*Columns
	filter    Filter
	selection *Selection
	capital   Capital
	zone      *time.Location
}

func (tr *trial) answers(q *oracle.Question) answers {
	a := answers{zone: q.Zone, capital: Capital{Currency: "USD"}}
	for i, account := range tr.journal.Accounts {
		if len(q.Accounts) > 0 && !slices.Contains(q.Accounts, account.ID) {
			continue
		}
		var rows []Trade
		for _, row := range tr.rows[account.ID] {
			switch parts := tr.parts[row.ID]; {
			case q.Realized && len(parts) > 0:
				rows = append(rows, parts...)
			case !row.Open:
				rows = append(rows, row)
			}
		}
		a.columns = append(a.columns, buildPaged(tr.T, journal.AccountID(account.ID), rows).WithName(account.Name, int64(i)))
		starting, _ := decimal.Parse(account.Starting.FloatString(1))
		a.capital.Starting = a.capital.Starting.Add(starting)
		a.capital.Cash = append(a.capital.Cash, slices.SortedFunc(slices.Values(tr.cash[account.ID]), CompareCash))
	}
	a.filter = Filter{Period: journal.Period{From: q.From, To: q.To}, Realized: q.Realized, Tolerance: tr.tolerance}
	a.filter.Symbols, a.filter.InstrumentTypes, a.filter.Side = q.Symbols, q.Instruments, tradefilter.Side(q.Side)
	for _, tag := range q.Tags {
		a.filter.Tags = append(a.filter.Tags, journal.TagID(tag))
	}
	for _, setup := range q.Setups {
		a.filter.Setups = append(a.filter.Setups, journal.SetupID(setup))
	}
	if q.ByOpening {
		a.filter.Basis = ByOpening
	}
	if q.Realized && q.ClosedOnly {
		a.filter.Status = OnlyClosed
	}
	tr.setSequence(q, &a.filter)
	a.selection = SelectTrades(a.columns, a.filter)
	return a
}

// setSequence sets the conditions on the day's sequence, which looks at all trades in the
// accounts.
func (tr *trial) setSequence(q *oracle.Question, f *Filter) {
	if q.Sequence == (oracle.Sequence{}) {
		return
	}
	f.AfterLosses, f.AfterWins, f.Zone = q.AfterLosses, q.AfterWins, q.Zone
	if q.NthMin > 0 {
		f.NthOfDay.Min = decimal.Of(decimal.New(int64(q.NthMin)))
	}
	if q.NthMax > 0 {
		f.NthOfDay.Max = decimal.Of(decimal.New(int64(q.NthMax)))
	}
	var columns []*Columns
	for i, account := range tr.journal.Accounts {
		var rows [2][]Trade
		for _, row := range tr.rows[account.ID] {
			if row.Open {
				row.ClosedAt = row.OpenedAt
			}
			rows[boolToInt(row.Open)] = append(rows[boolToInt(row.Open)], row)
		}
		for _, rows := range rows {
			if len(q.Accounts) == 0 || slices.Contains(q.Accounts, account.ID) {
				columns = append(columns, buildPaged(tr.T, journal.AccountID(account.ID), rows).WithName(account.Name, int64(i)))
			}
		}
	}
	f.Lookups.Sequence = NewDaySequence(columns, f.Tolerance, q.Zone).Select(&f.Conditions)
}

func (a *answers) breakDown(by string, evidence bool) []Row {
	return BreakDown(a.selection, BreakdownQuery{By: Dimension(by), Zone: a.zone, Mistakes: []journal.TagID{mistakeTag}, Evidence: evidence, Seed: Seed})
}

// same compares an answer with its prediction, without the members added by the API.
func (tr *trial) same(what string, want, got any, added ...string) {
	if differences := oracle.Differences(without(want, added), toJSON(tr.T, got)); len(differences) > 0 {
		tr.Fatalf("%s:\n%s", what, strings.Join(differences, "\n"))
	}
}

// without removes members from a prediction.
func without(value any, names []string) any {
	switch v := value.(type) {
	case oracle.Object:
		maps.DeleteFunc(v, func(name string, _ any) bool { return slices.Contains(names, name) })
		for _, member := range v {
			without(member, names)
		}
	case oracle.List:
		for _, element := range v {
			without(element, names)
		}
	}
	return value
}

// checkAll compares all figures, including those without realized results.
func (tr *trial) checkAll(q oracle.Question) {
	j, a := &tr.journal, tr.answers(&q)
	tr.checkRealized(q)
	tr.same("behavior", j.Behavior(&q), AnalyzeBehavior(a.selection, BehaviorQuery{Zone: q.Zone, Seed: Seed}))
	tr.same("r", j.RStats(&q), ComputeRStats(a.selection))
	tr.same("drawdowns", j.Drawdowns(&q, 50), ListDrawdowns(a.selection, a.capital, 50))
	tr.same("the deepest drawdown", j.Drawdowns(&q, 1), ListDrawdowns(a.selection, a.capital, 1))
	for _, by := range oracle.Dimensions() {
		tr.same("by "+by, j.Breakdown(&q, by), a.breakDown(by, false), "name")
	}
	tr.checkEvidence(q, a, draw(tr, "evidence by", oracle.Dimensions()...))
	for dimension, mistakesOnly := range map[Dimension]bool{ByTag: false, ByMistake: true} {
		effects := MeasureEffects(a.selection, BreakdownQuery{By: dimension, Zone: q.Zone, Mistakes: []journal.TagID{mistakeTag}, Seed: Seed})
		tr.same("effects by "+string(dimension), j.TagEffects(&q, mistakesOnly), effects, "tag_id", "name", "kind", "color")
	}
	var checklists []SetupChecklist
	for _, id := range slices.Sorted(maps.Keys(j.Checklists)) {
		checklists = append(checklists, SetupChecklist{journal.SetupID(id), j.Checklists[id]})
	}
	report := MeasureRules(a.selection, RulesQuery{Setups: checklists, States: tr.states, Zone: q.Zone, Seed: Seed})
	tr.same("rules", j.Rules(&q), report, "name", "trades_link")
	other := q
	other.From, other.To = nil, nil
	b := tr.answers(&other)
	tr.same("compare", j.Compare(&q, &other), CompareSelections(a.selection, b.selection, q.Zone, a.capital, b.capital))
	amounts := rapid.Bool().Draw(tr.T, "amounts")
	view := BuildShareView(a.selection, ShareQuery{Zone: q.Zone, Capital: a.capital, Currency: "EUR", ShowAmounts: amounts})
	tr.same("share", j.Share(&q, amounts, "EUR"), view)
	tr.checkThinned(q, a)
}

// checkRealized compares the figures available on both bases.
func (tr *trial) checkRealized(q oracle.Question) {
	j, a := &tr.journal, tr.answers(&q)
	basis := fmt.Sprint(", realized ", q.Realized)
	tr.same("summary"+basis, j.Summary(&q), Summarize(a.selection, a.capital))
	tr.same("evidence"+basis, j.Evidence(&q), AssessEvidence(a.selection, time.UTC, Seed))
	tr.same("daily"+basis, j.Daily(&q), ListDays(a.selection, q.Zone))
	tr.same("equity"+basis, j.Equity(&q), BuildEquityCurve(a.columns, CurveQuery{Filter: a.filter, Capital: a.capital, MaxPoints: 10_000}))
	calendar := BuildCalendar(a.columns, CalendarQuery{Filter: a.filter, Zone: q.Zone, Year: calendarYear, WeekStart: time.Monday})
	tr.same("calendar"+basis, j.Calendar(&q, calendarYear), calendar, "unreviewed", "notes", "routine_done", "routine_total", "breakeven_tolerance")
	tr.checkEvidence(q, a, draw(tr, "by", "weekday", "hour", "month", "session"))
}

// checkEvidence compares a breakdown with its evidence.
func (tr *trial) checkEvidence(q oracle.Question, a answers, by string) {
	j := &tr.journal
	want, evidence, rests := j.Breakdown(&q, by), j.RowEvidence(&q, by), j.RowRests(&q, by)
	for _, element := range want {
		row := element.(oracle.Object)
		row["evidence"], row["rest"] = evidence[row["key"].(string)], rests[row["key"].(string)]
	}
	tr.same(fmt.Sprint("by ", by, " with evidence, realized ", q.Realized), want, a.breakDown(by, true), "name")
}

// checkThinned requires a thinned curve to be part of the whole curve and keep its ends
// and extremes.
func (tr *trial) checkThinned(q oracle.Question, a answers) {
	const most = 8
	thin := BuildEquityCurve(a.columns, CurveQuery{Filter: a.filter, Capital: a.capital, MaxPoints: most})
	whole := BuildEquityCurve(a.columns, CurveQuery{Filter: a.filter, Capital: a.capital, MaxPoints: 10_000})
	if len(whole.Points) <= most {
		tr.same("a short curve", tr.journal.Equity(&q), thin)
		return
	}
	isSame := func(a, b Point) bool {
		return a.At.Equal(b.At) && a.Equity.Equal(b.Equity) && a.Drawdown.Equal(b.Drawdown)
	}
	if len(thin.Points) > most || !isSame(thin.Points[0], whole.Points[0]) || !isSame(thin.Points[len(thin.Points)-1], whole.Points[len(whole.Points)-1]) {
		tr.Fatalf("the curve of %v is thinned to %v", whole.Points, thin.Points)
	}
	rest := whole.Points
	for _, p := range thin.Points {
		at := slices.IndexFunc(rest, func(of Point) bool { return isSame(of, p) })
		if at < 0 {
			tr.Fatalf("the point %v is not of the whole curve, or not in its order", p)
		}
		rest = rest[at+1:]
	}
	byEquity := func(a, b Point) int { return a.Equity.Cmp(b.Equity) }
	byDrawdown := func(a, b Point) int { return a.Drawdown.Cmp(b.Drawdown) }
	if byEquity(slices.MaxFunc(thin.Points, byEquity), slices.MaxFunc(whole.Points, byEquity)) != 0 ||
		byEquity(slices.MinFunc(thin.Points, byEquity), slices.MinFunc(whole.Points, byEquity)) != 0 ||
		byDrawdown(slices.MaxFunc(thin.Points, byDrawdown), slices.MaxFunc(whole.Points, byDrawdown)) != 0 {
		tr.Fatalf("an extreme of %v is left out in %v", whole.Points, thin.Points)
	}
}
