package matching

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
)

// parseFills reads fills in these tests' notation: one a line, or separated by
// semicolons, as
//
//	side quantity@price [xMULTIPLIER] [fees F] [commission C] [stated S] [at N] [as ID] [kind K]
//
// By default a fill's id is its number, which is also its instant in microseconds.
func parseFills(t testing.TB, text string) []Fill {
	t.Helper()
	var fills []Fill
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		n := len(fills) + 1
		f := Fill{ID: strconv.Itoa(n), At: int64(n), Seq: int64(n), Multiplier: decimal.New(1)}
		if err := parseFill(strings.Fields(line), &f); err != nil {
			t.Fatalf("fill %q: %v", line, err)
		}
		fills = append(fills, f)
	}
	return fills
}

func parseFill(words []string, f *Fill) error {
	if len(words) < 2 {
		return fmt.Errorf("needs a side and quantity@price")
	}
	f.Side = Side(words[0])
	quantity, price, _ := strings.Cut(words[1], "@")
	f.Quantity, f.Price = decimal.Must(quantity), decimal.Must(price)
	for words = words[2:]; len(words) > 0; {
		if factor, ok := strings.CutPrefix(words[0], "x"); ok {
			f.Multiplier = decimal.Must(factor)
			words = words[1:]
			continue
		}
		if len(words) == 1 {
			return fmt.Errorf("%s has no value", words[0])
		}
		if err := parseFillOption(words[0], words[1], f); err != nil {
			return err
		}
		words = words[2:]
	}
	return nil
}

func parseFillOption(key, value string, f *Fill) (err error) {
	switch key {
	case "fees":
		f.Fees = decimal.Must(value)
	case "commission":
		f.Commission = decimal.Must(value)
	case "stated":
		f.StatedPnL = decimal.Of(decimal.Must(value))
	case "at":
		f.At, err = strconv.ParseInt(value, 10, 64)
	case "as":
		f.ID = value
	case "kind":
		f.Kind, err = ParseKind(value)
	default:
		err = fmt.Errorf("unknown word %s", key)
	}
	return err
}

// formatTrades renders trades for the data files, with every figure.
func formatTrades(trades []Trade) string {
	var b strings.Builder
	for _, t := range trades {
		state := "open"
		if at, ok := t.ClosedAt(); ok {
			state = fmt.Sprintf("closed at %d", at)
			if t.EndedBy != KindTrade {
				state += " by " + t.EndedBy.String()
			}
		}
		fmt.Fprintf(&b, "%s %s, remaining %s, opened at %d, %s\n", t.Direction, t.QtyOpened, t.QtyRemaining, t.OpenedAt(), state)
		fmt.Fprintf(&b, "  price     %s -> %s, multiplier %s\n", t.AvgEntry, t.AvgExit, t.Multiplier)
		fmt.Fprintf(&b, "  notional  %s -> %s, volume %s\n", t.EntryNotional, t.ExitNotional, t.Rate.Convert(t.Volume))
		fmt.Fprintf(&b, "  costs     fees %s, commission %s\n", t.FeesTotal, t.Commission)
		fmt.Fprintf(&b, "  result    gross %s, net %s, realized %s, return %s\n", t.GrossPnL, t.NetPnL, t.RealizedPnL, t.ReturnPct)
		for _, p := range t.Parts {
			fmt.Fprintf(&b, "  part      %s %s %s, fees %s, commission %s\n", p.FillID, p.Role, p.Quantity, p.Fees, p.Commission)
		}
	}
	return b.String()
}
