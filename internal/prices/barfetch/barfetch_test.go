package barfetch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/base/secrets"
	"fillbook/internal/installation"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

const secret = "secret-key"

// acme is a provider of stocks with a simple protocol: the answer has the bar openings,
// one to a line.
type acme struct{}

func (acme) Describe() barsource.Description {
	return barsource.Description{
		Name: "acme", Title: "Acme", Hosts: []string{"api.acme.example"}, BarSecs: []int64{60}, PageBars: 10_000,
		Fields: []remote.Field{
			{Name: "key", Title: "key", IsSecret: true},
			{Name: "feed", Title: "feed", Choices: []remote.Choice{{Value: "all"}, {Value: "some"}}},
		},
	}
}

func (acme) Symbol(of instruments.Priced, _ time.Time) (string, bool) {
	return of.Symbol, of.Type == "stock"
}

func (acme) send(ctx context.Context, client remote.Doer, path string, credentials map[string]string, q barsource.Query) (string, error) {
	query := url.Values{
		"symbol": {q.Instrument.Symbol}, "from": {q.From.Format(time.RFC3339)}, "to": {q.To.Format(time.RFC3339)}, "key": {credentials["key"]},
		"feed": {credentials["feed"]},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.acme.example"+path+"?"+query.Encode(), nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(response.Body)
	switch response.StatusCode {
	case http.StatusOK:
		return string(body), err
	case http.StatusUnauthorized:
		return "", &remote.Error{Kind: remote.ErrUnauthorized, Status: 401, Message: "no such key"}
	case http.StatusForbidden:
		return "", &remote.Error{Kind: remote.ErrForbidden, Status: 403, Message: "no money"}
	case http.StatusNotFound:
		return "", &remote.Error{Kind: remote.ErrNotFound, Status: 404}
	case http.StatusTooManyRequests:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return "", &remote.RateLimited{RetryAfter: time.Duration(seconds) * time.Second}
	}
	return "", &remote.Error{Kind: remote.ErrUnavailable, Status: response.StatusCode}
}

func (a acme) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, q barsource.Query) (barsource.Result, error) {
	body, err := a.send(ctx, client, "/bars", credentials, q)
	if err != nil {
		return barsource.Result{}, err
	}
	result := barsource.Result{
		Symbol: q.Instrument.Symbol, PriceKind: market.TradePrice, VolumeKind: market.NoVolume, IsComplete: true,
		Covered: market.Range{From: q.From.Unix(), To: q.To.Unix()}, Block: market.Block{Secs: q.BarSecs},
	}
	for line := range strings.FieldsSeq(body) {
		at, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			return barsource.Result{}, remote.ErrMalformed
		}
		result.Block.Bars = append(result.Block.Bars, market.Bar{Time: at, Open: 100, High: 110, Low: 90, Close: 105})
	}
	return result, nil
}

// shop is acme with a price.
type shop struct{ acme }

func (s shop) Describe() barsource.Description {
	about := s.acme.Describe()
	about.Name, about.Title = "shop", "Shop"
	return about
}

func (s shop) Price(ctx context.Context, client remote.Doer, credentials map[string]string, q barsource.Query) (barsource.Price, error) {
	body, err := s.send(ctx, client, "/price", credentials, q)
	if err != nil {
		return barsource.Price{}, err
	}
	amount, err := decimal.Parse(body)
	return barsource.Price{Amount: amount, Currency: "USD"}, err
}

// fixture is an installation with a user, and the provider's server.
type fixture struct {
	*testing.T
	*installation.Installation
	clock   *testkit.Clock
	owner   journal.UserID
	account journal.AccountID
	log     *bytes.Buffer
	// asked are the requests: symbol, from and to.
	asked []string
	// answer replaces the server's answer, if it is set.
	answer http.HandlerFunc
}

func eachEngine(t *testing.T, fn func(f *fixture), change ...func(*installation.Options)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := &fixture{T: t, clock: testkit.NewClock(), log: &bytes.Buffer{}}
		server := httptest.NewServer(http.HandlerFunc(f.serve))
		t.Cleanup(server.Close)
		to, err := url.Parse(server.URL)
		f.must(err)
		keys, err := secrets.NewKeys([]byte("a root secret for tests, 32 bytes or more"))
		f.must(err)
		log := slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		options := installation.Options{
			DB: d, Keys: keys, Clock: f.clock.Now, Log: log, Identity: identity.Options{}, BarProviders: []barsource.Provider{acme{}, shop{}},
			Outbound: outbound.New(outbound.Options{Enabled: true, Endpoints: outbound.Endpoints{"acme": to, "shop": to}, Log: log}),
		}
		for _, fn := range change {
			fn(&options)
		}
		f.Installation, err = installation.New(options)
		f.must(err)
		f.owner, _ = testkit.NewUser(t, d)
		account, err := f.Ledger.CreateAccount(t.Context(), f.owner, ledger.NewAccount{Name: "Main", BaseCurrency: "USD"})
		f.must(err)
		f.account = account.ID
		fn(f)
		if strings.Contains(f.log.String(), secret) {
			t.Errorf("the log has the key:\n%s", f.log)
		}
	})
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// serve answers with a bar every hour.
func (f *fixture) serve(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	f.asked = append(f.asked, strings.TrimPrefix(r.URL.Path, "/")+" "+query.Get("symbol")+" "+query.Get("from")+" "+query.Get("to"))
	if query.Get("key") != secret || query.Get("feed") != "all" {
		f.Errorf("the credentials are %q and %q", query.Get("key"), query.Get("feed"))
	}
	if f.answer != nil {
		f.answer(w, r)
		return
	}
	if r.URL.Path == "/price" {
		_, _ = io.WriteString(w, "0.40")
		return
	}
	from, _ := time.Parse(time.RFC3339, query.Get("from"))
	to, _ := time.Parse(time.RFC3339, query.Get("to"))
	for at := from; at.Before(to.Add(-time.Minute)); at = at.Add(time.Hour) {
		_, _ = fmt.Fprintln(w, at.Unix())
	}
}

// trade buys and sells a share.
func (f *fixture) trade(symbol, kind string, opened, closed time.Time) {
	f.Helper()
	for side, at := range map[matching.Side]time.Time{matching.Buy: opened, matching.Sell: closed} {
		_, err := f.Ledger.AddExecution(f.Context(), f.owner, f.account, ledger.NewFill{
			Symbol: symbol, InstrumentType: kind, Side: side, Quantity: decimal.New(1), Price: decimal.New(1), ExecutedAt: at,
		})
		f.must(err)
	}
}

// friday is within a session; the session before is Thursday's and the one after
// Monday's, before the change of clocks and after.
var friday = time.Date(2026, 3, 6, 15, 0, 0, 0, time.UTC)

func (f *fixture) create(provider string) barfetch.Source {
	f.Helper()
	source, err := f.BarSources.Create(f.Context(), f.owner, newSource(provider))
	f.must(err)
	return source
}

func newSource(provider string) barfetch.Change {
	return barfetch.Change{
		Provider: journal.Some(provider), Credentials: journal.Some(map[string]string{"key": secret}),
	}
}

func (f *fixture) runDue() {
	f.Helper()
	f.must(f.Jobs.RunDue(f.Context()))
}

// checkAsked compares the requests since the last call.
func (f *fixture) checkAsked(want ...string) {
	f.Helper()
	if !slices.Equal(f.asked, want) {
		f.Errorf("the requests are\n%s\nwant\n%s", strings.Join(f.asked, "\n"), strings.Join(want, "\n"))
	}
	f.asked = nil
}

func (f *fixture) source(id journal.BarSourceID) barfetch.Source {
	f.Helper()
	source, err := f.BarSources.Get(f.Context(), f.owner, id)
	f.must(err)
	return source
}

func (f *fixture) runs(id journal.BarSourceID) []barfetch.Run {
	f.Helper()
	runs, err := f.BarSources.RunsOf(f.Context(), f.owner, id)
	f.must(err)
	return runs
}

func TestSessionsOfTradesAreFetched(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday.Add(time.Minute))
		f.trade("ESH6", "future", friday, friday.Add(time.Minute))
		source := f.create("acme")
		if source.Status != barfetch.StatusWaiting || source.NextRunAt == nil {
			f.Errorf("%+v", source)
		}
		f.runDue()
		const query = "bars AAPL 2026-03-05T05:00:00Z 2026-03-10T04:00:00Z"
		f.checkAsked(query)
		source = f.source(source.ID)
		if next := f.clock.Now().Add(time.Hour); source.Status != barfetch.StatusOK || source.Message != "" || source.NextRunAt.Before(next) {
			f.Errorf("%+v", source)
		}
		run := f.runs(source.ID)[0]
		if run.Outcome != barfetch.StatusOK || run.Requests != 1 || run.Inserted != 5*24-1 || len(run.Imports) != 1 || run.EndedAt == nil {
			f.Errorf("%+v", run)
		}
		series, err := f.Bars.ListSeries(f.Context(), f.owner)
		f.must(err)
		if len(series) != 1 || series[0].Symbol != "AAPL" || series[0].Bars != run.Inserted || series[0].PriceKind != market.TradePrice {
			f.Errorf("%+v", series)
		}
		imports, err := f.Bars.ListImports(f.Context(), f.owner)
		f.must(err)
		if len(imports) != 1 || imports[0].Layout != "Acme" || imports[0].ID != run.Imports[0] {
			f.Errorf("%+v", imports)
		}

		f.clock.Advance(2 * time.Hour)
		f.runDue()
		f.checkAsked()
		if runs := f.runs(source.ID); len(runs) != 1 {
			f.Errorf("a run without requests was recorded: %+v", runs)
		}
		f.trade("MSFT", "stock", friday, friday.Add(24*time.Hour*3))
		f.clock.Advance(2 * time.Hour)
		f.runDue()
		f.checkAsked("bars MSFT 2026-03-05T05:00:00Z 2026-03-10T19:04:05Z")

		f.must(f.Bars.Reverse(f.Context(), f.owner, run.Imports[0]))
		f.must(f.BarSources.Delete(f.Context(), f.owner, source.ID, nil))
		series, err = f.Bars.ListSeries(f.Context(), f.owner)
		f.must(err)
		if len(series) != 1 || series[0].Symbol != "MSFT" {
			f.Errorf("the bars of a deleted source are gone, or those of a reversed import stay: %+v", series)
		}
	})
}

// TestSessionIsFetchedAgain fetches a session while it lasts, and once after it ended.
func TestSessionIsFetchedAgain(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		today := f.clock.Now()
		f.trade("AAPL", "stock", today.Add(-20*time.Minute), today.Add(-10*time.Minute))
		source := f.create("acme")
		f.runDue()
		f.checkAsked("bars AAPL 2026-03-09T04:00:00Z 2026-03-10T15:04:05Z")
		f.clock.Advance(2 * time.Hour)
		f.runDue()
		f.checkAsked()
		f.clock.Advance(time.Minute)
		_, err := f.BarSources.Start(f.Context(), f.owner, source.ID, "") // asked by the user
		f.must(err)
		f.runDue()
		f.checkAsked("bars AAPL 2026-03-10T04:00:00Z 2026-03-10T17:05:05Z")
		f.clock.Advance(12 * time.Hour) // the next session has begun
		f.runDue()
		f.checkAsked("bars AAPL 2026-03-10T04:00:00Z 2026-03-11T05:05:05Z")
		f.clock.Advance(24 * time.Hour)
		f.runDue()
		f.checkAsked("bars AAPL 2026-03-11T04:00:00Z 2026-03-12T04:00:00Z")
		f.clock.Advance(240 * time.Hour)
		f.runDue()
		f.checkAsked()
	})
}

func TestSymbolsAndSinceLimitASource(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		f.trade("MSFT", "stock", friday, friday)
		change := newSource("acme")
		change.Symbols, change.Since = journal.Some([]string{"msft"}), journal.Some(journal.Day("2026-03-08"))
		source, err := f.BarSources.Create(f.Context(), f.owner, change)
		f.must(err)
		f.runDue()
		f.checkAsked("bars MSFT 2026-03-09T04:00:00Z 2026-03-10T04:00:00Z")
		_, err = f.BarSources.Update(f.Context(), f.owner, source.ID, barfetch.Change{Symbols: journal.Some([]string{})}, nil)
		f.must(err)
		f.runDue()
		f.checkAsked("bars AAPL 2026-03-09T04:00:00Z 2026-03-10T04:00:00Z")
		_, err = f.BarSources.Update(f.Context(), f.owner, source.ID, barfetch.Change{Since: journal.Some(journal.Day("2026-03-11"))}, nil)
		checkField(f, err, "since")
	})
}

func checkField(f *fixture, err error, field string) {
	f.Helper()
	var refused *journal.Error
	if !errors.As(err, &refused) || refused.Details["field"] != field {
		f.Errorf("want an error of %s: %v", field, err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		status  barfetch.Status
		message string
		wait    time.Duration // until the next run; 0 for none
	}{
		"wrong key": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
			barfetch.StatusAttention, "Acme doesn't accept the key. Enter it again. It says: no such key.", 0,
		},
		"no money": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
			barfetch.StatusAttention, "Acme refused the request. Check your key and your plan there. It says: no money.", 0,
		},
		"too many": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "90")
				w.WriteHeader(http.StatusTooManyRequests)
			}, barfetch.StatusWaiting, "Acme got too many requests. Fillbook tries again later.", 90 * time.Second,
		},
		"unavailable": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			barfetch.StatusWaiting, "Acme doesn't answer. Fillbook tries again later.", time.Minute,
		},
		"malformed": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") },
			barfetch.StatusWaiting, "The answer of Acme can't be read. Fillbook tries again later.", time.Minute,
		},
		"unknown symbol": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
			barfetch.StatusOK, "Acme has no prices of AAPL.", time.Hour,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(f *fixture) {
				f.trade("AAPL", "stock", friday, friday)
				f.answer = c.answer
				source := f.create("acme")
				f.runDue()
				source = f.source(source.ID)
				if source.Status != c.status || source.Message != c.message || (source.NextRunAt == nil) != (c.wait == 0) {
					f.Errorf("%+v", source)
				}
				if run := f.runs(source.ID)[0]; run.Outcome != c.status || run.Message != c.message || run.Requests != 1 {
					f.Errorf("%+v", run)
				}
				if c.wait == 0 {
					return
				}
				if wait := source.NextRunAt.Sub(f.clock.Now()); wait < c.wait || wait > c.wait+c.wait/10 {
					f.Errorf("the next run is in %v", wait)
				}
				f.answer, f.asked = nil, nil
				f.clock.Advance(c.wait * 2)
				f.runDue()
				if asked := len(f.asked) == 1; asked != (c.status == barfetch.StatusWaiting) {
					f.Errorf("the next run sent %v", f.asked)
				}
			})
		})
	}
}

// TestFailingEnds checks that a provider that never answers is not asked for ever.
func TestFailingEnds(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		f.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
		source := f.create("acme")
		for range 30 {
			f.runDue()
			f.clock.Advance(27 * time.Hour)
		}
		if got := f.source(source.ID); got.Status != barfetch.StatusFailed || got.NextRunAt != nil || len(f.asked) > 11 {
			f.Errorf("%+v after %d requests", got, len(f.asked))
		}
	})
}

// TestInterruptedRun stops a server during a run: another one begins again.
func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		source := f.create("acme")
		ctx, stop := context.WithCancel(f.Context())
		f.answer = func(_ http.ResponseWriter, r *http.Request) {
			stop()
			<-r.Context().Done()
		}
		_ = f.Jobs.RunDue(ctx)
		f.answer = nil
		f.runDue()
		runs := f.runs(source.ID)
		if len(runs) != 2 || runs[1].Outcome != fetch.StatusInterrupted || runs[0].Outcome != barfetch.StatusOK || runs[0].Inserted == 0 {
			f.Errorf("%+v", runs)
		}
	})
}

func TestNoRoomForBars(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		source := f.create("acme")
		f.runDue()
		if got := f.source(source.ID); got.Status != barfetch.StatusAttention || !strings.Contains(got.Message, "10 bars") {
			f.Errorf("%+v", got)
		}
		if used, _, err := f.Bars.Usage(f.Context(), f.owner); err != nil || used != 0 {
			f.Errorf("%d bars, %v", used, err)
		}
	}, func(o *installation.Options) { o.BarsPerUser = 10 })
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		for field, credentials := range map[string]map[string]string{
			"credentials.key":   {"feed": "all"},
			"credentials.feed":  {"key": secret, "feed": "none"},
			"credentials.other": {"key": secret, "other": "x"},
		} {
			change := newSource("acme")
			change.Credentials = journal.Some(credentials)
			_, err := f.BarSources.Create(f.Context(), f.owner, change)
			checkField(f, err, field)
		}
		change := newSource("acme")
		change.Credentials = journal.Some(map[string]string{"key": "a\nb"})
		_, err := f.BarSources.Create(f.Context(), f.owner, change)
		checkField(f, err, "credentials.key")
		_, err = f.BarSources.Create(f.Context(), f.owner, newSource("unknown"))
		checkField(f, err, "provider")

		source := f.create("acme")
		if _, err := f.BarSources.Create(f.Context(), f.owner, newSource("acme")); !journal.IsKind(err, journal.KindConflict) {
			f.Errorf("a second source of one provider: %v", err)
		}
		var sealed []byte
		f.must(f.DB.Peek(f.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(f.Context(), `SELECT credentials FROM bar_sources WHERE user_id = $1`, f.owner).Scan(&sealed)
		}))
		if len(sealed) == 0 || bytes.Contains(sealed, []byte(secret)) {
			f.Errorf("%q is stored", sealed)
		}
		next, err := secrets.NewKeys([]byte("another root secret for tests, 32 bytes"))
		f.must(err)
		f.must(f.DB.Update(f.Context(), func(tx *db.Tx) error { return barfetch.RotateSecret(f.Context(), tx, f.Keys, next) }))
		f.BarSources.Keys = next
		f.trade("AAPL", "stock", friday, friday)
		f.runDue() // serve compares the key
		if got := f.source(source.ID); got.Status != barfetch.StatusOK || !got.HasCredentials {
			f.Errorf("%+v", got)
		}
	})
}

// TestRestoredSourceHasNoKey restores a source as a backup has it.
func TestRestoredSourceHasNoKey(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		restore := func() (added int) {
			f.must(f.DB.Update(f.Context(), func(tx *db.Tx) (err error) {
				added, _, err = barfetch.Restore(f.Context(), tx, f.owner, []barfetch.Source{{
					Provider: "acme", Symbols: []string{"AAPL"}, Since: "2026-03-01", CreatedAt: f.clock.Now(),
				}})
				return err
			}))
			return added
		}
		if restore() != 1 || restore() != 0 {
			f.Error("a source is restored twice, or not at all")
		}
		list, err := f.BarSources.List(f.Context(), f.owner)
		f.must(err)
		if s := list[0]; s.Enabled || s.HasCredentials || s.Status != barfetch.StatusAttention || s.Since != "2026-03-01" || s.NextRunAt != nil {
			f.Errorf("%+v", s)
		}
		_, err = f.BarSources.Start(f.Context(), f.owner, list[0].ID, "")
		f.must(err)
		f.runDue()
		f.checkAsked()
		_, err = f.BarSources.Update(f.Context(), f.owner, list[0].ID, barfetch.Change{
			Credentials: journal.Some(map[string]string{"key": secret}), Enabled: journal.Some(true),
		}, nil)
		f.must(err)
		f.runDue()
		if len(f.asked) != 1 {
			f.Errorf("the requests are %v", f.asked)
		}
	})
}

func TestPriceIsAskedFirst(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		f.trade("MSFT", "stock", friday, friday)
		source := f.create("shop")
		f.runDue()
		f.checkAsked() // nothing is bought without being asked
		quote, err := f.BarSources.Price(f.Context(), f.owner, source.ID)
		f.must(err)
		if !quote.Amount.Equal(decimal.Must("0.8")) || quote.Currency != "USD" || quote.Symbols != 2 || quote.Sessions != 6 || quote.Remaining != 0 {
			f.Errorf("%+v", quote)
		}
		f.asked = nil
		_, err = f.BarSources.Start(f.Context(), f.owner, source.ID, "")
		checkField(f, err, "max_price")
		_, err = f.BarSources.Start(f.Context(), f.owner, source.ID, "0.79")
		f.must(err)
		f.runDue()
		const span = " 2026-03-05T05:00:00Z 2026-03-10T04:00:00Z"
		f.checkAsked("price AAPL"+span, "bars AAPL"+span, "price MSFT"+span)
		if got := f.source(source.ID); got.Status != barfetch.StatusAttention || got.NextRunAt != nil {
			f.Errorf("%+v", got)
		}
		if _, err := f.BarSources.Start(f.Context(), f.owner, source.ID, "0.4"); !journal.IsKind(err, journal.KindLimited) {
			f.Errorf("a second run within a minute: %v", err)
		}
		f.clock.Advance(time.Minute)
		_, err = f.BarSources.Start(f.Context(), f.owner, source.ID, "0.4")
		f.must(err)
		f.runDue()
		f.checkAsked("price MSFT"+span, "bars MSFT"+span) // AAPL is not bought again
		if got := f.source(source.ID); got.Status != barfetch.StatusOK || got.NextRunAt != nil {
			f.Errorf("%+v", got)
		}
	})
}

// TestPriceIsNotSaid checks the refusal for a price the provider does not say.
func TestPriceIsNotSaid(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		source := f.create("shop")
		for status, want := range map[int]struct{ code, message string }{
			401: {"conflict", "Shop doesn't accept the key. Enter it again. It says: no such key."},
			403: {"conflict", "Shop refused the request. Check your key and your plan there. It says: no money."},
			429: {"rate_limited", "Shop got too many requests. Try again later."},
			500: {"provider_unavailable", "Shop doesn't answer. Try again later."},
		} {
			f.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
			_, err := f.BarSources.Price(f.Context(), f.owner, source.ID)
			var refused *journal.Error
			if !errors.As(err, &refused) || refused.Code != want.code || refused.Message != want.message || refused.Kind == journal.KindUnavailable {
				f.Errorf("%d: %v", status, err)
			}
		}
	})
}

func TestNothingIsSentUnlessEnabled(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		_, err := f.BarSources.Create(f.Context(), f.owner, newSource("acme"))
		var refused *journal.Error
		if !errors.As(err, &refused) || refused.Code != "outbound_disabled" || !strings.Contains(refused.Message, "SVC_OUTBOUND") {
			f.Error(err)
		}
	}, func(o *installation.Options) { o.Outbound = nil })
}
