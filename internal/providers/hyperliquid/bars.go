package hyperliquid

import (
	"context"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

const (
	// historyBars is a little less than the 5,000 kept bars, because a query may wait
	// before it is sent.
	historyBars = 4990
	pageBars    = 1000
)

var intervals = map[int64]string{60: "1m", 180: "3m", 300: "5m", 900: "15m", 1800: "30m", 3600: "1h"}

type barClient struct{}

// Bars returns the price provider.
func Bars() barsource.Provider { return barClient{} }

// Describe implements barsource.Provider.
func (barClient) Describe() barsource.Description {
	return barsource.Description{
		Name:        "hyperliquid",
		Title:       "Hyperliquid",
		Covers:      "Perpetual futures of Hyperliquid",
		Notes:       "Free, without a key. Only the newest 5,000 bars: about three days of one-minute bars.",
		Hosts:       []string{host},
		BarSecs:     []int64{60, 180, 300, 900, 1800, 3600},
		PageBars:    pageBars,
		HistoryBars: historyBars,
		// A request of 1,000 bars weighs 20 + 17, and 1,200 a minute are allowed.
		RequestsPerMinute: 20,
		IsPublic:          true,
	}
}

var (
	coin = lazyregexp.New(`^[A-Z0-9]{1,12}$`)
	// builder is a contract of a market inside Hyperliquid: xyz:AAPL.
	builder = lazyregexp.New(`^([A-Z0-9]{1,8}):([A-Z0-9]{1,12})$`)
	// thousands are contracts on a thousand coins, whose names begin with a small k.
	thousands = strings.Fields("KPEPE KSHIB KBONK KFLOKI KLUNC KDOGS KNEIRO")
	// coinsOfCME are coins that are also roots for exchange-traded futures.
	coinsOfCME = strings.Fields("BTC ETH SOL XRP")
)

// Symbol implements barsource.Provider. The journal has Hyperliquid contracts as futures
// with the coin's name. Spot pairs have numbers there and are left out.
func (barClient) Symbol(of instruments.Priced, _ time.Time) (string, bool) {
	if !barsource.IsType(of.Type, instruments.TypeFuture) {
		return "", false
	}
	text := strings.ToUpper(strings.TrimSpace(of.Symbol))
	if parts := builder().FindStringSubmatch(text); parts != nil {
		return strings.ToLower(parts[1]) + ":" + parts[2], of.Type != ""
	}
	for _, suffix := range []string{"-PERP", "-USD", "-USDC", "/USDC"} {
		text = strings.TrimSuffix(text, suffix)
	}
	if contract, ok := instruments.ParseFuture(text); ok && (contract.Explicit || !slices.Contains(coinsOfCME, text)) {
		return "", false // an exchange's future
	}
	if slices.Contains(thousands, text) {
		return "k" + text[1:], true
	}
	return text, of.Type != "" && coin().MatchString(text)
}

// Fetch implements barsource.Provider.
func (p barClient) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	return barsource.Fetch(ctx, client, p, credentials, query, fetchBars)
}

type barRequest struct {
	Type  string   `json:"type"`
	Query snapshot `json:"req"`
}

type snapshot struct {
	Coin      string `json:"coin"`
	Interval  string `json:"interval"`
	StartTime int64  `json:"startTime"`
	EndTime   int64  `json:"endTime"`
}

type bar struct {
	Time   remote.Number `json:"t"`
	End    remote.Number `json:"T"`
	Open   remote.Number `json:"o"`
	High   remote.Number `json:"h"`
	Low    remote.Number `json:"l"`
	Close  remote.Number `json:"c"`
	Volume remote.Number `json:"v"`
}

// fetchBars fetches a window. What Hyperliquid answers for an unknown coin is not
// documented: an answer without bars is taken as no trades, and status 500 as an outage.
func fetchBars(ctx context.Context, run *barsource.Run, window market.Range) error {
	var bars []bar
	err := run.Fetch(ctx, remote.Request{
		Address: "https://" + host + path,
		JSON: barRequest{Type: "candleSnapshot", Query: snapshot{
			Coin: run.Result.Symbol, Interval: intervals[run.Secs], StartTime: window.From * 1000, EndTime: window.To*1000 - 1,
		}},
	}, &bars)
	if err != nil {
		return err
	}
	for _, b := range bars {
		at, err := barsource.ParseSeconds(b.Time)
		if err != nil {
			return err
		}
		if err := run.Add(at, barsource.Values{Open: b.Open, High: b.High, Low: b.Low, Close: b.Close, Volume: b.Volume}); err != nil {
			return err
		}
	}
	return nil
}
