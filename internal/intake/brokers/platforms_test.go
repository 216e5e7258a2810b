package brokers

import (
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

func TestSymbolOf(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"Supertrend_NASDAQ_AAPL_2026-01-05.csv":         "NASDAQ:AAPL",
		"Supertrend_NASDAQ_AAPL_2026-01-05_1a2b3.csv":   "NASDAQ:AAPL",
		"My strategy_CME_MINI_MES1!_2026-01-05 (1).csv": "CME_MINI:MES1!",
		"x_fx_idc_eurusd.csv":                           "FX_IDC:EURUSD",
		"MINI_ES1!.csv":                                 "MINI:ES1!",
		"folder/BINANCE_BTCUSDT.P.csv":                  "BINANCE:BTCUSDT.P",
		"AAPL.csv":                                      "",
		"list of trades.csv":                            "",
		"a_b c.csv":                                     "",
		"strategy_.csv":                                 "",
		"":                                              "",
	} {
		got, ok := symbolOf(file)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, want %q", file, got, want)
		}
	}
}

func TestNameChart(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"NASDAQ:XMPL":     "XMPL/",
		"XMPL":            "XMPL/",
		"cme_mini:mes1!":  "MES1!/future",
		"MNQU2026":        "MNQU2026/future",
		"NYMEX:CLZ2025":   "CLZ2025/future",
		"FX:EURUSD":       "EURUSD/forex",
		"EURUSD":          "EURUSD/forex",
		"OANDA:XAUUSD":    "XAUUSD/cfd",
		"OANDA:SPX500USD": "SPX500USD/cfd",
		"KRAKEN:ETHEUR":   "ETHEUR/crypto",
		"BINANCE:EURUSDT": "EURUSDT/crypto",
	} {
		i := nameChart(symbol, "")
		if got := i.Symbol + "/" + i.Type; got != want {
			t.Errorf("%s is %s, want %s", symbol, got, want)
		}
	}
}

func TestUnitOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2.00 Lots": "lot", "0,01 Lotes": "lot", "1 500 Oz": "oz", "1'500.5 Units": "units", "0.5": "", "": "",
	} {
		if got := unitOf(text); got != want {
			t.Errorf("%q is in %q, want %q", text, got, want)
		}
	}
}

// TestOrderCap warns about a list with exactly as many orders as TradingView writes.
func TestOrderCap(t *testing.T) {
	t.Parallel()
	const header = "Symbol,Side,Type,Qty,Fill Price,Commission,Placing Time,Closing Time,Order ID,Leverage\n"
	for n, want := range map[int]bool{99: false, 100: true, 101: false} {
		var text strings.Builder
		text.WriteString(header)
		for i := range n {
			fmt.Fprintf(&text, "NYSE:XMPL,Buy,Market,1,10,,2026-02-25 18:20:%02d,2026-02-25 18:20:%02d,%d,\n", i%60, i%60, i)
		}
		got, _ := brokertest.Read([]byte(text.String()), statement.Hints{Zone: "UTC"}, tables())
		if strings.Contains(got, "older ones may be missing") != want {
			t.Errorf("%d orders:\n%s", n, got)
		}
	}
}

// TestRepeatedTicket checks that rows get their own ids if a ticket, which may still be
// open elsewhere, comes twice.
func TestRepeatedTicket(t *testing.T) {
	t.Parallel()
	const header = "Ticket,Open Time,Type,Size,Symbol,Price,S/L,T/P,Close Time,Close Price,Commission,Swap,Profit\n"
	const row = "42,2024.01.15 10:30:00,buy,0.10,EURUSD,1.095,0,0,2024.01.15 12:30:00,1.098,0,0,30\n"
	got, _ := brokertest.Read([]byte(header+row+row), statement.Hints{}, tables())
	for _, id := range []string{"id 42/open ", "id 42/close ", "id 42#2/open ", "id 42#2/close "} {
		if strings.Count(got, id) != 1 {
			t.Errorf("%q is not there once in\n%s", id, got)
		}
	}
}
