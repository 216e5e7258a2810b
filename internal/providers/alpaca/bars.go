package alpaca

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

const (
	barHost  = "data.alpaca.markets"
	pageBars = 10_000
)

// The fields, whose names differ from a connection's.
const (
	barKeyField    = "key_id"
	barSecretField = "secret_key"
	feedField      = "feed"
)

// Alpaca's feed names.
const (
	sip = "sip" // all American exchanges
	iex = "iex" // one small exchange
)

var timeframes = map[int64]string{60: "1Min", 300: "5Min", 900: "15Min", 1800: "30Min", 3600: "1Hour"}

type barClient struct{}

// Bars returns the price provider.
func Bars() barsource.Provider { return barClient{} }

// Describe implements barsource.Provider.
func (barClient) Describe() barsource.Description {
	return barsource.Description{
		Name:   "alpaca",
		Title:  "Alpaca",
		Covers: "US stocks and ETFs",
		Notes:  "Free. Create an account at alpaca.markets, a paper account is enough, and generate API keys there.",
		Hosts:  []string{barHost},
		Fields: []remote.Field{
			{Name: barKeyField, Title: "API key ID", Help: "Starts with PK for a paper account.", IsSecret: true},
			{Name: barSecretField, Title: "Secret key", Help: "Alpaca shows it once, when you generate the key.", IsSecret: true},
			{
				Name: feedField, Title: "Feed", Help: "One exchange has a few percent of all trades, so its bars have gaps.",
				Choices: []remote.Choice{{Value: sip, Title: "All US exchanges (SIP)"}, {Value: iex, Title: "IEX only"}},
			},
		},
		BarSecs:           []int64{60, 300, 900, 1800, 3600},
		PageBars:          pageBars,
		RequestsPerMinute: 150, // the limit is 200
		Delay:             16 * time.Minute,
	}
}

// share is a US share symbol, with its class: BRK.B.
var share = lazyregexp.New(`^[A-Z]{1,5}(\.[A-Z])?$`)

// Symbol implements barsource.Provider.
func (barClient) Symbol(of instruments.Priced, at time.Time) (string, bool) {
	if !barsource.IsType(of.Type, instruments.TypeStock) {
		return "", false
	}
	symbol, _ := of.PriceKeys(at)
	return symbol, share().MatchString(symbol)
}

// Fetch implements barsource.Provider.
func (p barClient) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	return barsource.Fetch(ctx, client, p, credentials, query, fetchBars)
}

type barPage struct {
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

// fetchBars fetches a window, which Alpaca may answer in several pages. Its prices are
// raw: not adjusted for splits and dividends.
func fetchBars(ctx context.Context, run *barsource.Run, window market.Range) error {
	run.Result.IsComplete = run.Value(feedField) == sip
	parameters := map[string]string{
		"symbols": run.Result.Symbol, "timeframe": timeframes[run.Secs], "adjustment": "raw", "feed": run.Value(feedField),
		"start": formatTime(time.Unix(window.From, 0)), "end": formatTime(time.Unix(window.To, 0)), "limit": strconv.Itoa(pageBars), "sort": "asc",
	}
	for {
		var page barPage
		err := run.Fetch(ctx, remote.Request{
			Address:    "https://" + barHost + "/v2/stocks/bars",
			Parameters: parameters,
			Header:     authorize(run.Session, barKeyField, barSecretField),
			Classify:   classifyBars,
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

func classifyBars(a remote.Answer) error {
	switch {
	case a.Status == http.StatusForbidden && !strings.Contains(a.Message, "subscription"):
		return remote.ErrUnauthorized // Alpaca answers so for a wrong key, too
	case a.Status == http.StatusBadRequest && strings.Contains(a.Message, "invalid symbol"):
		return remote.ErrNotFound
	}
	return classify(a)
}
