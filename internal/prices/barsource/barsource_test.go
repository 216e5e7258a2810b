package barsource_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/trading/instruments"
)

// fake is a provider whose answers are arrays of rows: time in milliseconds, open, high,
// low, close and volume.
type fake struct {
	description barsource.Description
	windows     []market.Range
}

func newFake() *fake {
	return &fake{description: barsource.Description{
		Name: "fake", Title: "Fake", Hosts: []string{"fake.example"}, BarSecs: []int64{60, 3600}, PageBars: 3,
		Fields: []remote.Field{{Name: "key", IsSecret: true}, {Name: "feed", Choices: []remote.Choice{{Value: "slow", Title: "Slow"}, {Value: "fast", Title: "Fast"}}}},
	}}
}

func (f *fake) Describe() barsource.Description { return f.description }

func (f *fake) Symbol(of instruments.Priced, _ time.Time) (string, bool) {
	return "X-" + of.Symbol, of.Symbol != ""
}

func (f *fake) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	f.windows = nil
	return barsource.Fetch(ctx, client, f, credentials, query, func(ctx context.Context, run *barsource.Run, window market.Range) error {
		f.windows = append(f.windows, window)
		var rows [][]remote.Number
		err := run.Fetch(ctx, remote.Request{Address: "https://fake.example/bars", Header: map[string]string{"Key": run.Value("key")}}, &rows)
		if err != nil {
			return err
		}
		for _, r := range rows {
			at, err := barsource.ParseSeconds(r[0])
			if err != nil {
				return err
			}
			if err := run.Add(at, barsource.Values{Open: r[1], High: r[2], Low: r[3], Close: r[4], Volume: r[5]}); err != nil {
				return err
			}
		}
		return nil
	})
}

func parseTime(text string) time.Time {
	at, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		panic(err)
	}
	return at
}

func newCase(provider barsource.Provider) providertest.BarCase {
	return providertest.BarCase{
		Provider:    provider,
		Credentials: map[string]string{"key": providertest.Secret},
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "ABC"}, BarSecs: 60,
			From: parseTime("2025-01-02 14:30:00"), To: parseTime("2025-01-02 14:33:00"), Now: parseTime("2025-01-02 20:00:00"),
		},
		Answer: providertest.Reply(http.StatusOK, `[[1735828200000, "1.5", 2, "1", 1.25, "10"]]`),
	}
}

func TestBarsAreExactAndInOrder(t *testing.T) {
	t.Parallel()
	c := newCase(newFake())
	for name, test := range map[string]struct {
		rows, want string
		skipped    int
	}{
		"newest first": {
			`[[1735828320000,"1.10","1.2","1","1.15","7"],[1735828260000,"1","1","1","1","0"],[1735828200000,"0.99","1.00","0.9","1","2.5"]]`,
			"2025-01-02 14:30:00 0.99 1 0.9 1 2.5\n2025-01-02 14:31:00 1 1 1 1 0\n2025-01-02 14:32:00 1.1 1.2 1 1.15 7\n", 0,
		},
		"numbers and exponents": {
			`[[1735828200000,1e-7,2.5E-7,1e-7,0.00000025,1e3]]`, "2025-01-02 14:30:00 0.0000001 0.00000025 0.0000001 0.00000025 1000\n", 0,
		},
		"digits of floats":     {`[[1735828200000,0.30000000000000004,0.5,0.1,0.2,1]]`, "2025-01-02 14:30:00 0.3 0.5 0.1 0.2 1\n", 0},
		"below zero":           {`[[1735828200000,"-37.63","-10","-40.32","-37",1]]`, "2025-01-02 14:30:00 -37.63 -10 -40.32 -37 1\n", 0},
		"the last one counts":  {`[[1735828200000,1,1,1,1,1],[1735828200000,2,2,2,2,2]]`, "2025-01-02 14:30:00 2 2 2 2 2\n", 0},
		"large volumes":        {`[[1735828200000,1,1,1,1,"123456789012345.5"],[1735828260000,1,1,1,1,"0.123456789"]]`, "2025-01-02 14:30:00 1 1 1 1 123456789012345.5\n2025-01-02 14:31:00 1 1 1 1 0.123\n", 0},
		"no volume":            {`[[1735828200000,1,1,1,1,null]]`, "2025-01-02 14:30:00 1 1 1 1 0\n", 0},
		"just outside":         {`[[1735828140000,1,1,1,1,1],[1735828380000,1,1,1,1,1]]`, "", 0},
		"not bars":             {`[[1735828200000,1,0.5,1,1,1],[1735828200000,1,1,2,1,1],[1735828200000,"","","","",1],[1735828260000,1,1,1,1,-1],[1735828260000,"NaN",1,1,1,1],[1735828260000,99999999999,99999999999,1,1,1]]`, "", 6},
		"no bars":              {`[]`, "", 0},
		"null instead of bars": {`null`, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			c.Answer = providertest.Reply(http.StatusOK, test.rows)
			got := c.MustFetch(t)
			if diff := cmp.Diff(test.want, providertest.DescribeBars(got)); diff != "" {
				t.Error(diff)
			}
			if got.Skipped != test.skipped {
				t.Errorf("skipped %d", got.Skipped)
			}
			if want := (market.Range{From: 1735828200, To: 1735828380}); got.Covered != want {
				t.Errorf("covered %v", got.Covered)
			}
		})
	}
}

func TestVolumeKind(t *testing.T) {
	t.Parallel()
	c := newCase(newFake())
	if got := c.MustFetch(t); got.VolumeKind != market.RealVolume || !got.Block.HasVolume || got.Symbol != "X-ABC" {
		t.Errorf("%+v", got)
	}
	c.Answer = providertest.Reply(http.StatusOK, `[[1735828200000,1,1,1,1,null]]`)
	if got := c.MustFetch(t); got.VolumeKind != market.NoVolume || got.Block.HasVolume {
		t.Errorf("%+v", got)
	}
}

func TestProvider(t *testing.T) {
	providertest.Run(t, func() providertest.BarCase {
		c := newCase(newFake())
		c.Want = "2025-01-02 14:30:00 1.5 2 1 1.25 10\n"
		return c
	})
}

func TestTimesThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{
		"in seconds": "1735828200", "half a second": "1735828200500", "not on the minute": "1735828210000", "another day": "1735741800000", "text": `"soon"`, "a float": "1.7358282e12",
	} {
		_, err := newCase(newFake()).Fetch(t, providertest.Reply(http.StatusOK, "[["+at+",1,1,1,1,1]]"))
		if !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestQueryIsLimited(t *testing.T) {
	t.Parallel()
	whole := market.Range{From: 1735828200, To: 1735828380}
	for name, test := range map[string]struct {
		change  func(*barsource.Description, *barsource.Query)
		want    market.Range
		windows int
		err     error
	}{
		"whole": {func(*barsource.Description, *barsource.Query) {}, whole, 1, nil},
		"pages": {func(d *barsource.Description, _ *barsource.Query) { d.PageBars = 2 }, whole, 2, nil},
		"unfinished bar": {func(_ *barsource.Description, q *barsource.Query) {
			q.Now = parseTime("2025-01-02 14:32:59")
		}, market.Range{From: whole.From, To: whole.To - 60}, 1, nil},
		"delay": {func(d *barsource.Description, q *barsource.Query) {
			q.Now, d.Delay = parseTime("2025-01-02 14:47:30"), 16*time.Minute
		}, market.Range{From: whole.From, To: whole.From + 60}, 1, nil},
		"future":  {func(_ *barsource.Description, q *barsource.Query) { q.Now = parseTime("2025-01-02 14:00:00") }, market.Range{From: whole.From, To: whole.From}, 0, nil},
		"history": {func(d *barsource.Description, _ *barsource.Query) { d.HistoryBars = 328 }, market.Range{From: whole.From + 120, To: whole.To}, 1, nil},
		"too old": {func(d *barsource.Description, _ *barsource.Query) { d.HistoryBars = 327 }, market.Range{}, 0, barsource.ErrTooOld},
		"part of a second": {func(_ *barsource.Description, q *barsource.Query) {
			q.From = q.From.Add(time.Millisecond)
		}, market.Range{From: whole.From + 1, To: whole.To}, 1, nil},
		"empty":    {func(_ *barsource.Description, q *barsource.Query) { q.To = q.From }, market.Range{}, 0, remote.ErrQuery},
		"too long": {func(_ *barsource.Description, q *barsource.Query) { q.From = q.From.AddDate(-1, 0, 0) }, market.Range{}, 0, remote.ErrQuery},
		"length":   {func(_ *barsource.Description, q *barsource.Query) { q.BarSecs = 61 }, market.Range{}, 0, remote.ErrQuery},
		"symbol":   {func(_ *barsource.Description, q *barsource.Query) { q.Instrument.Symbol = "" }, market.Range{}, 0, barsource.ErrNotCovered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider := newFake()
			c := newCase(provider)
			test.change(&provider.description, &c.Query)
			got, err := c.Fetch(t, providertest.Reply(http.StatusOK, `[]`))
			if !errors.Is(err, test.err) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			if got.Covered != test.want || len(provider.windows) != test.windows {
				t.Errorf("covered %v in %v, want %v", got.Covered, provider.windows, test.want)
			}
		})
	}
}

func TestUnfinishedBarThatOpensAtHalfPast(t *testing.T) {
	t.Parallel()
	c := newCase(newFake())
	c.Query.BarSecs, c.Query.To, c.Query.Now = 3600, parseTime("2025-01-02 17:30:00"), parseTime("2025-01-02 17:10:00")
	c.Answer = providertest.Reply(http.StatusOK, `[[1735828200000,1,1,1,1,1],[1735835400000,2,2,2,2,2]]`)
	if got := providertest.DescribeBars(c.MustFetch(t)); got != "2025-01-02 14:30:00 1 1 1 1 1\n" {
		t.Error(got)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fields map[string]string
		ok     bool
	}{
		"defaults":       {map[string]string{"key": "abc"}, true},
		"blanks":         {map[string]string{"key": " abc\n", "feed": "fast"}, true},
		"missing":        {map[string]string{"feed": "fast"}, false},
		"unknown choice": {map[string]string{"key": "abc", "feed": "medium"}, false},
		"line break":     {map[string]string{"key": "abc\r\nHost: x"}, false},
		"too long":       {map[string]string{"key": strings.Repeat("a", 1001)}, false},
		"not ASCII":      {map[string]string{"key": "abc…"}, false},
	} {
		c := newCase(newFake())
		c.Credentials = test.fields
		if _, err := c.Fetch(t, c.Answer); (err == nil) != test.ok || err != nil && !errors.Is(err, remote.ErrQuery) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestErrorHasTheProvidersWords(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"code": -1121, "msg": "Invalid symbol."}`:               "the provider refused the query (status 400, code -1121): Invalid symbol.",
		`{"errorMessage": "Wrong\n\u0000value"}`:                  "the provider refused the query (status 400): Wrong value",
		`{"detail": {"case": "auth_failed", "message": "No."}}`:   "the provider refused the query (status 400, code auth_failed): No.",
		`{"detail": "Not so."}`:                                   "the provider refused the query (status 400): Not so.",
		`{"message": "key ` + providertest.Secret + ` is wrong"}`: "the provider refused the query (status 400): key … is wrong",
		`{"message": {"a": 1}, "code": [1]}`:                      "the provider refused the query (status 400)",
		`<html>`:                                                  "the provider refused the query (status 400)",
		`{"message": "` + strings.Repeat("é", 400) + `"}`:         "the provider refused the query (status 400): " + strings.Repeat("é", 300) + "…",
	} {
		_, err := newCase(newFake()).Fetch(t, providertest.Reply(http.StatusBadRequest, body))
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v", body, err)
		}
	}
}

func TestManyBarsAndPagesAreRefused(t *testing.T) {
	t.Parallel()
	provider := newFake()
	c := newCase(provider)
	c.Query.From, provider.description.PageBars = c.Query.From.AddDate(0, 0, -1), 5
	_, err := c.Fetch(t, providertest.Reply(http.StatusOK, `[]`))
	if !errors.Is(err, remote.ErrTooLarge) {
		t.Errorf("error %v", err)
	}
	row := `[1735828200000,1,1,1,1,1],`
	_, err = newCase(newFake()).Fetch(t, providertest.Reply(http.StatusOK, "["+strings.Repeat(row, barsource.MaxBars)+row[:len(row)-1]+"]"))
	if !errors.Is(err, remote.ErrTooLarge) {
		t.Errorf("error %v", err)
	}
}

func TestSplitPair(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"BTCUSDT": "BTC USDT", "btc/usdt": "BTC USDT", "BINANCE:BTCUSDT.P": "BTC USDT", "BTC-USDT-SWAP": "BTC USDT", "BTC/USDT:USDT": "BTC USDT",
		"ETH_BTC": "ETH BTC", "1000PEPEUSDC": "1000PEPE USDC", "BTCUSD": "BTC USD", "SOLFDUSD": "SOL FDUSD", "BTC-PERP": "", "USDT": "", "ESZ5": "", "": "",
	} {
		base, quote, ok := barsource.SplitPair(symbol)
		if got := strings.TrimSpace(base + " " + quote); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v", symbol, got, ok)
		}
	}
}
