package oracle_test

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/figures/analytics/oracle"
)

// TestPageExamples checks the oracle with the examples in docs/metrics.md, except for
// random figures.
func TestPageExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(page), "```example\n")[1:]
	checked := 0
	for i, text := range examples {
		text, _, _ = strings.Cut(text, "```")
		t.Run(fmt.Sprint("example ", i+1), func(t *testing.T) { checked += runExample(t, text) })
	}
	if len(examples) < 20 || checked < 250 {
		t.Errorf("only %d figures of %d examples were checked", checked, len(examples))
	}
}

// example is a journal in the page's notation, and a question about it.
type example struct {
	journal  oracle.Journal
	question oracle.Question
	set      map[string]string
}

func runExample(t *testing.T, text string) (checked int) {
	e := &example{set: map[string]string{}}
	e.journal.Mistakes = map[string]bool{"mistake": true}
	e.question.Zone = time.UTC
	var figures [][]string
	for line := range strings.SplitSeq(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "trade":
			e.addTrade(t, words[1:])
		case words[0] == "part":
			e.addPart(t, words[1:])
		case words[0] == "cash":
			e.journal.Cash = append(e.journal.Cash, oracle.Cash{
				ID: words[1], Account: "main", At: parseInstant(t, words[2]), Amount: parseNumber(t, words[3]), Flow: len(words) > 4,
			})
		case words[0] == "set":
			for _, word := range words[1:] {
				name, value, _ := strings.Cut(word, "=")
				e.set[name] = value
			}
		default:
			figures = append(figures, words)
		}
	}
	e.readParameters(t)
	for _, words := range figures {
		if e.check(t, words[0], words[1], strings.Join(words[2:], " ")) {
			checked++
		}
	}
	return checked
}

func parseInstant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func parseNumber(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return r
}

// addTrade reads ID SYMBOL SIDE OPENED CLOSED and the fields after them.
func (e *example) addTrade(t *testing.T, words []string) {
	t.Helper()
	fields := map[string]string{"net": "0", "fees": "0", "size": "1000", "account": "main", "type": "stock", "grade": "0"}
	for _, word := range words[5:] {
		name, value, _ := strings.Cut(word, "=")
		fields[name] = value
	}
	optional := func(name string) *big.Rat {
		if fields[name] == "" {
			return nil
		}
		return parseNumber(t, fields[name])
	}
	listed := func(name string) []string {
		return strings.FieldsFunc(fields[name], func(r rune) bool { return r == ',' })
	}
	one := oracle.Trade{
		ID: words[0], Account: fields["account"], Symbol: words[1], Instrument: fields["type"], Long: words[2] == "long",
		OpenedAt: parseInstant(t, words[3]), Net: parseNumber(t, fields["net"]), Fees: parseNumber(t, fields["fees"]),
		Entry: parseNumber(t, fields["size"]), Risk: optional("risk"), MFE: optional("mfe"), Tags: listed("tags"), Setups: listed("setups"),
	}
	one.AccountName, one.External, one.Arrival = one.Account, fields["external"], len(e.journal.Trades)+1
	one.Gross = new(big.Rat).Add(one.Net, one.Fees)
	one.Volume = new(big.Rat).Add(one.Entry, one.Entry)
	one.Grade, _ = strconv.Atoi(fields["grade"])
	if words[4] == "open" {
		e.journal.Open = append(e.journal.Open, one)
		return
	}
	one.ClosedAt = parseInstant(t, words[4])
	e.journal.Trades = append(e.journal.Trades, one)
}

// addPart reads ID AT and the fields after them: what a trade realized.
func (e *example) addPart(t *testing.T, words []string) {
	t.Helper()
	fields := map[string]string{"fees": "0", "volume": "0"}
	for _, word := range words[2:] {
		name, value, _ := strings.Cut(word, "=")
		fields[name] = value
	}
	one := oracle.Part{At: parseInstant(t, words[1]), Net: parseNumber(t, fields["net"]), Fees: parseNumber(t, fields["fees"]), Volume: parseNumber(t, fields["volume"])}
	one.Gross = new(big.Rat).Add(one.Net, one.Fees)
	for _, list := range [][]oracle.Trade{e.journal.Trades, e.journal.Open} {
		for i := range list {
			if list[i].ID == words[0] {
				list[i].Parts = append(list[i].Parts, one)
			}
		}
	}
}

// readParameters sets the question from the set lines.
func (e *example) readParameters(t *testing.T) {
	t.Helper()
	starting := new(big.Rat)
	if text := e.set["starting"]; text != "" {
		starting = parseNumber(t, text)
	}
	e.journal.Accounts = []oracle.Account{{ID: "main", Starting: starting, Currency: "USD"}, {ID: "other", Starting: new(big.Rat)}}
	if name := e.set["tz"]; name != "" {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		e.question.Zone = zone
	}
	for name, into := range map[string]**time.Time{"from": &e.question.From, "to": &e.question.To} {
		if text := e.set[name]; text != "" {
			at := parseInstant(t, text)
			*into = &at
		}
	}
	for name, into := range map[string]*int{
		"after_losses": &e.question.AfterLosses, "after_wins": &e.question.AfterWins, "nth_of_day_min": &e.question.NthMin, "nth_of_day_max": &e.question.NthMax,
	} {
		*into, _ = strconv.Atoi(e.set[name])
	}
	e.question.ByOpening, e.question.Realized = e.set["basis"] == "open", e.set["pnl"] == "realized"
	if text := e.set["symbol"]; text != "" {
		e.question.Symbols = strings.Split(text, ",")
	}
	switch text := e.set["tolerance"]; {
	case strings.HasPrefix(text, `{"r":`):
		e.journal.ToleranceR = parseNumber(t, strings.Trim(text, `{"r:}`))
	case text != "":
		e.journal.ToleranceAmount = parseNumber(t, strings.Trim(text, `{"amount:}`))
	}
}

// answer computes the answer a path begins with. It returns nil for random figures.
func (e *example) answer(t *testing.T, name string) any {
	t.Helper()
	j, q := &e.journal, &e.question
	if by, isBreakdown := strings.CutPrefix(name, "by_"); isBreakdown {
		return j.Breakdown(q, by)
	}
	switch name {
	case "summary":
		return j.Summary(q)
	case "daily":
		return j.Daily(q)
	case "equity":
		return j.Equity(q)
	case "behavior":
		return j.Behavior(q)
	case "r":
		return j.RStats(q)
	case "drawdowns":
		return j.Drawdowns(q, len(j.Trades))
	case "calendar":
		year, _ := strconv.Atoi(e.set["year"])
		return j.Calendar(q, year)
	case "share":
		return j.Share(q, e.set["amounts"] == "yes", "")
	case "compare":
		long, short := *q, *q
		long.Side, short.Side = "long", "short"
		return j.Compare(&long, &short)
	case "evidence", "montecarlo":
		return nil
	}
	t.Fatalf("unknown answer %s", name)
	return nil
}

// absent is the value at a missing path.
type absent struct{}

func (e *example) check(t *testing.T, path, operator, want string) bool {
	t.Helper()
	name, rest, _ := strings.Cut(path, ".")
	value := e.answer(t, name)
	if value == nil {
		return false
	}
	for key := range strings.SplitSeq(rest, ".") {
		value = lookUp(value, key)
		if _, chance := value.(oracle.Unpredicted); chance {
			return false
		}
	}
	if got := formatValue(value); operator == "=" && got != want || operator == "~" && !isNear(t, value, want) {
		t.Errorf("%s is %s, want %s %s", path, got, operator, want)
	}
	return true
}

func lookUp(value any, key string) any {
	switch v := value.(type) {
	case oracle.Object:
		if found, there := v[key]; there {
			return found
		}
	case oracle.List:
		if key == "len" {
			return len(v)
		}
		if i, err := strconv.Atoi(key); err == nil && i < len(v) {
			return v[i]
		}
	}
	return absent{}
}

// formatValue formats a value as the page does.
func formatValue(value any) string {
	switch v := value.(type) {
	case *big.Rat:
		places, exact := v.FloatPrec()
		if !exact {
			return v.String()
		}
		return v.FloatString(places)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case nil:
		return "null"
	case absent:
		return "absent"
	}
	return fmt.Sprint(value)
}

func isNear(t *testing.T, value any, want string) bool {
	t.Helper()
	w, _ := parseNumber(t, want).Float64()
	got, ok := value.(float64)
	return ok && math.Abs(got-w) <= 1e-12*math.Max(1, math.Abs(w))
}
