package brokers

import (
	"testing"
	"time"

	"golang.org/x/text/encoding/japanese"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

func TestNameNSE(t *testing.T) {
	for _, test := range []struct {
		symbol string
		given  journal.Day
		want   statement.Instrument
	}{
		{"reliance", "", statement.Instrument{Symbol: "RELIANCE", Type: "stock"}},
		{"M&M", "", statement.Instrument{Symbol: "M&M", Type: "stock"}},
		{"20MICRONS", "", statement.Instrument{Symbol: "20MICRONS", Type: "stock"}},
		{"NIFTY26OCTFUT", "", statement.Instrument{Symbol: "NIFTY26OCTFUT", Type: "future"}},
		{"NIFTY26OCT24500CE", "", nseOption("NIFTY26OCT24500CE", "call", "24500", "")},
		{"NIFTY26OCT24500CE", "2026-10-27", nseOption("NIFTY", "call", "24500", "2026-10-27")},
		{"EURINR26OCT90.5PE", "", nseOption("EURINR26OCT90.5PE", "put", "90.5", "")},
		{"NIFTY2610724500PE", "", nseOption("NIFTY", "put", "24500", "2026-01-07")},
		{"BANKNIFTY26O0751000CE", "", nseOption("BANKNIFTY", "call", "51000", "2026-10-07")},
		{"NIFTY26N0324500PE", "", nseOption("NIFTY", "put", "24500", "2026-11-03")},
		{"NIFTY26D0124500PE", "", nseOption("NIFTY", "put", "24500", "2026-12-01")},
		{"NIFTY2623024500PE", "", statement.Instrument{Symbol: "NIFTY2623024500PE", Type: "stock"}}, // 30 February
		{"M&M26OCT1500CE", "2026-10-27", nseOption("M&M", "call", "1500", "2026-10-27")},
	} {
		got := nameNSE(test.symbol+" "+string(test.given), "")
		if got.Symbol != test.want.Symbol || got.Type != test.want.Type || got.Right != test.want.Right ||
			got.Expiry != test.want.Expiry || !got.Strike.Equal(test.want.Strike) {
			t.Errorf("%s is %s %s %s %s %s", test.symbol, got.Type, got.Symbol, got.Right, got.Strike, got.Expiry)
		}
	}
}

func nseOption(symbol, right, strike string, expiry journal.Day) statement.Instrument {
	return statement.Instrument{Symbol: symbol, Type: "option", Right: right, Strike: decimal.Of(decimal.Must(strike)), Expiry: expiry}
}

func TestNSEFuture(t *testing.T) {
	for _, test := range []struct {
		root string
		day  journal.Day
		want string
	}{
		{"Nifty", "2026-10-28", "NIFTY26OCTFUT"},
		{"USDINR", "2027-01-27", "USDINR27JANFUT"},
		{"NIFTY", "", "NIFTYFUT"},
	} {
		if got := nseFuture(test.root, test.day); got != test.want {
			t.Errorf("%s %s is %s, want %s", test.root, test.day, got, test.want)
		}
	}
}

func TestNSETradeID(t *testing.T) {
	evening := time.Date(2026, 10, 1, 19, 0, 0, 0, time.UTC) // the 2nd in India
	for _, test := range []struct {
		at               time.Time
		exchange, number string
		want             string
	}{
		{evening, "nse", "17", "2026-10-02/NSE/17"},
		{evening, "", "17", "2026-10-02//17"},
		{evening, "NSE", "", ""},
		{time.Time{}, "NSE", "17", ""},
	} {
		if got := nseTradeID(test.at, test.exchange, test.number); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// Japanese files come in Shift_JIS.
func TestShiftJIS(t *testing.T) {
	const text = "約定履歴照会\r\n約定日,銘柄,銘柄コード,市場,取引,期限,預り,課税,約定数量,約定単価,手数料/諸経費等,税額,受渡日,受渡金額/決済損益\r\n" +
		"2026/01/05,例の製作所,285A,東証,株式現物買,--,特定,--,100,\"1,250\",55,0,2026/01/07,\"125,055\"\r\n"
	data, err := japanese.ShiftJIS.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	brokertest.Check(t, data, statement.Hints{Currency: "JPY"}, tables(), `
SBI Securities / trade history, executions, csv, rows 1, zone Asia/Tokyo
because matched header 約定日 + 銘柄コード + 取引 + 約定数量 + 約定単価 + 受渡金額/決済損益
account "" type "" currency "JPY"
  1 buy 100 stock 285A @ 1250 at 2026-01-04T15:00:00Z (day) commission 55
`)
}
