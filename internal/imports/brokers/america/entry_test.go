package america

import (
	"testing"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

func TestHiddenCosts(t *testing.T) {
	for _, test := range []struct {
		name                    string
		fill                    statement.Fill
		quantity, price, amount string
		free                    bool
		wantPrice, wantFees     string
	}{
		{"sold shares", statement.Fill{Side: matching.Sell}, "100", "11.75", "1174.97", false, "11.75", "0.03"},
		{"bought shares", statement.Fill{Side: matching.Buy}, "100", "11.57", "-1156.76", true, "11.5676", "0"},
		{"bought shares, rounded up", statement.Fill{Side: matching.Buy}, "100", "11.57", "-1157.04", true, "11.5704", "0"},
		{"a price that does not come out even", statement.Fill{Side: matching.Buy}, "3", "1.67", "-5", true, "1.67", "-0.01"},
		{"sold for more than the price", statement.Fill{Side: matching.Sell}, "4", "2.50", "10.01", false, "2.5025", "0"},
		{"nothing hidden", statement.Fill{Side: matching.Buy}, "2", "10", "-20", true, "10", "0"},
		{"an option", statement.Fill{Side: matching.Sell, Type: "option", Right: "put"}, "1", "0.22", "21.98", false, "0.22", "0.02"},
		{"many cheap options", statement.Fill{Side: matching.Sell, Type: "option", Right: "put"}, "100", "0.01", "95.9", false, "0.01", "4.1"},
		{"too much to be costs", statement.Fill{Side: matching.Sell}, "100", "11.75", "117.5", false, "11.75", "0"},
		{"no quantity", statement.Fill{Side: matching.Sell}, "0", "1", "0.05", false, "1", "0"},
		{"no amount", statement.Fill{Side: matching.Sell}, "1", "1", "", false, "1", "0"},
	} {
		f := test.fill
		f.Symbol, f.Quantity, f.Price = "PEAR", decimal.Must(test.quantity), decimal.Must(test.price)
		if test.amount != "" {
			f.StatedCashFlow = decimal.Of(decimal.Must(test.amount))
		}
		hiddenCosts(&f, test.free)
		if !f.Price.Equal(decimal.Must(test.wantPrice)) || !f.Fees.Equal(decimal.Must(test.wantFees)) {
			t.Errorf("%s: price %s, fees %s; want %s and %s", test.name, f.Price, f.Fees, test.wantPrice, test.wantFees)
		}
	}
}

func TestFidelityWords(t *testing.T) {
	for text, want := range map[string]statement.Kind{
		"YOU BOUGHT OPENING TRANSACTION PUT (WREN)": statement.KindBuyOpen,
		"YOU SOLD CLOSING TRANSACTION PUT (WREN)":   statement.KindSellClose,
		"You Bought WREN INC":                       statement.KindBuy,
		"YOU SOLD SHORT SALE WREN":                  statement.KindSellOpen,
		"YOU BOUGHT SHORT COVER WREN":               statement.KindBuyClose,
		"YOU BOUGHT ASSIGNED PUTS AS OF 02-20-26":   statement.KindBuy,
		"ASSIGNED as of 2026-07-10 PUT (WREN)":      statement.KindAssignment,
		"EXPIRED CALL (WREN)":                       statement.KindExpiry,
		"MARGIN INTEREST @ 11%":                     statement.KindInterest,
		"FOREIGN TAX PAID WREN":                     statement.KindDividend,
		"Check Paid # 9999":                         statement.KindTransfer,
		"DIRECT DEBIT POWER CO":                     statement.KindTransfer,
		"TRANSFERRED TO 444444444":                  statement.KindTransfer,
		"PURCHASE INTO CORE ACCOUNT":                statement.KindRepeated,
		"CHECKING REWARD":                           "",
		"":                                          "",
	} {
		if got := statement.FindKind(fidelityWords, text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestDayBeforeTime(t *testing.T) {
	for text, want := range map[string]string{
		"07:42:23 AM\n05/27/2026":   "05/27/2026 07:42:23 AM",
		"07:03:10 PM ET 05/27/2026": "05/27/2026 07:03:10 PM ET",
		"05/27/2026 07:42:23 AM":    "05/27/2026 07:42:23 AM",
		"05/27/2026":                "05/27/2026",
		"":                          "",
	} {
		if got := dayBeforeTime(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestIsCUSIP(t *testing.T) {
	for text, want := range map[string]bool{
		"91282CAA8": true, "412003AD7": true, "": false, "BASL": false, "ABCDEFGHI": false, "91282CAA": false, "91282CAA88": false, "91282CAa8": false,
	} {
		if got := isCUSIP(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSettleEndings(t *testing.T) {
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
		want   matching.Side // none is left out
	}{
		{"what was held is sold", []*statement.Fill{fill(matching.Buy, 2, -3)}, false, matching.Sell},
		{"what was owed is bought", []*statement.Fill{fill(matching.Sell, 2, -3)}, true, matching.Buy},
		{"a fill of the same day counts", []*statement.Fill{fill(matching.Buy, 2, 0)}, false, matching.Sell},
		{"a later fill does not", []*statement.Fill{fill(matching.Buy, 2, 1)}, false, ""},
		{"what was closed is nothing", []*statement.Fill{fill(matching.Buy, 2, -3), fill(matching.Sell, 2, -2)}, false, ""},
		{"a minus says that it was held", nil, true, matching.Sell},
		{"nothing says anything", nil, false, ""},
	} {
		end := fill(matching.Buy, 1, 0)
		r := &statement.Reader{Out: &statement.Statement{Fills: append([]*statement.Fill{end}, test.before...)}}
		remembered(r).endings[end] = test.minus
		settleEndings(r)
		left := len(r.Out.Fills) == len(test.before)
		switch {
		case test.want == "" && (!left || len(r.Out.Warnings) != 1):
			t.Errorf("%s: %d fills, warnings %q", test.name, len(r.Out.Fills), r.Out.Warnings)
		case test.want != "" && (left || end.Side != test.want):
			t.Errorf("%s: side %s, left out %v", test.name, end.Side, left)
		}
	}
}

// TestEndingsInTurn holds that an end counts for the next one.
func TestEndingsInTurn(t *testing.T) {
	at := time.Date(2026, 3, 13, 5, 0, 0, 0, time.UTC)
	fill := func(quantity int64, days int) *statement.Fill {
		return &statement.Fill{Symbol: "PINE", Right: "put", Side: matching.Buy, Quantity: decimal.New(quantity), At: at.AddDate(0, 0, days)}
	}
	first, second := fill(2, 0), fill(1, 1)
	r := &statement.Reader{Out: &statement.Statement{Fills: []*statement.Fill{second, first, fill(3, -1)}}}
	remembered(r).endings[first] = false
	remembered(r).endings[second] = false
	third := fill(1, 2)
	r.Out.Fills = append(r.Out.Fills, third)
	remembered(r).endings[third] = false
	settleEndings(r)
	if first.Side != matching.Sell || second.Side != matching.Sell || len(r.Out.Fills) != 3 {
		t.Errorf("%s, %s, %d fills: three are held, two and one end, and there is no fourth", first.Side, second.Side, len(r.Out.Fills))
	}
}
