package binance

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

// The spot market has a host for market data only. It answers in places where the host
// for trading does not.
const (
	spotHost       = "data-api.binance.vision"
	spotPath       = "/api/v3/klines"
	futuresBarPath = "/fapi/v1/klines"
	pageBars       = 1000
)

var intervals = map[int64]string{60: "1m", 180: "3m", 300: "5m", 900: "15m", 1800: "30m", 3600: "1h"}

type barClient struct{}

// Bars returns the price provider.
func Bars() barsource.Provider { return barClient{} }

// Describe implements barsource.Provider.
func (barClient) Describe() barsource.Description {
	return barsource.Description{
		Name:              "binance",
		Title:             "Binance",
		Covers:            "Crypto: spot pairs and USD-M futures",
		Notes:             "Free, without a key. Binance doesn't answer in some countries.",
		Hosts:             []string{spotHost, futuresHost},
		BarSecs:           []int64{60, 180, 300, 900, 1800, 3600},
		PageBars:          pageBars,
		RequestsPerMinute: 240, // the limit is 480 for contracts and 3,000 for spot
		IsPublic:          true,
	}
}

// dated is a contract with an end: BTCUSDT_261225.
var dated = lazyregexp.New(`^[A-Z0-9]{1,15}_[0-9]{6}$`)

// Symbol implements barsource.Provider.
func (barClient) Symbol(of instruments.Priced, _ time.Time) (string, bool) {
	if !barsource.IsType(of.Type, instruments.TypeCrypto, instruments.TypeFuture) {
		return "", false
	}
	if symbol := strings.ToUpper(of.Symbol); of.Type == instruments.TypeFuture && dated().MatchString(symbol) {
		return symbol, true
	}
	base, quote, ok := barsource.SplitPair(of.Symbol)
	if of.Type == instruments.TypeFuture {
		ok = ok && (quote == "USDT" || quote == "USDC")
	}
	// No Binance pair is priced in bank dollars.
	return base + quote, ok && quote != "USD"
}

// Fetch implements barsource.Provider.
func (p barClient) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	address := "https://" + spotHost + spotPath
	if query.Instrument.Type == instruments.TypeFuture {
		address = "https://" + futuresHost + futuresBarPath
	}
	return barsource.Fetch(ctx, client, p, credentials, query, func(ctx context.Context, run *barsource.Run, window market.Range) error {
		return fetchBars(ctx, run, window, address)
	})
}

func fetchBars(ctx context.Context, run *barsource.Run, window market.Range, address string) error {
	var bars [][]remote.Number
	err := run.Fetch(ctx, remote.Request{
		Address: address,
		Parameters: map[string]string{
			"symbol": run.Result.Symbol, "interval": intervals[run.Secs], "limit": strconv.Itoa(pageBars),
			"startTime": formatSecond(window.From), "endTime": formatSecond(window.To - 1),
		},
		Classify: classifyBars,
	}, &bars)
	if err != nil {
		return err
	}
	return run.AddRows(bars)
}

func formatSecond(second int64) string { return strconv.FormatInt(second*1000, 10) }

// bannedUntil is part of the message to a blocked address.
var bannedUntil = lazyregexp.New(`until ([0-9]{13})`)

func classifyBars(a remote.Answer) error {
	switch {
	case a.Code == "-1121" || a.Code == "-1122":
		return remote.ErrNotFound
	case a.Status == http.StatusForbidden || a.Status == http.StatusTeapot || a.Code == "-1003":
		// 403 is how the firewall answers too many requests.
		limited := &remote.RateLimited{RetryAfter: a.RetryAfter(), IsBanned: a.Status != http.StatusTooManyRequests}
		if found := bannedUntil().FindStringSubmatch(a.Message); found != nil && limited.RetryAfter == 0 {
			millis, _ := strconv.ParseInt(found[1], 10, 64)
			limited.RetryAfter = a.Until(time.UnixMilli(millis))
		}
		return limited
	}
	return nil
}
