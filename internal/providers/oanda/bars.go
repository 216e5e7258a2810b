package oanda

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// barSites has the practice account first, which is enough for bars.
var barSites = connector.Sites{Field: sites.Field, List: []connector.Site{sites.List[1], sites.List[0]}}

// priceField is the field of the kind of price.
const priceField = "price"

// prices are OANDA's letters for the kinds of prices.
var prices = map[market.PriceKind]string{market.MidPrice: "M", market.BidPrice: "B", market.AskPrice: "A"}

var granularities = map[int64]string{5: "S5", 60: "M1", 300: "M5", 900: "M15", 1800: "M30", 3600: "H1"}

type barClient struct{}

// Bars returns the price provider.
func Bars() barsource.Provider { return barClient{} }

// Describe implements barsource.Provider.
func (barClient) Describe() barsource.Description {
	return barsource.Description{
		Name:   "oanda",
		Title:  "OANDA",
		Covers: "Currency pairs, metals and index CFDs of OANDA",
		Notes:  "Free with an account; a practice account is enough. Use a token of a practice account: a live one can trade.",
		Hosts:  barSites.Hosts(),
		Fields: []remote.Field{
			{Name: tokenField, Title: "API token", Help: "Create it under Manage API access in your OANDA account.", IsSecret: true},
			barSites.NewField(),
			{
				Name: priceField, Title: "Price", Help: "MetaTrader's charts show the bid.",
				Choices: []remote.Choice{
					{Value: string(market.MidPrice), Title: "Mid, between bid and ask"},
					{Value: string(market.BidPrice), Title: "Bid"},
					{Value: string(market.AskPrice), Title: "Ask"},
				},
			},
		},
		BarSecs:           []int64{5, 60, 300, 900, 1800, 3600},
		PageBars:          5000,
		RequestsPerMinute: 600, // the limit is 120 a second
	}
}

var (
	// pair is two currencies or a metal and one, as platforms write them. Some brokers
	// add letters.
	pair = lazyregexp.New(`^([A-Z]{3})[/_ -]?([A-Z]{3})(?:[.#_-][A-Z0-9]*|[A-Z]{1,2})?$`)
	// currencies are those OANDA has pairs of.
	currencies = strings.Fields("AUD CAD CHF CNH CZK DKK EUR GBP HKD HUF JPY MXN NOK NZD PLN SEK SGD THB TRY USD ZAR XAU XAG XPT XPD XCU")
	// cfds are the names of OANDA's CFDs without their currencies.
	cfds = map[string]string{
		"AU200": "AUD", "BCO": "USD", "CN50": "USD", "CORN": "USD", "DE30": "EUR", "EU50": "EUR", "FR40": "EUR", "HK33": "HKD", "JP225": "USD",
		"NAS100": "USD", "NATGAS": "USD", "SOYBN": "USD", "SPX500": "USD", "SUGAR": "USD", "UK100": "GBP", "US2000": "USD", "US30": "USD",
		"WHEAT": "USD", "WTICO": "USD",
	}
)

// Symbol implements barsource.Provider.
func (barClient) Symbol(of instruments.Priced, _ time.Time) (string, bool) {
	if !barsource.IsType(of.Type, instruments.TypeForex, instruments.TypeCFD) {
		return "", false
	}
	text := strings.ToUpper(strings.TrimSpace(of.Symbol))
	if _, after, ok := strings.Cut(text, ":"); ok {
		text = after // OANDA:EURUSD
	}
	for name, currency := range cfds {
		if text == name || text == name+currency || text == name+"_"+currency || text == name+"/"+currency {
			return name + "_" + currency, true
		}
	}
	parts := pair().FindStringSubmatch(text)
	if parts == nil || !slices.Contains(currencies, parts[1]) || !slices.Contains(currencies, parts[2]) {
		return "", false
	}
	return parts[1] + "_" + parts[2], true
}

// Fetch implements barsource.Provider.
func (p barClient) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	return barsource.Fetch(ctx, client, p, credentials, query, fetchBars)
}

type candlePage struct {
	Candles remote.Member[[]candle] `json:"candles"`
}

type candle struct {
	Time       time.Time     `json:"time"`
	IsComplete bool          `json:"complete"`
	Volume     remote.Number `json:"volume"` // the number of prices
	Mid        *values       `json:"mid"`
	Bid        *values       `json:"bid"`
	Ask        *values       `json:"ask"`
}

type values struct {
	Open  remote.Number `json:"o"`
	High  remote.Number `json:"h"`
	Low   remote.Number `json:"l"`
	Close remote.Number `json:"c"`
}

// fetchBars fetches a window. The bars are made from quotes: the bid, the ask, or the
// middle between them.
func fetchBars(ctx context.Context, run *barsource.Run, window market.Range) error {
	kind := market.PriceKind(run.Value(priceField))
	run.Result.PriceKind, run.Result.VolumeKind = kind, market.TickVolume
	var page candlePage
	query := request(run.Session, "/v3/instruments/"+url.PathEscape(run.Result.Symbol)+"/candles", map[string]string{
		"price": prices[kind], "granularity": granularities[run.Secs], "from": formatTime(time.Unix(window.From, 0)), "to": formatTime(time.Unix(window.To, 0)),
	})
	query.Classify = classifyBars
	if err := run.Fetch(ctx, query, &page); err != nil {
		return err
	}
	if !page.Candles.IsPresent {
		return remote.Malformed("it has no candles")
	}
	for _, c := range page.Candles.Value {
		if !c.IsComplete {
			continue
		}
		v := map[market.PriceKind]*values{market.MidPrice: c.Mid, market.BidPrice: c.Bid, market.AskPrice: c.Ask}[kind]
		if v == nil {
			return remote.Malformed("a candle lacks the kind of price that was asked for")
		}
		if err := run.Add(c.Time.Unix(), barsource.Values{Open: v.Open, High: v.High, Low: v.Low, Close: v.Close, Volume: c.Volume}); err != nil {
			return err
		}
	}
	return nil
}

func classifyBars(a remote.Answer) error {
	if strings.Contains(a.Message, "'instrument'") {
		return remote.ErrNotFound // Invalid value specified for 'instrument'
	}
	return nil
}
