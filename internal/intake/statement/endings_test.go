package statement_test

import (
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// TestResolveEndings covers the sides of expired options.
func TestResolveEndings(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 13, 5, 0, 0, 0, time.UTC)
	fill := func(side matching.Side, quantity int64, days int) *statement.Fill {
		return &statement.Fill{
			Symbol: "PINE", Type: "option", Right: "call", Strike: decimal.Of(decimal.New(30)), Expiry: "2026-03-13",
			Side: side, Quantity: decimal.New(quantity), At: day.AddDate(0, 0, days),
		}
	}
	for _, test := range []struct {
		name   string
		before []*statement.Fill
		minus  bool
		want   matching.Side // empty if it is left out
	}{
		{"a holder sells", []*statement.Fill{fill(matching.Buy, 2, -3)}, false, matching.Sell},
		{"a writer buys back", []*statement.Fill{fill(matching.Sell, 2, -3)}, true, matching.Buy},
		{"a fill of the same day counts", []*statement.Fill{fill(matching.Buy, 2, 0)}, false, matching.Sell},
		{"a later fill does not count", []*statement.Fill{fill(matching.Buy, 2, 1)}, false, ""},
		{"a closed position does not count", []*statement.Fill{fill(matching.Buy, 2, -3), fill(matching.Sell, 2, -2)}, false, ""},
		{"a minus means that it was held", nil, true, matching.Sell},
		{"no position and no minus", nil, false, ""},
	} {
		end := fill(matching.Buy, 1, 0)
		s := &statement.Statement{Fills: append([]*statement.Fill{end}, test.before...)}
		s.ResolveEndings(map[*statement.Fill]bool{end: test.minus})
		left := len(s.Fills) == len(test.before)
		switch {
		case test.want == "" && (!left || len(s.Warnings) != 1):
			t.Errorf("%s: %d fills, warnings %q", test.name, len(s.Fills), s.Warnings)
		case test.want != "" && (left || end.Side != test.want):
			t.Errorf("%s: side %s, left out %v", test.name, end.Side, left)
		}
	}
}

// TestEndingsInTurn checks that an ending counts for the next one.
func TestEndingsInTurn(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 13, 5, 0, 0, 0, time.UTC)
	fill := func(quantity int64, days int) *statement.Fill {
		return &statement.Fill{Symbol: "PINE", Right: "put", Side: matching.Buy, Quantity: decimal.New(quantity), At: at.AddDate(0, 0, days)}
	}
	first, second, third := fill(2, 0), fill(1, 1), fill(1, 2)
	s := &statement.Statement{Fills: []*statement.Fill{second, first, fill(3, -1), third}}
	s.ResolveEndings(map[*statement.Fill]bool{first: false, second: false, third: false})
	if first.Side != matching.Sell || second.Side != matching.Sell || len(s.Fills) != 3 {
		t.Errorf("%s, %s, %d fills: three are held, two and one end, and no fourth is left", first.Side, second.Side, len(s.Fills))
	}
}
