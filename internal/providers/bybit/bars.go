package bybit

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
	barHost  = "api.bybit.com"
	pageBars = 1000
)

var intervals = map[int64]string{60: "1", 180: "3", 300: "5", 900: "15", 1800: "30", 3600: "60"}

type barClient struct{}

// Bars returns the price provider.
func Bars() barsource.Provider { return barClient{} }

// Describe implements barsource.Provider.
func (barClient) Describe() barsource.Description {
	return barsource.Description{
		Name:              "bybit",
		Title:             "Bybit",
		Covers:            "Crypto: spot pairs, linear and inverse futures",
		Notes:             "Free, without a key. Bybit doesn't answer in some countries.",
		Hosts:             []string{barHost},
		BarSecs:           []int64{60, 180, 300, 900, 1800, 3600},
		PageBars:          pageBars,
		RequestsPerMinute: 600, // the limit is 600 in five seconds
		IsPublic:          true,
	}
}

// contract is a contract whose symbol is not a pair: BTCPERP, which is settled in
// USDC, and those with an end, BTC-26DEC25, BTCUSDT-26DEC25 and BTCUSDZ25.
var contract = lazyregexp.New(`^(?:[A-Z0-9]{1,12}PERP|[A-Z0-9]{1,12}-[0-9]{1,2}[A-Z]{3}[0-9]{2}|[A-Z0-9]{1,8}USD[FGHJKMNQUVXZ][0-9]{2})$`)

// Symbol implements barsource.Provider.
func (barClient) Symbol(of instruments.Priced, _ time.Time) (string, bool) {
	_, symbol, ok := findMarket(of)
	return symbol, ok
}

// findMarket returns an instrument's market and its symbol there. The same symbol can be
// a pair and a contract, so the type decides.
func findMarket(of instruments.Priced) (category, symbol string, ok bool) {
	base, quote, isPair := barsource.SplitPair(of.Symbol)
	switch of.Type {
	case "", instruments.TypeCrypto:
		return spot, base + quote, isPair && quote != "USD"
	case instruments.TypeFuture:
		symbol = strings.ToUpper(strings.TrimSpace(of.Symbol))
		switch {
		case contract().MatchString(symbol) && strings.Contains(symbol, "USD") && !strings.Contains(symbol, "USDT"):
			return inverse, symbol, true
		case contract().MatchString(symbol):
			return linear, symbol, true
		case quote == "USD":
			return inverse, base + quote, isPair
		}
		return linear, base + quote, isPair && (quote == "USDT" || quote == "USDC")
	}
	return "", "", false
}

// Fetch implements barsource.Provider.
func (p barClient) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	category, _, _ := findMarket(query.Instrument)
	return barsource.Fetch(ctx, client, p, credentials, query, func(ctx context.Context, run *barsource.Run, window market.Range) error {
		return fetchBars(ctx, run, window, category)
	})
}

type barPage struct {
	Result struct {
		// List has the newest bar first.
		List remote.Member[[][]remote.Number] `json:"list"`
	} `json:"result"`
}

func fetchBars(ctx context.Context, run *barsource.Run, window market.Range, category string) error {
	var page barPage
	err := run.Fetch(ctx, remote.Request{
		Address: "https://" + barHost + "/v5/market/kline",
		Parameters: map[string]string{
			"category": category, "symbol": run.Result.Symbol, "interval": intervals[run.Secs], "limit": strconv.Itoa(pageBars),
			"start": formatSecond(window.From), "end": formatSecond(window.To - 1),
		},
		Classify: classifyBars,
	}, &page)
	if err != nil {
		return err
	}
	if !page.Result.List.IsPresent {
		return remote.Malformed("it has no list of bars")
	}
	return run.AddRows(page.Result.List.Value)
}

func formatSecond(second int64) string { return strconv.FormatInt(second*1000, 10) }

// classifyBars returns the error for an answer to a query without a key.
func classifyBars(a remote.Answer) error {
	if a.Code == "10001" && strings.Contains(strings.ToLower(a.Message), "symbol") {
		return remote.ErrNotFound
	}
	err := classify(a)
	if err == nil && a.Status == http.StatusForbidden {
		err = errTooFrequent // whatever its body is
	}
	return err
}
