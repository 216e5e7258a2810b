package ibkr

import (
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

func TestEffect(t *testing.T) {
	for text, want := range map[string]parse.Effect{
		"": parse.EffectUnknown, "O": parse.Opening, "O;P": parse.Opening, "C;Ep": parse.Closing, "C": parse.Closing,
		"C;O": parse.EffectUnknown, "P": parse.EffectUnknown, "A;C": parse.Closing, "Ca": parse.EffectUnknown, "O, P": parse.Opening,
	} {
		if got := readEffect(splitCodes(text)); got != want {
			t.Errorf("effect of %q is %v, want %v", text, got, want)
		}
	}
}

func TestFinest(t *testing.T) {
	for _, test := range []struct {
		levels []string
		want   string
	}{
		{nil, ""},
		{[]string{"", ""}, ""},
		{[]string{"SYMBOL_SUMMARY", "ORDER", "EXECUTION", "CLOSED_LOT"}, "EXECUTION"},
		{[]string{"ASSET_SUMMARY", "Order"}, "ORDER"},
		{[]string{"SUMMARY", "DETAIL"}, "DETAIL"},
		{[]string{"Summary"}, "SUMMARY"},
		{[]string{"CLOSED_LOT"}, ""},
	} {
		if got := finestLevel(test.levels); got != test.want {
			t.Errorf("finest of %q is %q, want %q", test.levels, got, test.want)
		}
	}
}

func TestSectionOf(t *testing.T) {
	for _, test := range []struct {
		header []string
		want   string
	}{
		{[]string{"Symbol", "DateTime", "Quantity", "TradePrice"}, tradeSection},
		{[]string{"HEADER", "TRNT", "ISIN", "TradeDate", "Quantity", "Price"}, tradeSection},
		{[]string{"ClientAccountID", "Type", "Amount", "Date/Time"}, cashSection},
		{[]string{"ClientAccountID", "Symbol", "Quantity", "MarkPrice", "ReportDate"}, otherSection},
		{[]string{"DATA", "TRNT", "U1", "ACME", "100"}, ""},
		{[]string{"Symbol", "Quantity", "Price"}, ""},
	} {
		if got := sectionOf(headerKeys(test.header)); got != test.want {
			t.Errorf("%q is %q, want %q", test.header, got, test.want)
		}
		if test.want != "" && !mayBeHeader(test.header) {
			t.Errorf("%q was passed over", test.header)
		}
	}
}

func TestIsPair(t *testing.T) {
	for symbol, want := range map[string]bool{"EUR.USD": true, "USD.TWD": true, "EIT.UN": false, "BRK.B": false, "EURUSD": false, "": false, "USD.": false} {
		if got := isPair(symbol); got != want {
			t.Errorf("isPair(%q) is %v", symbol, got)
		}
	}
}

func TestScale(t *testing.T) {
	for _, test := range []struct{ kind, stated, want string }{
		{instruments.TypeStock, "1", ""},
		{instruments.TypeForex, "1", ""},
		{instruments.TypeOption, "100", "100"},
		{instruments.TypeOption, "10", "10"},
		{instruments.TypeFuture, "0", ""},
		{instruments.TypeFuture, "", ""},
		{"", "1", ""},
		{"", "50", "50"},
		{bond, "1", "0.01"},
		{bond, "", "0.01"},
		{bond, "10", "10"},
		{warrant, "1", "1"},
	} {
		if got := multiplierOf(test.kind, null(test.stated)); !got.Equal(null(test.want)) {
			t.Errorf("multiplierOf(%s, %s) is %s, want %s", test.kind, test.stated, got, test.want)
		}
	}
}

func null(text string) decimal.Null {
	if text == "" {
		return decimal.Null{}
	}
	return decimal.Of(decimal.Must(text))
}

// If two trades are equal, only one is canceled.
func TestCancelTakesOneBack(t *testing.T) {
	const file = `Symbol,DateTime,Quantity,Price,Commission,Code,Conid,Buy/Sell
ACME,20260105;100000,5,10,-1,O,1,BUY
ACME,20260105;100000,5,10,-1,O,1,BUY
ACME,20260105;100000,-5,10,1,Ca,1,BUY (Ca.)
`
	brokertest.Check(t, []byte(file), statement.Hints{}, Presets(), `
Interactive Brokers / Flex query, executions, csv, rows 3, zone America/New_York
because a time such as 20260105;100000
  2 buy 5 ACME @ 10 at 2026-01-05T15:00:00Z commission 1 opening
  1 skipped trade cancelled by the broker
  3 skipped trade cancelled by the broker
`)
}

// The user's zone counts for all times without one.
func TestZoneOfTheUser(t *testing.T) {
	const file = "Symbol,DateTime,Quantity,Price,Conid\nACME,20260105;100000,5,10,1\nACME,20260105;100000 EST,-5,10,1\n"
	brokertest.Check(t, []byte(file), statement.Hints{Zone: "Europe/Berlin"}, Presets(), `
Interactive Brokers / Flex query, executions, csv, rows 2, zone Europe/Berlin
because a time such as 20260105;100000
  1 buy 5 ACME @ 10 at 2026-01-05T09:00:00Z
  2 sell 5 ACME @ 10 at 2026-01-05T15:00:00Z
`)
}

// Files that only look alike are left to others.
func TestForeignFilesAreLeft(t *testing.T) {
	for name, file := range map[string]string{
		"a generic list":    "Symbol,Date/Time,Quantity,Price\nACME,2026-01-05 10:00:00,5,10\n",
		"another account":   "Account,Symbol,Date/Time,Quantity,Price\nMain,ACME,2026-01-05 10:00:00,5,10\n",
		"sections of other": "Trades,Header,Symbol\nTrades,Data,ACME\n",
		"other XML":         `<Report><Trade symbol="ACME" quantity="1" tradePrice="2"/></Report>`,
	} {
		if got, _ := brokertest.Read([]byte(file), statement.Hints{}, Presets()); got != "refused: no preset fits\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
