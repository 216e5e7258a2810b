package matching

import (
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
)

// formatBrief formats a trade in one line: direction, quantity, entry, net result.
func formatBrief(trades []Trade) string {
	var lines []string
	for _, t := range trades {
		lines = append(lines, fmt.Sprintf("%s %s@%s net %s", t.Direction, t.QtyOpened, t.AvgEntry, t.NetPnL))
	}
	return strings.Join(lines, "; ")
}

// TestWorkedVectors are the examples worked by hand.
func TestWorkedVectors(t *testing.T) {
	t.Parallel()
	for fills, want := range map[string]string{
		"buy 100@10; sell 100@12":                    "long 100@10 net 200",
		"sell 50@20; buy 50@18":                      "short 50@20 net 100",
		"buy 100@10; buy 100@20; sell 200@25":        "long 200@15 net 2000",
		"buy 100@10; sell 40@12; sell 60@14":         "long 100@10 net 320",
		"buy 100@10; sell 150@12; buy 50@11":         "long 100@10 net 200; short 50@12 net 50",
		"buy 100@10; sell 300@11 fees 9; buy 200@10": "long 100@10 net 97; short 200@11 net 194",
		"buy 2@5000 x50; sell 2@5010 x50":            "long 2@5000 net 1000",
		"buy 0.1@1; buy 0.2@1; sell 0.3@1.1":         "long 0.3@1 net 0.03",
		"buy 100000@1.09312; sell 100000@1.09415":    "long 100000@1.09312 net 103",
		"buy 1@10":                                      "long 1@10 net null",
		"buy 3@1; sell 1@2; buy 1@5; sell 3@4":          "long 4@2 net 6",
		"buy 1@0; sell 1@0":                             "long 1@0 net 0",
		"sell 1@-37; buy 1@-40":                         "short 1@-37 net 3",
		"buy 10@2 x100; sell 10@0 x100":                 "long 10@2 net -2000",
		"buy 1@10 x2; buy 1@10 x3; sell 2@11 x2.5":      "long 2@10 net 5",
		"buy 1@5 at 7; sell 1@6 at 7; sell 1@6 at 7":    "long 1@5 net 1; short 1@6 net null",
		"buy 1@5 fees 1 commission 2; sell 1@5 fees -1": "long 1@5 net -2",
	} {
		if got := formatBrief(Group(parseFills(t, fills), Head{})); got != want {
			t.Errorf("%s:\n got %s\nwant %s", fills, got, want)
		}
	}
}

func TestCostsOfACrossingFillAreShared(t *testing.T) {
	t.Parallel()
	trades := Group(parseFills(t, "buy 1@10; sell 3@11 fees 1 commission -0.1; buy 2@10"), Head{})
	for i, want := range []string{"0.333333333333 -0.033333333333", "0.666666666667 -0.066666666667"} {
		if got := trades[i].FeesTotal.String() + " " + trades[i].Commission.String(); got != want {
			t.Errorf("trade %d carries %s, want %s", i, got, want)
		}
	}
	if head := trades[1].Head.Consumed; !head.Equal(decimal.New(1)) {
		t.Errorf("the second trade starts after %s of the crossing fill", head)
	}
}

// TestStatedResults: a stated result replaces the closed part's.
func TestStatedResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, fills, gross string }{
		{"one closing", "buy 100@10; sell 100@12 stated 150", "150"},
		{"every closing", "buy 100@10; sell 40@12 stated 1; sell 60@12 stated 2", "3"},
		{"some closings", "buy 100@10; sell 40@12 stated 1; sell 60@12", "121"},
		{"at average cost", "buy 1@10; buy 2@20; sell 1@30 stated 1; sell 2@30", "27.666666666667"},
		{"on an opening", "buy 1@10 stated 99; sell 1@12", "2"},
		{"zero is a statement", "buy 1@10; sell 1@12 stated 0", "0"},
		{"crossing", "buy 1@10; sell 3@12 stated 7; buy 2@11", "7 2"},
		{"short", "sell 2@10; buy 1@8 stated -5; buy 1@8", "-3"},
	} {
		var gross []string
		for _, trade := range Group(parseFills(t, c.fills), Head{}) {
			gross = append(gross, trade.GrossPnL.String())
		}
		if got := strings.Join(gross, " "); got != c.gross {
			t.Errorf("%s: gross %s, want %s", c.name, got, c.gross)
		}
	}
}

// TestRealizedWhileOpen: a closing realizes its position share at average cost, and a
// later purchase does not change what was realized.
func TestRealizedWhileOpen(t *testing.T) {
	t.Parallel()
	for fills, want := range map[string]string{
		"buy 100@10":             "0",
		"buy 100@10 fees 5":      "0",
		"buy 100@10; sell 40@12": "80",
		"buy 100@10 fees 1 commission 1; sell 40@12 fees 0.5":           "78.7",
		"buy 100@10; sell 50@12; buy 50@20":                             "100",
		"sell 3@10 fees 1; buy 1@7":                                     "2.666666666667",
		"buy 2@10 x50; sell 1@11 x50":                                   "50",
		"buy 3@1; sell 1@1 stated 5":                                    "5",
		"buy 1@1; sell 2@3 fees 1":                                      "0",
		"buy 100@10; sell 40@12; sell 60@14":                            "320",
		"buy 3@10 commission 1; sell 1@11; sell 1@11; sell 1@11 fees 1": "1",
	} {
		trades := Group(parseFills(t, fills), Head{})
		if got := trades[len(trades)-1].RealizedPnL.String(); got != want {
			t.Errorf("%s: realized %s, want %s", fills, got, want)
		}
	}
}

func TestReturnIsAbsentWithoutInvestment(t *testing.T) {
	t.Parallel()
	for fills, want := range map[string]string{
		"buy 100@10; sell 100@12":                 "20",
		"sell 1@-10; buy 1@-20":                   "100",
		"buy 1@3; sell 1@4":                       "33.333333333333",
		"buy 1@0; sell 1@4":                       "null",
		"buy 1@-5; buy 1@5; sell 2@1":             "null",
		"buy 1@10":                                "null",
		"buy 1@10 fees 1; sell 1@10 commission 1": "-20",
	} {
		if got := Group(parseFills(t, fills), Head{})[0].ReturnPct.String(); got != want {
			t.Errorf("%s: return %s, want %s", fills, got, want)
		}
	}
}

func TestNoFillsNoTrades(t *testing.T) {
	t.Parallel()
	if got := Group(nil, Head{}); len(got) != 0 {
		t.Errorf("no fills became %v", got)
	}
}

func TestInvalidFillsPanic(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fills string
		head  string
		want  string
	}{
		"side":       {"hold 1@1", "0", `fill 1 has side "hold"`},
		"quantity":   {"buy 0@1", "0", "fill 1 has quantity 0"},
		"negative":   {"buy -1@1", "0", "fill 1 has quantity -1"},
		"order":      {"buy 1@1 at 5; sell 1@1 at 4", "0", "fill 2 is before fill 1"},
		"spent head": {"buy 1@1", "1", "head consumes 1 of 1 in fill 1"},
		"minus head": {"buy 1@1", "-1", "head consumes -1 of 1 in fill 1"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); text != "matching: "+c.want {
					t.Errorf("panicked with %q, want %q", text, c.want)
				}
			}()
			Group(parseFills(t, c.fills), Head{Consumed: decimal.Must(c.head)})
		})
	}
}
