package analytics

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// scenario is a small journal in the notation of docs/metrics.md:
//
//	trade ID SYMBOL SIDE OPENED CLOSED net=200 [fees= size= volume= risk= mae= mfe= grade= tags= setups= type= account=]
//	part ID AT net=5 [fees= volume=]   what the trade realized at AT; a trade with CLOSED "open" has only its parts
//	cash ID AT AMOUNT [flow]
//	set tz= from= to= basis= starting= points= paths= ...
//	figure = text      the figure, with exactly this text
//	figure ~ number    the figure, as a float
//
// A figure is a path into the JSON of an answer, as in daily.0.net_pnl.
type scenario struct {
	trades   int64 // so far, over all accounts
	accounts map[journal.AccountID][]Trade
	parts    map[journal.TradeID][]Trade
	names    []journal.AccountID
	cash     []CashEvent
	set      map[string]string
	wants    []want
}

type want struct{ path, operator, text string }

func parseScenario(t *testing.T, text string) *scenario {
	t.Helper()
	s := &scenario{accounts: map[journal.AccountID][]Trade{}, parts: map[journal.TradeID][]Trade{}, set: map[string]string{}}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "trade":
			s.addTrade(t, words[1:])
		case words[0] == "part":
			s.addPart(t, words[1:])
		case words[0] == "cash":
			s.cash = append(s.cash, CashEvent{
				ID: journal.CashID(words[1]), At: parseInstant(t, words[2]), Amount: decimal.Must(words[3]), Flow: len(words) > 4,
			})
		case words[0] == "set":
			for _, word := range words[1:] {
				key, value, _ := strings.Cut(word, "=")
				s.set[key] = value
			}
		case len(words) >= 2:
			s.wants = append(s.wants, want{words[0], words[1], strings.Join(words[2:], " ")})
		default:
			t.Fatalf("cannot read %q", line)
		}
	}
	return s
}

func parseInstant(t *testing.T, text string) time.Time {
	t.Helper()
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	t.Fatalf("%q is not an instant", text)
	return time.Time{}
}

func (s *scenario) addTrade(t *testing.T, words []string) {
	t.Helper()
	row := Trade{
		ID: journal.TradeID(words[0]), Symbol: words[1], InstrumentType: "stock", OpenedAt: parseInstant(t, words[3]),
		Open: words[4] == "open", EntryNotional: decimal.New(1000),
	}
	if !row.Open {
		row.ClosedAt = parseInstant(t, words[4])
	}
	if words[2] == "short" {
		row.Side = Short
	}
	account, volume := journal.AccountID("main"), decimal.Null{}
	for _, word := range words[5:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "net":
			row.Net = decimal.Must(value)
		case "fees":
			row.Fees = decimal.Must(value)
		case "size":
			row.EntryNotional = decimal.Must(value)
		case "volume":
			volume = decimal.Of(decimal.Must(value))
		case "risk":
			row.InitialRisk = decimal.Of(decimal.Must(value))
		case "mfe":
			row.MFE = decimal.Of(decimal.Must(value))
		case "mae":
			row.MAE = decimal.Of(decimal.Must(value))
		case "grade":
			row.Quality = value[0] - '0'
		case "tags":
			row.Tags = splitIDs[journal.TagID](strings.ReplaceAll(value, ",", separator))
		case "setups":
			row.Setups = splitIDs[journal.SetupID](strings.ReplaceAll(value, ",", separator))
		case "type":
			row.InstrumentType = value
		case "external":
			row.External = value
		case "account":
			account = journal.AccountID(value)
		default:
			t.Fatalf("unknown field %q", word)
		}
	}
	s.trades++
	row.Instrument, row.Arrival = row.Symbol, s.trades
	row.Gross = row.Net.Add(row.Fees)
	row.Volume = volume.Or(row.EntryNotional.Add(row.EntryNotional))
	if s.accounts[account] == nil {
		s.names = append(s.names, account)
	}
	s.accounts[account] = append(s.accounts[account], row)
}

// addPart reads ID AT and the fields after them: what a trade realized.
func (s *scenario) addPart(t *testing.T, words []string) {
	t.Helper()
	for _, rows := range s.accounts {
		for _, row := range rows {
			if string(row.ID) != words[0] {
				continue
			}
			row.Part, row.ClosedAt, row.Net, row.Fees, row.Volume = true, parseInstant(t, words[1]), decimal.Zero, decimal.Zero, decimal.Zero
			for _, word := range words[2:] {
				key, value, _ := strings.Cut(word, "=")
				*map[string]*decimal.Decimal{"net": &row.Net, "fees": &row.Fees, "volume": &row.Volume}[key] = decimal.Must(value)
			}
			row.Gross = row.Net.Add(row.Fees)
			s.parts[row.ID] = append(s.parts[row.ID], row)
		}
	}
}

func (s *scenario) columns() []*Columns {
	var list []*Columns
	for _, name := range s.names {
		var rows []Trade
		for _, row := range s.accounts[name] {
			switch parts := s.parts[row.ID]; {
			case len(parts) > 0 && s.set["pnl"] == "realized":
				rows = append(rows, parts...)
			case !row.Open:
				rows = append(rows, row)
			}
		}
		list = append(list, BuildColumns(name, rows).WithName(string(name), 0))
	}
	return list
}

func (s *scenario) zone(t *testing.T) *time.Location {
	t.Helper()
	if s.set["tz"] == "" {
		return time.UTC
	}
	zone, err := time.LoadLocation(s.set["tz"])
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func (s *scenario) number(key string) int {
	n, _ := strconv.Atoi(s.set[key])
	return n
}

func (s *scenario) filter(t *testing.T) Filter {
	t.Helper()
	var f Filter
	if text := s.set["from"]; text != "" {
		at := parseInstant(t, text)
		f.Period.From = &at
	}
	if text := s.set["to"]; text != "" {
		at := parseInstant(t, text)
		f.Period.To = &at
	}
	if s.set["basis"] == "open" {
		f.Basis = ByOpening
	}
	f.Realized = s.set["pnl"] == "realized"
	if text := s.set["tolerance"]; text != "" {
		tolerance, err := tradefilter.ParseTolerance([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		f.Tolerance = tolerance
	}
	s.setSequence(t, &f)
	for symbol := range strings.SplitSeq(s.set["symbol"], ",") {
		if symbol != "" {
			f.Symbols = append(f.Symbols, symbol)
		}
	}
	return f
}

// setSequence sets the conditions on the day's sequence.
func (s *scenario) setSequence(t *testing.T, f *Filter) {
	t.Helper()
	f.Zone, f.AfterLosses, f.AfterWins = s.zone(t), s.number("after_losses"), s.number("after_wins")
	if nth := s.number("nth_of_day_min"); nth > 0 {
		f.NthOfDay.Min = decimal.Of(decimal.New(int64(nth)))
	}
	if nth := s.number("nth_of_day_max"); nth > 0 {
		f.NthOfDay.Max = decimal.Of(decimal.New(int64(nth)))
	}
	if !f.TestsSequence() {
		return
	}
	var columns []*Columns
	for _, name := range s.names {
		columns = append(columns, BuildColumns(name, s.accounts[name]).WithName(string(name), 0))
	}
	f.Lookups.Sequence = NewDaySequence(columns, f.Tolerance, f.Zone).Select(&f.Conditions)
}

func (s *scenario) capital() Capital {
	capital := Capital{Currency: "USD", Cash: [][]CashEvent{s.cash}}
	if text := s.set["starting"]; text != "" {
		capital.Starting = decimal.Must(text)
	}
	return capital
}

// answer computes the answer a path begins with.
func (s *scenario) answer(t *testing.T, name string) any {
	t.Helper()
	columns, filter, zone := s.columns(), s.filter(t), s.zone(t)
	selection := SelectTrades(columns, filter)
	dimension, isBreakdown := strings.CutPrefix(name, "by_")
	switch {
	case isBreakdown:
		return BreakDown(selection, BreakdownQuery{
			By: Dimension(dimension), Zone: zone, Mistakes: []journal.TagID{"mistake"}, Evidence: s.set["evidence"] != "", Seed: Seed,
		})
	case name == "summary":
		return Summarize(selection, s.capital())
	case name == "daily":
		return ListDays(selection, zone)
	case name == "equity":
		return BuildEquityCurve(columns, CurveQuery{Filter: filter, Capital: s.capital(), MaxPoints: s.number("points")})
	case name == "behavior":
		return AnalyzeBehavior(selection, BehaviorQuery{Zone: zone, Seed: Seed})
	case name == "r":
		return ComputeRStats(selection)
	case name == "drawdowns":
		return ListDrawdowns(selection, s.capital(), 0)
	case name == "calendar":
		return BuildCalendar(columns, CalendarQuery{Filter: filter, Zone: zone, Year: s.number("year")})
	case name == "evidence":
		return AssessEvidence(selection, zone, Seed)
	case name == "montecarlo":
		return SimulateFutures(selection, Simulation{Paths: s.number("paths"), Trades: s.number("trades"), Capital: s.capital(), Seed: Seed})
	case name == "share":
		return BuildShareView(selection, ShareQuery{Zone: zone, Capital: s.capital(), Currency: "USD", ShowAmounts: s.set["amounts"] != ""})
	case name == "compare":
		var sides [2]*Selection
		for i, side := range []tradefilter.Side{tradefilter.Long, tradefilter.Short} {
			of := filter
			of.Side = side
			sides[i] = SelectTrades(columns, of)
		}
		return CompareSelections(sides[0], sides[1], zone, s.capital(), s.capital())
	}
	t.Fatalf("unknown answer %q", name)
	return nil
}

// check tests every expectation.
func (s *scenario) check(t *testing.T) {
	t.Helper()
	if len(s.wants) == 0 {
		t.Error("the scenario has no expectations")
	}
	answers := map[string]any{}
	for _, w := range s.wants {
		name, path, _ := strings.Cut(w.path, ".")
		if answers[name] == nil {
			answers[name] = toJSON(t, s.answer(t, name))
		}
		got := lookUpPath(t, answers[name], path)
		if !w.matches(t, got) {
			t.Errorf("%s is %s, want %s %s", w.path, got, w.operator, w.text)
		}
	}
}

func (w want) matches(t *testing.T, got string) bool {
	t.Helper()
	switch w.operator {
	case "=":
		return got == w.text
	case "~":
		value, err := strconv.ParseFloat(got, 64)
		wanted, err2 := strconv.ParseFloat(w.text, 64)
		if err2 != nil {
			t.Fatalf("%s: %q is not a number", w.path, w.text)
		}
		const near = 1e-12
		return err == nil && math.Abs(value-wanted) <= near*math.Max(math.Abs(value), math.Abs(wanted))
	}
	t.Fatalf("unknown operator %q", w.operator)
	return false
}

// toJSON encodes and decodes an answer, with numbers as text.
func toJSON(t rapid.TB, answer any) any {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// lookUpPath returns the value at a path with keys and indexes; the last may be len, for
// a list.
func lookUpPath(t *testing.T, value any, path string) string {
	t.Helper()
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		switch node := value.(type) {
		case map[string]any:
			inner, known := node[step]
			if !known {
				return "absent"
			}
			value = inner
		case []any:
			if step == "len" {
				return strconv.Itoa(len(node))
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(node) {
				return "absent"
			}
			value = node[i]
		default:
			t.Fatalf("%q of %q is not in an object or list", step, path)
		}
	}
	if value == nil {
		return "null"
	}
	return fmt.Sprint(value)
}

// runScenario checks a scenario given as text.
func runScenario(t *testing.T, text string) {
	t.Helper()
	parseScenario(t, text).check(t)
}

// TestMetricsPage runs every worked example in docs/metrics.md, which defines the
// figures.
func TestMetricsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	heading, found := "", 0
	blocks := strings.Split(string(page), "```")
	for i, block := range blocks {
		if i%2 == 0 {
			for line := range strings.Lines(block) {
				if title, is := strings.CutPrefix(line, "#"); is {
					heading = strings.Trim(title, "# \n")
				}
			}
			continue
		}
		if example, is := strings.CutPrefix(block, "example\n"); is {
			found++
			t.Run(heading, func(t *testing.T) {
				t.Parallel()
				runScenario(t, example)
			})
		}
	}
	if found < 20 {
		t.Errorf("only %d examples were found", found)
	}
}
