package bars_test

import (
	"testing"

	"fillbook/internal/prices/bars"
)

func TestCalendarOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ instrumentType, symbol, want string }{
		{"stock", "AAPL", "us_stocks"},
		{"stock", "BRK.B", "us_stocks"},
		{"stock", "BRK B", "us_stocks"},
		{"stock", "aapl.us", "us_stocks"},
		{"stock", "VOD.L", "london"},
		{"stock", "LSE:VOD", "london"},
		{"stock", "SAP.DE", "xetra"},
		{"stock", "7203.T", "tokyo"},
		{"stock", "7203", "none"},
		{"stock", "0700.HK", "hong_kong"},
		{"stock", "NPN.JO", "none"},
		{"stock", "DE0007164600", "none"},
		{"option", "AAPL  260116C00150000", "us_stocks"},
		{"option", "ESZ5", "cme"},
		{"option", "ZCZ5", "cbot_grains"},
		{"future", "ESZ5", "cme"},
		{"future", "/ZCZ25", "cbot_grains"},
		{"future", "ZC", "cbot_grains"},
		{"future", "GC 12-25", "cme"},
		{"future", "FGBL 12-25", "eurex"},
		{"future", "BRNX5", "ice_energy"},
		{"future", "MBTZ5", "cme_crypto"},
		{"future", "QQQQZ5", "none"},
		{"forex", "EUR/USD", "forex"},
		{"forex", "EURHKD", "forex"},
		{"forex", "XAUUSD", "cfd_metals"},
		{"crypto", "BTCUSD", "around the clock"},
		{"cfd", "XAUUSD.r", "cfd_metals"},
		{"cfd", "OANDA:XAU_USD", "cfd_metals"},
		{"cfd", "GER40.cash", "cfd_german_index"},
		{"cfd", "#US500", "cfd_us_index"},
		{"cfd", "EURUSDm", "forex"},
		{"cfd", "VOD.L", "london"},
		{"cfd", "US30.F", "cfd_us_index"},
		{"cfd", "GOLD.N", "us_stocks"},
		{"cfd", "LSE:VOD", "london"},
		{"cfd", "BTCUSD", "none"},
		{"cfd", "APPLE", "none"},
		{"", "ESZ5", "cme"},
		{"", "SAP.DE", "xetra"},
		{"", "SAP", "none"},
		{"", "GOLD", "none"},
		{"", "XAUUSD", "cfd_metals"},
		{"index", "DAX40", "cfd_german_index"},
	} {
		if got := bars.CalendarOf(c.instrumentType, c.symbol); got.String() != c.want {
			t.Errorf("%s %s has the calendar %s, want %s", c.instrumentType, c.symbol, got, c.want)
		}
	}
}

func TestSeriesCalendar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ instrumentType, symbol, series, want string }{
		{"stock", "VOD", "LON:VOD", "london"},
		{"stock", "VOD", "VOD", "us_stocks"},
		{"stock", "VOD.L", "VOD.US", "london"},
		{"future", "ESZ5", "ESZ5.L", "cme"},
	} {
		if got := bars.SeriesCalendar(c.instrumentType, c.symbol, c.series); got.String() != c.want {
			t.Errorf("%s %s with bars of %s has the calendar %s, want %s", c.instrumentType, c.symbol, c.series, got, c.want)
		}
	}
}
