// Package twelvedata fetches bars of shares of many countries, of currencies and of coins
// from Twelve Data. Shares have bars of regular hours only; their prices are not
// adjusted.
//
// The client was written from Twelve Data's documentation and tested against our own
// server. It was never tried with a live account.
package twelvedata

import (
	"context"
	"errors"
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
	host     = "api.twelvedata.com"
	keyField = "api_key"
	// pageBars is less than the 5,000 bars of an answer, because a query's end may be one
	// of them.
	pageBars = 4900
)

var intervals = map[int64]string{60: "1min", 300: "5min", 900: "15min", 1800: "30min", 3600: "1h"}

type barClient struct{}

// Bars returns the price provider.
func Bars() barsource.Provider { return barClient{} }

// Describe implements barsource.Provider.
func (barClient) Describe() barsource.Description {
	return barsource.Description{
		Name:   "twelvedata",
		Title:  "Twelve Data",
		Covers: "Stocks and ETFs of many countries in regular hours, currency pairs, crypto",
		Notes:  "Free for personal use with 800 requests a day. Some exchanges need a paid plan.",
		Hosts:  []string{host},
		Fields: []remote.Field{
			{Name: keyField, Title: "API key", Help: "Register at twelvedata.com. The key is on your dashboard.", IsSecret: true},
		},
		BarSecs:           []int64{60, 300, 900, 1800, 3600},
		PageBars:          pageBars,
		RequestsPerMinute: 8,
	}
}

var (
	share = lazyregexp.New(`^([A-Z0-9]{1,10}(?:[.-][A-Z])?)$`)
	// abroad is a share of another country by the ending that most platforms use.
	abroad = lazyregexp.New(`^([A-Z0-9]{1,10}(?:-[A-Z])?)\.([A-Z]{1,2})$`)
	forex  = lazyregexp.New(`^([A-Z]{3})([A-Z]{3})$`)
	// exchanges are the market identifier codes of those endings.
	exchanges = map[string]string{
		"AS": "XAMS", "AX": "XASX", "BR": "XBRU", "CO": "XCSE", "DE": "XETR", "HE": "XHEL", "HK": "XHKG", "L": "XLON", "LS": "XLIS",
		"MC": "XMAD", "MI": "XMIL", "NS": "XNSE", "OL": "XOSL", "PA": "XPAR", "ST": "XSTO", "SW": "XSWX", "TO": "XTSE", "VI": "XWBO",
	}
)

// Symbol implements barsource.Provider. A share of another country has its exchange
// after a colon: SAP:XETR.
func (barClient) Symbol(of instruments.Priced, at time.Time) (string, bool) {
	symbol, _ := of.PriceKeys(at)
	switch of.Type {
	case instruments.TypeForex, instruments.TypeCFD:
		if parts := forex().FindStringSubmatch(symbol); parts != nil {
			return parts[1] + "/" + parts[2], true
		}
	case instruments.TypeCrypto:
		base, quote, ok := barsource.SplitPair(of.Symbol)
		return base + "/" + quote, ok
	case instruments.TypeStock, "":
		if parts := abroad().FindStringSubmatch(symbol); parts != nil && exchanges[parts[2]] != "" {
			return parts[1] + ":" + exchanges[parts[2]], true
		}
		return symbol, share().MatchString(symbol)
	}
	return "", false
}

// Fetch implements barsource.Provider.
func (p barClient) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	decimals := "5" // more would show the noise of the floats that prices are kept as
	if query.Instrument.Type == instruments.TypeCrypto {
		decimals = strconv.Itoa(market.MaxPriceScale)
	}
	return barsource.Fetch(ctx, client, p, credentials, query, func(ctx context.Context, run *barsource.Run, window market.Range) error {
		return fetchWindow(ctx, run, window, decimals)
	})
}

type answer struct {
	// Values have the newest bar first.
	Values remote.Member[[]bar] `json:"values"`
}

type bar struct {
	Time   string        `json:"datetime"`
	Open   remote.Number `json:"open"`
	High   remote.Number `json:"high"`
	Low    remote.Number `json:"low"`
	Close  remote.Number `json:"close"`
	Volume remote.Number `json:"volume"`
}

func fetchWindow(ctx context.Context, run *barsource.Run, window market.Range, decimals string) error {
	run.Result.IsComplete = false
	parameters := map[string]string{
		"symbol": run.Result.Symbol, "interval": intervals[run.Secs], "timezone": "UTC", "adjust": "none", "outputsize": "5000", "dp": decimals,
		"start_date": formatTime(window.From), "end_date": formatTime(window.To),
	}
	if symbol, exchange, ok := strings.Cut(run.Result.Symbol, ":"); ok {
		parameters["symbol"], parameters["mic_code"] = symbol, exchange
	}
	var page answer
	err := run.Fetch(ctx, remote.Request{
		Address: "https://" + host + "/time_series", Parameters: parameters,
		Header:   map[string]string{"Authorization": "apikey " + run.Value(keyField)},
		Classify: classify,
	}, &page)
	if errors.Is(err, errNoBars) {
		return nil
	}
	if err != nil {
		return err
	}
	if !page.Values.IsPresent {
		return remote.Malformed("it has no values")
	}
	for _, b := range page.Values.Value {
		at, err := time.ParseInLocation(time.DateTime, b.Time, time.UTC)
		if err != nil {
			return remote.Malformed("a bar has no time")
		}
		if err := run.Add(at.Unix(), barsource.Values{Open: b.Open, High: b.High, Low: b.Low, Close: b.Close, Volume: b.Volume}); err != nil {
			return err
		}
	}
	return nil
}

func formatTime(second int64) string { return time.Unix(second, 0).UTC().Format(time.DateTime) }

// errNoBars is the kind of an answer that says that there are no bars.
var errNoBars = errors.New("no bars")

// classify returns an answer's error. Twelve Data sends most errors with status 200 and
// has the real one in the body.
func classify(a remote.Answer) error {
	if status, err := strconv.Atoi(a.Code); err == nil {
		a.Status = status
	}
	message := strings.ToLower(a.Message)
	switch {
	case a.Status < 400:
		return nil
	case a.Status == 429:
		return &remote.RateLimited{RetryAfter: waitOf(a, message)}
	case strings.Contains(message, "no data is available"):
		return errNoBars
	case a.Status != 401 && strings.Contains(message, " plan"):
		return remote.ErrForbidden // the symbol needs a paid plan
	case a.Status == 400 && strings.Contains(message, "symbol"):
		return remote.ErrNotFound
	}
	return a.ByStatus()
}

// waitOf returns how long to wait: until the next minute, or the next day if the day's
// credits are spent.
func waitOf(a remote.Answer, message string) time.Duration {
	if wait := a.RetryAfter(); wait > 0 {
		return wait
	}
	if strings.Contains(message, "for the day") || strings.Contains(message, "daily") {
		return a.Until(a.Now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour))
	}
	return time.Minute
}
