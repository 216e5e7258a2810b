package barfetch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/installation"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/rates"
	"fillbook/internal/providers/frankfurter"
	"fillbook/internal/trading/ledger"
)

// bank is a Frankfurter server. Every day but weekends has the rate 1.25.
type bank struct {
	asked []string
	// answer replaces the answer, if it is set.
	answer http.HandlerFunc
}

func (b *bank) serve(w http.ResponseWriter, r *http.Request) {
	b.asked = append(b.asked, strings.TrimPrefix(r.URL.Path, "/v1/")+" "+r.URL.Query().Get("symbols"))
	if b.answer != nil {
		b.answer(w, r)
		return
	}
	first, last, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "..")
	var days []string
	for day := journal.Day(first); day <= journal.Day(last); day = day.AddDays(1) {
		if day.Weekday() != int(time.Saturday) && day.Weekday() != int(time.Sunday) {
			days = append(days, fmt.Sprintf(`%q:{%q:1.25}`, day, r.URL.Query().Get("symbols")))
		}
	}
	fmt.Fprintf(w, `{"amount":1.0,"base":"EUR","rates":{%s}}`, strings.Join(days, ","))
}

func (b *bank) checkAsked(f *fixture, want ...string) {
	f.Helper()
	if diff := cmp.Diff(want, b.asked); diff != "" {
		f.Error(diff)
	}
	b.asked = nil
}

// fast is a provider that may be asked without pauses.
type fast struct{ barsource.Provider }

func (p fast) Describe() barsource.Description {
	about := p.Provider.Describe()
	about.RequestsPerMinute = 1_000_000
	return about
}

// eachBank is eachEngine with a Frankfurter server.
func eachBank(t *testing.T, fn func(f *fixture, b *bank)) {
	t.Helper()
	var banks sync.Map // by database: the engines are tested at the same time
	eachEngine(t, func(f *fixture) {
		b, _ := banks.Load(f.DB)
		fn(f, b.(*bank))
	}, func(o *installation.Options) {
		b := &bank{}
		banks.Store(o.DB, b)
		server := httptest.NewServer(http.HandlerFunc(b.serve))
		t.Cleanup(server.Close)
		to, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		o.BarProviders = []barsource.Provider{fast{frankfurter.Bars()}}
		o.Outbound = outbound.New(outbound.Options{Enabled: true, Endpoints: outbound.Endpoints{"frankfurter": to}, Log: o.Log})
	})
}

func (f *fixture) addAccount(currency string) {
	f.Helper()
	_, err := f.Ledger.CreateAccount(f.Context(), f.owner, ledger.NewAccount{Name: currency, BaseCurrency: currency})
	f.must(err)
}

func (f *fixture) createRates(symbols ...string) barfetch.Source {
	f.Helper()
	source, err := f.BarSources.Create(f.Context(), f.owner, barfetch.Change{Provider: journal.Some("frankfurter"), Symbols: journal.Some(symbols)})
	f.must(err)
	return source
}

// TestRatesOfCurrenciesAreFetched starts on a Tuesday at 15:04 UTC, before the day's
// rate.
func TestRatesOfCurrenciesAreFetched(t *testing.T) {
	t.Parallel()
	eachBank(t, func(f *fixture, b *bank) {
		f.addAccount("EUR")
		f.addAccount("GBP")
		f.addAccount("USDT")
		source := f.createRates("CHF", "EURTWD", "GBP", "EUR")
		f.runDue()
		b.checkAsked(f) // there is no trade
		f.trade("EURUSD", "forex", friday, friday.Add(time.Minute))
		f.clock.Advance(2*time.Hour - 70*time.Minute) // 15:54
		_, err := f.BarSources.Start(f.Context(), f.owner, source.ID, "")
		f.must(err)
		f.runDue()
		// A week before the first trade begins on Friday; the 10th is not published.
		b.checkAsked(f, "2026-02-27..2026-03-09 CHF", "2026-02-27..2026-03-09 GBP", "2026-02-27..2026-03-09 USD")
		got := f.source(source.ID)
		if got.Status != barfetch.StatusOK || got.Message != "ECB rates (Frankfurter) has no rates of TWD, USDT." {
			f.Errorf("%+v", got)
		}
		run := f.runs(source.ID)[0]
		if run.Requests != 3 || run.Inserted != 3*7 || len(run.Imports) != 1 {
			f.Errorf("%+v", run)
		}
		series, err := f.Bars.ListSeries(f.Context(), f.owner)
		f.must(err)
		var symbols []string
		for _, s := range series {
			if symbols = append(symbols, s.Symbol); s.PriceKind != market.ReferencePrice || s.Secs != market.ReferenceSecs {
				f.Errorf("%+v", s)
			}
		}
		if !slices.Equal(symbols, []string{"EURCHF", "EURGBP", "EURUSD"}) {
			f.Errorf("the series are %v", symbols)
		}
		f.must(f.DB.View(f.Context(), func(tx *db.Tx) error {
			table, err := rates.Load(f.Context(), tx, f.owner, []string{"USD", "GBP"}, rates.DayRange{From: "2026-03-10", To: "2026-03-10"})
			if rate, ok := table.Find("GBP", "USD", "2026-03-10"); !ok || rate.Day != "2026-03-09" || rate.Source != "ECB rates (Frankfurter)" {
				f.Errorf("%+v", rate)
			}
			return err
		}))

		f.clock.Advance(2 * time.Hour) // 17:54
		f.runDue()
		b.checkAsked(f, "2026-03-10..2026-03-10 CHF", "2026-03-10..2026-03-10 GBP", "2026-03-10..2026-03-10 USD")
		f.clock.Advance(2 * time.Hour)
		f.runDue()
		b.checkAsked(f)
		// Once more after the day, in case the rate was late.
		f.clock.Advance(6 * time.Hour)
		f.runDue()
		b.checkAsked(f, "2026-03-10..2026-03-10 CHF", "2026-03-10..2026-03-10 GBP", "2026-03-10..2026-03-10 USD")
		f.clock.Advance(2 * time.Hour)
		f.runDue()
		b.checkAsked(f)
		// After the weekend: four days together, and no Saturday alone.
		f.clock.Advance(4*24*time.Hour - 2*time.Hour)
		f.runDue()
		b.checkAsked(f, "2026-03-11..2026-03-13 CHF", "2026-03-11..2026-03-13 GBP", "2026-03-11..2026-03-13 USD")
	})
}

func TestRatesSince(t *testing.T) {
	t.Parallel()
	eachBank(t, func(f *fixture, b *bank) {
		f.trade("AAPL", "stock", friday.AddDate(-1, 0, 0), friday)
		source, err := f.BarSources.Create(f.Context(), f.owner, barfetch.Change{
			Provider: journal.Some("frankfurter"), Since: journal.Some(journal.Day("2026-03-05")),
		})
		f.must(err)
		f.runDue()
		b.checkAsked(f, "2026-03-05..2026-03-09 USD")
		_, err = f.BarSources.Update(f.Context(), f.owner, source.ID, barfetch.Change{Since: journal.Some(journal.Day("2025-12-10"))}, nil)
		f.must(err)
		f.clock.Advance(time.Minute)
		f.runDue()
		b.checkAsked(f, "2025-12-10..2026-03-04 USD") // the other days were asked for
	})
}

// TestRatesBegin moves to 1999, when the first rates were published.
func TestRatesBegin(t *testing.T) {
	t.Parallel()
	eachBank(t, func(f *fixture, b *bank) {
		now := time.Date(1999, 2, 10, 20, 0, 0, 0, time.UTC)
		f.clock.Advance(now.Sub(f.clock.Now()))
		f.trade("AAPL", "stock", now.AddDate(-1, 0, 0), now)
		f.createRates()
		f.runDue()
		b.checkAsked(f, "1999-01-04..1999-02-10 USD")
	})
}

func TestRatesAfterErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		status  barfetch.Status
		message string
	}{
		"429": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		}, barfetch.StatusWaiting, "too many requests"},
		"truncated": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"amount":1.0,"base":"EUR","rates":{"2026-03-`))
		}, barfetch.StatusWaiting, ""},
		"unavailable": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, barfetch.StatusWaiting, ""},
		"not found": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
		}, barfetch.StatusOK, "has no rates of USD."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachBank(t, func(f *fixture, b *bank) {
				f.trade("AAPL", "stock", friday, friday.Add(time.Minute))
				source := f.createRates()
				b.answer = c.answer
				f.runDue()
				got := f.source(source.ID)
				if got.Status != c.status || !strings.Contains(got.Message, c.message) || len(b.asked) != 1 {
					f.Errorf("%d requests: %+v", len(b.asked), got)
				}
				if series, err := f.Bars.ListSeries(f.Context(), f.owner); err != nil || len(series) > 0 {
					f.Errorf("%+v %v", series, err)
				}
				if c.status == barfetch.StatusOK {
					return
				}
				b.answer, b.asked = nil, nil
				f.clock.Advance(time.Hour)
				f.runDue()
				b.checkAsked(f, "2026-02-27..2026-03-10 USD") // with the day's rate
			})
		})
	}
}
