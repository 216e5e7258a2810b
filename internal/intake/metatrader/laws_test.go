package metatrader

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/matching"
)

// drawn is a position in a made-up hedging account.
type drawn struct {
	id, volume, profit int
	buy                bool
	parts              []int // closed volumes, in turn
}

// drawPositions makes positions with shared times, prices and sizes, so little tells them
// apart.
func drawPositions(t *rapid.T) []drawn {
	var list []drawn
	for i := range rapid.IntRange(1, 8).Draw(t, "positions") {
		d := drawn{id: 100 + i, volume: rapid.IntRange(1, 4).Draw(t, "volume"), buy: rapid.Bool().Draw(t, "buy")}
		d.profit = i - 3
		for left := d.volume; left > 0 && rapid.IntRange(0, 4).Draw(t, "more") > 0; {
			part := rapid.IntRange(1, left).Draw(t, "part")
			d.parts = append(d.parts, part)
			left -= part
		}
		list = append(list, d)
	}
	return list
}

// writeReport writes an account's report as CSV. All positions open at one time and close
// at another, at one price.
func writeReport(list []drawn) string {
	var positions, deals, closings, open strings.Builder
	sides := map[bool]string{true: "buy", false: "sell"}
	deal := 1000
	for _, d := range list {
		deal++
		fmt.Fprintf(&deals, "2024.01.15 10:00:00;%d;EURUSD;%s;in;%d;1.1;%d;-1;0;0;0;0;\n", deal, sides[d.buy], d.volume, d.id)
		left := d.volume
		for n, part := range d.parts {
			deal++
			at := fmt.Sprintf("2024.01.15 11:00:%02d", n)
			fmt.Fprintf(&positions, "2024.01.15 10:00:00;%d;EURUSD;%s;%d;1.1;;;%s;1.2;0;0;%d\n", d.id, sides[d.buy], part, at, d.profit)
			fmt.Fprintf(&closings, "%s;%d;EURUSD;%s;out;%d;1.2;%d;0;0;0;%d;0;\n", at, deal, sides[!d.buy], part, deal+5000, d.profit)
			left -= part
		}
		if left > 0 {
			fmt.Fprintf(&open, "2024.01.15 10:00:00;%d;EURUSD;%s;%d;1.1;;;1.2;0;0;\n", d.id, sides[d.buy], left)
		}
	}
	return "Account:;;;7 (USD, Sample, demo, Hedge);;;;;;;;;;\n" + positions.String() + deals.String() + closings.String() + open.String()
}

// readText reads a report or ends the test.
func readText(t interface{ Fatal(...any) }, text string) *statement.Statement {
	file, err := tabular.Read([]byte(text), tabular.Default())
	if err != nil {
		t.Fatal(err)
	}
	found, ok := statement.Detect(file, Presets())
	if !ok {
		t.Fatal("no preset fits")
	}
	s, err := statement.Read(file, found, statement.Hints{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestHedgingLaw: whatever positions run side by side, each becomes one trade with its
// own volume and result, and only open ones stay open.
func TestHedgingLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := drawPositions(t)
		s := readText(t, writeReport(list))
		if len(s.Problems) > 0 {
			t.Fatal(s.Problems)
		}
		trades := map[string]statement.Trade{}
		for trade := range s.Trades() {
			if _, twice := trades[trade.Fill.Lot]; twice {
				t.Fatalf("lot %s has two trades", trade.Fill.Lot)
			}
			trades[trade.Fill.Lot] = trade
		}
		if len(trades) != len(list) {
			t.Fatalf("%d trades of %d positions", len(trades), len(list))
		}
		for _, d := range list {
			checkTrade(t, d, trades[fmt.Sprint(d.id)])
		}
	})
}

func checkTrade(t *rapid.T, d drawn, got statement.Trade) {
	closed := 0
	for _, part := range d.parts {
		closed += part
	}
	if (got.Direction == matching.Long) != d.buy {
		t.Errorf("%d is %s", d.id, got.Direction)
	}
	if !got.QtyOpened.Equal(decimal.New(int64(d.volume))) || !got.QtyRemaining.Equal(decimal.New(int64(d.volume-closed))) {
		t.Errorf("%d opened %s, left %s", d.id, got.QtyOpened, got.QtyRemaining)
	}
	want := decimal.New(int64(d.profit * len(d.parts)))
	if got.GrossPnL.Valid && !got.GrossPnL.Decimal.Equal(want) {
		t.Errorf("%d made %s, want %s", d.id, got.GrossPnL, want)
	}
}

// TestOpenThenClosed: an open trade in a statement is the same fill, by id or else by
// content, in the statement that closes it.
func TestOpenThenClosed(t *testing.T) {
	t.Parallel()
	const mt4 = `<html><title>Statement: 1 - X</title><table>%s</table></html>`
	row := func(ticket, title, size, closing, profit string) string {
		return "<tr><td title='" + title + "'>" + ticket + "<td>2024.01.15 10:30:00<td>buy<td>" + size +
			"<td>eurusd<td>1.1<td>0<td>0<td>" + closing + "<td>1.2<td>0<td>0<td>0<td>" + profit + "</tr>"
	}
	const mt5Head = "Account:;7 (USD, S, demo, Hedge);;;;;;;;;;;;\n"
	const mt5Open = "2024.01.15 10:30:00;71;EURUSD;buy;0.5;1.1;;;1.2;0;9;\n"
	const mt5Deals = "2024.01.15 10:30:00;81;EURUSD;buy;in;0.5;1.1;71;0;0;0;0;0;\n2024.01.16 10:30:00;82;EURUSD;sell;out;0.5;1.2;72;0;0;0;9;9;\n" +
		"2024.01.15 10:30:00;71;EURUSD;buy;0.5;1.1;;;2024.01.16 10:30:00;1.2;0;0;9\n"
	for name, c := range map[string]struct {
		before, after string
		ids           bool
	}{
		"MT4, closed at once": {
			fmt.Sprintf(mt4, row("5", "", "1.00", "", "9")),
			fmt.Sprintf(mt4, row("5", "", "1.00", "2024.01.16 10:30:00", "9")), true,
		},
		"MT4, closed in parts": {
			fmt.Sprintf(mt4, row("5", "", "1.00", "", "9")),
			fmt.Sprintf(mt4, row("5", "to #6", "0.40", "2024.01.16 10:30:00", "9")+row("6", "from #5", "0.60", "2024.01.17 10:30:00", "9")), true,
		},
		"MT4, the rest of a part": {
			fmt.Sprintf(mt4, row("5", "to #6", "0.40", "2024.01.16 10:30:00", "9")+row("6", "from #5", "0.60", "", "9")),
			fmt.Sprintf(mt4, row("6", "from #5", "0.60", "2024.01.17 10:30:00", "9")), true,
		},
		"MT5": {mt5Head + mt5Open, mt5Head + mt5Deals, false},
	} {
		first, second := opening(t, c.before), opening(t, c.after)
		if first.Lot != second.Lot || first.Lot == "" || !first.At.Equal(second.At) || !first.Price.Equal(second.Price) || first.Symbol != second.Symbol {
			t.Errorf("%s: %+v and %+v", name, first, second)
		}
		if c.ids && (first.ID == "" || first.ID != second.ID) || !c.ids && (first.ID != "" || !first.Quantity.Equal(second.Quantity)) {
			t.Errorf("%s: ids %q and %q, quantities %s and %s", name, first.ID, second.ID, first.Quantity, second.Quantity)
		}
	}
}

func opening(t *testing.T, text string) *statement.Fill {
	t.Helper()
	s := readText(t, text)
	i := slices.IndexFunc(s.Fills, func(f *statement.Fill) bool { return f.Effect == parse.Opening })
	if i < 0 {
		t.Fatalf("no opening fill in\n%s", text)
	}
	return s.Fills[i]
}

// TestManyDeals: joining deals and positions does not take quadratic time: a guess looks
// at a bounded number of positions.
func TestManyDeals(t *testing.T) {
	t.Parallel()
	const n = 4000
	var text strings.Builder
	text.WriteString("Account:;7 (USD, S, demo, Hedge);;;;;;;;;;;;\n")
	for i := range n {
		fmt.Fprintf(&text, "2024.01.15 10:00:00;%d;EURUSD;buy;in;0.1;1.1;%d;0;0;0;0;0;\n", 1+i, 10000+i)
	}
	for i := range n {
		fmt.Fprintf(&text, "2024.01.15 11:00:00;%d;EURUSD;sell;out;0.1;1.2;%d;0;0;0;1;0;\n", 20000+i, 30000+i)
	}
	s := readText(t, text.String())
	if got := s.Sum(statement.ItemNetPnL); !got.Equal(decimal.New(n)) || len(s.Fills) != 2*n {
		t.Errorf("%d fills made %s", len(s.Fills), got)
	}
}

// TestSummedRows: a row in the position table may sum up several deals, at one time or
// over the position's life. Deals with their own row come first, whatever their place.
func TestSummedRows(t *testing.T) {
	t.Parallel()
	const text = `Account:;;;7 (USD, Sample, demo, Hedge);;;;;;;;;;
2024.01.15 09:00:00;101;EURUSD;buy;0.7;1.1;;;2024.01.15 12:00:00;1.205;0;0;70
2024.01.15 10:00:00;102;EURUSD;buy;0.3;1.1;;;2024.01.15 11:00:00;1.2;0;0;30
2024.01.15 10:30:00;103;EURUSD;buy;0.5;1.1;;;2024.01.15 13:00:00;1.21;0;0;50
2024.01.15 09:00:00;1;EURUSD;buy;in;0.7;1.1;101;0;0;0;0;0;
2024.01.15 10:00:00;2;EURUSD;buy;in;0.3;1.1;102;0;0;0;0;0;
2024.01.15 10:30:00;3;EURUSD;buy;in;0.5;1.1;103;0;0;0;0;0;
2024.01.15 10:15:00;4;EURUSD;sell;out;0.3;1.2;201;0;0;0;30;0;
2024.01.15 11:00:00;5;EURUSD;sell;out;0.3;1.2;202;0;0;0;30;0;
2024.01.15 12:00:00;6;EURUSD;sell;out;0.4;1.21;203;0;0;0;40;0;
2024.01.15 13:00:00;7;EURUSD;sell;out;0.2;1.21;204;0;0;0;20;0;
2024.01.15 13:00:00;8;EURUSD;sell;out;0.3;1.21;204;0;0;0;30;0;
`
	want := map[string]string{"4": "101", "5": "102", "6": "101", "7": "103", "8": "103"}
	s := readText(t, text)
	for _, f := range s.Fills {
		if lot, closes := want[f.ID]; closes && f.Lot != lot {
			t.Errorf("deal %s closes %s, want %s", f.ID, f.Lot, lot)
		}
	}
	for trade := range s.Trades() {
		if !trade.IsClosed() {
			t.Errorf("%s is still open", trade.Fill.Lot)
		}
	}
}

// TestClosedByOpposite: if two MT4 tickets close one another, the second may have no size
// left; it holds nothing, but is no error.
func TestClosedByOpposite(t *testing.T) {
	t.Parallel()
	s := readText(t, `<table>
<tr><td title="close hedge by #6">5<td>2024.01.15 10:30:00<td>buy<td>1.00<td>eurusd<td>1.1<td>0<td>0<td>2024.01.16 10:30:00<td>1.2<td>0<td>0<td>0<td>10.00
<tr><td title="close hedge by #5">6<td>2024.01.15 11:30:00<td>sell<td>0.00<td>eurusd<td>1.2<td>0<td>0<td>2024.01.16 10:30:00<td>1.2<td>0<td>0<td>0<td>0.00
</table>`)
	if len(s.Fills) != 2 || len(s.Problems) != 0 || s.Rows != 2 {
		t.Errorf("%d fills of %d rows, problems %v", len(s.Fills), s.Rows, s.Problems)
	}
}
