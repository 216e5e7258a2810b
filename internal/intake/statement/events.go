package statement

import (
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// SetEnding sets how an option ended. An assignment or exercise with a price is a cash
// settlement.
func (f *Fill) SetEnding(kind matching.Kind) {
	if f.Right == "" {
		return
	}
	if kind != matching.KindExpiry && !f.Price.IsZero() {
		kind = matching.KindSettlement
	}
	f.Kind = kind
}

// endings are the kinds of fills for rows that end an option.
var endings = map[Kind]matching.Kind{
	KindExpiry: matching.KindExpiry, KindAssignment: matching.KindAssignment, KindExercise: matching.KindExercise,
}

// delivery is what the shares for an assigned or exercised option have in common with it.
type delivery struct {
	symbol, price, quantity string
	side                    matching.Side
}

// maxDelivery is how much later, or earlier, the shares may be booked than the option.
const maxDelivery = 4 * 24 * time.Hour

// linkEvents sets the same event for assigned and exercised options and the shares for them.
func (s *Statement) linkEvents() {
	var ended []*Fill
	for _, f := range s.Fills {
		if f.EventID == "" && (f.Kind == matching.KindAssignment || f.Kind == matching.KindExercise) {
			ended = append(ended, f)
		}
	}
	if len(ended) == 0 {
		return
	}
	shares := map[delivery][]*Fill{}
	for _, f := range s.Fills {
		if f.Right == "" && f.Kind == matching.KindTrade && f.EventID == "" && (f.Type == "" || f.Type == instruments.TypeStock) {
			key := delivery{f.Symbol, f.Price.String(), f.Quantity.String(), f.Side}
			shares[key] = append(shares[key], f)
		}
	}
	names := map[string]int{}
	for _, f := range ended {
		key := f.delivery()
		at := slices.IndexFunc(shares[key], func(g *Fill) bool { return g.At.Sub(f.At).Abs() <= maxDelivery })
		if at < 0 {
			continue
		}
		name := fmt.Sprintf("%s %s %s %s %s %s", f.Kind, f.Symbol, f.Expiry, f.Right, f.Strike, journal.DayOf(f.At.UTC()))
		if names[name]++; names[name] > 1 {
			name = fmt.Sprint(name, " ", names[name])
		}
		f.EventID, shares[key][at].EventID = name, name
		shares[key] = slices.Delete(shares[key], at, at+1)
	}
}

// delivery returns what the shares for the ended option have: puts sell and calls buy for
// the holder.
func (f *Fill) delivery() delivery {
	side := f.Side
	if f.Right == "call" {
		side = matching.Buy
		if f.Side == matching.Buy {
			side = matching.Sell
		}
	}
	contract := decimal.New(100)
	return delivery{f.Symbol, f.Strike.Decimal.String(), f.Quantity.Mul(f.Multiplier.Or(contract)).String(), side}
}
