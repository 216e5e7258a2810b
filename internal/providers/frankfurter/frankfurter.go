// Package frankfurter fetches the reference rates of the European Central Bank from
// Frankfurter, a free service without keys: units of a currency for one EUR, once for
// each working day. It speaks version 1 of the API.
//
// Frankfurter rounds: rates above 5000 have no decimals, those above 80 have two. Of the
// bank's currencies that changes only the Indonesian rupiah, whose published rate has two
// decimals. The bank's own file has all digits.
//
// The client was written from the documentation and the published source of Frankfurter
// and tested against our own server. It was never tried with the real service.
package frankfurter

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

const host = "api.frankfurter.dev"

// currencies are those for which the bank publishes rates or did so: some joined the euro.
var currencies = strings.Fields("AUD BGN BRL CAD CHF CNY CYP CZK DKK EEK GBP HKD HRK HUF IDR ILS INR ISK JPY KRW LTL LVL MTL MXN MYR " +
	"NOK NZD PHP PLN ROL RON RUB SEK SGD SIT SKK THB TRL TRY USD ZAR")

type barClient struct{}

// Bars returns the price provider.
func Bars() barsource.Provider { return barClient{} }

// Describe implements barsource.Provider.
func (barClient) Describe() barsource.Description {
	return barsource.Description{
		Name:    "frankfurter",
		Title:   "ECB rates (Frankfurter)",
		Covers:  "Currency rates of the European Central Bank, one for each working day",
		Notes:   "Free, without a key. Rates convert totals into another currency and are never used as prices.",
		Hosts:   []string{host},
		BarSecs: []int64{market.ReferenceSecs},
		// Older versions answer a longer time with averages of weeks.
		PageBars:          90,
		RequestsPerMinute: 60, // there is no stated limit
		// A day's rate is published about 16:00 in Frankfurt. It is there by 16:00 UTC:
		// eight hours before the day ends.
		Delay:    -8 * time.Hour,
		IsPublic: true,
		IsRates:  true,
	}
}

// Symbol implements barsource.Provider. The instrument is a rate series such as EURUSD;
// its name is the currency's.
func (barClient) Symbol(of instruments.Priced, _ time.Time) (string, bool) {
	currency, ok := market.ReferenceCurrency(of.Symbol)
	return currency, ok && slices.Contains(currencies, currency)
}

// Fetch implements barsource.Provider.
func (p barClient) Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query barsource.Query) (barsource.Result, error) {
	var f fetch
	result, err := barsource.Fetch(ctx, client, p, credentials, query, f.fetchWindow)
	if err == nil && f.answered == 0 && f.refused != nil {
		return barsource.Result{}, f.refused
	}
	return result, err
}

// fetch is a query for a currency's rates.
type fetch struct {
	answered int
	// refused is the error for a window without any rate. A currency that joined the euro
	// has some of these after others with rates.
	refused error
}

type answer struct {
	Base string `json:"base"`
	// Rates are by day and currency. Their digits are kept.
	Rates remote.Member[map[string]map[string]remote.Number] `json:"rates"`
}

func (f *fetch) fetchWindow(ctx context.Context, run *barsource.Run, window market.Range) error {
	run.Result.PriceKind, run.Result.VolumeKind = market.ReferencePrice, market.NoVolume
	var page answer
	err := run.Fetch(ctx, remote.Request{
		Address:    "https://" + host + "/v1/" + formatDay(window.From) + ".." + formatDay(window.To-1),
		Parameters: map[string]string{"base": market.ReferenceBase, "symbols": run.Result.Symbol},
	}, &page)
	if errors.Is(err, remote.ErrNotFound) {
		f.refused = err
		return nil
	}
	if err != nil {
		return err
	}
	f.answered++
	if page.Base != market.ReferenceBase || !page.Rates.IsPresent {
		return remote.Malformed("it has no rates of the euro")
	}
	return addRates(run, window, page.Rates.Value)
}

// maxEarlier is how many days before the window a rate may be: if its first day has no
// rate, the answer begins with the last one before.
const maxEarlier = 10

func addRates(run *barsource.Run, window market.Range, days map[string]map[string]remote.Number) error {
	for day, values := range days {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return remote.Malformed("a rate has no day")
		}
		if at.Unix() < window.From && at.Unix() >= window.From-maxEarlier*market.ReferenceSecs {
			continue
		}
		if at.Unix() < window.From || at.Unix() >= window.To {
			return remote.Malformed("it has rates of another time")
		}
		rate, ok := values[run.Result.Symbol]
		if !ok {
			continue
		}
		if err := addRate(run, at.Unix(), rate); err != nil {
			return err
		}
	}
	return nil
}

// addRate adds a rate as a bar whose four prices are equal. One that is not above zero is
// counted as skipped.
func addRate(run *barsource.Run, at int64, rate remote.Number) error {
	value, err := decimal.Parse(string(rate))
	if err != nil || value.Sign() <= 0 {
		run.Result.Skipped++
		return nil //nolint:nilerr // the others are used
	}
	return run.Add(at, barsource.Values{Open: rate, High: rate, Low: rate, Close: rate})
}

func formatDay(second int64) string { return time.Unix(second, 0).UTC().Format(time.DateOnly) }
