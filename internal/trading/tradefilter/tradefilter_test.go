package tradefilter

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/textindex"
)

// setField sets a field to a value that tests something.
func setField(t *testing.T, field reflect.Value) {
	t.Helper()
	switch value := field.Addr().Interface().(type) {
	case *journal.Opt[bool]:
		*value = journal.Some(false)
	case *Range:
		value.Max = decimal.Of(decimal.New(0))
	case **time.Location:
		*value = time.UTC
	default:
		switch field.Kind() {
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 2, 2))
		case reflect.String:
			field.SetString("none")
		case reflect.Int:
			field.SetInt(1)
		default:
			t.Fatalf("%s is not in the test", field.Type())
		}
	}
}

// TestEveryConditionIsTested fails for a new condition that IsEmpty ignores, or
// that lists would neither test in the database nor in columns.
func TestEveryConditionIsTested(t *testing.T) {
	t.Parallel()
	inDatabase := []string{"Symbols", "InstrumentTypes", "Side", "Setups", "Tags", "Reviewed", "Batch"}
	kind := reflect.TypeFor[Conditions]()
	for i := range kind.NumField() {
		name := kind.Field(i).Name
		var c Conditions
		setField(t, reflect.ValueOf(&c).Elem().Field(i))
		if isZone := name == "Zone"; c.IsEmpty() != isZone {
			t.Errorf("with %s alone the conditions are empty: %t", name, c.IsEmpty())
		}
		if want := name != "Zone" && !slices.Contains(inDatabase, name); c.NeedsColumns() != want {
			t.Errorf("with %s alone the conditions need columns: %t", name, c.NeedsColumns())
		}
	}
}

// TestEveryFieldHasAParameter fails for a field of the filter no parameter sets.
func TestEveryFieldHasAParameter(t *testing.T) {
	t.Parallel()
	values := url.Values{}
	for _, p := range Parameters() {
		text := map[Type]string{Text: "x", Integer: "1", Number: "1", Flag: "true"}[p.Type]
		switch {
		case len(p.Values) > 0:
			text = p.Values[len(p.Values)-1]
		case p.Format == "date-time":
			text = "2026-01-31T14:30:00Z"
		case p.Name == "filter_tz":
			text = "Europe/Berlin"
		case p.Name == "currency":
			text = "EUR"
		}
		values.Set(p.Name, text)
	}
	f, err := Parse(values)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []any{f.Scope, f.Scope.Period, f.Conditions} {
		for field, value := range reflect.ValueOf(part).Fields() {
			if value.IsZero() {
				t.Errorf("no parameter sets %s", field.Name)
			}
		}
	}
	if !f.ByOpening || f.Status != Closed {
		t.Errorf("date_basis and status are %t, %s", f.ByOpening, f.Status)
	}
	if again := Select(values); !reflect.DeepEqual(again, values) {
		t.Errorf("selected %v, want %v", again, values)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, field, message string }{
		{"outcome=open", "outcome", "outcome must be win, loss or breakeven."},
		{"outcome=win,draw", "outcome", "outcome must be win, loss or breakeven."},
		{"weekday=7", "weekday", "weekday must be a whole number from 0 to 6."},
		{"hour=1&hour=24", "hour", "hour must be a whole number from 0 to 23."},
		{"session=lunch", "session", "session must be premarket, rth, afterhours or overnight."},
		{"trade_quality=0", "trade_quality", "trade_quality must be a whole number from 1 to 5."},
		{"tag_mode=some", "tag_mode", "tag_mode must be any, all or none."},
		{"setup_mode=ANY", "setup_mode", "setup_mode must be any, all or none."},
		{"mistake=maybe", "mistake", "mistake must be true or false."},
		{"option_right=c", "option_right", "option_right must be call or put."},
		{"pnl_min=ten", "pnl_min", "pnl_min must be a number."},
		{"r_max=NaN", "r_max", "r_max must be a number."},
		{"dte_min=1.5", "dte_min", "dte_min must be a whole number from -84180 to 84180."},
		{"pnl_min=2&pnl_max=1.99", "pnl_min", "pnl_min must not be above pnl_max."},
		{"r_min=1&r_max=0", "r_min", "r_min must not be above r_max."},
		{"hold_min=61&hold_max=60", "hold_min", "hold_min must not be above hold_max."},
		{"dte_min=5&dte_max=0", "dte_min", "dte_min must not be above dte_max."},
		{"after_losses=0", "after_losses", "after_losses must be a whole number from 1 to 20."},
		{"after_wins=21", "after_wins", "after_wins must be a whole number from 1 to 20."},
		{"nth_of_day_min=0", "nth_of_day_min", "nth_of_day_min must be a whole number from 1 to 1000000."},
		{"nth_of_day_min=3&nth_of_day_max=2", "nth_of_day_min", "nth_of_day_min must not be above nth_of_day_max."},
		{"q=%21%3F", "q", "q must contain a letter or a digit."},
		{"q=" + strings.Repeat("a", 201), "q", "q must be at most 200 bytes long."},
		{"q=" + strings.Repeat("a+b+", 20) + strings.Join(strings.Split("cdefghijklmnopqrstuvw", ""), "+"), "q", "q must have at most 20 words."},
		{"filter_tz=Mars/Base", "filter_tz", ""},
		{"from=2026-01-01", "from", ""},
		{"from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "from", "from must not be after to."},
		{"symbol=" + strings.Repeat("A,", 3) + manySymbols(), "symbol", "symbol must have at most 200 values."},
	} {
		values, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse(values)
		refusal, _ := err.(*journal.Error) //nolint:errorlint // Parse returns it itself
		if refusal == nil || refusal.Details["field"] != c.field || c.message != "" && refusal.Message != c.message {
			t.Errorf("%s: %v, want %s", c.query, err, c.message)
		}
	}
}

func manySymbols() string {
	var list []string
	for i := range 201 {
		list = append(list, "S"+strings.Repeat("X", i))
	}
	return strings.Join(list, ",")
}

func TestParseLists(t *testing.T) {
	t.Parallel()
	f, err := Parse(url.Values{
		"symbol": {"nq, es", "", "nq"}, "weekday": {"5", "1,5"}, "root": {"brr,nq"}, "emotional_state": {"Calm"},
		"q": {"Gap-up  gap"}, "outcome": {""}, "instrument_type": {"Future"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Filter{Conditions: Conditions{
		Symbols: []string{"NQ", "ES"}, Weekdays: []int{5, 1}, Roots: []string{"BRR", "BTC", "NQ"}, EmotionalStates: []string{"CALM"},
		Words: []string{"GAP", "UP"}, InstrumentTypes: []string{"future"},
	}}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("parsed %+v, want %+v", f, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"outcome=win,loss&weekday=5&hour=14,15&side=short&root=NQ", "pnl_min=-1e3&pnl_max=5", "q=Gap%20up&tag_mode=none", "filter_tz=Europe/Berlin&dte_max=7",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		first, err := Parse(values)
		again, err2 := Parse(Select(values))
		if err != nil {
			if refusal, is := err.(*journal.Error); !is || refusal.Details["field"] == nil { //nolint:errorlint // Parse returns it itself
				t.Errorf("%q: the error does not name the parameter: %v", query, err)
			}
			if err2 == nil {
				t.Errorf("%q is refused, and accepted when written again", query)
			}
			return
		}
		if err2 != nil || !reflect.DeepEqual(first, again) {
			t.Errorf("%q is parsed as %+v, and written again as %+v (%v)", query, first, again, err2)
		}
		for _, word := range first.Words {
			if !textindex.HasWord(values.Get("q"), word) {
				t.Errorf("%q has the word %q, which is not found in it", query, word)
			}
		}
	})
}
