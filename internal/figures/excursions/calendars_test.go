package excursions_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// fiveMinutes is the bar length in these tests.
const fiveMinutes = 300

// heldOverClosing is a trade held while its market is closed, with bars for all the time
// the market is open.
type heldOverClosing struct {
	symbol, instrumentType string
	zone                   string
	// hours are the session hours from one day to another, on weekdays. A session that
	// begins later than it ends begins on the day before.
	hours, first, last string
	// without is a day without a session.
	without        string
	opened, closed string
	want           string // a reason with the coverage, or the coverage
	message        string
}

var heldTrades = map[string]heldOverClosing{
	"corn for three days": {
		symbol: "ZCZ5", instrumentType: "future", zone: "America/Chicago", hours: "19:00-07:45 08:30-13:20",
		opened: "2025-09-03 10:00", closed: "2025-09-05 10:00", want: "1",
	},
	"soybeans over a weekend": {
		symbol: "ZSX5", instrumentType: "future", zone: "America/Chicago", hours: "19:00-07:45 08:30-13:20",
		opened: "2025-09-05 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"cattle": {
		symbol: "LEZ5", instrumentType: "future", zone: "America/Chicago", hours: "08:30-13:05",
		opened: "2025-09-03 10:00", closed: "2025-09-05 10:00", want: "1",
	},
	"gold future": {
		symbol: "GCZ5", instrumentType: "future", zone: "America/Chicago", hours: "17:00-16:00",
		opened: "2025-09-03 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"DAX future": {
		symbol: "FDAX 09-25", instrumentType: "future", zone: "Europe/Berlin", hours: "02:10-22:00",
		opened: "2025-09-03 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"Brent": {
		symbol: "BRNX5", instrumentType: "future", zone: "Europe/London", hours: "01:00-23:00",
		opened: "2025-09-03 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"London": {
		symbol: "VOD.L", instrumentType: "stock", zone: "Europe/London", hours: "08:00-16:30",
		opened: "2025-09-03 10:00", closed: "2025-09-05 10:00", want: "1",
	},
	"Frankfurt": {
		symbol: "SAP.DE", instrumentType: "stock", zone: "Europe/Berlin", hours: "09:00-17:30",
		opened: "2025-09-05 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"Paris": {
		symbol: "EPA:MC", instrumentType: "stock", zone: "Europe/Paris", hours: "09:00-17:30",
		opened: "2025-09-05 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"Tokyo over a weekend": {
		symbol: "7203.T", instrumentType: "stock", zone: "Asia/Tokyo", hours: "09:00-11:30 12:30-15:30",
		opened: "2025-09-05 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"Hong Kong": {
		symbol: "0700.HK", instrumentType: "stock", zone: "Asia/Hong_Kong", hours: "09:30-12:00 13:00-16:00",
		opened: "2025-09-03 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"Sydney": {
		symbol: "BHP.AX", instrumentType: "stock", zone: "Australia/Sydney", hours: "10:00-16:00",
		opened: "2025-09-03 11:00", closed: "2025-09-08 11:00", want: "1",
	},
	"Toronto on Labour Day": {
		symbol: "SHOP.TO", instrumentType: "stock", zone: "America/Toronto", hours: "09:30-16:00", first: "2025-08-29", last: "2025-09-03",
		without: "2025-09-01", opened: "2025-08-29 11:00", closed: "2025-09-02 11:00", want: "1",
	},
	"Mumbai": {
		symbol: "RELIANCE.NS", instrumentType: "stock", zone: "Asia/Kolkata", hours: "09:15-15:30",
		opened: "2025-09-03 11:00", closed: "2025-09-08 11:00", want: "1",
	},
	"gold CFD over a weekend": {
		symbol: "XAUUSD", instrumentType: "cfd", zone: "America/New_York", hours: "18:00-17:00",
		opened: "2025-09-05 12:00", closed: "2025-09-08 12:00", want: "1",
	},
	"currency CFD over a weekend": {
		symbol: "EURUSD.r", instrumentType: "cfd", zone: "America/New_York", hours: "17:00-17:00",
		opened: "2025-09-05 12:00", closed: "2025-09-08 12:00", want: "1",
	},
	"index CFD with hours of its own": {
		symbol: "GER40.cash", instrumentType: "cfd", zone: "Europe/Berlin", hours: "09:00-20:00", first: "2025-08-18", last: "2025-09-26",
		opened: "2025-09-03 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"London without its suffix": {
		symbol: "VOD", instrumentType: "stock", zone: "Europe/London", hours: "08:00-16:30", first: "2025-08-18", last: "2025-09-26",
		opened: "2025-09-05 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"Johannesburg, which has no calendar": {
		symbol: "NPN.JO", instrumentType: "stock", zone: "Africa/Johannesburg", hours: "09:00-17:00", first: "2025-08-18", last: "2025-09-26",
		opened: "2025-09-05 10:00", closed: "2025-09-08 10:00", want: "1",
	},
	"a missing day in London": {
		symbol: "VOD.L", instrumentType: "stock", zone: "Europe/London", hours: "08:00-16:30", without: "2025-09-04",
		opened: "2025-09-03 08:00", closed: "2025-09-05 16:30", want: "not_enough_bars 0.6666",
		message: "Bars are missing between 2025-09-04 07:00 and 2025-09-04 15:30 UTC.",
	},
	"a missing day of corn": {
		symbol: "ZCZ5", instrumentType: "future", zone: "America/Chicago", hours: "19:00-07:45 08:30-13:20", without: "2025-09-04",
		opened: "2025-09-03 08:30", closed: "2025-09-05 13:20", want: "not_enough_bars 0.5685",
		message: "Bars are missing between 2025-09-04 00:00 and 2025-09-04 18:20 UTC.",
	},
	"a missing day without a calendar": {
		symbol: "NPN.JO", instrumentType: "stock", zone: "Africa/Johannesburg", hours: "09:00-17:00", first: "2025-08-18", last: "2025-09-26",
		without: "2025-09-04", opened: "2025-09-03 09:00", closed: "2025-09-05 17:00", want: "not_enough_bars 0.6666",
		message: "Bars are missing between 2025-09-04 07:00 and 2025-09-04 15:00 UTC.",
	},
	"neither a calendar nor weeks of bars": {
		symbol: "NPN.JO", instrumentType: "stock", zone: "Africa/Johannesburg", hours: "09:00-17:00",
		opened: "2025-09-03 10:00", closed: "2025-09-04 10:00", want: "no_calendar 0.3333",
		message: "Bars are missing between 2025-09-03 15:00 and 2025-09-04 07:00 UTC.",
	},
}

// instant parses a time on the zone's clock.
func (h heldOverClosing) instant(t testing.TB, text string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation(h.zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// sessions returns the session bars.
func (h heldOverClosing) sessions(t testing.TB) (list []market.Bar) {
	t.Helper()
	first, last := "2025-09-01", "2025-09-10"
	if h.first != "" {
		first, last = h.first, h.last
	}
	end := h.instant(t, last+" 00:00")
	for day := h.instant(t, first+" 00:00"); !day.After(end); day = day.AddDate(0, 0, 1) {
		if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday || day.Format(time.DateOnly) == h.without {
			continue
		}
		for part := range strings.FieldsSeq(h.hours) {
			opens, closes, _ := strings.Cut(part, "-")
			date := day
			if opens >= closes {
				date = day.AddDate(0, 0, -1)
			}
			from, to := h.instant(t, date.Format(time.DateOnly)+" "+opens), h.instant(t, day.Format(time.DateOnly)+" "+closes)
			for at := from.Unix(); at < to.Unix(); at += fiveMinutes {
				list = append(list, market.Bar{Time: at, Open: 10_000, High: 10_100, Low: 9_900, Close: 10_000, Volume: 1})
			}
		}
	}
	return list
}

// TestHeldWhileClosed holds trades over nights, weekends and breaks in many markets.
func TestHeldWhileClosed(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		for name, h := range heldTrades {
			g := newFixture(f, f.db)
			key := bars.Key{Symbol: strings.ToUpper(h.symbol), Secs: fiveMinutes, PriceKind: market.TradePrice}
			g.commit(key, bars.CalendarOf(h.instrumentType, h.symbol), h.sessions(f))
			for side, at := range map[matching.Side]string{matching.Buy: h.opened, matching.Sell: h.closed} {
				g.addFills(ledger.NewFill{
					Symbol: h.symbol, InstrumentType: h.instrumentType, Side: side, Quantity: decimal.New(1), Price: decimal.New(100),
					ExecutedAt: h.instant(f, at), AllowDuplicate: true,
				})
			}
			result := g.measure(g.trades()[0].ID)
			got := result.Coverage.String()
			if !result.IsAvailable() {
				got = string(result.Reason) + " " + got
			}
			if got != h.want || !strings.HasSuffix(result.Sentence(), h.message) {
				f.Errorf("%s: %s, want %s. Message: %s", name, got, h.want, result.Sentence())
			}
		}
	})
}

// TestHoursFollowImports imports weeks without a calendar in random order. A week changes
// what is known about the other weeks' hours, so results before and after it must be
// computed again.
func TestHoursFollowImports(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		h := heldOverClosing{zone: "Africa/Johannesburg", hours: "09:00-17:00"}
		monday := h.instant(f, "2025-07-07 00:00")
		const weeks = 14
		for week := range weeks {
			for day, side := range map[int]matching.Side{1: matching.Buy, 3: matching.Sell} {
				f.addFills(ledger.NewFill{
					Symbol: "NPN.JO", InstrumentType: "stock", Side: side, Quantity: decimal.New(1), Price: decimal.New(100),
					ExecutedAt: monday.AddDate(0, 0, 7*week+day).Add(10 * time.Hour), AllowDuplicate: true,
				})
			}
		}
		trades := f.trades()
		available := 0
		for _, week := range rand.New(rand.NewPCG(7, 7)).Perm(weeks) { // no secret
			h.first, h.last = monday.AddDate(0, 0, 7*week).Format(time.DateOnly), monday.AddDate(0, 0, 7*week+4).Format(time.DateOnly)
			f.commit(bars.Key{Symbol: "NPN.JO", Secs: fiveMinutes, PriceKind: market.TradePrice}, market.NoCalendar, h.sessions(f))
			kept := f.kept()
			available = 0
			for _, trade := range trades {
				fresh := f.measure(trade.ID)
				result, isKept := kept[trade.ID]
				isKept = isKept && result.IsAvailable()
				if fresh.IsAvailable() != isKept || isKept && describe(fresh) != describe(result) {
					f.Fatalf("after week %d the result of %s is\n%s, not\n%s", week, trade.OpenedAt, describe(result), describe(fresh))
				}
				if isKept {
					available++
				}
			}
		}
		if available != weeks {
			f.Errorf("%d of %d trades have an excursion", available, weeks)
		}
	})
}
