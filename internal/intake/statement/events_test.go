package statement

import (
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
)

// TestLinkEvents: an ended option gets the shares with its strike, size and side.
func TestLinkEvents(t *testing.T) {
	t.Parallel()
	friday := time.Date(2026, 3, 20, 20, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name        string
		kind        matching.Kind
		side        matching.Side
		right       string
		shares      matching.Side
		price, size string
		later       time.Duration
		linked      bool
	}{
		{"assigned put", matching.KindAssignment, matching.Buy, "put", matching.Buy, "20", "200", 0, true},
		{"assigned call", matching.KindAssignment, matching.Buy, "call", matching.Sell, "20", "200", 72 * time.Hour, true},
		{"exercised call", matching.KindExercise, matching.Sell, "call", matching.Buy, "20", "200", 0, true},
		{"exercised put", matching.KindExercise, matching.Sell, "put", matching.Sell, "20", "200", 0, true},
		{"other side", matching.KindAssignment, matching.Buy, "put", matching.Sell, "20", "200", 0, false},
		{"other price", matching.KindAssignment, matching.Buy, "put", matching.Buy, "21", "200", 0, false},
		{"other size", matching.KindAssignment, matching.Buy, "put", matching.Buy, "20", "100", 0, false},
		{"a week later", matching.KindAssignment, matching.Buy, "put", matching.Buy, "20", "200", 168 * time.Hour, false},
		{"expired", matching.KindExpiry, matching.Buy, "put", matching.Buy, "20", "200", 0, false},
	} {
		option := &Fill{
			Symbol: "ACME", Type: "option", Right: c.right, Strike: decimal.Of(decimal.New(20)), Expiry: "2026-03-20", Kind: c.kind, Side: c.side,
			Quantity: decimal.New(2), At: friday,
		}
		shares := &Fill{Symbol: "ACME", Side: c.shares, Price: decimal.Must(c.price), Quantity: decimal.Must(c.size), At: friday.Add(c.later)}
		s := &Statement{Fills: []*Fill{shares, option}}
		s.linkEvents()
		if linked := option.EventID != "" && option.EventID == shares.EventID; linked != c.linked {
			t.Errorf("%s: events %q and %q", c.name, option.EventID, shares.EventID)
		}
	}
}

// TestSetEnding: an assignment at a price is a cash settlement.
func TestSetEnding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		right, price string
		kind, want   matching.Kind
	}{
		{"put", "0", matching.KindAssignment, matching.KindAssignment},
		{"put", "3.5", matching.KindAssignment, matching.KindSettlement},
		{"call", "3.5", matching.KindExpiry, matching.KindExpiry},
		{"", "0", matching.KindExercise, matching.KindTrade},
	} {
		f := Fill{Right: c.right, Price: decimal.Must(c.price)}
		if f.SetEnding(c.kind); f.Kind != c.want {
			t.Errorf("%+v: %s", c, f.Kind)
		}
	}
}
