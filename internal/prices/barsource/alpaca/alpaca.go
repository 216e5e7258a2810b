// Package alpaca fetches bars of American shares from the market data API of Alpaca.
// It asks for raw prices, which are not adjusted for splits and dividends.
//
// The client was written from Alpaca's documentation and tested against a server of
// our own. It was never tried with a live account.
package alpaca

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

const (
	host     = "data.alpaca.markets"
	pageBars = 10_000
)

// The names of the fields.
const (
	keyField    = "key_id"
	secretField = "secret_key"
	feedField   = "feed"
)

// Alpaca's names of its feeds.
const (
	sip = "sip" // all American exchanges
	iex = "iex" // one small exchange
)

var timeframes = map[int64]string{60: "1Min", 300: "5Min", 900: "15Min", 1800: "30Min", 3600: "1Hour"}

type provider struct{}

// New returns the provider.
func New() barsource.Provider { return provider{} }

// Describe implements barsource.Provider.
func (provider) Describe() barsource.Description {
	return barsource.Description{
		Name:   "alpaca",
		Title:  "Alpaca",
		Covers: "US stocks and ETFs",
		Notes:  "Free. Create an account at alpaca.markets, a paper account is enough, and generate API keys there.",
		Hosts:  []string{host},
		Fields: []remote.Field{
			{Name: keyField, Title: "API key ID", Help: "Starts with PK for a paper account.", IsSecret: true},
			{Name: secretField, Title: "Secret key", Help: "Alpaca shows it once, when you generate the key.", IsSecret: true},
			{
				Name: feedField, Title: "Feed", Help: "One exchange has a few percent of all trades, so its bars have gaps.",
				Choices: []remote.Choice{{Value: sip, Title: "All US exchanges (SIP)"}, {Value: iex, Title: "IEX only"}},
			},
		},
		BarSecs:           []int64{60, 300, 900, 1800, 3600},
		PageBars:          pageBars,
		RequestsPerMinute: 150, // of 200
		Delay:             16 * time.Minute,
	}
}

// share is the symbol of an American share, with its class: BRK.B.
var share = regexp.MustCompile(`^[A-Z]{1,5}(\.[A-Z])?$`)

// Symbol implements barsource.Provider.
func (provider) Symbol(of instruments.Priced, at time.Time) (string, bool) {
	if !barsource.IsType(of.Type, instruments.TypeStock) {
		return "", false
	}
	symbol, _ := of.PriceKeys(at)
	return symbol, share.MatchString(symbol)
}

// Fetch implements barsource.Provider.
func (p provider) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	return barsource.Fetch(ctx, client, p, credentials, query, fetchWindow)
}

type answer struct {
	Bars      remote.Member[map[string][]bar] `json:"bars"`
	NextToken string                          `json:"next_page_token"`
}

type bar struct {
	Time   time.Time     `json:"t"`
	Open   remote.Number `json:"o"`
	High   remote.Number `json:"h"`
	Low    remote.Number `json:"l"`
	Close  remote.Number `json:"c"`
	Volume remote.Number `json:"v"`
}

// fetchWindow fetches a window, which Alpaca may answer in several pages.
func fetchWindow(ctx context.Context, run *barsource.Run, window market.Range) error {
	run.Result.IsComplete = run.Value(feedField) == sip
	parameters := map[string]string{
		"symbols": run.Result.Symbol, "timeframe": timeframes[run.Secs], "adjustment": "raw", "feed": run.Value(feedField),
		"start": formatTime(window.From), "end": formatTime(window.To), "limit": strconv.Itoa(pageBars), "sort": "asc",
	}
	for {
		var page answer
		err := run.Fetch(ctx, remote.Request{
			Address:    "https://" + host + "/v2/stocks/bars",
			Parameters: parameters,
			Header:     map[string]string{"APCA-API-KEY-ID": run.Value(keyField), "APCA-API-SECRET-KEY": run.Value(secretField)},
			Classify:   classify,
		}, &page)
		if err != nil {
			return err
		}
		if !page.Bars.IsPresent {
			return remote.Malformed("it has no bars")
		}
		for _, b := range page.Bars.Value[run.Result.Symbol] {
			if err := run.Add(b.Time.Unix(), barsource.Values{Open: b.Open, High: b.High, Low: b.Low, Close: b.Close, Volume: b.Volume}); err != nil {
				return err
			}
		}
		if page.NextToken == "" {
			return nil
		}
		if page.NextToken == parameters["page_token"] {
			return remote.Malformed("its next page is the same")
		}
		parameters["page_token"] = page.NextToken
	}
}

func formatTime(second int64) string { return time.Unix(second, 0).UTC().Format(time.RFC3339) }

func classify(a remote.Answer) error {
	switch {
	case a.Status == http.StatusForbidden && !strings.Contains(a.Message, "subscription"):
		return remote.ErrUnauthorized // Alpaca answers so for a wrong key, too
	case a.Status == http.StatusBadRequest && strings.Contains(a.Message, "invalid symbol"):
		return remote.ErrNotFound
	case a.Status == http.StatusTooManyRequests:
		return &remote.RateLimited{RetryAfter: a.UntilReset("X-Ratelimit-Reset")}
	}
	return nil
}
